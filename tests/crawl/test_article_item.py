"""The ready-made item class."""

from __future__ import annotations

from dataclasses import fields

import pytest

from scrapy_boilerplate import ArticleItem
from scrapy_boilerplate.items import ALL_FIELDS, DEFAULT_FIELDS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, text_of


def test_has_every_field_under_its_name() -> None:
    assert {field.name for field in fields(ArticleItem)} == {"url", "duplicate", *ALL_FIELDS}


def test_every_default_counts_as_not_filled() -> None:
    item = ArticleItem(url="https://news.example/")
    assert not any(getattr(item, name) for name in ALL_FIELDS)


def test_is_filled_without_complaint(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(ArticleItem))
    (item,) = crawled.items
    assert (item.headline, item.text, item.comments) == (HEADLINE, text_of(), [COMMENT])
    assert (item.language, item.extractor) == ("en", "container")
    assert (item.html, item.markdown, item.evidence) == (None, None, {})
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]


def test_takes_all_fields_that_there_are(crawl: CrawlPages) -> None:
    pytest.importorskip("nh3")
    crawled = crawl(items_of(ArticleItem), {"BOILERPLATE_FIELDS": list(ALL_FIELDS)})
    (item,) = crawled.items
    assert item.html == "\n".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    assert item.markdown == text_of()
    assert crawled.counts["items/filled"] == 1
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]


def test_html_is_not_among_the_fields_that_nobody_asked_for() -> None:
    assert not {"html", "markdown"} & set(DEFAULT_FIELDS)
