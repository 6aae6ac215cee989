"""Trains `article`: a logistic regression that separates articles from other pages.

It learns from pages of known type, and is scored by folds of their sites.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.article.article_probability import (
    ARTICLE_THRESHOLD,
    COLUMNS,
    DECLARED_COLUMNS,
    NAME,
    ArticleModel,
    build_row,
)
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.training.corpora import CorpusError, site_fold
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics import compute_roc_auc, draw_sites, percentile_interval

# number of folds of sites; each fold is scored by a model of the others
FOLDS = 5
ARTICLE_TYPE = "article"
# inverse strength of the L2 penalty on standardised columns (docs/provenance.md)
PENALTY = 0.03
# the columns of what a page declares, besides its title
DECLARED = np.array([name in DECLARED_COLUMNS and "title" not in name for name in COLUMNS])
# percentile at each end of a column to which values are clipped
CUT = 1.0


@dataclass(frozen=True, eq=False)
class TypedPages:
    """Pages of known type: `rows` float[n, columns], `types` and `sites` a string each."""

    rows: FloatArray
    types: Sequence[str]
    sites: Sequence[str]

    @property
    def articles(self) -> BoolArray:
        return np.array([page_type == ARTICLE_TYPE for page_type in self.types], dtype=np.bool_)

    def select(self, where: BoolArray) -> TypedPages:
        indices = np.flatnonzero(where).tolist()
        types, sites = ([column[i] for i in indices] for column in (self.types, self.sites))
        return TypedPages(self.rows[where], types, sites)


def select_typed(pages: Sequence[Gold], progress: Progress = iter) -> TypedPages:
    """Return the pages of known `page_type`. Raises CorpusError without articles and others."""
    typed = [gold for gold in pages if gold.labelled.page_type is not None]
    types = [str(gold.labelled.page_type) for gold in typed]
    if len({page_type == ARTICLE_TYPE for page_type in types}) < 2:
        raise CorpusError(
            "article needs pages of the page_type 'article' and of another type, as in wcxb"
        )
    rows = [_build_row(gold.page) for gold in progress(typed)]
    return TypedPages(np.stack(rows), types, [gold.labelled.site for gold in typed])


def _build_row(page: Page) -> FloatArray:
    news = get_extractor("news")
    cut = news.segmenter(page)
    confidence = news.confidence(cut, news.label(cut))
    return build_row(AtomicBlocks()(page), round(confidence, 3))


def score_out_of_fold(pages: TypedPages, fit: Callable[[TypedPages], ArticleModel]) -> FloatArray:
    """Return float[n]: the probability of each page by the model that was not trained on its site.

    Pages of a fold get NaN if the training pages of the fold are all articles or all not.
    """
    folds = np.array([site_fold(site, FOLDS) for site in pages.sites])
    probabilities = np.full(len(folds), np.nan)
    for fold in range(FOLDS):
        training = pages.select(folds != fold)
        if len(set(training.articles.tolist())) == 2:
            model = fit(training)
            probabilities[folds == fold] = [model(row) for row in pages.rows[folds == fold]]
    return probabilities


def summarize_folds(pages: TypedPages, probabilities: FloatArray) -> dict[str, Any]:
    """Return the scores by folds for a model's facts, {} if there is nothing to score.

    auc, low, high   ROC AUC, and its 95 % bootstrap interval by site
    pages, sites     how many were scored
    types            type to (pages, share of them classified as articles)
    """
    known = ~np.isnan(probabilities)
    pages, probabilities = pages.select(known), probabilities[known]
    auc = compute_roc_auc(probabilities, pages.articles)
    if np.isnan(auc):
        return {}
    articles = pages.articles
    drawn = draw_sites(pages.sites)
    samples = np.array([compute_roc_auc(probabilities[draw], articles[draw]) for draw in drawn])
    low, high = percentile_interval(samples[~np.isnan(samples)])
    types, by_type = np.array(pages.types, dtype=object), {}
    for page_type in sorted(set(pages.types)):
        taken = probabilities[types == page_type] >= ARTICLE_THRESHOLD
        by_type[page_type] = [len(taken), round(float(taken.mean()), 3)]
    return {
        "auc": round(auc, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "pages": len(probabilities),
        "sites": len(set(pages.sites)),
        "types": by_type,
    }


def train_article(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return the model of pages of known type, with its scores by folds; `seed` changes nothing."""
    examples = select_typed(pages, progress)
    scores = summarize_folds(examples, score_out_of_fold(examples, fit_article_model))
    facts = {"seed": seed, "folds": FOLDS, "scores": scores}
    model = fit_article_model(examples)
    return StoredModel(kind=NAME, columns=tuple(COLUMNS), facts=facts, arrays=model.arrays())


def fit_article_model(pages: TypedPages) -> ArticleModel:
    """Fit the regression to pages of both kinds. Raises MissingExtraError.

    Each page counts a second time without what it declares: old and sparse pages declare nothing.
    """
    linear = import_optional("sklearn.linear_model", "training 'article'", "evaluate")
    low, high = np.percentile(pages.rows, [CUT, 100 - CUT], axis=0)
    rows = np.concatenate([pages.rows, np.where(DECLARED, 0.0, pages.rows)])
    rows = np.clip(rows, low, high)
    means, spreads = rows.mean(axis=0), rows.std(axis=0)
    spreads[spreads == 0] = 1.0
    regression = linear.LogisticRegression(C=PENALTY, max_iter=1000)
    regression.fit((rows - means) / spreads, np.tile(pages.articles, 2))
    weights = regression.coef_[0] / spreads
    bias = float(regression.intercept_[0] - means @ weights)
    return ArticleModel(low, high, means, weights, bias)
