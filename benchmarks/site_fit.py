"""Fits the correction by site knowledge to labelled pages of known sites."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.correction import (
    COLUMNS,
    MAX_LOG_ODDS,
    compute_columns,
    compute_log_odds,
)
from scrapy_boilerplate.site.knowledge import Knowledge, SiteView
from scrapy_boilerplate.site.page_records import build_page_record, compute_signatures

# strength of the L2 penalty on columns of unit size (.3 to 3 gave the same result)
PENALTY = 1.0
# the same for the conventions of the corpora, which are fitted beside and dropped
NUISANCE_PENALTY = 0.05
# steps of Newton's method; 8 are enough
ITERATIONS = 10


@dataclass(frozen=True, eq=False)
class SitePage:
    """A labelled page of a known site.

    scores   float[n], content scores of the blocks by a model that was not trained on the site
    target   float[n], the share of each block that is content, NaN where unknown
    """

    page: Page
    scores: FloatArray
    target: FloatArray
    site: str
    corpus: str


def build_views(pages: Sequence[SitePage], seed: int) -> list[list[SiteView]]:
    """Return for each page the view of its site: a random part of the other pages, and all."""
    generator = np.random.default_rng(seed)
    signatures = [compute_signatures(page.page) for page in pages]
    records = [
        build_page_record(page.page, of_page, page.scores, number)
        for number, (page, of_page) in enumerate(zip(pages, signatures, strict=True))
    ]
    by_site: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        by_site[page.corpus, page.site].append(number)
    views: list[list[SiteView]] = [[] for _ in pages]
    for members in by_site.values():
        whole = Knowledge().with_pages(records[number] for number in members)
        known = Knowledge()
        for number in generator.permutation(members).tolist():
            known = known.with_pages([records[number]])
            for knowledge in (known, whole):
                views[number].append(knowledge.view(records[number], signatures[number]))
    return views


def fit_site_correction(
    pages: Sequence[SitePage], views: Sequence[Sequence[SiteView]]
) -> FloatArray:
    """Return float[columns]: the weights of the correction.

    Logistic regression with the model's log odds as offset. The pages of a site have equal weights
    with the square root of their number as sum. Each corpus has its own intercept and slopes, which
    are dropped, because the gold convention of a corpus is not knowledge of a site.
    """
    corpora = sorted({page.corpus for page in pages})
    counts = Counter((page.corpus, page.site) for page in pages)
    parts = [
        _build_rows(page, view, corpora, counts[page.corpus, page.site])
        for page, of_page in zip(pages, views, strict=True)
        for view in of_page
        if view.pages
    ]
    rows, offsets, targets, weights = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    known = np.isfinite(targets) & (weights > 0)
    rows, offsets, targets, weights = rows[known], offsets[known], targets[known], weights[known]
    sizes = np.sqrt((rows**2).mean(axis=0))
    sizes[sizes == 0] = 1.0
    penalty = np.full(rows.shape[1], NUISANCE_PENALTY)
    penalty[: len(COLUMNS)] = PENALTY
    n_pages = sum(any(view.pages for view in of_page) for of_page in views)
    weights = weights / weights.sum() * n_pages
    solution = _solve_newton(rows / sizes, offsets, targets, weights, penalty)
    correction: FloatArray = solution[: len(COLUMNS)] / sizes[: len(COLUMNS)]
    return correction


def _build_rows(
    page: SitePage, view: SiteView, corpora: Sequence[str], pages: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    odds = np.clip(compute_log_odds(page.scores), -MAX_LOG_ODDS, MAX_LOG_ODDS)
    corpus = corpora.index(page.corpus)
    nuisance = np.zeros((len(odds), 3 * len(corpora)))
    nuisance[:, 3 * corpus] = 1.0
    nuisance[:, 3 * corpus + 1] = np.log1p(page.page.words)
    nuisance[:, 3 * corpus + 2] = odds
    rows = np.concatenate((compute_columns(view, page.page, odds), nuisance), axis=1)
    weights = np.sqrt(np.maximum(page.page.words, 1))
    return rows, odds, page.target, weights / max(1e-9, weights.sum()) / np.sqrt(pages)


def _solve_newton(
    rows: FloatArray,
    offsets: FloatArray,
    targets: FloatArray,
    weights: FloatArray,
    penalty: FloatArray,
) -> FloatArray:
    solution = np.zeros(rows.shape[1])
    for _ in range(ITERATIONS):
        fitted = 1 / (1 + np.exp(-(offsets + rows @ solution)))
        slope = rows.T @ (weights * (fitted - targets)) + penalty * solution
        curvature = (rows * (weights * fitted * (1 - fitted))[:, np.newaxis]).T @ rows
        solution = solution - np.linalg.solve(curvature + np.diag(penalty), slope)
    return solution
