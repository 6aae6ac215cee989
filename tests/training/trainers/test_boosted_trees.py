"""Trees of lightgbm as arrays: one written by hand, trained ones, and what cannot be converted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.training.trainers.boosted_trees import convert_trees, round_down


def leaf(value: float) -> dict[str, Any]:
    return {"leaf_value": value}


def node(feature: int, threshold: Any, left: Any, right: Any, **more: Any) -> dict[str, Any]:
    children = {"left_child": left, "right_child": right}
    kind = {"decision_type": "<=", "missing_type": "None"}
    return {"split_feature": feature, "threshold": threshold, **kind, **children, **more}


def dump(*roots: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tree_info": [{"tree_structure": root} for root in roots], **more}


def test_trees_by_hand() -> None:
    first = node(1, 0.5, leaf(1), node(0, 2, leaf(2), leaf(4)))
    trees = convert_trees(dump(first, leaf(8)))
    rows = np.array([[0, 0], [0, 0.5], [0, 1], [2, 1], [3, 1]], dtype=np.float32)
    assert trees(rows).tolist() == [9, 9, 10, 10, 12]


def test_thresholds_between_two_numbers_of_a_row() -> None:
    """0.1 is no float32; the next one over it goes to the right, as with lightgbm's 0.1."""
    trees = convert_trees(dump(node(0, 0.1, leaf(0), leaf(1))))
    over = np.float32(0.1)
    assert float(over) > 0.1
    rows = np.array([[over], [np.nextafter(over, np.float32(0))]], dtype=np.float32)
    assert trees(rows).tolist() == [1, 0]


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1e-35, 1e-50, -1e-50, 1e300, -1e300, 3.5])
def test_rounded_thresholds_are_never_larger(threshold: float) -> None:
    rounded = round_down(np.array([threshold]))[0]
    assert float(rounded) <= threshold
    with np.errstate(over="ignore"):
        assert float(np.nextafter(rounded, np.float32(np.inf))) > threshold


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (dump(), "no trees"),
        (dump(leaf(1), num_tree_per_iteration=3), "one output"),
        (dump(leaf(1), average_output=True), "one output"),
        (dump(node(3, "1||2", leaf(0), leaf(1), decision_type="==")), "column 3 .* '=='"),
        (dump(node(3, 1, leaf(0), leaf(1), missing_type="Zero")), "missing: Zero"),
        (dump(node(3, 1, leaf(0), {**leaf(1), "leaf_coeff": [1]})), "linear"),
    ],
)
def test_what_cannot_be_converted_is_told(model: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convert_trees(model)


def test_too_many_leaves_are_refused() -> None:
    root = leaf(0)
    for threshold in range(32):
        root = node(0, threshold, root, leaf(threshold))
    with pytest.raises(ValueError, match="33 leaves, 32 at most"):
        convert_trees(dump(root))


@pytest.mark.parametrize("leaves", [2, 24, 31])
def test_trained_trees_give_lightgbms_scores(leaves: int) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    random = np.random.default_rng(leaves)
    rows = random.normal(size=(2_000, 6)).astype(np.float32)
    rows[:, 2] = np.round(rows[:, 2])
    wanted = rows[:, 0] * rows[:, 1] + rows[:, 2] > 0.3
    options = {"objective": "binary", "num_leaves": leaves, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(rows, wanted), 20)
    trees = convert_trees(booster.dump_model())
    expected = booster.predict(rows, raw_score=True, num_threads=1)
    np.testing.assert_allclose(trees(rows), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trees._sum_leaves(rows), expected, rtol=0, atol=1e-12)
