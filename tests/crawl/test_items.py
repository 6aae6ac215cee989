"""Items of every kind, through a real crawl."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import boilerplate
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.kinds import FROZEN_KINDS, KINDS, SHORT_KINDS
from tests.crawl.names import names_but
from tests.crawl.pages import COMMENT, HEADLINE, article, page, text_of
from tests.crawl.site import Site


def values(item: Any) -> dict[str, Any]:
    return dict(ItemAdapter(item))


@pytest.mark.parametrize("kind", KINDS)
def test_filled(kind: str, crawl: CrawlPages, site: Site) -> None:
    crawled = crawl(items_of(KINDS[kind]))
    [item] = crawled.items
    assert type(item) is KINDS[kind]
    got = values(item)
    assert got["url"] == site.url("/article")
    assert (got["headline"], got["text"], got["comments"]) == (HEADLINE, text_of(), [COMMENT])
    assert (got["language"], got["extractor"]) == ("en", "container")
    assert 0 < got["confidence"] <= 1
    assert {block["label"] for block in got["blocks"]} >= {"headline", "full_text", "comments"}
    assert crawled.counts == {
        "responses": 1,
        "documents": 1,
        "documents/container": 1,
        "items/filled": 1,
    }
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_spider_set_is_kept(kind: str, crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield KINDS[kind](url=response.url, headline="Mine", confidence=0.0, comments=["also mine"])

    got = values(crawl(parse).items[0])
    assert (got["headline"], got["confidence"], got["comments"]) == ("Mine", 0.0, ["also mine"])
    assert got["text"] == text_of()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_spider_left_empty_is_filled(kind: str, crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield KINDS[kind](url=response.url, headline=None, text="", comments=[])

    got = values(crawl(parse).items[0])
    assert (got["headline"], got["text"], got["comments"]) == (HEADLINE, text_of(), [COMMENT])


@pytest.mark.parametrize("kind", SHORT_KINDS)
def test_a_class_without_the_fields(kind: str, crawl: CrawlPages) -> None:
    pages = {"/1": page(), "/2": page()}
    crawled = crawl(items_of(SHORT_KINDS[kind]), pages=pages)
    assert [values(item)["text"] for item in crawled.items] == [text_of()] * 2
    assert [list(values(item)) for item in crawled.items] == [["url", "text"]] * 2
    [warning] = crawled.messages(logging.WARNING)
    assert SHORT_KINDS[kind].__name__ in warning
    assert f"fields {', '.join(names_but('text'))}:" in warning
    assert 'BOILERPLATE_FIELDS = {"headline": None, "blocks": None, ' in warning
    assert crawled.counts["unsupported/headline"] == 2
    assert crawled.counts["unsupported/blocks"] == 2
    assert crawled.counts["items/filled"] == 2
    assert crawled.messages(logging.ERROR) == []


def test_one_warning_for_each_class(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        for kind in SHORT_KINDS.values():
            yield kind(url=response.url)
            yield kind(url=response.url)

    crawled = crawl(parse)
    assert len(crawled.messages(logging.WARNING)) == len(SHORT_KINDS)
    assert crawled.counts["documents"] == 1


def test_no_warning_for_fields_that_are_off(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_FIELDS": ["text"]}
    crawled = crawl(items_of(SHORT_KINDS["dataclass"]), settings)
    assert crawled.messages(logging.WARNING) == []
    assert not [name for name in crawled.counts if "unsupported" in name]


@pytest.mark.parametrize("kind", FROZEN_KINDS)
def test_frozen(kind: str, crawl: CrawlPages, site: Site) -> None:
    crawled = crawl(items_of(FROZEN_KINDS[kind]), {"BOILERPLATE_FIELDS": ["text"]})
    assert crawled.items == [FROZEN_KINDS[kind](url=site.url("/article"))]
    assert crawled.counts["errors/write"] == 1
    [error] = crawled.messages(logging.ERROR)
    assert FROZEN_KINDS[kind].__name__ in error


def test_a_frozen_item_has_one_log_line(crawl: CrawlPages) -> None:
    """One line a page, however many fields cannot be written."""
    fields = {"BOILERPLATE_FIELDS": ["headline", "text"]}
    crawled = crawl(items_of(FROZEN_KINDS["dataclass"]), fields)
    assert len(crawled.items) == 1
    assert len(crawled.messages(logging.ERROR)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_start_items_have_no_page(kind: str, site: Site, reactor: Reactor) -> None:
    first = KINDS[kind](url="none")
    before = dict(values(first))
    wanted = [first, Request(site.url("/article"))]
    crawled = reactor.crawl(wanted, items_of(KINDS[kind]), ADDON)
    [start] = [item for item in crawled.items if values(item)["url"] == "none"]
    assert start is first
    assert values(start) == before
    assert (crawled.counts["items/untouched"], crawled.counts["items/filled"]) == (1, 1)


def test_items_of_one_page_share_its_document(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield {"n": 1}
        yield {"n": 2, "mine": boilerplate(response).text}

    crawled = crawl(parse)
    assert crawled.items[0]["text"] == crawled.items[1]["text"] == crawled.items[1]["mine"]
    assert crawled.items[0]["blocks"] is not crawled.items[1]["blocks"], "lists of their own"
    assert crawled.counts["documents"] == 1
    assert crawled.counts["items/filled"] == 2


def test_items_get_their_own_pages(crawl: CrawlPages) -> None:
    pages = {f"/{number}": page(article(headline=f"Story {number}")) for number in range(20)}
    crawled = crawl(items_of(dict), {"CONCURRENT_REQUESTS": 8}, pages=pages)
    got = {item["url"].rpartition("/")[2]: item["headline"] for item in crawled.items}
    assert got == {str(number): f"Story {number}" for number in range(20)}


def test_an_async_callback(crawl: CrawlPages) -> None:
    async def parse(response: Response) -> Any:
        yield {"first": True}

    [item] = crawl(parse).items
    assert item["text"] == text_of()


def test_per_request_extractor(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), meta={"boilerplate": "keep-everything"})
    assert "All rights reserved." in crawled.items[0]["text"]
    assert crawled.counts["documents/keep-everything"] == 1


@pytest.mark.parametrize("written", ["num-words", "grandparent"])
def test_extractor_setting(written: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), {"BOILERPLATE_EXTRACTOR": written})
    assert [item["extractor"] for item in crawled.items] == [written]


def test_renamed_and_left_out(crawl: CrawlPages) -> None:
    fields = {"text": "body", "blocks": None, "comments": None, "related": True}
    [item] = crawl(items_of(dict), {"BOILERPLATE_FIELDS": fields}).items
    assert [*item] == ["url", "headline", "body", *names_but("blocks", "comments")[2:], "related"]
    assert item["body"] == text_of()
