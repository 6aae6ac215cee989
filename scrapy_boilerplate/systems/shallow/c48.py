"""Decision trees in the style of C4.8 (Weka's J48, after Quinlan's C4.5), inference only.

Kohlschuetter et al. 2010 classify blocks with them (section 4.3.1). `training.trees` grows them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.classifier import Classifier, checked_array, class_labels
from scrapy_boilerplate.steps.model_store import Arrays, ModelError, StoredModel


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """A binary tree in columns, the root first: int[m] and float[m], float[m, n_classes].

    A block at node i goes on to `left[i]` if its feature `features[i]` is at most `thresholds[i]`,
    else to `right[i]`; a leaf leads to itself. `shares` are the training weights of the classes at
    each node, as a distribution. `depth` is how many steps lead to the deepest leaf.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    shares: FloatArray
    depth: int

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n, n_classes]: the shares of the leaf of each row; all rows take a step at once."""
        nodes = np.zeros(len(rows), dtype=np.int64)
        numbers = np.arange(len(rows))
        for _ in range(self.depth):
            low = rows[numbers, self.features[nodes]] <= self.thresholds[nodes]
            nodes = np.where(low, self.left[nodes], self.right[nodes])
        found: FloatArray = self.shares[nodes]
        return found

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return int((self.left == np.arange(len(self.left))).sum())

    def arrays(self) -> Arrays:
        """What the store keeps."""
        return {
            "features": self.features.astype(np.int16),
            "thresholds": self.thresholds,
            "left": self.left.astype(np.int16),
            "right": self.right.astype(np.int16),
            "shares": self.shares.astype(np.float32),
        }


def tree_of(model: StoredModel) -> Classifier:
    """The decision tree of a stored model. Raises ModelError if it is none."""
    features = checked_array(model, "features", (None,)).astype(np.int64)
    nodes = len(features)
    left, right = (
        checked_array(model, name, (nodes,)).astype(np.int64) for name in ("left", "right")
    )
    depth = _depth(left, right)
    if depth is None or not ((features >= 0) & (features < len(model.columns))).all():
        raise ModelError(f"the arrays of the model {model.kind!r} are no tree: train it anew")
    return DecisionTree(
        features=features,
        thresholds=checked_array(model, "thresholds", (nodes,)).astype(np.float64),
        left=left,
        right=right,
        shares=checked_array(model, "shares", (nodes, len(class_labels(model)))).astype(np.float64),
        depth=depth,
    )


def _depth(left: IntArray, right: IntArray) -> int | None:
    """Steps to the deepest leaf; None if a node leads backwards, out of the tree or to one side."""
    depths = [0] * len(left)
    for node, (low, high) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if low == high == node:
            continue
        if not (node < low < len(depths) and node < high < len(depths)):
            return None
        depths[low] = depths[high] = depths[node] + 1
    return max(depths, default=None)
