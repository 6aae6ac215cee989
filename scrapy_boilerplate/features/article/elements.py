"""Which elements a page is made of, and what their classes are called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from scrapy_boilerplate.page import Page

CODE = ("pre", "code", "dl")
"""Tags of program text and of lists of terms."""

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "price": ("price", "pricing"),
        "product": ("product",),
        "rating": ("review", "rating"),
        "author": ("author", "byline"),
        "body": ("entry-content", "article-body", "post-content"),
        "filter": ("filter", "facet", "pagination"),
        "share": ("share", "social", "related"),
    }
)
"""Name of a column to the parts of class names that it counts (our choice: what many sites and
content systems use)."""

COLUMNS = {
    "elements": "log of 1 + the number of elements",
    "code": f"log of 1 + the number of elements {', '.join(CODE)}",
    **{
        f"named_{name}": f"log of 1 + the number of {', '.join(parts)} in the different classes"
        for name, parts in NAMES.items()
    },
}
"""Name to what it is, in the order of `element_row`."""


def element_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; linear in the elements."""
    elements = page.elements
    classes = " ".join(set(elements.classes)).lower()
    return [
        math.log1p(len(elements)),
        math.log1p(sum(map(elements.tags.count, CODE))),
        *(math.log1p(sum(map(classes.count, parts))) for parts in NAMES.values()),
    ]
