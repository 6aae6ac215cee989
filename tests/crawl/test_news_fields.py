"""The fields `entries` and `stub` in real crawls, and the documented spider with a browser."""

import csv
import json
from pathlib import Path

import pytest

from scrapy_boilerplate import ArticleItem
from tests.article.test_live_blog import PLACES, entries_in_json, live_page
from tests.article.test_stub import STUBS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import page
from tests.crawl.project import python
from tests.crawl.site import Site
from tests.documented import find_block

ENTRIES = {"BOILERPLATE_FIELDS": {"entries": True}, "BOILERPLATE_EXTRACTOR": "news"}
LIVE = {"/storm-live": page(live_page("", head=entries_in_json()))}
HEADLINES = [f"News of the {place}" for place in PLACES]


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_the_entries_of_an_item(executor: str, crawl: CrawlPages, tmp_path: Path) -> None:
    """They are JSON in a cell."""
    feed = tmp_path / "feed.csv"
    feeds = {"FEEDS": {str(feed): {"format": "csv"}}}
    settings = {**ENTRIES, **feeds, "BOILERPLATE_EXECUTOR": executor}
    [item] = crawl(items_of(dict), settings, pages=LIVE).items
    assert [entry["headline"] for entry in item["entries"]] == HEADLINES
    assert [headline for headline in HEADLINES if headline not in item["text"]] == []
    with feed.open(encoding="utf-8", newline="") as lines:
        [row] = csv.DictReader(lines)
    assert json.loads(row["entries"]) == item["entries"]


def test_a_class_that_declares_them(crawl: CrawlPages) -> None:
    live, other = crawl(items_of(ArticleItem), ENTRIES, pages={**LIVE, "/article": page()}).items
    assert [entry["headline"] for entry in live.entries] == HEADLINES
    assert other.entries == []


PAGES = {f"/{number}": page(html) for number, (html, _) in enumerate(STUBS.values())}
REASONS = [reason for _, reason in STUBS.values()]


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_the_stub_of_an_item(crawl: CrawlPages, executor: str) -> None:
    settings = {"BOILERPLATE_FIELDS": {"stub": True}, "BOILERPLATE_EXECUTOR": executor}
    crawled = crawl(items_of(dict), settings, pages={**PAGES, "/article": page()})
    assert [item["stub"] for item in crawled.items] == [*REASONS, None]


SENTENCE = "The ferry sailed for the island at seven on Monday morning with two goats aboard."
SHELL = f"""
<html lang="en"><head><title>Ferry returns | The Courier</title></head><body>
<noscript>You need to enable JavaScript to read the Courier.</noscript><div id="root"></div>
<script>
setTimeout(() => {{
const article = document.createElement("article");
article.innerHTML = "<h1>Ferry returns</h1>" + `<p>${{{json.dumps(SENTENCE)}}}</p>`.repeat(9);
document.getElementById("root").append(article);
}}, 2_000);
</script></body></html>
"""

RUN = """
import sys
from scrapy.crawler import AsyncCrawlerProcess
process = AsyncCrawlerProcess({{
    "ADDONS": {{"scrapy_boilerplate.Addon": 500}}, "LOG_LEVEL": "INFO",
    "FEEDS": {{{feed!r}: {{"format": "jsonlines"}}}}, "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}})
process.crawl(BrowserSpider, start_urls={urls!r})
process.start()
"""


def test_documented_spider_with_a_browser(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("scrapy_playwright")
    site.pages["/shell"] = page(SHELL)
    feed, script = tmp_path / "items.jsonl", tmp_path / "run.py"
    block = find_block("docs/usage/playwright.md", "import scrapy")
    urls = [site.url("/shell"), site.url("/article")]
    script.write_text(f"{block.code}\n{RUN.format(feed=str(feed), urls=urls)}", encoding="utf-8")
    run = python(script)
    assert run.code == 0, run.output
    items = {item["url"]: item for item in map(json.loads, feed.read_text("utf-8").splitlines())}
    assert set(items) == set(urls), run.output
    assert items[urls[0]]["headline"] == "Ferry returns"
    assert items[urls[0]]["text"].count(SENTENCE) == 9
    assert (site.asked.count("/shell"), site.asked.count("/article")) == (2, 1)
