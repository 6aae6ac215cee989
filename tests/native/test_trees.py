"""The native trees against numpy: trees and rows of all sizes, wrong arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.news import trees as module
from tests.news.test_trees import NAMES, draw_rows, grow

native: Any = pytest.importorskip("scrapy_boilerplate.native._trees")


@given(st.integers(0, 100), st.integers(1, 40), st.integers(1, 32), st.integers(0, 99))
def test_trees_and_rows_of_all_sizes(n: int, number: int, leaves: int, seed: int) -> None:
    trees, rows = grow(number, leaves, seed), draw_rows(n)
    np.testing.assert_allclose(
        trees._run(native, rows), trees._add_leaves(rows), rtol=0, atol=1e-12
    )


def test_rows_may_lie_in_any_order() -> None:
    trees, rows = grow(5, 9), draw_rows(77)
    expected = trees._run(native, rows)
    apart = np.zeros((154, 2 * len(NAMES)), dtype=np.float32)
    apart[::2, ::2] = rows
    for other in (np.asfortranarray(rows), apart[::2, ::2], rows[::-1][::-1]):
        np.testing.assert_array_equal(trees._run(native, other), expected)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 3e38, -0.0])
def test_numbers_beyond_all_sizes(value: float) -> None:
    trees, rows = grow(5, 9), np.full((3, len(NAMES)), value, dtype=np.float32)
    np.testing.assert_array_equal(trees._run(native, rows), trees._add_leaves(rows))


FOREST = grow(3, 8)


def arrays(**changed: Any) -> dict[str, Any]:
    named = {
        "rows": draw_rows(5),
        **{name: getattr(FOREST, name) for name in ("columns", "thresholds", "masks", "leaves")},
        "sums": np.zeros(5),
    }
    return {**named, **changed}


WRONG: dict[str, dict[str, Any]] = {
    "column": {"columns": np.full((3, 7), len(NAMES), dtype=np.int32)},
    "negative column": {"columns": np.full((3, 7), -1, dtype=np.int32)},
    "no columns": {"rows": np.zeros((5, 0), dtype=np.float32)},
    "nodes": {"thresholds": np.zeros((3, 6), dtype=np.float32)},
    "trees": {"leaves": np.zeros((2, 32))},
    "leaves": {"leaves": np.zeros((3, 33))},
    "no leaves": {"leaves": np.zeros((3, 0))},
    "few leaves": {"leaves": np.zeros((3, 1)), "masks": np.full((3, 7), ~np.uint32(1))},
    "no leaf left": {"masks": np.zeros((3, 7), dtype=np.uint32)},
    "sums": {"sums": np.zeros(4)},
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_fit_are_refused(name: str) -> None:
    native.add_scores(*arrays().values())
    with pytest.raises(ValueError, match=r"fit|column|leaf"):
        native.add_scores(*arrays(**WRONG[name]).values())


def test_a_module_that_computes_something_else_is_not_used() -> None:
    class Wrong:
        @staticmethod
        def add_scores(*arguments: Any) -> None:
            native.add_scores(*arguments)
            arguments[-1][3] += 1e-3

    assert module._agrees(native)
    assert not module._agrees(Wrong)
