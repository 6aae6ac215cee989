"""Small pages for context rules. Their texts are made of filler words and mean nothing."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from tests.builders import segmented_page

WORD = "word"


def page_of(body: str, extractor: str = "boilerpipe-canola", title: str = "") -> Page:
    """The page around `body` in the blocks of an extractor (atomic ones if not told)."""
    html = f'<html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'
    return segmented_page(html, None, EXTRACTORS[extractor])


def filler(words: int, first: str = WORD) -> str:
    """A text of so many words."""
    return " ".join([first, *[WORD] * (words - 1)]) if words else ""


def paragraph(words: int, linked: int = 0) -> str:
    """A paragraph of so many words, so many of them in a link."""
    link = f'<a href="/x">{filler(linked)}</a> ' if linked else ""
    return f"<p>{link}{filler(words - linked)}</p>"


def with_content(page: Page, *content: int) -> Labeling:
    """A labeling in which the blocks `content` are full text."""
    mask = np.zeros(len(page), dtype=np.bool_)
    mask[list(content)] = True
    return Labeling.blank(len(page)).classify(mask, "test")


def kept(labeling: Labeling) -> list[int]:
    """The blocks that are content."""
    blocks: list[int] = np.flatnonzero(labeling.content).tolist()
    return blocks


def content_texts(body: str, extractor: str, title: str = "") -> list[str]:
    """The texts of the blocks that the extractor's own steps take for content."""
    page = page_of(body, extractor, title)
    return [page.texts[block] for block in kept(EXTRACTORS[extractor].decide_content(page))]
