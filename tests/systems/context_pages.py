"""Small pages in the blocks of an extractor, for context rules."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from tests.builders import segmented_page, true_at


def page_of(body: str, extractor: str = "boilerpipe-canola", title: str = "") -> Page:
    """The page around `body`, in English, in the blocks of an extractor."""
    html = f'<html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'
    return segmented_page(html, None, EXTRACTORS[extractor])


def kept(labeling: Labeling) -> list[int]:
    """The blocks that are content."""
    return true_at(labeling.content)


def content_texts(body: str, extractor: str, title: str = "") -> list[str]:
    """The texts of the blocks that the extractor's own steps take for content."""
    page = page_of(body, extractor, title)
    return [page.texts[block] for block in kept(EXTRACTORS[extractor].decide_content(page))]
