"""Items that hold a document: expanded by only the downloader middleware and the pipeline."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy.http import Response

from scrapy_boilerplate import Document, boilerplate
from tests.crawl.conftest import CrawlPages
from tests.crawl.kinds import KINDS
from tests.crawl.pages import HEADLINE, text_of

NO_SPIDER_MIDDLEWARE = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_boilerplate.BoilerplateDownloaderMiddleware": 547},
    "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplatePipeline": 50},
}


def holding(kind: str) -> Any:
    def parse(response: Response) -> Any:
        item = KINDS[kind](url=response.url)
        ItemAdapter(item)["content"] = boilerplate(response)
        yield item

    return parse


@pytest.mark.parametrize("kind", KINDS)
def test_expanded(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(holding(kind), components=NO_SPIDER_MIDDLEWARE)
    got = dict(ItemAdapter(crawled.items[0]))
    assert (got["headline"], got["text"]) == (HEADLINE, text_of())
    assert got.get("content") is None, "feeds could not hold it"
    assert not [value for value in got.values() if isinstance(value, Document)]
    assert crawled.counts["documents"] == crawled.counts["items/filled"] == 1
    assert crawled.messages(logging.ERROR) == []


@pytest.mark.parametrize("kind", KINDS)
def test_expanded_with_the_add_on(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(holding(kind))
    assert ItemAdapter(crawled.items[0])["text"] == text_of()
    assert crawled.counts["documents"] == crawled.counts["items/filled"] == 1


def test_a_document_of_another_page_wins(crawl: CrawlPages) -> None:
    """A value that the callback sets is kept, whichever page the item belongs to."""

    def parse(response: Response) -> Any:
        yield {"content": Document(headline="Elsewhere", text="Another page.")}

    [item] = crawl(parse).items
    assert (item["headline"], item["text"]) == ("Elsewhere", "Another page.")


@dataclass(frozen=True)
class FrozenHolder:
    """An item that can be neither emptied nor filled."""

    url: str
    content: Any
    text: str = ""


def test_a_frozen_item_goes_on(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield FrozenHolder(response.url, boilerplate(response))

    crawled = crawl(parse, {"BOILERPLATE_FIELDS": ["text"]}, components=NO_SPIDER_MIDDLEWARE)
    assert len(crawled.items) == 1
    assert crawled.counts["errors/write"] >= 1
    assert len(crawled.messages(logging.ERROR)) == 1
