"""Which elements a page is made of, and what their classes and ids are called."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from scrapy_boilerplate.page import Page

TAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "h1": ("h1",),
        "h2": ("h2",),
        "small_headings": ("h3", "h4", "h5", "h6"),
        "paragraphs": ("p",),
        "links": ("a",),
        "images": ("img", "picture"),
        "list_items": ("li", "dd"),
        "rows": ("tr",),
        "forms": ("form",),
        "inputs": ("input", "select", "textarea"),
        "buttons": ("button",),
        "articles": ("article",),
        "figures": ("figure", "blockquote"),
        "code": ("pre", "code", "kbd", "dl"),
        "players": ("iframe", "video"),
        "navigations": ("nav",),
        "sections": ("section",),
        "line_breaks": ("br", "hr"),
    }
)
"""Name of a column to the tags it counts."""

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "price": ("price", "pricing"),
        "product": ("product", "variant"),
        "cart": ("cart", "checkout", "wishlist"),
        "rating": ("review", "rating", "star"),
        "comment": ("comment", "reply", "replies"),
        "forum": ("thread", "topic", "forum", "message", "avatar", "signature"),
        "author": ("author", "byline"),
        "body": ("entry-content", "article-body", "post-content", "article__", "entry", "single-"),
        "card": ("card", "tile", "grid", "teaser"),
        "filter": ("filter", "facet", "pagination", "sort"),
        "manual": ("toc", "docs", "breadcrumb", "prev", "sphinx", "highlight"),
        "landing": ("hero", "cta", "faq", "accordion", "testimonial", "form"),
        "share": ("share", "social", "related", "read-time", "reading"),
    }
)
"""Name of a column to the parts of classes and ids whose mentions it counts (our choice: names that
many sites and content systems use)."""

COLUMNS = {
    "elements": "log of 1 + the number of elements",
    **{f"n_{name}": f"log of 1 + the number of {' '.join(of)}" for name, of in TAGS.items()},
    **{
        f"named_{name}": f"log of 1 + mentions of {', '.join(of)} in classes and ids"
        for name, of in NAMES.items()
    },
}
"""Name to what it is, in the order of `element_row`."""


def element_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; linear in the elements."""
    elements = page.elements
    counts = Counter(elements.tags)
    named = " ".join((*elements.classes, *elements.ids)).lower()
    return [
        math.log1p(len(elements)),
        *(math.log1p(sum(counts[tag] for tag in tags)) for tags in TAGS.values()),
        *(math.log1p(sum(named.count(part) for part in parts)) for parts in NAMES.values()),
    ]
