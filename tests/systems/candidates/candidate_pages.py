"""Small pages for the methods that choose elements, and their results."""

from scrapy_boilerplate import Page
from tests.builders import page_of as page_of_html

# 61 characters, one comma, 16 words, most of them stop words.
SENTENCE = "It is what they said of it to all of us, and we had to go on."
TEXT = f"<p>{SENTENCE}</p>" * 4


def page_of(body: str, language: str = "en", title: str = "") -> Page:
    """The page of an HTML document around `body`, in atomic blocks."""
    html = f'<html lang="{language}"><head><title>{title}</title></head><body>{body}</body></html>'
    return page_of_html(html)


def the(count: int) -> str:
    """A text of so many English stop words."""
    return " ".join(["the"] * count)


def element(page: Page, name: str) -> int:
    """The element with the class `name`."""
    return page.elements.classes.index(name)
