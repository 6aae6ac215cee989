"""`boilerplate(response)` with options, of responses without a page, and `Extraction`."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from scrapy_boilerplate import (
    EXTRACTORS,
    Extraction,
    SettingError,
    UnknownExtractorError,
    boilerplate,
    boilerplate_async,
)
from scrapy_boilerplate.crawl.page_reader import PageReader, register_reader
from scrapy_boilerplate.extractors import Options
from tests.crawl.conftest import CrawlPages
from tests.crawl.pages import Answer, article, text_of

EXECUTORS = ["inline", "process"]
URL = "http://x.example/ferry"
JSON = {"Content-Type": "application/json"}
INSIDE = "for HTML inside it, see scrapy_boilerplate.Extraction"

NO_PAGES: dict[str, tuple[Response, str]] = {
    "PDF": (
        Response(URL, body=b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
        f"Response (application/pdf) is not HTML; {INSIDE}",
    ),
    "unknown": (Response(URL, body=b"\0\1\2"), f"Response (no Content-Type) is not HTML; {INSIDE}"),
    "JSON": (
        JsonResponse(URL, body=b"{}", headers=JSON),
        f"JsonResponse (application/json) is not HTML; {INSIDE}",
    ),
    "text": (
        TextResponse(URL, body=b"Words.", headers={"Content-Type": "text/plain"}),
        f"TextResponse (text/plain) is not HTML; {INSIDE}",
    ),
    "feed": (
        XmlResponse(URL, body=b"<rss/>"),
        f"XmlResponse (no Content-Type) is not HTML; {INSIDE}",
    ),
    "empty": (HtmlResponse(URL, body=b""), "the response is empty"),
    "nothing": (Response(URL), f"Response (no Content-Type) is not HTML; {INSIDE}"),
}


@pytest.mark.parametrize("kind", NO_PAGES)
def test_what_is_no_page_has_an_error(kind: str) -> None:
    response, error = NO_PAGES[kind]
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


def respond(**meta: Any) -> HtmlResponse:
    request = Request(URL, meta=meta)
    reader = PageReader(Options(extractor="container"), count=lambda _: None)
    register_reader(request, reader)
    return HtmlResponse(URL, body=article().encode(), encoding="utf-8", request=request)


def test_another_extractor_gives_a_document_of_its_own() -> None:
    response = respond()
    other = boilerplate(response, extractor="num-words")
    assert other.extractor == "num-words"
    assert boilerplate(response).extractor == "container"


@pytest.mark.parametrize("extractor", ["density", EXTRACTORS["density"]])
def test_the_extractor_of_the_call_comes_before_that_of_the_request(extractor: Any) -> None:
    response = respond(boilerplate={"extractor": "num-words"})
    assert boilerplate(response, extractor=extractor).extractor == "density"
    assert boilerplate(response).extractor == "num-words"


def test_the_favor_of_the_request_is_for_its_own_extractor() -> None:
    response = respond(boilerplate={"extractor": "news", "favor": "recall"})
    assert boilerplate(response, extractor="num-words").extractor == "num-words"
    assert boilerplate(response, favor="precision").error is None


def test_favors_differ() -> None:
    html = article().replace("</article>", "<ul><li>See also: the winter timetable</ul></article>")
    request = Request(URL)
    response = HtmlResponse(URL, body=html.encode(), encoding="utf-8", request=request)
    precise, complete = (boilerplate(response, favor=favor) for favor in ("precision", "recall"))
    assert precise is not complete
    assert len(precise.text) <= len(complete.text)
    assert precise.extractor == complete.extractor == "news"


@pytest.mark.parametrize(
    "options",
    [
        {"extractor": "nonsense"},
        {"extractor": ""},
        {"extractor": ["num-words"]},
        {"favor": "speed"},
        {"favor": ["recall"]},
        {"extractor": "num-words", "favor": "recall"},
    ],
)
@pytest.mark.parametrize("meta", [{}, {"boilerplate": "density"}])
def test_a_mistake_in_the_call_is_raised(options: dict[str, Any], meta: dict[str, Any]) -> None:
    with pytest.raises(UnknownExtractorError):
        boilerplate(respond(**meta), **options)


def test_a_mistake_in_the_request_is_not_raised() -> None:
    document = boilerplate(respond(boilerplate={"extracter": "x"}), favor="recall")
    assert str(document.error).startswith("MetaError: meta['boilerplate'] has the key 'extracter'")


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
