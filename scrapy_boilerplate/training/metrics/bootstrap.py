"""Bootstrap intervals and paired differences, by site and with a seed.

Pages of one site share a template, so sites are drawn, not pages (a cluster bootstrap; Efron and
Tibshirani 1993, chapter 8, percentile intervals). All systems see the same draws, so differences
are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

RESAMPLES = 1000
LEVEL = 0.95

Figures = Callable[[FloatArray], dict[str, float]]
"""From rows (one a page) to named figures."""


def draws(sites: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0) -> list[IntArray]:
    """Each a list of page numbers: the pages of as many sites as there are, drawn with return."""
    names, index = np.unique(np.array(sites, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(index, kind="stable")
    pages = np.split(order, np.cumsum(np.bincount(index, minlength=len(names)))[:-1])
    generator = np.random.default_rng(seed)
    chosen = generator.integers(len(names), size=(resamples, len(names)))
    return [np.concatenate([pages[site] for site in row]) for row in chosen]


def resampled(
    figures: Figures, rows: FloatArray, drawn: Sequence[IntArray]
) -> dict[str, FloatArray]:
    """The figures of every draw, float[draws] each."""
    found = [figures(rows[pages]) for pages in drawn]
    return {name: np.array([one[name] for one in found]) for name in found[0]} if found else {}


def interval(samples: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """The percentile interval of a figure's (or a difference's) samples."""
    low, high = np.percentile(samples, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)
