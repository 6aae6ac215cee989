"""Small pages for the tests of systems, and what is content on them."""

from scrapy_boilerplate import Page
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import TextNodes
from tests.builders import content_texts, page_of


def content_of(extractor: str, html: str) -> list[str]:
    """The texts of the blocks of `html` that an extractor takes for content."""
    return content_texts(extractor, page_of(html))


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def paragraph(count: int, word: str = "word") -> str:
    return f"<p>{words(count, word)}</p>"


def links(count: int) -> str:
    """A list of `count` links of one word each."""
    return "<ul>" + "<li><a href='/'>Link</a></li>" * count + "</ul>"


def text_nodes(body: str) -> Page:
    return TextNodes()(load_page(f"<html><body>{body}</body></html>").page)
