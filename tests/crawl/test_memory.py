"""Responses are freed once they are finished, without Python's collector of cycles."""

import gc
from collections.abc import Iterator
from typing import Any
from weakref import ReferenceType, ref

import pytest
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import boilerplate
from tests.crawl.conftest import CrawlPages
from tests.crawl.pages import page, text_of
from tests.crawl.test_lost_items import ReplacingPipeline

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}


@pytest.fixture
def collector_is_off() -> Iterator[None]:
    """Only reference counts free memory."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collector_is_off")
@pytest.mark.parametrize("settings", [{}, {"ITEM_PIPELINES": {ReplacingPipeline: 1}}])
@pytest.mark.parametrize("meta", [{}, {"dont_boilerplate": True}])
def test_a_finished_page_is_freed(
    settings: dict[str, Any], meta: dict[str, Any], crawl: CrawlPages
) -> None:
    earlier: list[ReferenceType[Any]] = []
    n_alive = []

    def parse(response: Response) -> Any:
        n_alive.append(sum(each() is not None for each in earlier))
        earlier.append(ref(response))
        assert response.css("title")
        yield {"n": 1}
        earlier.append(ref(boilerplate(response)))
        yield {"n": 2}
        if len(n_alive) < 5:
            yield Request(response.urljoin(f"/{len(n_alive)}"), parse, meta=meta)

    pages = {f"/{number}": page() for number in range(5)}
    crawl(parse, settings | ONE_BY_ONE, pages=pages, ask=["/0"])
    # the page before, which is still in use when the next one comes
    assert max(n_alive) <= 2


@pytest.mark.parametrize("keeps_selector", [False, True])
def test_what_a_spider_keeps_stays_as_it_is(keeps_selector: bool, crawl: CrawlPages) -> None:
    kept: list[Any] = []
    seen: list[str] = []

    def parse(response: Any) -> Any:
        yield {"url": response.url}
        if not kept:
            response.css("title").drop()
            kept.extend([response.selector if keeps_selector else response, boilerplate(response)])
        else:
            first = kept[0].response if keeps_selector else kept[0]
            seen.extend([first.url, *first.css("title")])
            assert boilerplate(first) is kept[1]
        number = int(response.url[-1]) + 1
        if number < 5:
            yield Request(response.urljoin(f"/{number}"), parse)

    pages = {f"/{number}": page() for number in range(5)}
    crawled = crawl(parse, ONE_BY_ONE, pages=pages, ask=["/0"])
    assert [item["text"] for item in crawled.items] == [text_of()] * 5
    assert [url[-2:] for url in seen] == ["/0"] * 4
