"""Where a block stands: on the page, after the title, among the blocks that read like text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable, share
from scrapy_boilerplate.page.labels import FloatArray

FAR = 30.0
"""Blocks from which on a distance says no more."""
WINDOWS = (2, 5, 12)
"""Blocks to either side in which good words are counted."""


def _position(facts: Facts) -> Sequence[FloatArray]:
    n, order = facts.n, facts.order
    before = np.cumsum(facts.words) - facts.words
    good_before = np.cumsum(facts.good_words) - facts.good_words
    total, good_total = facts.words.sum(), facts.good_words.sum()
    title = facts.title
    since, until = _to_good(facts)
    page = np.ones(n)
    return (
        order / max(n, 1),
        share(before, total),
        share(good_before, good_total),
        np.log1p(order),
        np.log1p(n - order),
        np.clip(order - title, -FAR, FAR) / FAR,
        (order > title).astype(np.float64) if title >= 0 else np.full(n, 0.5),
        np.log1p(np.minimum(since, FAR)),
        np.log1p(np.minimum(until, FAR)),
        *(_around(facts, width) for width in WINDOWS),
        page * np.log1p(n),
        page * np.log1p(good_total),
        page * share(np.array(facts.link_words.sum()), total),
        page * share(np.array(good_total), total),
    )


POSITION = FeatureTable(
    {
        "position": "number of the block, of all blocks",
        "words_before": "share of the page's words that stand before it",
        "good_before": "share of the page's good words that stand before it",
        "from_start": "log of 1 + the blocks before it",
        "to_end": "log of the blocks from it to the end",
        "from_title": "blocks after the block of the title, of 30; negative before it",
        "after_title": "whether it stands after the block of the title; .5 without one",
        "since_good": "log of 1 + the blocks since the last good one",
        "until_good": "log of 1 + the blocks until the next good one",
        **{
            f"good_within_{width}": f"log of 1 + the good words up to {width} blocks away"
            for width in WINDOWS
        },
        "page_blocks": "log of 1 + the blocks of the page",
        "page_good_words": "log of 1 + the good words of the page",
        "page_link_density": "share of the page's words that is in links",
        "page_good_share": "share of the page's words that is good",
    },
    _position,
)


def _to_good(facts: Facts) -> tuple[FloatArray, FloatArray]:
    """Blocks since the last good one and until the next, 0 for a good one itself."""
    order, n = facts.order, facts.n
    last = np.maximum.accumulate(np.where(facts.good, order, -FAR))
    following = np.minimum.accumulate(np.where(facts.good, order, n + FAR)[::-1])[::-1]
    return order - last, following - order


def _around(facts: Facts, width: int) -> FloatArray:
    n = facts.n
    sums = np.concatenate(([0.0], np.cumsum(facts.good_words)))
    first = np.maximum(np.arange(n) - width, 0)
    end = np.minimum(np.arange(n) + width + 1, n)
    around: FloatArray = np.log1p(np.maximum(sums[end] - sums[first], 0.0))
    return around
