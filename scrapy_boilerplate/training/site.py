"""Pages of known sites as rows for the correction by site knowledge, and its fit."""

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

PENALTY = 1.0
"""Strength of the L2 penalty on columns of unit size (.3 to 3 were not told apart)."""
NUISANCE_PENALTY = 0.05
"""The same for what corpora want otherwise: their conventions are learnt beside, and let go."""
ITERATIONS = 10
"""Steps of Newton's method; 8 are enough."""


@dataclass(frozen=True, eq=False)
class SitePage:
    """One labelled page: `scores` float[n], what a model that never saw its site says of the
    blocks;
    `wanted` float[n], the share of each block that is content, NaN where unknown."""

    page: Page
    scores: FloatArray
    wanted: FloatArray
    site: str
    corpus: str


def views_of(pages: Sequence[SitePage], seed: int) -> list[list[SiteView]]:
    """For each page what is known of its site: all other pages, and a random part of them."""
    generator = np.random.default_rng(seed)
    signatures = [compute_signatures(one.page) for one in pages]
    records = [build_page_record(one.page, s, one.scores, n)
               for n, (one, s) in enumerate(zip(pages, signatures, strict=True))]  # fmt: skip
    by_site: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, one in enumerate(pages):
        by_site[one.corpus, one.site].append(number)
    found: list[list[SiteView]] = [[] for _ in pages]
    for members in by_site.values():
        whole = Knowledge().with_pages(records[number] for number in members)
        known = Knowledge()
        for number in generator.permutation(members).tolist():
            known = known.with_pages([records[number]])
            for knowledge in (known, whole):
                found[number].append(knowledge.view(records[number], signatures[number]))
    return found


def fitted(pages: Sequence[SitePage], views: Sequence[Sequence[SiteView]]) -> FloatArray:
    """float[columns]: the weights of the correction.

    Logistic regression with the model's log odds as offset. A page weighs as much as others, but
    the pages of a site together as their square root. Each corpus has an intercept and slopes of
    its own, which are thrown away: what its gold convention wants is no knowledge of a site.
    """
    corpora = sorted({one.corpus for one in pages})
    counts = Counter((one.corpus, one.site) for one in pages)
    parts = [
        _rows(one, view, corpora, counts[one.corpus, one.site])
        for one, seen in zip(pages, views, strict=True)
        for view in seen
        if view.pages
    ]
    rows, offsets, wanted, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    known = np.isfinite(wanted) & (weights > 0)
    rows, offsets, wanted, weights = rows[known], offsets[known], wanted[known], weights[known]
    sizes = np.sqrt((rows**2).mean(axis=0))
    sizes[sizes == 0] = 1.0
    penalty = np.full(rows.shape[1], NUISANCE_PENALTY)
    penalty[: len(COLUMNS)] = PENALTY
    telling = sum(any(view.pages for view in seen) for seen in views)
    weights = weights / weights.sum() * telling
    every = _newton(rows / sizes, offsets, wanted, weights, penalty)
    found: FloatArray = every[: len(COLUMNS)] / sizes[: len(COLUMNS)]
    return found


def _rows(
    one: SitePage, view: SiteView, corpora: Sequence[str], pages: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    odds = np.clip(compute_log_odds(one.scores), -MAX_LOG_ODDS, MAX_LOG_ODDS)
    corpus = corpora.index(one.corpus)
    nuisance = np.zeros((len(odds), 3 * len(corpora)))
    nuisance[:, 3 * corpus] = 1.0
    nuisance[:, 3 * corpus + 1] = np.log1p(one.page.words)
    nuisance[:, 3 * corpus + 2] = odds
    rows = np.concatenate((compute_columns(view, one.page, odds), nuisance), axis=1)
    weights = np.sqrt(np.maximum(one.page.words, 1))
    return rows, odds, one.wanted, weights / max(1e-9, weights.sum()) / np.sqrt(pages)


def _newton(
    rows: FloatArray,
    offsets: FloatArray,
    wanted: FloatArray,
    weights: FloatArray,
    penalty: FloatArray,
) -> FloatArray:
    found = np.zeros(rows.shape[1])
    for _ in range(ITERATIONS):
        said = 1 / (1 + np.exp(-(offsets + rows @ found)))
        slope = rows.T @ (weights * (said - wanted)) + penalty * found
        curve = (rows * (weights * said * (1 - said))[:, np.newaxis]).T @ rows + np.diag(penalty)
        found = found - np.linalg.solve(curve, slope)
    return found
