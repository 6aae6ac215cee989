"""Which response an item came from; items that other components replace are counted and logged."""

import copy
import gc
import logging
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate.crawl.context import ItemResponses
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import HTML, Answer, page, text_of
from tests.crawl.site import Site


class CopyingMiddleware:
    async def process_spider_output(self, response: Response, result: Any) -> Any:
        async for each in result:
            yield each if isinstance(each, Request) else copy.copy(each)


class ReplacingPipeline:
    async def process_item(self, item: Any) -> Any:
        return {**item, "words": len(item.get("text", "").split())}


class DroppingPipeline:
    async def process_item(self, item: Any) -> Any:
        raise DropItem("not today")


class FailingPipeline:
    async def process_item(self, item: Any) -> Any:
        raise ZeroDivisionError("a bug of another pipeline")


def find_told(crawled: Any) -> list[str]:
    warnings: list[str] = crawled.messages(logging.WARNING)
    return [line for line in warnings if "their fields are not filled" in line]


def test_other_components_find_the_fields(crawl: CrawlPages) -> None:
    """Our middleware is the last that sees items, and our pipeline the first."""

    def parse(_: Response) -> Any:
        item = {"n": 1}
        yield item
        yield item  # once more

    components = {
        "SPIDER_MIDDLEWARES": {CopyingMiddleware: 10},
        "ITEM_PIPELINES": {ReplacingPipeline: 1},
    }
    for settings in ({}, components):
        crawled = crawl(parse, settings)
        assert crawled.items[0]["text"] == text_of()
        assert "items/lost" not in crawled.counts
        assert find_told(crawled) == []
    assert crawled.items[0]["words"] == len(text_of().split())


@pytest.mark.parametrize(
    ("setting", "component"),
    [("SPIDER_MIDDLEWARES", CopyingMiddleware), ("ITEM_PIPELINES", ReplacingPipeline)],
)
def test_replaced_before_our_pipeline(setting: str, component: type, crawl: CrawlPages) -> None:
    pages = {"/1": page(), "/2": page()}
    crawled = crawl(items_of(dict), {setting: {component: -2_000}}, pages=pages)
    assert not any("text" in item for item in crawled.items)
    assert crawled.counts == {"responses": 2, "items/untouched": 2, "items/lost": 2}
    [told] = find_told(crawled)
    assert told.startswith("2 items (the last of class dict) were replaced")


@pytest.mark.parametrize(
    "pipelines",
    [
        {DroppingPipeline: -2_000},
        {FailingPipeline: -2_000},
        {ReplacingPipeline: -2_000, DroppingPipeline: 5},
    ],
)
def test_dropped_or_failed_is_not_lost(pipelines: dict[type, int], crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), {"ITEM_PIPELINES": pipelines})
    assert crawled.items == []
    assert "items/lost" not in crawled.counts
    assert find_told(crawled) == []


def test_items_of_no_page_are_not_lost(site: Site, reactor: Reactor) -> None:
    """Start items, and items of a response that has no document."""
    site.pages["/json"] = Answer(b"{}", headers={"Content-Type": "application/json"})
    site.pages["/empty"] = Answer(b"", headers={"Content-Type": HTML})
    skipped = Request(site.url("/article"), meta={"dont_boilerplate": True})
    wanted = [{"n": 0}, Request(site.url("/json")), Request(site.url("/empty")), skipped]
    settings = {**ADDON, "ITEM_PIPELINES": {ReplacingPipeline: -2_000}}
    crawled = reactor.crawl(wanted, items_of(dict), settings)
    assert crawled.counts == {"items/untouched": 4, "skipped": 1}
    assert find_told(crawled) == []


FIRST, SECOND = HtmlResponse("http://x.example/1"), HtmlResponse("http://x.example/2")


def test_the_oldest_are_let_go() -> None:
    """Items that are pending at the end are lost, except those that no component awaits."""
    responses = ItemResponses(limit=3)
    items = [{"n": number} for number in range(5)]
    for item in items:
        responses.add(item, FIRST)
    assert (len(responses), responses.lost) == (3, 2)
    assert [responses.find(item) is None for item in items[:3]] == [True, True, False]
    responses.add({}, FIRST, is_awaited=False)
    responses.close()
    assert (len(responses), responses.lost) == (0, 4)


def test_an_item_that_never_arrives_does_not_keep_its_page() -> None:
    """Another component dropped it. The end of an older response does not forget the item."""
    responses, item, kept = ItemResponses(), {"url": "3"}, {"url": "4"}
    older = HtmlResponse("http://x.example/3")
    responses.add(item, older)
    responses.add(kept, older)
    responses.add(kept, FIRST)
    del older
    gc.collect()
    assert responses.find(item) is None
    assert responses.find(kept) is FIRST
    assert (responses.lost, responses.lost_class) == (1, dict)
