"""Metadata as a whole: any page gives a record, also an empty or large one."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.fields import METADATA_FIELDS
from tests.builders import filler
from tests.metadata.pages import read_document, write_metas

FERRY = "Ferry returns to the harbour"


@pytest.mark.parametrize("html", ["", "<html></html>", "<h1></h1>", "<p>one", "<time>", "<meta>"])
def test_pages_without_anything(html: str) -> None:
    document = extract(html)
    assert (document.date_published, document.authors, document.tags) == (None, (), ())


def test_fields_are_computed_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find_metadata = Document.find_metadata

    def record(document: Document, name: str, find: Any) -> Any:
        asked.append(name)
        return find_metadata(document, name, find)

    monkeypatch.setattr(Document, "find_metadata", record)
    document = read_document(write_metas(author="Jane Doe"), f"<h1>{FERRY}</h1>")
    assert asked == []
    assert (document.headline, document.headline) == (FERRY, FERRY)
    assert asked == ["headline"]
    assert document.evidence["authors"] == "meta"
    assert sorted(asked) == sorted(METADATA_FIELDS)


def test_deep_and_wide_pages_end() -> None:
    deep = "<div itemprop=author class=author>" * 1500 + filler(5)
    wide = "<meta property=article:author content='Jane Doe'><time datetime=x>" * 5_000
    assert extract(deep).error is None
    assert extract(wide).authors == ("Jane Doe",)


@pytest.mark.parametrize("word", ["a" * 100_000, "1/" * 50_000, "ab-" * 30_000, "a1" * 50_000])
def test_words_without_end(word: str) -> None:
    """As long as a picture inside the text; a quadratic search takes minutes."""
    start = process_time()
    read_document(f"<p>{word}<p class=byline>By Ida Falk")
    assert process_time() - start < 10
