"""The document of a response: lazy, made once, freed with its request."""

from __future__ import annotations

import gzip
import logging
from collections import Counter
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response, XmlResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_boilerplate import (
    EXTRACTORS,
    Extraction,
    Limits,
    SettingError,
    UnknownExtractorError,
    boilerplate,
    boilerplate_async,
)
from scrapy_boilerplate.crawl.page_reader import (
    DEFAULT_READER,
    PageReader,
    find_reader,
    register_reader,
)
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.rules import SiteRules
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import HEADLINE, Answer, article, page, text_of
from tests.crawl.site import Site

EXECUTORS = ["inline", "process"]
URL = "http://x.example/ferry"


def response_to(request: Request | None, html: str | None = None) -> HtmlResponse:
    body = (article() if html is None else html).encode()
    return HtmlResponse(URL, body=body, encoding="utf-8", request=request)


def noted(**meta: Any) -> tuple[HtmlResponse, Counter[str]]:
    """A response whose request has a reader, and its counts."""
    request, counts = Request(URL, meta=meta), Counter[str]()
    reader = PageReader(Options(extractor="container"), lambda name: counts.update([name]))
    register_reader(request, reader)
    return response_to(request), counts


def test_nothing_is_made_until_asked() -> None:
    response, counts = noted()
    assert counts == {}
    assert response._cached_selector is None, "not even the tree"
    assert boilerplate(response).text == text_of()
    assert counts == {"documents": 1, "documents/container": 1}


def test_another_body_gives_another_document() -> None:
    response, _ = noted()
    before = boilerplate(response)
    other = response.replace(body=article(headline="Mackerel").encode())
    assert boilerplate(other).headline == "Mackerel"
    assert before.headline == HEADLINE


def test_without_the_middleware() -> None:
    response = response_to(None)
    assert find_reader(response) is DEFAULT_READER
    assert boilerplate(response).text == text_of()
    response = response_to(Request(URL, meta={"boilerplate": "density"}))
    assert boilerplate(response).extractor == "density"


def test_a_mistake_in_meta_is_counted_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    response, counts = noted(boilerplate={"favour": "recall"})
    document = boilerplate(response)
    assert boilerplate(response) is document
    assert all(boilerplate(response, favor=favor).error for favor in ("recall", "precision"))
    [record] = caplog.records
    assert (record.levelname, URL in record.getMessage()) == ("ERROR", True)
    assert counts == {"errors/meta": 1}
    assert str(document.error).startswith("MetaError: meta['boilerplate'] has the key 'favour'")
    assert (document.text, document.blocks, document.headline) == ("", (), None)


def test_a_page_without_text_is_counted() -> None:
    response, counts = noted()
    boilerplate(response_to(response.request, "<nav><a href='/'>Home</a></nav>"))
    assert counts["documents/empty"] == 1


@pytest.mark.parametrize("html", [article(), "<p>Ferries</p>" * 400, "<nav><a href='/'>Home</a>"])
@pytest.mark.parametrize("extractors", [(None, "num-words", "density"), ("num-words", None)])
def test_a_response_with_several_extractors_counts_once(
    extractors: tuple[str | None, ...], html: str
) -> None:
    watched: list[str] = []
    rules = SiteRules.from_mapping({"x.example": {"content": "#none"}})
    options = Options(extractor="container", limits=Limits(bytes=2000), rules=rules)
    request, counts = Request(URL), Counter[str]()
    reader = PageReader(
        options, lambda name: counts.update([name]), watch=lambda url, *_: watched.append(url)
    )
    register_reader(request, reader)
    response = response_to(request, html)
    for extractor in extractors:
        boilerplate(response, extractor=extractor)
    assert counts["documents"] == 1
    assert f"documents/{extractors[0] or 'container'}" in counts
    assert counts["overrides/x.example"] == 1
    assert set(counts.values()) == {1}
    assert watched == [URL], "the site is watched by the document of the items"


def test_the_tree_is_the_spiders_and_unchanged() -> None:
    response, _ = noted()
    root = response.selector.root
    before = response.selector.get()
    document = boilerplate(response)
    assert response.selector.root is root
    assert response.selector.get() == before
    paths = {block.xpath: block.text for block in document.blocks}
    assert paths
    for xpath, text in paths.items():
        [element] = response.xpath(xpath)
        assert text in " ".join("".join(element.xpath(".//text()").getall()).split())


JSON = {"Content-Type": "application/json"}
INSIDE = "for HTML inside it, see scrapy_boilerplate.Extraction"
NO_PAGES: list[tuple[Response, str]] = [
    (
        Response(URL, body=b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
        "Response (application/pdf) is not HTML",
    ),
    (Response(URL), "Response (no Content-Type) is not HTML"),
    (XmlResponse(URL, body=b"<rss>"), f"XmlResponse (no Content-Type) is not HTML; {INSIDE}"),
    (HtmlResponse(URL, body=b""), "the response is empty"),
]


@pytest.mark.parametrize(("response", "error"), NO_PAGES)
def test_what_is_no_page_has_an_error(response: Response, error: str) -> None:
    document = boilerplate(response)
    assert (document.url, document.text, document.blocks) == (URL, "", ())
    assert document.error == error


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_is_no_page_in_a_crawl(executor: str, crawl: CrawlPages) -> None:
    async def parse(response: Response) -> Any:
        document = await boilerplate_async(response)
        yield {"error_": document.error, "content": document}

    crawled = crawl(
        parse, {"BOILERPLATE_EXECUTOR": executor}, pages={"/api": Answer(b"{}", headers=JSON)}
    )
    [item] = crawled.items
    assert item["error_"] == f"JsonResponse (application/json) is not HTML; {INSIDE}"
    assert item["text"] is None
    assert crawled.counts == {"items/failed": 1}


@pytest.mark.parametrize("extractor", ["density", EXTRACTORS["density"]])
def test_the_extractor_of_the_call_comes_before_that_of_the_request(extractor: Any) -> None:
    response, _ = noted(boilerplate={"extractor": "num-words"})
    assert boilerplate(response, extractor=extractor).extractor == "density"
    assert boilerplate(response).extractor == "num-words"


def test_the_favor_of_the_request_is_for_its_own_extractor() -> None:
    response, _ = noted(boilerplate={"extractor": "news", "favor": "recall"})
    assert boilerplate(response, extractor="num-words").extractor == "num-words"
    assert boilerplate(response, favor="precision").error is None


@pytest.mark.parametrize(
    "options",
    [
        {"extractor": "nonsense"},
        {"extractor": ""},
        {"favor": "speed"},
        {"extractor": "num-words", "favor": "recall"},
    ],
)
def test_a_mistake_in_the_call_is_raised(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownExtractorError):
        boilerplate(noted(boilerplate="density")[0], **options)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_options_in_a_callback(executor: str, crawl: CrawlPages) -> None:
    """The items keep the document of the crawl's extractor."""

    async def parse(response: Response) -> Any:
        documents = [
            boilerplate(response, extractor="keep-everything"),
            await boilerplate_async(response, extractor="keep-everything"),
            await boilerplate_async(response, extractor="news", favor="recall"),
            await boilerplate_async(response),
        ]
        yield {"by": [document.extractor for document in documents]}

    crawled = crawl(parse, {"BOILERPLATE_EXECUTOR": executor})
    [item] = crawled.items
    assert item["by"] == ["keep-everything", "keep-everything", "news", "container"]
    assert (item["extractor"], item["text"]) == ("container", text_of())
    assert crawled.counts["documents"] == crawled.counts["documents/keep-everything"] == 1
    assert crawled.messages(logging.ERROR) == []


def test_settings_of_the_crawl() -> None:
    settings = {"BOILERPLATE_EXTRACTOR": "num-words", "BOILERPLATE_MAX_BYTES": 100}
    document = Extraction.from_crawler(Crawler(Spider, settings)).extract(article())
    assert (document.extractor, document.partial) == ("num-words", "bytes")
    with pytest.raises(SettingError):
        Extraction.from_crawler(Crawler(Spider, {"BOILERPLATE_EXTRACTOR": "nonsense"}))


# --- responses that the downloader middleware notes and skips ---


@pytest.mark.parametrize("meta", [{"boilerplate": False}, {"dont_boilerplate": True}])
def test_a_callback_that_asks_all_the_same(meta: dict[str, Any], crawl: CrawlPages) -> None:
    """It gets the document by the crawl's extractor; the items stay as they are."""

    def parse(response: Response) -> Any:
        yield {"by": boilerplate(response).extractor}

    crawled = crawl(parse, {"BOILERPLATE_EXTRACTOR": "num-words"}, meta=meta)
    assert crawled.items == [{"by": "num-words"}]
    assert crawled.counts["documents/num-words"] == crawled.counts["skipped"] == 1


def test_a_callback_that_reuses_the_meta_for_another_request(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        response.meta["boilerplate"] = False
        yield {"title": "Harbour"}

    assert crawl(parse).items[0]["text"] == text_of()


def test_robots_txt(crawl: CrawlPages, site: Site) -> None:
    pages = {"/robots.txt": page("<html><body><p>No rules, but a page.</p></body></html>")}
    crawled = crawl(items_of(dict), {"ROBOTSTXT_OBEY": True}, pages=pages, ask=["/article"])
    assert site.asked == ["/robots.txt", "/article"]
    assert crawled.counts["responses"] == crawled.counts["documents"] == 1


def test_requests_a_pipeline_makes(crawl: CrawlPages, site: Site) -> None:
    class Downloads:
        def __init__(self, crawler: Any) -> None:
            self.crawler = crawler

        @classmethod
        def from_crawler(cls, crawler: Any) -> Downloads:
            return cls(crawler)

        async def process_item(self, item: Any) -> Any:
            request = Request(site.url("/picture"), callback=NO_CALLBACK)
            response = await self.crawler.engine.download_async(request)
            if find_reader(response) is not DEFAULT_READER:
                raise DropItem("a picture is no page")
            return item

    pipelines = {"ITEM_PIPELINES": {Downloads: 100}}
    crawled = crawl(items_of(dict), pipelines, pages={"/picture": page()}, ask=["/article"])
    assert site.asked == ["/article", "/picture"]
    assert len(crawled.items) == crawled.counts["responses"] == 1


def test_gzip_and_charset(crawl: CrawlPages) -> None:
    paragraphs = ["Паром вернулся на остров " * 8, "Его ждали одиннадцать месяцев " * 8]
    html = article("Паром", [text.strip() for text in paragraphs], language="ru")
    headers = {"Content-Type": "text/html; charset=windows-1251", "Content-Encoding": "gzip"}
    answer = Answer(gzip.compress(html.encode("cp1251")), headers=headers)
    [item] = crawl(items_of(dict), pages={"/parom": answer}).items
    assert item["headline"] == "Паром"
    assert item["text"].split("\n\n") == [text.strip() for text in paragraphs]


def test_a_request_made_with_copied_meta(site: Site, reactor: Reactor) -> None:
    """Many spiders pass `meta=response.meta` on: only the user's own switches travel."""
    site.pages["/next"] = page()

    def parse(response: Response) -> Any:
        boilerplate(response)
        yield {"extractor_": response.meta["boilerplate"]}
        if "/article" in response.url:
            yield response.follow("/next", meta=response.meta)

    first = Request(site.url("/article"), meta={"boilerplate": "num-words"})
    crawled = reactor.crawl([first], parse, ADDON)
    assert [item["extractor"] for item in crawled.items] == ["num-words", "num-words"]
    assert crawled.counts["responses"] == crawled.counts["documents/num-words"] == 2
