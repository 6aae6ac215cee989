"""Items of every kind, through a real crawl."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import ArticleItem, boilerplate, extract
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.kinds import (
    BARE_KINDS,
    FROZEN_KINDS,
    KINDS,
    NUMBER_KINDS,
    OPTIONAL,
    OPTIONAL_KINDS,
    SHORT_KINDS,
)
from tests.crawl.names import names_but
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, Answer, article, page, text_of
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


@pytest.mark.parametrize("kind", SHORT_KINDS)
def test_a_class_gets_the_fields_that_it_declares(kind: str, crawl: CrawlPages) -> None:
    pages = {"/1": page(), "/2": page()}
    crawled = crawl(items_of(SHORT_KINDS[kind]), pages=pages)
    assert [values(item)["text"] for item in crawled.items] == [text_of()] * 2
    assert [list(values(item)) for item in crawled.items] == [["url", "text"]] * 2
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []
    assert crawled.counts == {
        "responses": 2,
        "documents": 2,
        "documents/container": 2,
        "items/filled": 2,
    }


@pytest.mark.parametrize("kind", BARE_KINDS)
def test_a_class_that_declares_no_field_is_told_of_once(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(BARE_KINDS[kind]), pages={"/1": page(), "/2": page()})
    assert [list(values(item)) for item in crawled.items] == [["url", "price"]] * 2
    assert crawled.counts["items/untouched"] == 2
    assert "items/filled" not in crawled.counts
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []
    assert "documents" not in crawled.counts, "no page is read for them"
    name = BARE_KINDS[kind].__name__
    assert [line for line in crawled.messages(logging.INFO) if name in line] == [
        f"Items of class {name} declare no field to fill; declare those you want, such as "
        "headline, text, blocks"
    ]


@pytest.mark.parametrize("kind", OPTIONAL_KINDS)
@pytest.mark.parametrize("executor", ["inline", "process"])
def test_optional_fields_of_a_class_are_filled(kind: str, executor: str, crawl: CrawlPages) -> None:
    """Declared is asked for."""
    pytest.importorskip("nh3")
    settings = {"BOILERPLATE_EXECUTOR": executor}
    crawled = crawl(items_of(OPTIONAL_KINDS[kind]), settings)
    got = values(crawled.items[0])
    assert list(got) == ["url", *OPTIONAL]
    assert got["html"].startswith(f"<p>{PARAGRAPHS[0]}</p>")
    assert got["markdown"] == text_of()
    assert 0 < got["article_probability"] <= 1
    assert got["fingerprint"] == fingerprint(text_of())
    assert got["simhash"] == simhash(text_of())
    assert isinstance(got["supplemental"], list)
    assert got["site_pages"] is None
    assert crawled.counts["items/filled"] == 1


@pytest.mark.parametrize("fields", [{"html": None}, {"text": "html"}, ["fingerprint"]])
def test_a_declared_field_can_be_left_out(fields: Any, crawl: CrawlPages) -> None:
    """By None, by its name for another field, or by a list without it."""
    crawled = crawl(items_of(OPTIONAL_KINDS["dataclass"]), {"BOILERPLATE_FIELDS": fields})
    [item] = crawled.items
    assert item.html == (text_of() if fields == {"text": "html"} else None)
    assert item.fingerprint == fingerprint(text_of())
    assert (item.simhash is None) == isinstance(fields, list)


@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_a_number_that_the_class_has_by_default_is_filled(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(NUMBER_KINDS[kind]), {"BOILERPLATE_ARTICLES_ONLY": "mark"})
    [item] = crawled.items
    assert 0 < item.confidence <= 1
    assert 0 < item.article_probability <= 1
    assert item.is_article == (item.article_probability >= 0.5)


@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_a_number_that_the_spider_set_is_kept(kind: str, crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield NUMBER_KINDS[kind](url=response.url, confidence=0.25)

    assert crawl(parse).items[0].confidence == 0.25


@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_a_default_number_stays_where_the_page_tells_nothing(kind: str, crawl: CrawlPages) -> None:
    """As an empty text does: a class that declares `int` gets no None."""
    crawled = crawl(items_of(NUMBER_KINDS[kind]))
    [item] = crawled.items
    assert item.site_pages == 0
    assert item.is_accessible_for_free is True
    assert item.comments == 0, "a count; the field is a list"
    assert "errors/write" not in crawled.counts


@pytest.mark.parametrize("kind", ["dataclass", "attrs"])
def test_a_default_number_goes_where_the_page_is_not_read(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(NUMBER_KINDS[kind]), {"BOILERPLATE_MAX_MILLISECONDS": 0.001})
    [item] = crawled.items
    assert [item.confidence, item.article_probability, item.is_article] == 3 * [None]


@pytest.mark.parametrize("executor", ["inline", "process"])
@pytest.mark.parametrize(("only", "threshold"), [(False, 0.01), (True, 0.01), (False, 1)])
def test_a_class_that_declares_the_mark_gets_it(
    executor: str, only: bool, threshold: float, crawl: CrawlPages
) -> None:
    settings = {
        "BOILERPLATE_ARTICLES_ONLY": only,
        "BOILERPLATE_ARTICLE_THRESHOLD": threshold,
        "BOILERPLATE_EXECUTOR": executor,
    }
    [item] = crawl(items_of(NUMBER_KINDS["attrs"]), settings).items
    assert item.is_article == (threshold < 1)


def test_a_class_that_cannot_be_marked_is_told(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(SHORT_KINDS["attrs"]), {"BOILERPLATE_ARTICLES_ONLY": "mark"})
    assert [line for line in crawled.messages(logging.INFO) if "do not declare the field" in line]


def test_a_field_declared_under_its_old_name_is_told(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(SHORT_KINDS["dataclass"]), {"BOILERPLATE_FIELDS": {"text": "body"}})
    [line] = [line for line in crawled.messages(logging.INFO) if "renames to 'body'" in line]
    assert "ShortDataclassItem declare 'text'" in line
    assert crawled.items[0].text is None


@pytest.mark.parametrize(("body", "kind"), [(b"{}", "application/json"), (b"", "text/html")])
def test_items_of_what_is_no_html_are_told_once(crawl: CrawlPages, body: bytes, kind: str) -> None:
    pages = {path: Answer(body, headers={"Content-Type": kind}) for path in "ab"}
    crawled = crawl(items_of(dict), pages={f"/{path}": pages[path] for path in pages})
    [line] = [line for line in crawled.messages(logging.INFO) if "no HTML" in line]
    assert "scrapy_boilerplate.Extraction" in line


def test_html_inside_of_json_is_not_told_of(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield {"url": response.url, "content": extract(article())}

    pages = {"/x": Answer(b"{}", headers={"Content-Type": "application/json"})}
    crawled = crawl(parse, pages=pages)
    assert crawled.items[0]["text"] == text_of()
    assert not [line for line in crawled.messages(logging.INFO) if "no HTML" in line]


@pytest.mark.parametrize("fields", [["url", "text"], "url, text"])
def test_the_address_is_the_spiders(fields: Any, crawl: CrawlPages, site: Site) -> None:
    [item] = crawl(items_of(dict), {"BOILERPLATE_FIELDS": fields}).items
    assert item == {"url": site.url("/article"), "text": text_of()}


def test_a_page_past_its_time_has_no_value_that_looks_like_data(crawl: CrawlPages) -> None:
    settings = {
        "BOILERPLATE_MAX_MILLISECONDS": 0.001,
        "BOILERPLATE_MIN_CONFIDENCE": 0.5,
        "BOILERPLATE_MIN_WORDS": 5,
    }
    crawled = crawl(items_of(ArticleItem), settings)
    [item] = crawled.items
    assert item.partial == "milliseconds"
    assert [item.authors, item.comments, item.evidence, item.confidence, item.text] == 5 * [None]


@pytest.mark.parametrize("field", ["blocks", "article_probability"])
def test_a_late_field_past_the_time_is_counted_once(field: str, crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        vars(boilerplate(response).clock)["_left"] = 0.0
        yield {"url": response.url}
        yield {"url": response.url}

    crawled = crawl(parse, {"BOILERPLATE_FIELDS": [field, "text", "partial"]})
    assert [item[field] for item in crawled.items] == [None, None]
    assert {item["text"] for item in crawled.items} == {text_of()}
    assert {item["partial"] for item in crawled.items} == {"milliseconds"}
    assert crawled.counts["partial/milliseconds"] == 1


def test_a_late_field_of_another_document_of_the_page_is_counted(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        document = boilerplate(response, "num-words")
        vars(document.clock)["_left"] = 0.0
        yield {"url": response.url, "content": document}

    settings = {"BOILERPLATE_MAX_MILLISECONDS": 60_000, "BOILERPLATE_FIELDS": ["blocks"]}
    crawled = crawl(parse, settings)
    assert [item["blocks"] for item in crawled.items] == [None]
    assert crawled.counts["partial/milliseconds"] == 1


@pytest.mark.parametrize("kind", FROZEN_KINDS)
def test_a_frozen_class_is_told_of_once(kind: str, crawl: CrawlPages, site: Site) -> None:
    def parse(response: Response) -> Any:
        yield FROZEN_KINDS[kind](url=response.url)
        yield FROZEN_KINDS[kind](url=response.url, headline="Mine")

    crawled = crawl(parse)
    url = site.url("/article")
    expected = [FROZEN_KINDS[kind](url=url), FROZEN_KINDS[kind](url=url, headline="Mine")]
    assert crawled.items == expected
    assert crawled.counts["errors/write"] == 3, "fields"
    assert crawled.counts["items/untouched"] == 2
    assert "items/filled" not in crawled.counts
    [error] = crawled.messages(logging.ERROR)
    assert error.startswith(f"Items of class {FROZEN_KINDS[kind].__name__} refuse the field")
    assert error.endswith("; items of a frozen class are not filled")


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
