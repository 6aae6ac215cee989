"""scrapy-poet: documents as arguments of callbacks and page objects, in real crawls."""

import ast
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from runpy import run_path
from typing import Annotated, Any

import attrs
import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.settings import Settings

from scrapy_boilerplate import Addon, Document, boilerplate, extract
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
    """The document is an argument of the callback, with a note for others on it."""

    def parse(  # type: ignore[override]
        self, response: Response, document: Annotated[Document, 1]
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


def test_page_object_gets_the_document(site: Site, reactor: Reactor) -> None:
    (item,), counts = crawl(WithPage, site, reactor)
    assert item["title"] == HEADLINE
    assert item["bytes"] == len(page().body)
    assert counts["documents"] == 1


def test_documented_spider(site: Site, reactor: Reactor, tmp_path: Path) -> None:
    """The settings and the spider of docs/usage/poet.md."""
    [block] = [
        block
        for block in BLOCKS
        if block.page == "docs/usage/poet.md" and block.is_settings and "scrapy_poet" in block.code
    ]
    settings = {"ADDONS": ast.literal_eval(block.code.partition("=")[2].strip())}
    file = tmp_path / "news.py"
    file.write_text(find_block("docs/usage/poet.md", "import scrapy").code, encoding="utf-8")
    spider: type[Spider] = run_path(str(file))["NewsSpider"]

    class Started(spider):  # type: ignore[misc,valid-type]
        async def start(self) -> AsyncIterator[Request]:
            yield Request(site.url("/article"))

    crawled = reactor.crawl([], lambda _: (), settings, Started)
    assert crawled.messages(logging.ERROR) == []
    [item] = crawled.items
    assert (item["words"], item["text"]) == (len(text_of().split()), text_of())


def test_cache_of_scrapy_poet(site: Site, reactor: Reactor, tmp_path: Path) -> None:
    settings = {"SCRAPY_POET_CACHE": str(tmp_path / "cache")}
    (first,), counts = crawl(WithoutResponse, site, reactor, **settings)
    assert counts["documents"] == 1
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


def test_add_on_adds_the_provider_once_and_if_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings({"SCRAPY_POET_PROVIDERS": {"builtins.int": 1}})
    assert providers(settings) == {"builtins.int": 1, DocumentProvider: 550}
    assert providers(settings) == {"builtins.int": 1, DocumentProvider: 550}
    assert providers(Settings()) == {DocumentProvider: 550}
    monkeypatch.setitem(sys.modules, "scrapy_poet", None)
    assert providers(Settings()) == {}
