"""Article page or not: a logistic regression over one row of features a page.

Boosted trees over the same columns were no better (models/data/article/CARD.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from scrapy_boilerplate.features.article.table import COLUMNS, article_row
from scrapy_boilerplate.label import FloatArray
from scrapy_boilerplate.models.classifier import checked_array
from scrapy_boilerplate.models.shipped import shipped
from scrapy_boilerplate.models.store import Arrays, StoredModel
from scrapy_boilerplate.page import Page

NAME = "article"
"""Name and kind of the model."""
ARTICLE = 0.5
"""Probability from which a page counts as an article."""


@dataclass(frozen=True, eq=False)
class ArticleModel:
    """`low`, `high`, `weights` float[columns], `bias` in log odds.

    A value beyond `low` or `high` counts as these: a page unlike all that were trained on is judged
    by what it shares with them.
    """

    low: FloatArray
    high: FloatArray
    weights: FloatArray
    bias: float

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n]: the probability that each of float[n, columns] is an article."""
        # numpy's clip takes longer for one row than all the rest
        cut = np.minimum(np.maximum(rows, self.low), self.high)
        probabilities: FloatArray = 1 / (1 + np.exp(-(cut @ self.weights + self.bias)))
        return probabilities

    def arrays(self) -> Arrays:
        """What the store keeps."""
        numbers = {"low": self.low, "high": self.high, "weights": self.weights}
        return {**numbers, "bias": np.array([self.bias])}


def article_model_of(model: StoredModel) -> ArticleModel:
    """The regression of a stored model. Raises ModelError if it is none."""
    model.check_columns(tuple(COLUMNS))
    low, high, weights = (
        checked_array(model, name, (len(COLUMNS),)).astype(np.float64)
        for name in ("low", "high", "weights")
    )
    return ArticleModel(low, high, weights, float(checked_array(model, "bias", (1,))[0]))


def article_probability(page: Page) -> float:
    """0 to 1: how likely the page is an article, says the shipped model; the same whatever blocks
    the page is in. Raises ModelError if the model is broken."""
    return float(_shipped()(article_row(page)[np.newaxis])[0])


@cache
def _shipped() -> ArticleModel:
    return article_model_of(shipped(NAME))
