"""Boosted trees that rank the candidates of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.model_store import StoredModel, load_model

MISSING = -1.0
"""Value of a feature that a candidate does not have."""
KIND = "ranker"


class TreeRanker:
    """Boosted trees as arrays over the nodes of all trees.

    columns     names of the features
    roots       int[trees]: the first node of each tree
    features    int[nodes]: the column that a node compares
    thresholds  float[nodes]: up to this value `left` follows, else `right`
    left, right int[nodes]: the next node; a leaf is followed by itself
    values      float[nodes]: log odds of a leaf
    depth       number of comparisons of the deepest leaf
    """

    def __init__(self, model: StoredModel) -> None:
        self.columns = model.columns
        arrays = model.arrays
        self._roots: IntArray = arrays["roots"].astype(np.int64)
        self._features: IntArray = arrays["features"].astype(np.int64)
        self._thresholds: FloatArray = arrays["thresholds"].astype(np.float64)
        self._left: IntArray = arrays["left"].astype(np.int64)
        self._right: IntArray = arrays["right"].astype(np.int64)
        self._values: FloatArray = arrays["values"].astype(np.float64)
        self._depth = int(model.facts["depth"])

    @classmethod
    def load(cls, folder: Path) -> TreeRanker:
        """Return the ranker in a folder. Raises ModelError for anything but an intact model."""
        return cls(load_model(folder))

    def score(self, candidates: Sequence[Mapping[str, float]]) -> FloatArray:
        """Return the log odds of each candidate, a mapping of features, that it is right."""
        rows = np.array(
            [[features.get(name, MISSING) for name in self.columns] for features in candidates],
            dtype=np.float64,
        )
        row = np.arange(len(rows))[:, None]
        nodes = np.tile(self._roots, (len(rows), 1))
        for _ in range(self._depth):
            goes_left = rows[row, self._features[nodes]] <= self._thresholds[nodes]
            nodes = np.where(goes_left, self._left[nodes], self._right[nodes])
        scores: FloatArray = self._values[nodes].sum(axis=1)
        return scores
