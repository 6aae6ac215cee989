"""The field `stub` in real crawls, and the documented spider that takes a browser then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import page
from tests.crawl.project import python
from tests.crawl.site import Site
from tests.documented import find_block
from tests.news.test_stub import STUBS

FIELDS = {"BOILERPLATE_FIELDS": {"stub": True}}
PAGES = {f"/{number}": page(html) for number, (html, _) in enumerate(STUBS.values())}
REASONS = [reason for _, reason in STUBS.values()]


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_the_stub_of_an_item(crawl: CrawlPages, executor: str) -> None:
    pages = {**PAGES, "/article": page()}
    crawled = crawl(items_of(dict), {**FIELDS, "BOILERPLATE_EXECUTOR": executor}, pages=pages)
    assert [item["stub"] for item in crawled.items] == [*REASONS, None]


SENTENCE = "The ferry sailed for the island at seven on Monday morning with two goats aboard."
SHELL = f"""
<html lang="en"><head><title>Ferry returns | The Courier</title></head><body>
<noscript>You need to enable JavaScript to read the Courier.</noscript><div id="root"></div>
<script>
const article = document.createElement("article");
article.innerHTML = "<h1>Ferry returns</h1>" + `<p>${{{json.dumps(SENTENCE)}}}</p>`.repeat(9);
document.getElementById("root").append(article);
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
