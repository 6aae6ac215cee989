"""Small pages for the tests of tag-ratio and token-sequence methods."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page


def page_of(html: str) -> Page:
    """The page of `html` in atomic blocks."""
    return AtomicBlocks()(load_page(html).page)


def content_of(extractor: str, html: str) -> list[str]:
    """The texts of the blocks that the own steps of an extractor make content."""
    page = page_of(html)
    content = EXTRACTORS[extractor].decide_content(page).content
    return [page.texts[block] for block in np.flatnonzero(content).tolist()]


def words(count: int, word: str = "word") -> str:
    """`count` times the same word."""
    return " ".join([word] * count)


def paragraph(count: int, word: str = "word") -> str:
    """A paragraph of `count` words."""
    return f"<p>{words(count, word)}</p>"


def links(count: int) -> str:
    """A list of `count` links of one word each."""
    return "<ul>" + "<li><a href='/'>Link</a></li>" * count + "</ul>"
