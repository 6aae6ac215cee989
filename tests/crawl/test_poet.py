"""scrapy-poet: documents as arguments of callbacks and page objects, in real crawls."""

from __future__ import annotations

import ast
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from runpy import run_path
from typing import Annotated, Any

import attrs
import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.settings import Settings

from scrapy_boilerplate import Addon, Document, boilerplate, is_installed
from scrapy_boilerplate.extraction import extract
from tests.crawl.crawling import ADDON, PagesSpider, Reactor
from tests.crawl.pages import HEADLINE, PARAGRAPHS, page, text_of
from tests.crawl.site import Site
from tests.documented import BLOCKS, find_block

pytest.importorskip("scrapy_poet")

from scrapy_poet.api import DummyResponse
from web_poet.page_inputs.http import HttpResponse
from web_poet.pages import ItemPage
from web_poet.serialization import deserialize_leaf, serialize_leaf

from scrapy_boilerplate.crawl.provider import DocumentProvider

BOTH = {"ADDONS": {**ADDON["ADDONS"], "scrapy_poet.Addon": 300}}
OTHER_ORDER = {"ADDONS": {"scrapy_boilerplate.Addon": 200, "scrapy_poet.Addon": 300}}


@attrs.define
class NewsPage(ItemPage[dict[str, Any]]):
    """A page object that asks for the document beside the response."""

    document: Document
    response: HttpResponse

    async def to_item(self) -> dict[str, Any]:
        return {"title": self.document.headline, "bytes": len(self.response.body)}


class WithDocument(PagesSpider):
    """The document is an argument of the callback."""

    def parse(  # type: ignore[override]
        self, response: Response, document: Document
    ) -> Iterator[Any]:
        yield {"is_the_same": document is boilerplate(response), "text": document.text}


class WithoutResponse(PagesSpider):
    """The callback does not ask for the response; the document still needs it."""

    def parse(  # type: ignore[override]
        self, response: DummyResponse, document: Document
    ) -> Iterator[Any]:
        yield {"text": document.text}


class WithPage(PagesSpider):
    """The document is an argument of a page object."""

    async def parse(self, response: Response, page: NewsPage) -> Any:  # type: ignore[override]
        yield await page.to_item()


class Annotations(PagesSpider):
    """The argument has notes for others on it."""

    def parse(  # type: ignore[override]
        self, response: Response, document: Annotated[Document, 1]
    ) -> Iterator[Any]:
        yield {"text": document.text}


class Nothing(PagesSpider):
    """A callback without the document."""

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        yield from ()


def crawl(
    spider: type[Spider], site: Site, reactor: Reactor, **settings: Any
) -> tuple[list[Any], dict[str, Any]]:
    wanted = [Request(site.url("/article"), meta=settings.pop("meta", {}))]
    together = {"CONCURRENT_REQUESTS": 1, **BOTH, **settings}
    crawled = reactor.crawl(wanted, lambda _: (), together, spider)
    assert crawled.messages(40) == []
    return crawled.items, crawled.counts


@pytest.mark.parametrize("addons", [BOTH, OTHER_ORDER], ids=["before", "after"])
def test_callback_gets_the_document_and_the_page_is_read_once(
    site: Site, reactor: Reactor, addons: dict[str, Any]
) -> None:
    (item,), counts = crawl(WithDocument, site, reactor, **addons)
    assert (item["is_the_same"], item["text"]) == (True, text_of())
    assert (item["headline"], item["text"]) == (HEADLINE, text_of())
    assert (counts["documents"], counts["items/filled"]) == (1, 1)


def test_callback_without_response(site: Site, reactor: Reactor) -> None:
    (item,), counts = crawl(WithoutResponse, site, reactor)
    assert item["text"] == text_of()
    assert counts["documents"] == 1


def test_page_object_gets_the_document(site: Site, reactor: Reactor) -> None:
    (item,), counts = crawl(WithPage, site, reactor)
    assert item["title"] == HEADLINE
    assert item["bytes"] == len(page().body)
    assert counts["documents"] == 1


def test_annotated_document(site: Site, reactor: Reactor) -> None:
    (item,), _ = crawl(Annotations, site, reactor)
    assert item["text"] == text_of()


@pytest.mark.parametrize("reverse", [False, True], ids=["as written", "other order"])
def test_documented_spider(reverse: bool, site: Site, reactor: Reactor, tmp_path: Path) -> None:
    """The settings and the spider of docs/usage/poet.md."""
    [block] = [
        block
        for block in BLOCKS
        if block.page == "docs/usage/poet.md" and block.is_settings and "scrapy_poet" in block.code
    ]
    addons: dict[str, int] = ast.literal_eval(block.code.partition("=")[2].strip())
    orders = sorted(addons.values(), reverse=reverse)
    file = tmp_path / "news.py"
    file.write_text(find_block("docs/usage/poet.md", "import scrapy").code, encoding="utf-8")
    spider: type[Spider] = run_path(str(file))["NewsSpider"]

    class Started(spider):  # type: ignore[misc,valid-type]
        async def start(self) -> AsyncIterator[Request]:
            yield Request(site.url("/article"))

    settings = {"ADDONS": dict(zip(addons, orders, strict=True))}
    crawled = reactor.crawl([], lambda _: (), settings, Started)
    assert crawled.messages(logging.ERROR) == []
    [item] = crawled.items
    assert (item["words"], item["text"]) == (len(text_of().split()), text_of())


def test_extractor_of_the_settings_counts(site: Site, reactor: Reactor) -> None:
    (item,), counts = crawl(WithDocument, site, reactor, BOILERPLATE_EXTRACTOR="keep-everything")
    assert item["text"].startswith("Home")
    assert counts["documents/keep-everything"] == 1


def test_extractor_of_the_request_counts(site: Site, reactor: Reactor) -> None:
    (item,), counts = crawl(WithDocument, site, reactor, meta={"boilerplate": "keep-everything"})
    assert item["text"].startswith("Home")
    assert counts["documents/keep-everything"] == 1


def test_page_that_is_no_html(site: Site, reactor: Reactor) -> None:
    site.pages["/article"] = page("{}", "application/json")
    (item,), _ = crawl(WithDocument, site, reactor)
    assert item["text"] == ""


def test_cache_of_scrapy_poet(site: Site, reactor: Reactor, tmp_path: Path) -> None:
    settings = {"SCRAPY_POET_CACHE": str(tmp_path / "cache")}
    (first,), _ = crawl(WithoutResponse, site, reactor, **settings)
    assert list((tmp_path / "cache").rglob("*"))
    (second,), _ = crawl(WithoutResponse, site, reactor, **settings)
    assert first["text"] == second["text"] == text_of()


def test_documents_are_written_and_read_as_json() -> None:
    document = extract(f"<h1>Rain</h1><p>{' '.join(PARAGRAPHS)}</p>", "https://news.example/")
    data = serialize_leaf(document)
    assert list(data) == ["json"]
    read = deserialize_leaf(Document, data)
    assert read == document
    assert read.blocks == document.blocks
    assert read.html == document.html
    assert read.article_probability == document.article_probability is not None
    assert (read.labelled, read.tree) == (None, None)


def providers(settings: Settings) -> dict[Any, int]:
    Addon().update_settings(settings)
    return dict(settings["SCRAPY_POET_PROVIDERS"] or {})


def test_add_on_adds_the_provider_once() -> None:
    settings = Settings({"SCRAPY_POET_PROVIDERS": {"builtins.int": 1}})
    assert providers(settings) == {"builtins.int": 1, DocumentProvider: 550}
    assert providers(settings) == {"builtins.int": 1, DocumentProvider: 550}
    assert providers(Settings()) == {DocumentProvider: 550}


def test_without_scrapy_poet_the_add_on_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.crawl.addon.is_installed", lambda _name: False)
    assert providers(Settings()) == {}
    assert not is_installed("scrapy_poet_nonsense")
