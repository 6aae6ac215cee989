"""The document of a response: lazy, made once, freed with its request."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_boilerplate import boilerplate
from scrapy_boilerplate.crawl import page_reader
from scrapy_boilerplate.crawl.page_reader import (
    DEFAULT_READER,
    PageReader,
    find_reader,
    register_reader,
)
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.site.overrides import SiteRules
from scrapy_boilerplate.site.registry import SiteRegistry
from tests.crawl.pages import HEADLINE, article, text_of

URL = "http://x.example/ferry"


class Counts:
    """The stats that a reader counts."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def count(self, name: str) -> None:
        self.of[name] = self.of.get(name, 0) + 1


def response_to(request: Request | None, html: str | None = None) -> HtmlResponse:
    body = (article() if html is None else html).encode()
    return HtmlResponse(URL, body=body, encoding="utf-8", request=request)


def noted(**meta: Any) -> tuple[HtmlResponse, Counts]:
    """A response whose request has a reader, and its counts."""
    request, counts = Request(URL, meta=meta), Counts()
    reader = PageReader(Options(extractor="container"), counts.count)
    register_reader(request, reader)
    return response_to(request), counts


def test_nothing_is_made_until_asked() -> None:
    response, counts = noted()
    assert counts.of == {}
    assert response._cached_selector is None, "not even the tree"
    assert boilerplate(response).text == text_of()
    assert counts.of == {"documents": 1, "documents/container": 1}


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


def test_extractor_from_meta_without_the_middleware() -> None:
    assert boilerplate(response_to(Request(URL, meta={"boilerplate": "density"}))).extractor == (
        "density"
    )


def test_a_mistake_in_meta_counts_once(caplog: pytest.LogCaptureFixture) -> None:
    response, counts = noted(boilerplate={"favour": "recall"})
    document = boilerplate(response)
    assert boilerplate(response) is document
    [record] = caplog.records
    assert (record.levelname, URL in record.getMessage()) == ("ERROR", True)
    assert all(boilerplate(response, favor=favor).error for favor in ("recall", "precision"))
    assert counts.of == {"errors/meta": 1}
    assert str(document.error).startswith("MetaError: meta['boilerplate'] has the key 'favour'")
    assert (document.text, document.blocks, document.headline) == ("", (), None)


def test_a_page_without_text_is_counted() -> None:
    response, counts = noted()
    boilerplate(response_to(response.request, "<nav><a href='/'>Home</a></nav>"))
    assert counts.of["documents/empty"] == 1


@pytest.mark.parametrize("html", [article(), "<p>Ferries</p>" * 400, "<nav><a href='/'>Home</a>"])
@pytest.mark.parametrize("extractors", [(None, "num-words", "density"), ("num-words", None)])
def test_a_response_counts_once_whatever_the_extractors(
    extractors: tuple[str | None, ...], html: str
) -> None:
    watched: list[str] = []
    rules = SiteRules.from_mapping({"x.example": {"content": "#none"}})
    options = Options(extractor="container", limits=Limits(bytes=2000), sites=rules)
    request, counts = Request(URL), Counts()
    reader = PageReader(
        options,
        counts.count,
        site=SiteExtraction(SiteRegistry()),
        watch=lambda url, *_: watched.append(url),
    )
    register_reader(request, reader)
    response = response_to(request, html)
    for extractor in extractors:
        boilerplate(response, extractor=extractor)
    assert counts.of["documents"] == 1
    assert f"documents/{extractors[0] or 'container'}" in counts.of
    assert counts.of["overrides/x.example"] == 1
    assert set(counts.of.values()) == {1}
    assert watched == [URL], "the site is watched by the document of the items"


def test_entries_go_with_their_requests() -> None:
    gc.collect()
    before = len(page_reader._readers)
    responses = [noted()[0] for _ in range(50)]
    for response in responses:
        boilerplate(response)
    assert len(page_reader._readers) == before + 50
    del responses, response
    gc.collect()
    assert len(page_reader._readers) == before


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
