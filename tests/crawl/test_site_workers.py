"""Site knowledge with worker processes: the items are those of one process."""

from __future__ import annotations

from typing import Any

import pytest

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import Answer
from tests.site_pages import site_page

WAIT_FOR_ALL = {"BOILERPLATE_SITE_HOLD": 100, "BOILERPLATE_SITE_HOLD_SECONDS": 3600}
PROCESS = {"BOILERPLATE_EXECUTOR": "process", "BOILERPLATE_WORKERS": 2}
PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(6)}
NOTICE = "We use small notes"


def sort_items(items: list[Any]) -> list[dict[str, Any]]:
    return sorted(({**item, "url": item["url"].rpartition("/")[2]} for item in items), key=str)


@pytest.mark.parametrize("extractor", ["num-words", "news"])
def test_items_are_those_of_one_process(extractor: str, crawl: CrawlPages) -> None:
    settings = {
        **WAIT_FOR_ALL,
        "BOILERPLATE_SITE": True,
        "BOILERPLATE_EXTRACTOR": extractor,
        "BOILERPLATE_BLOCKS": "all",
    }
    inline = crawl(items_of(dict), settings, pages=PAGES)
    crawled = crawl(items_of(dict), {**settings, **PROCESS}, pages=PAGES)
    assert sort_items(crawled.items) == sort_items(inline.items)
    assert [item["site_pages"] for item in crawled.items] == 6 * [5]
    assert not any(NOTICE in item["text"] for item in crawled.items)
    assert crawled.counts == inline.counts


def test_without_waiting_every_item_has_its_page(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words", **PROCESS}
    crawled = crawl(items_of(dict), {**settings, "CONCURRENT_REQUESTS": 4}, pages=PAGES)
    headlines = {item["url"].rpartition("/")[2]: item["headline"] for item in crawled.items}
    alone = crawl(items_of(dict), {"BOILERPLATE_EXTRACTOR": "num-words"}, pages=PAGES)
    assert headlines == {item["url"].rpartition("/")[2]: item["headline"] for item in alone.items}
    assert crawled.counts["site/pages"] == crawled.counts["items/filled"] == 6


def test_several_items_of_a_page_share_the_work(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words", **PROCESS}
    crawled = crawl(lambda _: [{"n": n} for n in range(5)], settings, pages=PAGES)
    assert crawled.counts["documents"] == crawled.counts["site/pages"] == 6
    assert crawled.counts["items/filled"] == 30
