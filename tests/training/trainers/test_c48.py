"""Trees in the style of C4.5, on data with an answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.systems.shallow.classifiers import DecisionTree
from scrapy_boilerplate.training.trainers.c48 import MAX_VALUES, Growth, grow_tree


def grown(rows: object, classes: list[int], min_leaf: float = 1, *, pruned: bool = False,
          weights: list[float] | None = None) -> DecisionTree:  # fmt: skip
    growth = Growth(n_classes=max(2, max(classes) + 1), min_leaf=min_leaf, pruned=pruned)
    return grow_tree(
        np.array(rows, dtype=np.float64),
        np.array(classes, dtype=np.int64),
        np.array(weights or [1.0] * len(classes)),
        growth,
    )


def test_one_split_that_tells_everything() -> None:
    tree = grown([[1, 7], [2, 7], [3, 7], [4, 7]] * 10, [0, 0, 1, 1] * 10)
    assert (tree.leaves, tree.depth) == (2, 1)
    assert (tree.features[0], tree.thresholds[0]) == (0, 2)  # a value that occurs, as in C4.5
    assert tree(np.array([[0.0, 0], [2.5, 0], [9, 0]])).tolist() == [[1, 0], [0, 1], [0, 1]]


def test_two_levels_for_an_and() -> None:
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    tree = grown(corners * 10, [0, 0, 0, 1] * 10)
    assert tree(np.array(corners, dtype=float))[:, 1].tolist() == [0, 0, 0, 1]
    assert tree.leaves == 3


def test_three_classes() -> None:
    tree = grown([[1], [2], [3]] * 20, [0, 1, 2] * 20)
    assert tree(np.array([[1.0], [2], [3]])).argmax(axis=1).tolist() == [0, 1, 2]


def test_no_leaf_is_lighter_than_wanted() -> None:
    rows = [[i] for i in range(20)]
    classes = [int(i > 16) for i in range(20)]
    assert grown(rows, classes, 3).leaves == 2
    assert grown(rows, classes, 11).leaves == 1


def test_weights_count_as_that_many_instances() -> None:
    rows, classes = [[1], [2], [3]], [0, 1, 0]
    shares = grown(rows, classes, 100, weights=[1, 2, 1])(np.array([[1.0]]))
    assert shares.tolist() == [[0.5, 0.5]]


def test_a_column_that_tells_nothing_is_not_split() -> None:
    assert grown([[1], [2]] * 20, [0, 1, 1, 0] * 10).leaves == 1


def test_pruning_joins_leaves_that_say_the_same() -> None:
    # both sides of the best split are mostly class 0: only the shares differ
    rows, classes = [[0]] * 100 + [[1]] * 100, [0] * 95 + [1] * 5 + [0] * 60 + [1] * 40
    assert grown(rows, classes).leaves == 2
    assert grown(rows, classes, pruned=True).leaves == 1


def test_many_values_are_cut_at_quantiles() -> None:
    rows = [[i / 7] for i in range(5 * MAX_VALUES)]
    classes = [int(i >= 2 * MAX_VALUES) for i in range(5 * MAX_VALUES)]
    tree = grown(rows, classes)
    wrong = (tree(np.array(rows))[:, 1] >= 0.5) != np.array(classes)
    assert wrong.mean() < 2 / MAX_VALUES


@given(st.integers(0, 10), st.integers(1, 60), st.integers(2, 4))
def test_any_data_gives_a_tree_of_distributions(seed: int, size: int, n_classes: int) -> None:
    drawn = np.random.default_rng(seed)
    rows = drawn.integers(5, size=(size, 3)).astype(float)
    growth = Growth(n_classes=n_classes, min_leaf=2, pruned=bool(seed % 2))
    tree = grow_tree(rows, drawn.integers(n_classes, size=size), np.ones(size), growth)
    shares = tree(rows)
    assert shares.shape == (size, n_classes)
    assert shares.sum(axis=1) == pytest.approx(np.ones(size))
    assert tree.leaves == (len(tree.left) + 1) // 2
