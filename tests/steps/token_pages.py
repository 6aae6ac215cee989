"""Small pages for the tests of tag-ratio and token-sequence methods."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Step


def page_of(html: str) -> Page:
    """The page of `html` in atomic blocks."""
    return AtomicBlocks()(load_page(html).page)


def content_of(step: Step, html: str) -> list[str]:
    """The texts of the blocks that only `step` makes content."""
    page = page_of(html)
    labeling = step(page, Labeling.blank(len(page)))
    return [page.texts[block] for block in np.flatnonzero(labeling.content).tolist()]


def words(count: int, word: str = "word") -> str:
    """`count` times the same word."""
    return " ".join([word] * count)


def paragraph(count: int, word: str = "word") -> str:
    """A paragraph of `count` words."""
    return f"<p>{words(count, word)}</p>"


def links(count: int) -> str:
    """A list of `count` links of one word each."""
    return "<ul>" + "<li><a href='/'>Link</a></li>" * count + "</ul>"
