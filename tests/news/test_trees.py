"""Boosted trees: against a walk from node to node, on disk, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.news import trees as module
from scrapy_boilerplate.news.trees import MAX_LEAVES, BoostedTrees, pack_trees, read_trees
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel

COLUMNS = 5


def grow(number: int, leaves: int, seed: int = 0) -> BoostedTrees:
    """Trees whose leaves are split at random, as a boosting library grows them."""
    random = np.random.default_rng(seed)
    nodes = max(leaves - 1, 1)
    features = random.integers(0, COLUMNS, (number, nodes))
    thresholds = random.integers(-2, 3, (number, nodes)).astype(np.float32) / np.float32(2)
    left, right = np.full((2, number, nodes), ~0)
    for tree in range(number):
        places: list[tuple[np.ndarray, int]] = []
        for node in range(leaves - 1):
            if node:
                side, parent = places.pop(int(random.integers(len(places))))
                side[tree, parent] = node
            places += [(left, node), (right, node)]
        for leaf, (side, parent) in enumerate(places):
            side[tree, parent] = ~leaf
    values = random.normal(size=(number, leaves)).astype(np.float32).astype(np.float64)
    return BoostedTrees(features, thresholds, left, right, values)


def walk(trees: BoostedTrees, row: np.ndarray) -> float:
    total = 0.0
    for tree in range(len(trees.features)):
        node = 0
        while node >= 0:
            over = row[trees.features[tree, node]] > trees.thresholds[tree, node]
            node = int((trees.right if over else trees.left)[tree, node])
        total += float(trees.values[tree, ~node])
    return total


def draw_rows(n: int) -> np.ndarray:
    """Rows that often meet a threshold exactly."""
    return np.random.default_rng(n).integers(-3, 4, (n, COLUMNS)).astype(np.float32) / 2


@pytest.mark.parametrize("leaves", [1, 2, 3, 8, 31, MAX_LEAVES])
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 100])
def test_values_against_a_walk_from_node_to_node(n: int, leaves: int) -> None:
    trees, rows = grow(7, leaves, seed=leaves), draw_rows(n)
    expected = [walk(trees, row) for row in rows]
    np.testing.assert_allclose(trees(rows), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trees._sum_leaves(rows), expected, rtol=0, atol=1e-12)


def test_a_long_page_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    trees, rows = grow(3, 8), draw_rows(200)
    monkeypatch.setattr(module, "_load_native", lambda: None)
    whole = trees(rows)
    monkeypatch.setattr(module, "PART_ROWS", 16)
    np.testing.assert_array_equal(trees(rows), whole)


def stored(trees: BoostedTrees, **arrays: Any) -> StoredModel:
    named = {f"trees_{name}": array for name, array in arrays.items()}
    return StoredModel(kind="news", columns=(), arrays={**pack_trees(trees), **named})


def test_what_is_packed_comes_back() -> None:
    trees = grow(9, 31)
    loaded = read_trees(stored(trees), COLUMNS)
    for name in BoostedTrees.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(trees, name))
    np.testing.assert_array_equal(loaded(draw_rows(40)), trees(draw_rows(40)))


TREES = grow(2, 4)
LEFT, RIGHT = TREES.left.copy(), TREES.right.copy()
LOOP, TWICE, BEYOND, NO_VALUE = (LEFT.copy() for _ in range(4))
LOOP[1, np.flatnonzero(LEFT[1] < 0)[0]] = 0
TWICE[1, np.flatnonzero(LEFT[1] < 0)[0]] = max(RIGHT[1].max(), LEFT[1].max())
BEYOND[0, np.flatnonzero(LEFT[0] < 0)[0]] = 3
NO_VALUE[0, np.flatnonzero(LEFT[0] < 0)[0]] = ~4

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "column": ({"features": np.full((2, 3), COLUMNS)}, "read other columns"),
    "negative column": ({"features": np.full((2, 3), -1)}, "read other columns"),
    "fraction": ({"features": np.zeros((2, 3))}, "read other columns"),
    "loop": ({"left": LOOP}, "no tree"),
    "node of two": ({"left": TWICE}, "no tree"),
    "node beyond": ({"left": BEYOND}, "no tree"),
    "no value": ({"left": NO_VALUE}, "has no value"),
    "shape": ({"right": RIGHT[:1]}, "not 2 x 3 finite numbers"),
    "nan": ({"thresholds": np.full((2, 3), np.nan)}, "finite numbers"),
    "no values": ({"values": np.zeros((2, 0))}, "finite numbers"),
    "many leaves": ({"values": np.zeros((2, 33))}, "33 leaves of a tree, 32 at most"),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_are_no_trees_are_refused(name: str) -> None:
    arrays, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        read_trees(stored(TREES, **arrays), COLUMNS)


def test_trees_with_too_many_leaves_are_refused() -> None:
    with pytest.raises(ModelError, match="34 leaves of a tree, 32 at most"):
        read_trees(stored(grow(1, 34)), COLUMNS)


@pytest.mark.parametrize("name", BoostedTrees.__dataclass_fields__)
def test_a_missing_array_is_named(name: str) -> None:
    model = stored(TREES)
    arrays = {key: array for key, array in model.arrays.items() if key != f"trees_{name}"}
    with pytest.raises(ModelError, match=f"lacks the array 'trees_{name}'"):
        read_trees(replace(model, arrays=arrays), COLUMNS)
