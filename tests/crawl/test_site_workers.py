"""Site knowledge with worker processes: the items are those of one process."""

from __future__ import annotations

from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy.http import Response

from scrapy_boilerplate import ArticleItem, boilerplate, boilerplate_async
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


def test_items_of_a_page_are_labelled_alike_though_they_take_other_fields(
    crawl: CrawlPages,
) -> None:
    def parse(response: Response) -> Any:
        yield {"url": response.url}
        yield ArticleItem(url=response.url)
        yield {"url": response.url, "again": True}

    settings = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words", **PROCESS}
    crawled = crawl(parse, {**settings, "CONCURRENT_REQUESTS": 4}, pages=PAGES)
    n_pages: dict[str, set[Any]] = {}
    for item in map(ItemAdapter, crawled.items):
        n_pages.setdefault(item["url"], set()).add(item["site_pages"])
    assert [len(numbers) for numbers in n_pages.values()] == 6 * [1]
    assert crawled.counts["documents"] == 6
    assert crawled.counts["site/pages"] == 6


def test_a_page_that_is_read_in_both_ways_is_learnt_once(crawl: CrawlPages) -> None:
    async def parse(response: Response) -> Any:
        document = await boilerplate_async(response)
        yield {"alike": document.headline == boilerplate(response).headline}

    settings = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words", **PROCESS}
    crawled = crawl(parse, settings, pages=PAGES)
    assert [item["alike"] for item in crawled.items] == 6 * [True]
    assert crawled.counts["site/pages"] == 6
