"""Where a block stands: on the page, after the title, among the blocks that read like text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.news.features.block_columns import BlockColumns, FeatureTable, divide
from scrapy_boilerplate.page.labels import FloatArray

FAR = 30.0
"""Blocks from which on a distance says no more."""
WINDOWS = (2, 5, 12)
"""Blocks to either side in which good words are counted."""


def _compute_position(blocks: BlockColumns) -> Sequence[FloatArray]:
    n, order, title = blocks.n, blocks.order, blocks.title
    total, good_total = blocks.words.sum(), blocks.good_words.sum()
    good_sums = np.concatenate(([0.0], np.cumsum(blocks.good_words)))
    last_good = np.maximum.accumulate(np.where(blocks.good, order, -FAR))
    next_good = np.minimum.accumulate(np.where(blocks.good, order, n + FAR)[::-1])[::-1]
    columns = [
        order / max(n, 1),
        divide(np.cumsum(blocks.words) - blocks.words, total),
        divide(np.cumsum(blocks.good_words) - blocks.good_words, good_total),
        np.log1p(order),
        np.log1p(n - order),
        np.clip(order - title, -FAR, FAR) / FAR,
        (order > title).astype(np.float64) if title >= 0 else np.full(n, 0.5),
        np.log1p(np.minimum(order - last_good, FAR)),
        np.log1p(np.minimum(next_good - order, FAR)),
    ]
    for width in WINDOWS:
        first = np.maximum(np.arange(n) - width, 0)
        end = np.minimum(np.arange(n) + width + 1, n)
        columns.append(np.log1p(np.maximum(good_sums[end] - good_sums[first], 0.0)))
    of_page = (
        np.log1p(n),
        np.log1p(good_total),
        blocks.link_words.sum() / max(total, 1e-9),
        good_total / max(total, 1e-9),
    )
    return columns + [np.full(n, value) for value in of_page]


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
    _compute_position,
)
