"""Features of position: `POSITION` on the page, `TAGS` of the elements around a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import compress, repeat

import numpy as np

from scrapy_boilerplate.news.features.block_columns import BlockColumns, FeatureTable, divide
from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import FloatArray

MAX_DISTANCE = 30.0
"""Blocks of a distance at most (our choice)."""
WINDOWS = (2, 5, 12)
"""Blocks to either side in which good words are counted."""


def _compute_position(blocks: BlockColumns) -> Sequence[FloatArray]:
    n, order, title = blocks.n, blocks.order, blocks.title
    total, good_total = blocks.words.sum(), blocks.good_words.sum()
    good_sums = np.concatenate(([0.0], np.cumsum(blocks.good_words)))
    last_good = np.maximum.accumulate(np.where(blocks.good, order, -MAX_DISTANCE))
    next_good = np.minimum.accumulate(np.where(blocks.good, order, n + MAX_DISTANCE)[::-1])[::-1]
    columns = [
        order / max(n, 1),
        divide(np.cumsum(blocks.words) - blocks.words, total),
        divide(np.cumsum(blocks.good_words) - blocks.good_words, good_total),
        np.log1p(order),
        np.log1p(n - order),
        np.clip(order - title, -MAX_DISTANCE, MAX_DISTANCE) / MAX_DISTANCE,
        (order > title).astype(np.float64) if title >= 0 else np.full(n, 0.5),
        np.log1p(np.minimum(order - last_good, MAX_DISTANCE)),
        np.log1p(np.minimum(next_good - order, MAX_DISTANCE)),
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


OWN: dict[str, tuple[str, ...]] = {
    "p": ("p",),
    "div": ("div",),
    "h1": ("h1",),
    "h2": ("h2",),
    "h3": ("h3", "h4", "h5", "h6"),
    "li": ("li",),
    "cell": ("td", "th"),
    "quote": ("blockquote",),
    "caption": ("figcaption", "caption"),
    "section": ("section", "article"),
    "definition": ("dt", "dd"),
}
"""Name of a column to the tags of the block's own element it stands for."""

MEDIA = frozenset("a img svg button input iframe video".split())
"""Tags of links, images and buttons."""

AROUND: dict[str, tuple[str, ...]] = {
    "article": ("article",),
    "main": ("main",),
    "aside": ("aside",),
    "nav": ("nav",),
    "header": ("header",),
    "footer": ("footer",),
    "figure": ("figure", "figcaption"),
    "list": ("ul", "ol", "dl"),
    "table": ("table",),
    "form": ("form", "button", "label", "dialog"),
    "quote": ("blockquote",),
    "hidden": ("noscript", "template"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
}
"""Name of a column to the tags of an element around the block it stands for."""
ROLES = {
    "main": "main",
    "article": "article",
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "contentinfo": "footer",
    "banner": "header",
    "complementary": "aside",
    "dialog": "form",
    "alertdialog": "form",
    "search": "form",
}
"""ARIA roles that mean the same as a tag."""


OWN_MASK = 15
"""Bits of a tag's kind that number its column of OWN from 1 on."""
AROUND_SHIFT, AROUND_MASK = 4, (1 << len(AROUND)) - 1
"""Bits that are its columns of AROUND."""
MEDIA_BIT = 1 << (AROUND_SHIFT + len(AROUND))
AROUND_BITS = {name: 1 << number for number, name in enumerate(AROUND)}
ARTICLE_BIT = AROUND_BITS["article"] << AROUND_SHIFT


def _combine_kinds() -> dict[str, int]:
    """Return tag to its kind: all that the columns ask of it, in bits."""
    kinds: dict[str, int] = defaultdict(int)
    for number, tags in enumerate(OWN.values(), start=1):
        for tag in tags:
            kinds[tag] |= number
    for name, tags in AROUND.items():
        for tag in tags:
            kinds[tag] |= AROUND_BITS[name] << AROUND_SHIFT
    for tag in MEDIA:
        kinds[tag] |= MEDIA_BIT
    return dict(kinds)


KINDS = _combine_kinds()


def _compute_tags(blocks: BlockColumns) -> Sequence[FloatArray]:
    elements, own = blocks.page.elements, blocks.own
    m = len(elements)
    kind = np.fromiter(map(KINDS.get, elements.tags, repeat(0)), np.int64, m)
    columns = list(np.eye(len(OWN) + 1)[(kind & OWN_MASK)[own]].T[1:])

    bits = (kind >> AROUND_SHIFT & AROUND_MASK).tolist()
    for element in compress(range(m), elements.roles):  # few have one
        bits[element] |= AROUND_BITS.get(ROLES.get(elements.roles[element], ""), 0)
    for element, parent in enumerate(elements.parents):
        if parent != NO_ELEMENT:
            bits[element] |= bits[parent]
    around = np.array(bits, dtype=np.int64)
    columns += list((around[own] >> np.arange(len(AROUND))[:, np.newaxis] & 1).astype(np.float64))

    articles = np.flatnonzero(kind & ARTICLE_BIT).tolist()
    words, best = np.zeros(m), 0.0
    if articles:
        good = blocks.sum_within(blocks.good_words)
        best = float(good[articles].max())
        for article in articles:  # inner ones after outer ones
            words[article : elements.ends[article]] = good[article]
    media = np.concatenate(([0.0], np.cumsum(kind & MEDIA_BIT > 0)))
    return [
        *columns,
        np.full(blocks.n, np.log1p(len(articles))),
        words[own] / max(best, 1.0),
        np.log1p((media[blocks.ends[own]] - media[own]) / np.maximum(blocks.words, 1.0)),
    ]


TAGS = FeatureTable(
    {
        **{f"in_{name}": f"whether its element is {' or '.join(OWN[name])}" for name in OWN},
        **{
            f"around_{name}": f"whether {' or '.join(AROUND[name])} (or that role) is around it"
            for name in AROUND
        },
        "article_elements": "log of 1 + the article elements of the page",
        "best_article": "good words of the article element around it, of those of the best one",
        "media_tags": "elements in it that are links, images or buttons, for each word",
    },
    _compute_tags,
)
