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
def test_the_entries_of_an_item(crawl: CrawlPages, executor: str) -> None:
    [item] = crawl(items_of(dict), {**FIELDS, "BOILERPLATE_EXECUTOR": executor}, pages=PAGES).items
    assert [entry["headline"] for entry in item["entries"]] == HEADLINES
    assert [headline for headline in HEADLINES if headline not in item["text"]] == []


def test_a_class_that_declares_them_and_a_dict_that_does_not(crawl: CrawlPages) -> None:
    [item] = crawl(items_of(ArticleItem), pages=PAGES).items
    assert [entry["headline"] for entry in item.entries] == HEADLINES
    assert "entries" not in crawl(items_of(dict), pages=PAGES).items[0]
    assert crawl(items_of(ArticleItem)).items[-1].entries in ([], item.entries)


def test_entries_are_json_in_a_cell(crawl: CrawlPages, tmp_path: Path) -> None:
    feed = tmp_path / "feed.csv"
    crawl(items_of(dict), {**FIELDS, "FEEDS": {str(feed): {"format": "csv"}}}, pages=PAGES)
    with feed.open(encoding="utf-8", newline="") as lines:
        [row] = csv.DictReader(lines)
    assert [entry["headline"] for entry in json.loads(row["entries"])] == HEADLINES
