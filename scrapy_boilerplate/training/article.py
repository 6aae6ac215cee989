"""Pages of known type as rows, and how well a model tells articles among them on unseen sites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.news.article_probability import ARTICLE, ArticleModel, article_row
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval
from scrapy_boilerplate.training.metrics.roc import roc_auc
from scrapy_boilerplate.training.splits import fold_of

FOLDS = 5
"""Parts of the sites; each is scored by a model of the others."""
ARTICLE_TYPE = "article"
"""The `page_type` of an article; any other is none."""


@dataclass(frozen=True, eq=False)
class TypedPages:
    """`rows` float[n, columns]; `types` and `sites` one string each."""

    rows: FloatArray
    types: Sequence[str]
    sites: Sequence[str]

    @property
    def articles(self) -> BoolArray:
        """bool[n]: pages of the type `article`."""
        return np.array([one == ARTICLE_TYPE for one in self.types], dtype=np.bool_)

    def only(self, where: BoolArray) -> TypedPages:
        """Those at a mask."""
        chosen = np.flatnonzero(where).tolist()
        types, sites = ([column[i] for i in chosen] for column in (self.types, self.sites))
        return TypedPages(self.rows[where], types, sites)


def typed_pages(pages: Sequence[Gold], progress: Progress = iter) -> TypedPages:
    """The pages whose `page_type` is known. Raises CorpusError without articles and others."""
    typed = [gold for gold in pages if gold.labelled.page_type is not None]
    types = [str(gold.labelled.page_type) for gold in typed]
    if len({one == ARTICLE_TYPE for one in types}) < 2:
        raise CorpusError(
            "nothing to learn from: it takes pages of the page_type 'article' and of others; "
            "give a corpus that says it, such as wcxb"
        )
    cut = AtomicBlocks()
    rows = [article_row(cut(gold.page)) for gold in progress(typed)]
    return TypedPages(np.stack(rows), types, [gold.labelled.site for gold in typed])


def out_of_fold(pages: TypedPages, fit: Callable[[TypedPages], ArticleModel]) -> FloatArray:
    """float[n]: the probability of each page by the model that never saw its site.

    NaN for the pages of a fold whose other sites have no articles, or nothing else.
    """
    folds = np.array([fold_of(site, FOLDS) for site in pages.sites])
    found = np.full(len(folds), np.nan)
    for fold in range(FOLDS):
        training = pages.only(folds != fold)
        if len(set(training.articles.tolist())) == 2:
            model = fit(training)
            found[folds == fold] = [model(row) for row in pages.rows[folds == fold]]
    return found


def fold_scores(pages: TypedPages, probabilities: FloatArray) -> dict[str, Any]:
    """What a model's facts tell of `out_of_fold`: plain numbers, {} if there is nothing to score.

    auc, low, high   ROC AUC, and its 95 % bootstrap interval by site
    pages, sites     how many were scored
    types            type to (pages, share of them taken for articles)
    """
    known = ~np.isnan(probabilities)
    pages, probabilities = pages.only(known), probabilities[known]
    auc = roc_auc(probabilities, pages.articles)
    if np.isnan(auc):
        return {}
    articles = pages.articles
    sampled = [roc_auc(probabilities[drawn], articles[drawn]) for drawn in draws(pages.sites)]
    low, high = interval(np.array([one for one in sampled if not np.isnan(one)]))
    told = {"auc": auc, "low": low, "high": high}
    return {
        **{name: round(value, 4) for name, value in told.items()},
        "pages": len(probabilities),
        "sites": len(set(pages.sites)),
        "types": dict(_by_type(pages, probabilities)),
    }


def _by_type(pages: TypedPages, probabilities: FloatArray) -> Iterator[tuple[str, Any]]:
    types = np.array(pages.types, dtype=object)
    for one in sorted(set(pages.types)):
        taken = probabilities[types == one] >= ARTICLE
        yield one, [len(taken), round(float(taken.mean()), 3)]
