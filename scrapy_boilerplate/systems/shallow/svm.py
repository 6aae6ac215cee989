"""Linear support vector machines, inference only (Kohlschuetter et al. 2010, section 4.3.1).

The margins become shares by a logistic curve each (Platt 1999), fitted in training.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.steps.classifier import Classifier, checked_array, class_labels
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel

MAX_MARGIN = 30.0
"""Logarithm of odds beyond which a share is 0 or 1 (keeps exp in range)."""


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """One margin a class (one alone for two classes): a weighted sum of scaled columns.

    `means` and `scales` float[columns], `weights` float[columns, margins], `biases` float[margins],
    `curves` float[margins, 2]: slope and offset of the logistic curve. Columns are clipped to
    `limit` scales around the mean, so that one odd number decides nothing alone.
    """

    means: FloatArray
    scales: FloatArray
    weights: FloatArray
    biases: FloatArray
    curves: FloatArray
    limit: float

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n, n_classes]: the share of each class."""
        margins = self.scaled(rows) @ self.weights + self.biases
        odds = np.clip(self.curves[:, 0] * margins + self.curves[:, 1], -MAX_MARGIN, MAX_MARGIN)
        shares = 1 / (1 + np.exp(-odds))
        if shares.shape[1] == 1:
            return np.hstack((1 - shares, shares))
        normed: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return normed

    def scaled(self, rows: FloatArray) -> FloatArray:
        """float[n, columns]: in standard deviations from the mean, clipped."""
        scaled: FloatArray = np.clip((rows - self.means) / self.scales, -self.limit, self.limit)
        return scaled

    def arrays(self) -> Arrays:
        """What the store keeps."""
        names = ("means", "scales", "weights", "biases", "curves")
        return {name: getattr(self, name).astype(np.float32) for name in names} | {
            "limit": np.array([self.limit])
        }


def linear_of(model: StoredModel) -> Classifier:
    """The linear classifier of a stored model. Raises ModelError if it is none."""
    columns, classes = len(model.columns), len(class_labels(model))
    margins = 1 if classes == 2 else classes
    shapes = {
        "means": (columns,),
        "scales": (columns,),
        "weights": (columns, margins),
        "biases": (margins,),
        "curves": (margins, 2),
        "limit": (1,),
    }
    arrays = {
        name: checked_array(model, name, shape).astype(np.float64) for name, shape in shapes.items()
    }
    return LinearClassifier(
        means=arrays["means"],
        scales=np.where(arrays["scales"] > 0, arrays["scales"], 1),
        weights=arrays["weights"],
        biases=arrays["biases"],
        curves=arrays["curves"],
        limit=float(arrays["limit"][0]),
    )
