"""Metadata as a whole: any page gives a record, also an empty or large one."""

import pytest

from scrapy_boilerplate import extract
from tests.builders import filler
from tests.metadata.pages import read_document

FERRY = "Ferry returns to the harbour"


@pytest.mark.parametrize("html", ["", "<html></html>", "<h1></h1>", "<p>one", "<time>", "<meta>"])
def test_pages_without_anything(html: str) -> None:
    document = extract(html)
    assert (document.date_published, document.authors, document.tags) == (None, (), ())


def test_deep_and_wide_pages_end() -> None:
    deep = "<div itemprop=author class=author>" * 1500 + filler(5)
    wide = "<meta property=article:author content='Jane Doe'><time datetime=x>" * 5_000
    assert extract(deep).error is None
    assert extract(wide).authors == ("Jane Doe",)


@pytest.mark.parametrize("word", ["a" * 100_000, "1/" * 50_000, "ab-" * 30_000, "a1" * 50_000])
def test_words_without_end(word: str) -> None:
    """As long as a picture inside the text; a quadratic search takes minutes."""
    assert read_document(f"<p>{word}<p class=byline>By Ida Falk").authors == ("Ida Falk",)
