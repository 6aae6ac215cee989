"""Which element a block stands in, and which elements stand around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.features.news.facts import Facts, FeatureTable
from scrapy_boilerplate.label import FloatArray

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
    numbers = {tag: number for number, tags in enumerate(OWN.values()) for tag in tags}
    own = [numbers.get(tag, len(OWN)) for tag in facts.page.tags]
    one_hot = np.eye(len(OWN) + 1)[own].reshape(-1, len(OWN) + 1)
    bits = _around(facts)[facts.own]
    flags = bits[:, np.newaxis] >> np.arange(len(AROUND)) & 1
    return (*one_hot.T[:-1], *flags.T.astype(np.float64), *_articles(facts))


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


def _around(facts: Facts) -> np.ndarray:
    """int[m]: one bit for each column of AROUND."""
    elements = facts.page.elements
    bits = {tag: 1 << number for number, tags in enumerate(AROUND.values()) for tag in tags}
    names = list(AROUND)
    roles = {role: 1 << names.index(name) for role, name in ROLES.items()}
    around = np.zeros(len(elements), dtype=np.int64)
    for element, tag in enumerate(elements.tags):
        if tag in bits:
            around[element : elements.ends[element]] |= bits[tag]
    for element, role in enumerate(elements.roles):
        if role and role in roles:
            around[element : elements.ends[element]] |= roles[role]
    return around


def _articles(facts: Facts) -> list[FloatArray]:
    elements = facts.page.elements
    articles = [element for element, tag in enumerate(elements.tags) if tag == "article"]
    held = facts.within(facts.good_words)
    words = np.zeros(len(elements))
    for article in articles:  # inner ones after outer ones
        words[article : elements.ends[article]] = held[article]
    best = max((held[article] for article in articles), default=0.0)
    inside = np.concatenate(([0.0], np.cumsum(elements.tagged(MEDIA))))
    media = inside[facts.ends[facts.own]] - inside[facts.own]
    return [
        np.full(facts.n, np.log1p(len(articles))),
        words[facts.own] / max(best, 1.0),
        np.log1p(media / np.maximum(facts.words, 1.0)),
    ]


MEDIA = frozenset("a img svg button input iframe video".split())
