"""Items whose URL differs from the URL of their response are not filled, and the log says so."""

import logging
from collections.abc import Callable
from typing import Any

import pydantic
import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate import Limits
from scrapy_boilerplate.crawl.item_urls import find_page_urls, is_url_of_page, normalize_url
from scrapy_boilerplate.crawl.page_reader import ResponseState
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.page.limits import NO_LIMITS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import HTML, Answer, article, page, text_of
from tests.crawl.site import Site

TEASERS = "".join(
    f'<article><a href="/{number}">Story {number}</a><p>{"A teaser of the story. " * 9}</p>'
    "</article>"
    for number in range(3)
)
SECTION = page(f"<html><body><h1>News of the coast</h1>{TEASERS}</body></html>")


class UrlModel(pydantic.BaseModel):
    """Its URL is an object, no text."""

    url: pydantic.HttpUrl
    text: str | None = None


def zyte_article(url: str) -> Any:
    return pytest.importorskip("zyte_common_items").Article(url=url)


LINK_KINDS: dict[str, Callable[..., Any]] = {
    "dict": dict,
    "zyte": zyte_article,
    "HttpUrl": UrlModel,
    "item loader": lambda url: {"url": [url]},
}


def yield_links(kind: Callable[..., Any]) -> Any:
    """A callback that yields an item for each link of a section page."""
    return lambda response: [
        kind(url=response.urljoin(link)) for link in response.css("article a::attr(href)").getall()
    ]


def find_texts(items: list[Any]) -> list[Any]:
    adapters = [ItemAdapter(item) for item in items]
    return [adapter.get("text") or adapter.get("articleBody") or None for adapter in adapters]


@pytest.mark.parametrize("kind", LINK_KINDS)
def test_items_of_section_pages(kind: str, crawl: CrawlPages) -> None:
    """An item about the page among them is filled."""

    def parse(response: Response) -> Any:
        yield from yield_links(LINK_KINDS[kind])(response)
        if response.url.endswith("/article"):
            yield LINK_KINDS[kind](url=response.urljoin("/1"))
            yield LINK_KINDS[kind](url=response.url)

    settings = {
        "zyte": {"BOILERPLATE_ITEM_URL": "link"},
        "item loader": {"BOILERPLATE_EXECUTOR": "process"},
    }.get(kind, {})
    pages = {"/news": SECTION, "/sport": SECTION, "/article": page()}
    crawled = crawl(parse, settings, pages=pages)
    assert find_texts(crawled.items) == 7 * [None] + [text_of()]
    assert (crawled.counts["items/filled"], crawled.counts["items/other_page"]) == (1, 7)
    assert crawled.counts["documents"] == 1, "of the section pages none is built"
    [told] = [line for line in crawled.messages(logging.INFO) if "differs from" in line]
    for advice in ("Follow their links", 'meta={"boilerplate": True}', "BOILERPLATE_ITEM_URL"):
        assert advice in told
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


@pytest.mark.parametrize(
    ("name", "meta", "item", "is_filled"),
    [
        (None, {}, {"link": "/1"}, False),
        (None, {}, {"article_url": "/1"}, False),
        (None, {}, {"url": "", "link": "/1"}, False),
        (None, {}, {"link": "/1", "url": "/article"}, True),
        (None, {"boilerplate": True}, {"url": "/1"}, True),
        (False, {}, {"url": "/1"}, True),
        ("url", {}, {"link": "/1"}, True),
        ("link", {}, {"link": "/1", "url": "/article"}, False),
        ("link", {}, {"link": "/article", "url": "/1"}, True),
    ],
)
def test_names_of_the_field(
    name: Any, meta: dict[str, Any], item: dict[str, str], is_filled: bool, crawl: CrawlPages
) -> None:
    settings = {} if name is None else {"BOILERPLATE_ITEM_URL": name}
    crawled = crawl(lambda _: [item], settings, meta=meta)
    assert find_texts(crawled.items) == [text_of() if is_filled else None]


SAME_URLS: list[Any] = [
    *("#comments", "", "article", "/article/", "/article?utm_source=feed&fbclid=3"),
    *("//{host}/article", "https://{host}/article", "http://www.{host}/article#top"),
    *("mailto:desk@x.example", "javascript:void(0)", "http://[bad", "  ", None, 17, []),
]
OTHER_URLS = ["/articles", "/article?page=2", "/Article", "http://elsewhere.example/article"]


def test_urls_of_items(crawl: CrawlPages, site: Site) -> None:
    host = site.url("").removeprefix("http://")
    urls = [
        each.replace("{host}", host) if isinstance(each, str) else each
        for each in (*SAME_URLS, *OTHER_URLS)
    ]
    crawled = crawl(lambda _: [{"url": url} for url in urls])
    n_same, n_other = len(SAME_URLS), len(OTHER_URLS)
    assert find_texts(crawled.items) == n_same * [text_of()] + n_other * [None]
    assert crawled.counts["items/other_page"] == n_other
    assert crawled.messages(logging.ERROR) == []


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_urls_that_cannot_be_read_cost_no_item(crawl: CrawlPages) -> None:
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


def test_urls_of_a_redirect_chain_and_of_the_head(crawl: CrawlPages, site: Site) -> None:
    def moved(target: str) -> Answer:
        return Answer(b"", 301, {"Location": target, "Content-Type": HTML})

    def parse(_: Response) -> Any:
        for path in ("/first", "/second", "/ferry", "/declared", "/third"):
            yield {"url": site.url(path)}
        yield {"url": "sailing"}

    head = '<head><base href="/news/"><link rel="canonical" href="/declared">'
    head += '<meta property="og:url" content="/news/sailing">'
    pages = {
        "/first": moved("/second"),
        "/second": moved("/ferry"),
        "/ferry": page(article().replace("<head>", head)),
    }
    crawled = crawl(parse, pages=pages, ask=["/first"])
    assert find_texts(crawled.items) == [text_of()] * 4 + [None, text_of()]
    assert crawled.counts["responses"] == 1


@pytest.mark.parametrize(
    ("settings", "meta", "n_warnings"),
    [
        ({}, {}, 1),
        ({"BOILERPLATE_ITEM_URL": "lnik"}, {}, 1),
        ({"BOILERPLATE_ITEM_URL": False}, {}, 0),
        ({}, {"boilerplate": True}, 0),
    ],
)
def test_several_items_of_a_page_without_a_url_are_warned_of(
    settings: dict[str, Any], meta: dict[str, Any], n_warnings: int, crawl: CrawlPages
) -> None:
    def parse(response: Response) -> Any:
        return [{"link_of": "/1"} for _ in range(int(response.url[-1]))]

    crawled = crawl(parse, settings, pages={"/1": page(), "/2": page(), "/3": page()}, meta=meta)
    assert find_texts(crawled.items) == [text_of()] * 6
    warnings = crawled.messages(logging.WARNING)
    assert len(warnings) == n_warnings
    assert all("/2 have no URL in" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("url", "normalized"),
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
def test_normalized(url: str, normalized: str | None) -> None:
    assert normalize_url(url) == normalized


@pytest.mark.parametrize(
    ("encoding", "item_url", "is_same"),
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
    encoding: str, item_url: str, is_same: bool
) -> None:
    url = "http://x.example/search?q=%E4"
    response = HtmlResponse(url, body=b"<p>x", encoding=encoding, request=Request(url))
    assert is_url_of_page(item_url, response, ResponseState(options=Options())) is is_same


@pytest.mark.parametrize(
    ("head", "meta", "urls"),
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
            '<meta name="og:url"><meta content="/c"><link rel="canonical" href="http://[bad">'
            '<link rel="canonical" href="mailto:a@x.example">'
            '<meta property="og:image" name="og:url" content="/i">'
            '<meta property=" OG:url" content="/p"><meta name="og:url" content="/n">',
            {},
            "x.example/ids/17? x.example/first? x.example/p? x.example/n?",
        ),
    ],
)
def test_urls_of_a_page(head: str, meta: dict[str, Any], urls: str) -> None:
    request = Request("http://x.example/first", meta=meta)
    body = f"<html><head>{head}</head><body><p>x</p>".encode()
    response = HtmlResponse("http://x.example/ids/17", body=body, request=request)
    assert find_page_urls(response, NO_LIMITS) == set(urls.split())


@pytest.mark.parametrize("kind", [HtmlResponse, Response])
def test_a_response_that_was_never_asked_for_has_its_own_url(kind: type[Response]) -> None:
    response = kind("http://x.example/a", body=b"<p>x")
    assert find_page_urls(response, NO_LIMITS) == {"x.example/a?"}


@pytest.mark.parametrize(
    ("url", "limits", "is_included"),
    [
        ("data:,a", NO_LIMITS, True),
        ("mailto:a@x.example", NO_LIMITS, True),
        ("http://x.example/b", NO_LIMITS, False),
        ("http://x.example/ferry", NO_LIMITS, True),
        ("http://x.example/ferry", Limits(bytes=80), False),
        ("http://x.example/ferry", Limits(elements=3), False),
    ],
)
def test_urls_within_the_limits_of_the_page(url: str, limits: Limits, is_included: bool) -> None:
    body = f"<html><head>{'<meta>' * 20}<link rel=canonical href=http://x.example/ferry>".encode()
    response = HtmlResponse("data:,a" if url == "data:,a" else "http://x.example/a", body=body)
    state = ResponseState(options=Options(limits=limits))
    assert is_url_of_page(url, response, state) is is_included


def test_an_item_with_many_urls(crawl: CrawlPages, site: Site) -> None:
    """Its last URL is that of a page that declares as many."""
    many = [site.url(f"/{number}") for number in range(2_000)]
    links = "".join(f'<link rel="canonical" href="{url}/declared">' for url in many)
    pages = {"/article": page(article().replace("<head>", f"<head>{links}"))}
    items = [{"url": [*many, *own], "text": None} for own in ([], [site.url("/article")])]
    crawled = crawl(lambda _: items, pages=pages)
    assert [bool(item["text"]) for item in crawled.items] == [False, True]


@pytest.mark.parametrize("body", [b"\x00", b"<", b"<p>", b"<!-- -->"])
@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(bytes=1, elements=1)])
def test_any_page_has_the_url_of_its_response(body: bytes, limits: Limits) -> None:
    url = "http://x.example/a"
    response = HtmlResponse(url, body=body, request=Request(url))
    state = ResponseState(options=Options(limits=limits))
    assert is_url_of_page("http://www.x.example/a/", response, state)
    assert not is_url_of_page("/b", response, state)
