"""Items that other components replace before the pipeline: counted, and logged at the end."""

from __future__ import annotations

import copy
import logging
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import HTML, Answer, page, text_of
from tests.crawl.site import Site


class CopyingMiddleware:
    """A spider middleware that yields copies of items."""

    async def process_spider_output(self, response: Response, result: Any) -> Any:
        async for each in result:
            yield each if isinstance(each, Request) else copy.copy(each)


class ReplacingPipeline:
    """A pipeline that returns another object."""

    async def process_item(self, item: Any) -> Any:
        return {**item, "page": "replaced"}


class DroppingPipeline:
    """A pipeline that drops every item."""

    async def process_item(self, item: Any) -> Any:
        raise DropItem("not today")


class FailingPipeline:
    """A pipeline with a bug."""

    async def process_item(self, item: Any) -> Any:
        raise ZeroDivisionError("a bug of another pipeline")


class ReadingPipeline:
    """A pipeline that needs our fields."""

    async def process_item(self, item: Any) -> Any:
        item["words"] = len(item["text"].split())
        return item


def find_told(crawled: Any) -> list[str]:
    warnings: list[str] = crawled.messages(logging.WARNING)
    return [line for line in warnings if "their fields are not filled" in line]


def test_a_copying_middleware(crawl: CrawlPages) -> None:
    """Ours is the last that sees items."""
    crawled = crawl(items_of(dict), {"SPIDER_MIDDLEWARES": {CopyingMiddleware: 10}})
    assert [item["text"] for item in crawled.items] == [text_of()]
    assert "items/lost" not in crawled.counts
    assert find_told(crawled) == []


def test_other_pipelines_find_the_fields(crawl: CrawlPages) -> None:
    pipelines = {"ITEM_PIPELINES": {ReadingPipeline: 1, ReplacingPipeline: 2}}
    [item] = crawl(items_of(dict), pipelines).items
    assert (item["words"], item["page"]) == (len(text_of().split()), "replaced")


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


@pytest.mark.parametrize("component", [DroppingPipeline, FailingPipeline])
def test_dropped_or_failed_before_our_pipeline_is_not_lost(
    component: type, crawl: CrawlPages
) -> None:
    crawled = crawl(items_of(dict), {"ITEM_PIPELINES": {component: -2_000}})
    assert crawled.items == []
    assert crawled.counts == {"responses": 1}
    assert find_told(crawled) == []


def test_replaced_and_then_dropped_is_not_lost(crawl: CrawlPages) -> None:
    pipelines = {ReplacingPipeline: -2_000, DroppingPipeline: 5}
    crawled = crawl(items_of(dict), {"ITEM_PIPELINES": pipelines})
    assert "items/lost" not in crawled.counts


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


def test_one_item_yielded_twice(crawl: CrawlPages) -> None:
    def parse(_: Response) -> Any:
        item = {"n": 1}
        yield item
        yield item

    crawled = crawl(parse)
    assert crawled.items[0]["text"] == text_of()
    assert "items/lost" not in crawled.counts
