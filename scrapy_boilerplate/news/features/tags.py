"""Which element a block stands in, and which elements stand around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import repeat

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable
from scrapy_boilerplate.page.labels import FloatArray, IntArray

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
"""Tags of what is no text."""

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


def _tags(facts: Facts) -> Sequence[FloatArray]:
    tags = facts.page.elements.tags
    kind = np.fromiter(map(KINDS_GET, tags, repeat(0)), np.int64, len(tags))
    own = np.eye(len(OWN) + 1)[(kind & OWN_MASK)[facts.own]]
    around = _around(facts, kind >> AROUND_SHIFT & AROUND_MASK)[facts.own]
    flags = around[:, np.newaxis] >> np.arange(len(AROUND)) & 1
    return (*own.T[1:], *flags.T.astype(np.float64), *_articles(facts, kind))


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
    _tags,
)


OWN_MASK = 15
"""Bits of a tag's kind that number its column of OWN from 1 on."""
AROUND_SHIFT, AROUND_MASK = 4, (1 << len(AROUND)) - 1
"""Bits that are its columns of AROUND."""
MEDIA_BIT = 1 << (AROUND_SHIFT + len(AROUND))


def _kinds() -> dict[str, int]:
    """Tag to its kind: all that the columns ask of it, in bits."""
    kinds: dict[str, int] = defaultdict(int)
    for number, tags in enumerate(OWN.values(), start=1):
        for tag in tags:
            kinds[tag] |= number
    for number, tags in enumerate(AROUND.values()):
        for tag in tags:
            kinds[tag] |= 1 << (AROUND_SHIFT + number)
    for tag in MEDIA:
        kinds[tag] |= MEDIA_BIT
    return dict(kinds)


KINDS_GET = _kinds().get
ARTICLE_BIT = 1 << (AROUND_SHIFT + list(AROUND).index("article"))
ROLE_BITS = {role: 1 << list(AROUND).index(name) for role, name in ROLES.items()}


def _around(facts: Facts, bits: IntArray) -> IntArray:
    """int[m]: one bit for each column of AROUND, of the element or of one around it."""
    elements = facts.page.elements
    around = np.zeros(len(elements), dtype=np.int64)
    for element in np.flatnonzero(bits).tolist():
        around[element : elements.ends[element]] |= bits[element]
    for element in [number for number, role in enumerate(elements.roles) if role in ROLE_BITS]:
        around[element : elements.ends[element]] |= ROLE_BITS[elements.roles[element]]
    return around


def _articles(facts: Facts, kind: IntArray) -> list[FloatArray]:
    articles = np.flatnonzero(kind & ARTICLE_BIT).tolist()
    words = np.zeros(len(kind))
    best = 0.0
    if articles:
        held = facts.within(facts.good_words)
        best = float(held[articles].max())
        for article in articles:  # inner ones after outer ones
            words[article : facts.ends[article]] = held[article]
    inside = np.concatenate(([0.0], np.cumsum(kind & MEDIA_BIT > 0)))
    media = inside[facts.ends[facts.own]] - inside[facts.own]
    return [
        np.full(facts.n, np.log1p(len(articles))),
        words[facts.own] / max(best, 1.0),
        np.log1p(media / np.maximum(facts.words, 1.0)),
    ]
