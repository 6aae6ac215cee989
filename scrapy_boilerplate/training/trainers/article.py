"""Trains `article`: a logistic regression that tells articles from other pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.news.article_probability import COLUMNS, NAME, ArticleModel
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.training.article import (
    FOLDS,
    TypedPages,
    fold_scores,
    out_of_fold,
    typed_pages,
)
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.gold import Gold

PENALTY = 0.03
"""Inverse strength of the L2 penalty on standardised columns (.01 to .3 differ by .001 of AUC on
wcxb)."""
CUT = 1.0
"""Percentile at each end of a column beyond which values count as those there."""


def train(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """The model of the pages whose type is known, with its scores by folds of these pages.

    Nothing is drawn at random but the bootstrap: every `seed` gives the same weights.
    """
    examples = typed_pages(pages, progress)
    scores = fold_scores(examples, out_of_fold(examples, fitted))
    facts = {"seed": seed, "folds": FOLDS, "scores": scores}
    model = fitted(examples)
    return StoredModel(kind=NAME, columns=tuple(COLUMNS), facts=facts, arrays=model.arrays())


def fitted(pages: TypedPages) -> ArticleModel:
    """The regression of pages of both kinds."""
    linear = optional("sklearn.linear_model", "training 'article'")
    low, high = np.percentile(pages.rows, [CUT, 100 - CUT], axis=0)
    rows = np.clip(pages.rows, low, high)
    means, spreads = rows.mean(axis=0), rows.std(axis=0)
    spreads[spreads == 0] = 1.0
    regression = linear.LogisticRegression(C=PENALTY, max_iter=1000)
    regression.fit((rows - means) / spreads, pages.articles)
    weights = regression.coef_[0] / spreads
    return ArticleModel(low, high, weights, float(regression.intercept_[0] - means @ weights))
