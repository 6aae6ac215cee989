"""Pages are let go once their items are done, without Python's collector of cycles."""

import gc
from collections.abc import Iterator
from typing import Any
from weakref import ReferenceType, ref

import pytest
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import boilerplate
from scrapy_boilerplate.document import Document
from tests.crawl.conftest import CrawlPages
from tests.crawl.pages import page, text_of
from tests.crawl.test_lost_items import ReplacingPipeline


@pytest.fixture
def collector_is_off() -> Iterator[None]:
    """Only reference counts free memory."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collector_is_off")
@pytest.mark.parametrize("settings", [{}, {"ITEM_PIPELINES": {ReplacingPipeline: 1}}])
def test_a_page_whose_items_are_done_is_freed(settings: dict[str, Any], crawl: CrawlPages) -> None:
    earlier: list[ReferenceType[Any]] = []
    n_alive = []

    async def parse(response: Response) -> Any:
        n_alive.append(sum(each() is not None for each in earlier))
        earlier.append(ref(response))
        assert response.css("title")
        yield {"n": 1}
        document = boilerplate(response)
        yield {"n": 2}
        assert boilerplate(response) is document, "while the callback runs"
        earlier.append(ref(document))

    crawl(parse, settings, pages={f"/{number}": page() for number in range(4)})
    assert n_alive == [0, 0, 0, 0]


def test_a_page_that_is_kept_is_read_again(crawl: CrawlPages) -> None:
    documents: list[Document] = []

    def parse(response: Response, first: Response | None = None) -> Any:
        documents.append(boilerplate(first or response))
        yield {"url": response.url}
        if first is None:
            kept = {"first": response}
            yield Request(response.urljoin("/2"), parse_other, cb_kwargs=kept)

    def parse_other(response: Response, first: Any) -> Any:
        assert first.selector.response == first
        return parse(response, first)

    crawled = crawl(parse, pages={"/1": page(), "/2": page()}, ask=["/1"])
    assert [item["text"] for item in crawled.items] == [text_of(), text_of()]
    assert documents[0] == documents[1]
    assert documents[0] is not documents[1]
    assert crawled.counts["documents"] == 2
