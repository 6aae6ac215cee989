"""The field `entries`: a real crawl of a live blog."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scrapy_boilerplate import ArticleItem
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import page
from tests.news.test_live_blog import PLACES, TEMPLATES, entries_of, live_page

FIELDS = {"BOILERPLATE_FIELDS": {"entries": True}, "BOILERPLATE_EXTRACTOR": "news"}
PAGES = {"/storm-live": page(live_page(entries_of(TEMPLATES["time elements"])))}
HEADLINES = [f"News of the {place}" for place in PLACES]


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_the_entries_of_an_item(executor: str, crawl: CrawlPages, tmp_path: Path) -> None:
    """They are JSON in a cell."""
    feed = tmp_path / "feed.csv"
    feeds = {"FEEDS": {str(feed): {"format": "csv"}}}
    settings = {**FIELDS, **feeds, "BOILERPLATE_EXECUTOR": executor}
    [item] = crawl(items_of(dict), settings, pages=PAGES).items
    assert [entry["headline"] for entry in item["entries"]] == HEADLINES
    assert [headline for headline in HEADLINES if headline not in item["text"]] == []
    with feed.open(encoding="utf-8", newline="") as lines:
        [row] = csv.DictReader(lines)
    assert json.loads(row["entries"]) == item["entries"]


def test_a_class_that_declares_them(crawl: CrawlPages) -> None:
    live, other = crawl(items_of(ArticleItem), pages={**PAGES, "/article": page()}).items
    assert [entry["headline"] for entry in live.entries] == HEADLINES
    assert other.entries == []
