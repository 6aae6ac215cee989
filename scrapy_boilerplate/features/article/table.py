"""All features of a page in one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

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
    """float[len(COLUMNS)] of a page in any blocks; linear in its size."""
    cut = _atomic(page)
    if np.array_equal(cut.blocks.first_leaf, page.blocks.first_leaf):
        cut = page  # its words are counted already
    return np.array(
        [
            *address.address_row(page),
            *declared.declared_row(page),
            *elements.element_row(page),
            *text.text_row(cut),
        ],
        dtype=np.float64,
    )
