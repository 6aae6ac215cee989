"""Boosted regression trees over the columns of a block; evaluation in numpy.

`training.trainers.boosted_trees` converts those of lightgbm. All nodes of a tree are compared at
once: each comparison that fails rules out the leaves on its left, and the first leaf that is left
is that of the row (Lucchese et al. 2015, QuickScorer). The native twin is `native/_trees.pyx`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.classifier import check_at_most, read_array
from scrapy_boilerplate.steps.model_store import Arrays, ModelError, StoredModel

MAX_LEAVES = 32
"""Leaves of a tree at most: bits of a mask."""
MAX_TREES = 4_096
"""Trees that are loaded at most (our choice: ten times as many as a page has time for)."""
PART_ROWS = 1_024
"""Rows that are scored together in numpy (our choice, to bound the memory)."""

PREFIX = "trees_"
"""Start of the names of the arrays in a stored model."""


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees whose values are added up; node 0 is the root of each.

    features    int[trees, nodes], the column that a node compares
    thresholds  float[trees, nodes]; rows up to it go to the left
    left, right int[trees, nodes], the next node, or ``~leaf``; children follow their parent. Nodes
                that no other leads to are ignored
    values      float[trees, leaves]
    """

    features: IntArray
    thresholds: NDArray[np.float32]
    left: IntArray
    right: IntArray
    values: FloatArray

    def __call__(self, rows: NDArray[np.floating[Any]]) -> FloatArray:
        """Return float[n]: the sum of the values of the leaves of float[n, columns]; no NaN."""
        rows = rows.astype(np.float32, copy=False)
        if (native := _load_native()) is not None:
            return self._run(native, rows)
        parts = [
            self._sum_leaves(rows[first : first + PART_ROWS])
            for first in range(0, max(len(rows), 1), PART_ROWS)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _run(self, native: Any, rows: NDArray[np.float32]) -> FloatArray:
        masks, values = self._leaves
        sums = np.zeros(len(rows))
        features = self.features.astype(np.int32, copy=False)
        native.add_scores(rows, features, self.thresholds, masks, values, sums)
        return sums

    def _sum_leaves(self, rows: NDArray[np.float32]) -> FloatArray:
        masks, values = self._leaves
        columns = np.ascontiguousarray(rows.T)
        left = np.full((len(masks), len(rows)), np.uint32(0xFFFFFFFF))
        for features, thresholds, cleared in zip(
            self.features.T, self.thresholds.T, ~masks.T, strict=True
        ):
            over = columns[features] > thresholds[:, np.newaxis]
            left &= ~(over * cleared[:, np.newaxis])
        leaves = np.frexp((left & -left).astype(np.float64))[1] - 1  # the lowest bit of each
        sums: FloatArray = np.take_along_axis(values, leaves.astype(np.int64), axis=1).sum(axis=0)
        return sums

    @cached_property
    def _leaves(self) -> tuple[NDArray[np.uint32], FloatArray]:
        """Masks uint32[trees, nodes], and the values of the leaves from left to right."""
        masks = np.full(self.features.shape, np.uint32(0xFFFFFFFF))
        values = np.zeros((len(masks), MAX_LEAVES))
        for tree in range(len(masks)):
            spans, leaves = find_leaves(self.left[tree].tolist(), self.right[tree].tolist())
            for node, (first, end) in spans.items():
                masks[tree, node] = 0xFFFFFFFF & ~((1 << end) - (1 << first))
            values[tree, : len(leaves)] = self.values[tree, leaves]
        return masks, values


def find_leaves(left: list[int], right: list[int]) -> tuple[dict[int, tuple[int, int]], list[int]]:
    """Return the leaves on the left of each node, and all leaves of the tree from left to right.

    Those of a node are a span (first, end). Raises ValueError if the nodes are no tree.
    """
    spans: dict[int, tuple[int, int]] = {}
    leaves: list[int] = []
    starts: dict[int, int] = {}
    waiting = [(0, False)]
    while waiting:
        node, seen_left = waiting.pop()
        if seen_left:
            spans[node] = (starts[node], len(leaves))
            waiting.append((right[node], False))
        elif node < 0:
            leaves.append(~node)
        else:
            if node >= len(left) or node in starts or min(left[node], right[node]) == 0:
                raise ValueError("the nodes are no tree")
            starts[node] = len(leaves)
            waiting += [(node, True), (left[node], False)]
    return spans, leaves


@cache
def _load_native() -> Any | None:
    return load_twin("trees", _agrees)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module scores rows as numpy does."""
    trees = BoostedTrees(
        features=np.array([[0, 1, 0], [1, 0, 0]]),
        thresholds=np.array([[0, 1, -1], [2, 0, 0]], dtype=np.float32),
        left=np.array([[1, -1, -3], [-1, 0, 0]]),
        right=np.array([[2, -2, -4], [-2, 0, 0]]),
        values=np.array([[1.0, 2, 4, 8], [16, 32, 0, 0]]),
    )
    rows = np.array([[x, y] for x in (-2, -1, 0, 1) for y in (0, 1, 2, 3)], dtype=np.float32)
    return np.array_equal(trees._run(native, rows), trees._sum_leaves(rows))


ARRAY_NAMES = tuple(BoostedTrees.__dataclass_fields__)


def read_trees(model: StoredModel, columns: int) -> BoostedTrees:
    """Return the trees of a stored model that read so many `columns`. Raises ModelError."""
    features = read_array(model, f"{PREFIX}features", (None, None))
    shape = features.shape
    names = ("thresholds", "left", "right")
    arrays = {name: read_array(model, f"{PREFIX}{name}", shape) for name in names}
    values = read_array(model, f"{PREFIX}values", (shape[0], None))
    check_at_most(model, "trees", shape[0], MAX_TREES)
    check_at_most(model, "leaves of a tree", max(values.shape[1], shape[1] + 1), MAX_LEAVES)
    integers = [features, arrays["left"], arrays["right"]]
    fit = all(array.dtype.kind in "iu" for array in integers)
    if not fit or features.min() < 0 or features.max() >= columns:
        raise ModelError(f"the trees of the model {model.kind!r} read other columns: train it anew")
    trees = BoostedTrees(
        features=features.astype(np.int64),
        thresholds=np.ascontiguousarray(arrays["thresholds"], dtype=np.float32),
        left=arrays["left"].astype(np.int64),
        right=arrays["right"].astype(np.int64),
        values=values.astype(np.float64),
    )
    for left, right in zip(trees.left.tolist(), trees.right.tolist(), strict=True):
        try:
            leaves = find_leaves(left, right)[1]
        except ValueError as error:
            raise ModelError(f"{error} in the model {model.kind!r}: train it anew") from error
        if max(leaves) >= values.shape[1]:
            raise ModelError(f"a leaf of the model {model.kind!r} has no value: train it anew")
    return trees


def pack_trees(trees: BoostedTrees) -> Arrays:
    """Return the arrays to store, in small integers and single precision."""
    kinds: dict[str, Any] = {"thresholds": np.float32, "values": np.float32}
    return {
        f"{PREFIX}{name}": getattr(trees, name).astype(kinds.get(name, np.int16))
        for name in ARRAY_NAMES
    }
