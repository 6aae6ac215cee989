"""Bootstrap intervals and paired differences, by site and with a seed.

Pages of one site share a template, so sites are drawn, not pages (a cluster bootstrap; Efron and
Tibshirani 1993, chapter 8, percentile intervals). All systems see the same draws, so differences
are paired.
"""

from collections.abc import Callable, Sequence

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

RESAMPLES = 1000
LEVEL = 0.95

# Maps rows (one per page) to named figures.
Figures = Callable[[FloatArray], dict[str, float]]


def draw_sites(sites: Sequence[str]) -> list[IntArray]:
    """Return the page numbers of each draw of as many sites as there are, with replacement."""
    names, index = np.unique(np.array(sites, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(index, kind="stable")
    pages = np.split(order, np.cumsum(np.bincount(index, minlength=len(names)))[:-1])
    generator = np.random.default_rng(0)
    chosen = generator.integers(len(names), size=(RESAMPLES, len(names)))
    return [np.concatenate([pages[site] for site in row]) for row in chosen]


def resample(
    figures: Figures, rows: FloatArray, drawn: Sequence[IntArray]
) -> dict[str, FloatArray]:
    """Return the figures of every draw, float[draws] each."""
    samples = [figures(rows[pages]) for pages in drawn]
    if not samples:
        return {}
    return {name: np.array([sample[name] for sample in samples]) for name in samples[0]}


def percentile_interval(samples: FloatArray) -> tuple[float, float]:
    """Return the percentile interval of a figure's (or a difference's) samples."""
    low, high = np.percentile(samples, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high)
