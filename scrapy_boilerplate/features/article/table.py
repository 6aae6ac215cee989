"""All features of a page in one row."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.columns import Break
from scrapy_boilerplate.features.article import address, declared, elements, text
from scrapy_boilerplate.label import FloatArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.atomic import AtomicBlocks

COLUMNS: Mapping[str, str] = MappingProxyType(
    address.COLUMNS | declared.COLUMNS | elements.COLUMNS | text.COLUMNS
)
"""Name to what it is, in the order of the row."""

_atomic = AtomicBlocks()


def article_row(page: Page) -> FloatArray:
    """float[len(COLUMNS)]: the same whatever blocks the page is in; linear in its size."""
    return np.array(
        [
            *address.address_row(page),
            *declared.declared_row(page),
            *elements.element_row(page),
            *text.text_row(page if _is_atomic(page) else _atomic(page)),
        ],
        dtype=np.float64,
    )


def _is_atomic(page: Page) -> bool:
    """Whether the blocks are atomic already: then their words are counted, or will be of use."""
    breaks = page.leaves.breaks
    if len(breaks) - breaks.count(Break.NONE) != len(page):
        return False
    return all(map(breaks.__getitem__, page.blocks.first_leaf.tolist()))
