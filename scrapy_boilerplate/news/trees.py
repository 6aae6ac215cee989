"""Boosted trees over the same columns as the nets; inference in numpy.

`training.trainers.news_trees` trains them. A tree is evaluated without walking it (QuickScorer,
Lucchese et al. 2015): every split whose condition is false strikes out the leaves on its left, and
the first leaf that stays is the one. The native twin is `native/_trees.pyx`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.steps.classifier import check_at_most, read_array
from scrapy_boilerplate.steps.model_store import Arrays, ModelError, StoredModel

MAX_TREES, MAX_LEAVES = 4_096, 32
"""The largest forest that is loaded (our choice); a leaf is a bit of 32."""

PART_ROWS = 1_024
"""Rows that are scored together in numpy (our choice, to bound the memory)."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees whose leaves are added up.

    columns      int32[trees, splits], the column that a split looks at
    thresholds   float32[trees, splits]
    masks        uint32[trees, splits]: the leaves that stay if the column is over the threshold
    leaves       float[trees, leaves], lowest bit first
    """

    columns: NDArray[np.int32]
    thresholds: NDArray[np.float32]
    masks: NDArray[np.uint32]
    leaves: FloatArray

    def __call__(self, rows: NDArray[np.floating[Any]]) -> FloatArray:
        """Return float[n]: the sums over the trees for float[n, columns]."""
        rows = rows.astype(np.float32, copy=False)
        if (native := _load_native()) is not None:
            return self._run(native, rows)
        parts = [
            self._add_leaves(rows[first : first + PART_ROWS])
            for first in range(0, max(len(rows), 1), PART_ROWS)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _run(self, native: Any, rows: NDArray[np.float32]) -> FloatArray:
        sums = np.zeros(len(rows))
        native.add_scores(rows, self.columns, self.thresholds, self.masks, self.leaves, sums)
        return sums

    def _add_leaves(self, rows: NDArray[np.float32]) -> FloatArray:
        columns = np.ascontiguousarray(rows.T)
        struck = np.zeros((len(self.columns), len(rows)), dtype=np.uint32)
        splits = zip(self.columns.T, self.thresholds.T[..., np.newaxis], self._strikes, strict=True)
        for column, thresholds, strikes in splits:
            struck |= (columns[column] > thresholds) * strikes
        starts = np.arange(len(self.leaves))[:, np.newaxis] * self.leaves.shape[1]
        reached = self.leaves.ravel()[find_lowest_bits(~struck) + starts]
        sums: FloatArray = reached.sum(axis=0)
        return sums

    @cached_property
    def _strikes(self) -> NDArray[np.uint32]:
        """uint32[splits, trees, 1]: the leaves that each split strikes out."""
        return np.ascontiguousarray(~self.masks.T)[..., np.newaxis]


def find_lowest_bits(bits: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the number of the lowest bit that is set; one is."""
    lowest = (bits & (~bits + np.uint32(1))).astype(np.float32)  # exact: a power of two
    exponents: NDArray[np.int32] = (lowest.view(np.int32) >> 23) - 127
    return exponents


@cache
def _load_native() -> Any | None:
    return load_twin("trees", _agrees)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module adds up what numpy adds up."""
    forest = Forest(
        columns=np.array([[0, 1, 0], [1, 0, 0]], dtype=np.int32),
        thresholds=np.array([[0, 1, -1], [2, 0, 0]], dtype=np.float32),
        masks=~np.array([[3, 1, 4], [1, 0, 0]], dtype=np.uint32),
        leaves=np.array([[1.0, 2, 4, 8], [16, 32, 0, 0]]),
    )
    rows = np.array([[x, y] for x in (-2, -1, 0, 1) for y in (0, 1, 2, 3)], dtype=np.float32)
    return np.array_equal(forest._run(native, rows), forest._add_leaves(rows))


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees whose leaves add up to the log odds of full text, for each gold convention.

    columns      int16[trees, splits], and the rest as in `Forest`
    thresholds   float32[trees, splits]
    masks        uint32[trees, splits]; a split that is none strikes nothing out
    conventions  uint32[conventions, trees]: the leaves that a convention can reach; it is known
                 before the page is
    leaves       float32[trees, leaves]
    """

    columns: NDArray[np.int16]
    thresholds: NDArray[np.float32]
    masks: NDArray[np.uint32]
    conventions: NDArray[np.uint32]
    leaves: NDArray[np.float32]

    def __call__(self, rows: NDArray[np.floating[Any]], mix: FloatArray) -> FloatArray:
        """Return float[n]: the probability of full text, the mean over conventions by `mix`."""
        common, scores = self._common(rows), np.zeros(len(rows))
        for share, forest in zip(mix.tolist(), self._by_convention, strict=True):
            if share:
                scores += share / (1 + np.exp(-common - forest(rows)))
        return scores

    @cached_property
    def _asking(self) -> NDArray[np.intp]:
        """Numbers of the trees that split on the convention; few do."""
        return np.flatnonzero((self.conventions != self.conventions[0]).any(axis=0))

    @cached_property
    def _common(self) -> Forest:
        """The trees that say the same for every convention."""
        others = np.setdiff1d(np.arange(len(self.columns)), self._asking)
        return self._select(others, 0)

    @cached_property
    def _by_convention(self) -> list[Forest]:
        """The other trees, as each convention has them."""
        return [self._select(self._asking, number) for number in range(len(self.conventions))]

    def _select(self, trees: NDArray[np.intp], convention: int) -> Forest:
        """Return some trees; one more split strikes out what the convention cannot reach."""
        one_more = ((0, 0), (0, 1))
        masks = np.pad(self.masks[trees], one_more)
        masks[:, -1] = self.conventions[convention, trees]
        return Forest(
            columns=np.pad(self.columns[trees].astype(np.int32), one_more),
            thresholds=np.pad(self.thresholds[trees], one_more, constant_values=-np.inf),
            masks=masks,
            leaves=self.leaves[trees].astype(np.float64),
        )


TYPES = {
    "columns": np.int16,
    "thresholds": np.float32,
    "masks": np.uint32,
    "conventions": np.uint32,
    "leaves": np.float32,
}
PREFIX = "trees_"
"""Of the names of the arrays in a stored model."""


def read_trees(model: StoredModel, n_conventions: int) -> BoostedTrees:
    """Return the trees of a stored model. Raises ModelError if its arrays do not fit."""
    columns = read_array(model, f"{PREFIX}columns", (None, None))
    trees, splits = columns.shape
    check_at_most(model, "trees", trees, MAX_TREES)
    check_at_most(model, "splits a tree", splits, MAX_LEAVES - 1)
    if columns.dtype.kind != "i" or columns.min() < 0 or columns.max() >= len(model.columns):
        raise ModelError(
            f"the trees of the model {model.kind!r} look at no such column: train it anew"
        )
    shapes = {
        "thresholds": (trees, splits),
        "masks": (trees, splits),
        "conventions": (n_conventions, trees),
        "leaves": (trees, splits + 1),
    }
    arrays = {name: read_array(model, PREFIX + name, shape) for name, shape in shapes.items()}
    for name in ("masks", "conventions"):
        if arrays[name].dtype != np.uint32:
            raise ModelError(
                f"the array {PREFIX + name!r} of the model {model.kind!r} is no set of leaves: "
                "train it anew"
            )
    existing = np.uint32((1 << splits + 1) - 1)
    left = np.bitwise_and.reduce(arrays["masks"], axis=1) & arrays["conventions"] & existing
    if not left.all():
        raise ModelError(f"a tree of the model {model.kind!r} has no leaf left: train it anew")
    arrays["columns"] = columns
    return BoostedTrees(**{name: array.astype(TYPES[name]) for name, array in arrays.items()})


def pack_trees(trees: BoostedTrees) -> Arrays:
    """Return the arrays to store."""
    return {f"{PREFIX}{name}": getattr(trees, name) for name in TYPES}
