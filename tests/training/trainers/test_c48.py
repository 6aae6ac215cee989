"""Decision trees on data with an answer."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scrapy_boilerplate.systems.shallow.classifiers import DecisionTree
from scrapy_boilerplate.training.trainers.systems import MIN_LEAF_SHARE, fit_c48


def grow(rows: object, classes: list[int], words: object = None) -> DecisionTree:
    codes = np.array(classes, dtype=np.int64)
    weights = np.ones(len(codes)) if words is None else np.array(words, dtype=np.float64)
    return fit_c48(np.array(rows, dtype=np.float64), codes, weights, max(2, *codes.tolist()) + 1)


def test_two_levels_for_an_and() -> None:
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    tree = grow(corners * 10, [0, 0, 0, 1] * 10)
    assert tree(np.array(corners, dtype=float))[:, 1].tolist() == [0, 0, 0, 1]
    assert (tree.leaves, tree.depth) == (3, 2)


def test_a_leaf_has_the_least_share_of_the_words() -> None:
    rows, classes = [[i] for i in range(1000)], [int(i == 0) for i in range(1000)]
    assert grow(rows, classes).leaves == 2
    few = MIN_LEAF_SHARE / 2 * 1000
    assert few > 0.9
    shares = grow(rows, classes, [few, *[1.0] * 999])(np.array([[0.0]]))
    assert shares[0, 1] < 0.6


def test_words_are_the_weights_and_a_class_may_be_missing() -> None:
    tree = grow([[1], [1], [1]], [0, 2, 0], [1, 2, 1])
    assert tree(np.array([[1.0]])).tolist() == [[0.5, 0, 0.5]]
