"""The ready-made item class."""

from __future__ import annotations

import logging
import sys
from dataclasses import fields
from typing import Any

import pytest

from scrapy_boilerplate import ArticleItem
from scrapy_boilerplate.crawl.settings import CHANGE_FIELDS, PARAGRAPH_FIELDS
from scrapy_boilerplate.items import ALL_FIELDS, DEFAULT_FIELDS
from scrapy_boilerplate.site.fingerprints import fingerprint
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, page, text_of


def test_has_every_field_under_its_name() -> None:
    assert {field.name for field in fields(ArticleItem)} == {
        *("url", "is_article", "duplicate", "found_in", *CHANGE_FIELDS, *PARAGRAPH_FIELDS),
        *ALL_FIELDS,
    }


def test_what_was_not_computed_is_none() -> None:
    item = ArticleItem(url="https://news.example/")
    assert [getattr(item, name) for name in ALL_FIELDS] == [None] * len(ALL_FIELDS)


def test_is_filled_without_complaint(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(ArticleItem))
    (item,) = crawled.items
    assert (item.headline, item.text, item.comments) == (HEADLINE, text_of(), [COMMENT])
    assert (item.language, item.extractor) == ("en", "container")
    assert item.fingerprint == fingerprint(text_of())
    assert 0 < item.article_probability <= 1
    assert (item.supplemental, item.related, item.partial, item.site_pages) == ([], [], None, None)
    assert item.evidence["headline"]
    assert (item.is_article, item.duplicate) == (item.article_probability >= 0.5, None)
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]


EVERY_FIELD = [{}, {"BOILERPLATE_FIELDS": list(ALL_FIELDS)}, {"BOILERPLATE_EXECUTOR": "process"}]


@pytest.mark.parametrize("settings", EVERY_FIELD, ids=["declared", "listed", "by workers"])
def test_gets_markup(settings: dict[str, Any], crawl: CrawlPages) -> None:
    pytest.importorskip("nh3")
    crawled = crawl(items_of(ArticleItem), settings)
    (item,) = crawled.items
    assert item.html == "\n".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    assert item.markdown == text_of()
    assert crawled.counts["items/filled"] == 1
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]


def test_a_field_whose_package_is_missing_stays_none(
    crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = "scrapy_boilerplate.crawl.items.is_installed"
    monkeypatch.setattr(find_spec, lambda package: package != "nh3")
    monkeypatch.setitem(sys.modules, "nh3", None)
    crawled = crawl(items_of(ArticleItem), pages={"/1": page(), "/2": page()})
    assert [(item.html, item.markdown) for item in crawled.items] == [(None, None)] * 2
    assert sorted(line for line in crawled.messages(logging.INFO) if "nh3" in line) == [
        f"Items of class ArticleItem: the field {name!r} needs nh3: "
        "pip install 'scrapy-boilerplate-removal[html]'; it stays empty"
        for name in ("html", "markdown")
    ]
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


def test_of_a_failed_page_has_no_value_that_looks_like_data(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(ArticleItem), meta={"boilerplate": "nonsense"})
    (item,) = crawled.items
    assert crawled.counts == {"responses": 1, "errors/meta": 1, "items/failed": 1}
    assert (item.html, item.article_probability, item.headline) == (None, None, None)


def test_html_is_not_among_the_fields_that_nobody_asked_for() -> None:
    assert not {"html", "markdown"} & set(DEFAULT_FIELDS)
