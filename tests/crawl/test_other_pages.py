"""Items whose URL differs from the URL of their response are not filled, and the log says so."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pydantic
import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate import ArticleItem
from scrapy_boilerplate.crawl.item_addresses import (
    find_page_addresses,
    is_url_of_page,
    normalize_address,
    read_addresses,
)
from scrapy_boilerplate.crawl.page_reader import DEFAULT_READER
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.kinds import KINDS
from tests.crawl.pages import HTML, Answer, article, page, text_of
from tests.crawl.site import Site

TEASERS = "".join(
    f'<article><a href="/{number}">Story {number}</a><p>{"A teaser of the story. " * 9}</p>'
    "</article>"
    for number in range(3)
)
SECTION = page(f"<html><body><h1>News of the coast</h1>{TEASERS}</body></html>")


class UrlModel(pydantic.BaseModel):
    """Its address is an object, no text."""

    url: pydantic.HttpUrl
    text: str | None = None


NEEDS_ZYTE = pytest.mark.skipif(
    find_spec("zyte_common_items") is None, reason="needs zyte-common-items"
)


def zyte_article(url: str) -> Any:
    return import_module("zyte_common_items").Article(url=url)


LINK_KINDS: dict[str, Callable[..., Any]] = {
    **KINDS,
    "ArticleItem": ArticleItem,
    "zyte": zyte_article,
    "HttpUrl": UrlModel,
    "item loader": lambda url: {"url": [url]},
}


PARAMETERS = [
    pytest.param(kind, marks=NEEDS_ZYTE) if kind == "zyte" else kind for kind in LINK_KINDS
]


def yield_links(kind: Callable[..., Any]) -> Any:
    """A callback that yields an item for each link of a section page."""
    return lambda response: [
        kind(url=response.urljoin(link)) for link in response.css("article a::attr(href)").getall()
    ]


def find_texts(items: list[Any]) -> list[Any]:
    adapters = [ItemAdapter(item) for item in items]
    return [adapter.get("text") or adapter.get("articleBody") for adapter in adapters]


@pytest.mark.parametrize("kind", PARAMETERS)
def test_items_of_a_section_page(kind: str, crawl: CrawlPages) -> None:
    crawled = crawl(yield_links(LINK_KINDS[kind]), pages={"/news": SECTION})
    assert len(crawled.items) == 3
    assert not any(find_texts(crawled.items))
    assert crawled.counts == {"responses": 1, "items/other_page": 3}, "no document is built"
    [told] = [line for line in crawled.messages(logging.INFO) if "differs from" in line]
    for advice in ("Follow their links", 'meta={"boilerplate": True}', "BOILERPLATE_ITEM_URL"):
        assert advice in told
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


@pytest.mark.parametrize("kind", PARAMETERS)
def test_the_item_about_the_page_among_links(kind: str, crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield LINK_KINDS[kind](url=response.url)
        yield LINK_KINDS[kind](url=response.urljoin("/1"))

    crawled = crawl(parse)
    assert find_texts(crawled.items) in ([text_of(), None], [text_of(), ""])
    assert (crawled.counts["items/filled"], crawled.counts["items/other_page"]) == (1, 1)


def test_one_line_for_each_spider(crawl: CrawlPages) -> None:
    crawled = crawl(yield_links(dict), pages={"/news": SECTION, "/sport": SECTION})
    assert crawled.counts["items/other_page"] == 6
    assert len([line for line in crawled.messages(logging.INFO) if "differs from" in line]) == 1


ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "meta": ({}, {"boilerplate": True}),
    "meta dict": ({}, {"boilerplate": {"every_item": True}}),
    "setting": ({"BOILERPLATE_ITEM_URL": False}, {}),
    "setting of the command line": ({"BOILERPLATE_ITEM_URL": "False"}, {}),
}


@pytest.mark.parametrize("way", ASKED)
def test_filled_all_the_same(way: str, crawl: CrawlPages) -> None:
    settings, meta = ASKED[way]
    crawled = crawl(yield_links(dict), settings, pages={"/news": SECTION}, meta=meta)
    [text] = {item["text"] for item in crawled.items}
    assert "A teaser of the story." in text
    assert crawled.counts["items/filled"] == 3


@pytest.mark.parametrize(
    ("settings", "item", "is_filled"),
    [
        ({}, {"link": "/1"}, False),
        ({}, {"article_url": "/1"}, False),
        ({}, {"url": "", "link": "/1"}, False),
        ({}, {"link": "/1", "url": "/article"}, True),
        ({"BOILERPLATE_ITEM_URL": "url"}, {"link": "/1"}, True),
        ({"BOILERPLATE_ITEM_URL": "link"}, {"link": "/1", "url": "/article"}, False),
        ({"BOILERPLATE_ITEM_URL": "link"}, {"link": "/article", "url": "/1"}, True),
    ],
)
def test_names_of_the_field(
    settings: dict[str, Any], item: dict[str, str], is_filled: bool, crawl: CrawlPages
) -> None:
    crawled = crawl(lambda _: [item], settings)
    assert find_texts(crawled.items) == [text_of() if is_filled else None]


@NEEDS_ZYTE
def test_the_field_of_a_zyte_article_is_url(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_ITEM_URL": "link"}
    crawled = crawl(yield_links(zyte_article), settings, pages={"/news": SECTION})
    assert crawled.counts["items/other_page"] == 3


@pytest.mark.parametrize(
    ("address", "is_same"),
    [
        ("#comments", True),
        ("", True),
        ("article", True),
        ("/article/", True),
        ("/article?utm_source=feed&fbclid=3", True),
        ("//{host}/article", True),
        ("https://{host}/article", True),
        ("http://www.{host}/article#top", True),
        ("HTTP://{host}/article", True),
        ("/articles", False),
        ("/article?page=2", False),
        ("/Article", False),
        ("other.html", False),
        ("http://elsewhere.example/article", False),
        ("mailto:desk@x.example", True),
        ("javascript:void(0)", True),
        ("http://[bad", True),
        ("  ", True),
        (None, True),
        (17, True),
        ([], True),
    ],
)
def test_address_of_an_item(address: Any, is_same: bool, crawl: CrawlPages, site: Site) -> None:
    if isinstance(address, str):
        address = address.replace("{host}", site.url("").removeprefix("http://"))
    crawled = crawl(lambda _: [{"url": address}])
    assert find_texts(crawled.items) == [text_of() if is_same else None]
    assert crawled.counts.get("items/other_page", 0) == (not is_same)
    assert crawled.messages(logging.ERROR) == []


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_addresses_that_cannot_be_read_cost_no_item(crawl: CrawlPages) -> None:
    parse = items_of(dict)
    crawled = crawl(
        lambda response: [
            {"url": Unprintable()},
            {"url": [10**5000], "text": "x"},
            *parse(response),
        ],
        {"ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}},
    )
    assert find_texts(crawled.items) == [None, "x", text_of()]
    assert (crawled.counts["errors/item_url"], crawled.counts["items/untouched"]) == (2, 2)
    ours = [line for line in crawled.log if line.name.startswith("scrapy_boilerplate")]
    [error] = [line.getMessage() for line in ours if line.levelno >= logging.WARNING]
    assert error.startswith("Cannot read the URL of items of class dict (no text)")


def test_a_relative_address_is_read_by_the_base_of_the_page(crawl: CrawlPages) -> None:
    html = article().replace("<head>", '<head><base href="/news/">')
    crawled = crawl(lambda _: [{"url": "ferry"}], pages={"/news/ferry": page(html)})
    assert crawled.counts["items/filled"] == 1


def test_addresses_of_a_redirect_chain(crawl: CrawlPages, site: Site) -> None:
    def moved(target: str) -> Answer:
        return Answer(b"", 301, {"Location": target, "Content-Type": HTML})

    def parse(_: Response) -> Any:
        for path in ("/first", "/second", "/article", "/third"):
            yield {"url": site.url(path)}

    pages = {"/first": moved("/second"), "/second": moved("/article")}
    crawled = crawl(parse, pages=pages, ask=["/first"])
    assert find_texts(crawled.items) == [text_of()] * 3 + [None]


@pytest.mark.parametrize(
    "declared",
    [
        '<link rel="canonical" href="{}">',
        '<link rel="alternate canonical" href=" {} ">',
        '<link rel="Canonical" href="{}">',
        '<link rel="canonical" href=""><meta property="og:url" content="{}">',
        '<meta property="og:url" content="{}">',
        '<meta name="OG:url" content="{}">',
        '<link rel="canonical" href="http://[bad"><meta property="og:url" content="{}">',
    ],
)
@pytest.mark.parametrize("written", ["https://x.example/ferry/", "/ferry"])
def test_addresses_that_a_page_declares(declared: str, written: str, crawl: CrawlPages) -> None:
    html = article().replace("<head>", f"<head>{declared.format(written)}")
    same, other = ("/ferry", "/fair") if written == "/ferry" else ("//x.example/ferry", "/ferry")
    crawled = crawl(lambda _: [{"url": same}, {"url": other}], pages={"/ids/17": page(html)})
    assert find_texts(crawled.items) == [text_of(), None]


def test_workers_read_no_section_page(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_EXECUTOR": "process"}
    crawled = crawl(yield_links(dict), settings, pages={"/news": SECTION})
    assert crawled.counts == {"responses": 1, "items/other_page": 3}


def test_wrong_meta_is_told_whatever_the_address(crawl: CrawlPages) -> None:
    crawled = crawl(
        yield_links(dict), pages={"/news": SECTION}, meta={"boilerplate": {"extracter": "news"}}
    )
    assert crawled.counts == {"responses": 1, "errors/meta": 1, "items/failed": 3}


@pytest.mark.parametrize(
    ("settings", "meta", "n_items", "is_warned"),
    [
        ({}, {}, 3, True),
        ({}, {}, 1, False),
        ({"BOILERPLATE_ITEM_URL": "lnik"}, {}, 3, True),
        ({"BOILERPLATE_ITEM_URL": False}, {}, 3, False),
        ({}, {"boilerplate": True}, 3, False),
    ],
)
def test_several_items_of_a_page_without_an_address_are_warned_of(
    settings: dict[str, Any],
    meta: dict[str, Any],
    n_items: int,
    is_warned: bool,
    crawl: CrawlPages,
) -> None:
    pages = {"/1": page(), "/2": page()}
    callback = lambda _: [{"link_of": "/1"} for _ in range(n_items)]  # noqa: E731
    crawled = crawl(callback, settings, pages=pages, meta=meta)
    assert find_texts(crawled.items) == [text_of()] * 2 * n_items
    warnings = crawled.messages(logging.WARNING)
    assert len(warnings) == is_warned
    assert all("/1 have no URL in" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("address", "normalized"),
    [
        ("http://x.example", "x.example?"),
        ("https://www.x.example:443/", "x.example?"),
        ("http://x.example:80/a", "x.example/a?"),
        ("http://x.example/XX/", "x.example/XX?"),
        ("http://x.example/a?fbclid=utm_x&a=fbclid&fbclid", "x.example/a?a=fbclid"),
        ("http://x.example:8080/a/?b=2&a=1#c", "x.example:8080/a?a=1&b=2"),
        ("http://X.example/A%7Eb?utm_id=1&q=%E6%97%A5", "x.example/A~b?q=%E6%97%A5"),
        ("http://x.example/a?q=", "x.example/a?q="),
        ("http://x.example/a?q=%e4&utm_id=%f6", "x.example/a?q=%E4"),
        ("http://x.example/a?q=%F6", "x.example/a?q=%F6"),
        ("http://x.example/a?q=a+b%26c%3D&UTM_x", "x.example/a?q=a+b%26c%3D"),
        ("http://x.example/a?q=ä", "x.example/a?q=%C3%A4"),
        ("http://x.example/a#!/b", "x.example/a?"),
        ("ftp://x.example/a", None),
        ("mailto:a@x.example", None),
        ("http://", None),
        ("http://x.example:port/", None),
        ("http://[bad", None),
        ("", None),
    ],
)
def test_normalized(address: str, normalized: str | None) -> None:
    assert normalize_address(address) == normalized


@pytest.mark.parametrize(
    ("value", "addresses"),
    [
        (None, []),
        ("", []),
        (" ", []),
        (3, []),
        ({"url": "http://x.example"}, []),
        ("/a", ["/a"]),
        (["http://x.example/a", None], ["http://x.example/a"]),
        (pydantic.HttpUrl("http://x.example/a"), ["http://x.example/a"]),
        ((pydantic.HttpUrl("https://x.example/a"),), ["https://x.example/a"]),
    ],
)
def test_addresses_in_a_value(value: Any, addresses: list[str]) -> None:
    assert read_addresses(value) == addresses


@pytest.mark.parametrize(
    ("encoding", "address", "is_same"),
    [
        ("latin-1", "?q=ä", True),
        ("latin-1", "?q=ö", False),
        ("latin-1", "?q=%F6", False),
        ("utf-8", "?q=ä", False),
        ("klingon", "?q=ä", False),
        ("hex", "?q=ä", True),  # Scrapy cannot join it
    ],
)
def test_letters_of_a_query_are_in_the_encoding_of_the_page(
    encoding: str, address: str, is_same: bool
) -> None:
    url = "http://x.example/search?q=%E4"
    response = HtmlResponse(url, body=b"<p>x", encoding=encoding, request=Request(url))
    state = DEFAULT_READER.find_state(response)
    assert is_url_of_page(address, response, state, NO_LIMITS) is is_same


@pytest.mark.parametrize(
    ("head", "meta", "addresses"),
    [
        ("", {}, "x.example/ids/17? x.example/first?"),
        (
            "",
            {"redirect_urls": ["http://x.example/short", "/relative"]},
            "x.example/ids/17? x.example/first? x.example/short? x.example/relative?",
        ),
        (
            '<base href="/news/"><link href="/b"><link rel="canonical">'
            '<link rel="canonical" href=" ">'
            '<link rel="alternate" href="/a"><link rel="shortlink CANONICAL" href=" ferry ">',
            {"redirect_urls": None},
            "x.example/ids/17? x.example/first? x.example/news/ferry?",
        ),
        (
            '<meta name="og:url"><meta content="/c">'
            '<link rel="canonical" href="mailto:a@x.example">'
            '<meta property="og:image" name="og:url" content="/i">'
            '<meta property=" OG:url" content="/p"><meta name="og:url" content="/n">',
            {},
            "x.example/ids/17? x.example/first? x.example/p? x.example/n?",
        ),
    ],
)
def test_addresses_of_a_page(head: str, meta: dict[str, Any], addresses: str) -> None:
    request = Request("http://x.example/first", meta=meta)
    body = f"<html><head>{head}</head><body><p>x</p>".encode()
    response = HtmlResponse("http://x.example/ids/17", body=body, request=request)
    assert find_page_addresses(response, NO_LIMITS) == set(addresses.split())


@pytest.mark.parametrize("kind", [HtmlResponse, Response])
def test_a_response_that_was_never_asked_for_has_its_own_address(kind: type[Response]) -> None:
    response = kind("http://x.example/a", body=b"<p>x")
    assert find_page_addresses(response, NO_LIMITS) == {"x.example/a?"}


@pytest.mark.parametrize(
    ("address", "limits", "is_included"),
    [
        ("data:,a", NO_LIMITS, True),
        ("mailto:a@x.example", NO_LIMITS, True),
        ("http://x.example/b", NO_LIMITS, False),
        ("http://x.example/ferry", NO_LIMITS, True),
        ("http://x.example/ferry", Limits(bytes=80), False),
        ("http://x.example/ferry", Limits(elements=3), False),
    ],
)
def test_addresses_within_the_limits_of_the_page(
    address: str, limits: Limits, is_included: bool
) -> None:
    body = f"<html><head>{'<meta>' * 20}<link rel=canonical href=http://x.example/ferry>".encode()
    response = HtmlResponse("data:,a" if address == "data:,a" else "http://x.example/a", body=body)
    state = DEFAULT_READER.find_state(response)
    assert is_url_of_page(address, response, state, limits) is is_included


@pytest.mark.parametrize("body", [b"\x00", b"<", b"<p>", b"<!-- -->"])
@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(bytes=1, elements=1)])
def test_any_page_has_the_address_of_its_response(body: bytes, limits: Limits) -> None:
    url = "http://x.example/a"
    response = HtmlResponse(url, body=body, request=Request(url))
    state = DEFAULT_READER.find_state(response)
    assert is_url_of_page("http://www.x.example/a/", response, state, limits)
    assert not is_url_of_page("/b", response, state, limits)
