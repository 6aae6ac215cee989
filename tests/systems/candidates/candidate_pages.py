"""Small pages for the methods that choose elements, and their results."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates import children, goose, newspaper, readability
from tests.builders import segmented_page

ROWS = (*children.ROWS, *goose.ROWS, *newspaper.ROWS, *readability.ROWS)
EXTRACTORS = {row.name: row for row in ROWS}

SENTENCE = "It is what they said of it to all of us, and we had to go on."
"""61 characters, one comma, 16 words, most of them stop words."""


def page_of(body: str, language: str = "en", title: str = "") -> Page:
    """The page of an HTML document around `body`, in atomic blocks."""
    html = f'<html lang="{language}"><head><title>{title}</title></head><body>{body}</body></html>'
    return segmented_page(html, None, ROWS[0])


def the(count: int) -> str:
    """A text of so many English stop words."""
    return " ".join(["the"] * count)


def content(name: str, page: Page) -> list[str]:
    """The texts of the blocks that the extractor `name` takes for content."""
    kept = np.flatnonzero(EXTRACTORS[name].decide_content(page).content)
    return [page.texts[block] for block in kept.tolist()]


def element(page: Page, name: str) -> int:
    """The element with the class `name`."""
    return page.elements.classes.index(name)
