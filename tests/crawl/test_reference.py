"""The examples of docs/usage/ and docs/reference/ run."""

import json
import pickle
import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from runpy import run_path
from textwrap import indent
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_boilerplate.crawl.page_reader import META_OPTIONS, META_SKIP, RequestOptions
from tests.conftest import REPO
from tests.crawl.crawling import ADDON, Crawl, Reactor
from tests.crawl.pages import HEADLINE, Answer, article, page, text_of
from tests.crawl.project import scrapy, write_project
from tests.crawl.site import Site
from tests.documented import BLOCKS


def read_example(page: str, line: str) -> str:
    blocks = [block for block in BLOCKS if block.page == f"docs/{page}.md"]
    [code] = [block.code for block in blocks if block.language == "python" and line in block.code]
    return code


LoadClass = Callable[[str, str], Any]
RunSpider = Callable[[str, str, str], Crawl]


@pytest.fixture
def load_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadClass:
    """Imports a class of an example from a file, in an empty working directory.

    Scrapy reads the source of callbacks.
    """
    monkeypatch.chdir(tmp_path)

    def load(page: str, name: str) -> Any:
        code = f"import scrapy\n\n{read_example(page, f'class {name}')}"
        Path("example.py").write_text(code, encoding="utf-8")
        return run_path("example.py")[name]

    return load


@pytest.fixture
def run_spider(load_class: LoadClass, reactor: Reactor) -> RunSpider:
    def run(page: str, name: str, url: str) -> Crawl:
        class Started(load_class(page, name)):  # type: ignore[misc]
            async def start(self) -> AsyncIterator[Request]:
                yield Request(url)

        return reactor.crawl([], lambda _: [], ADDON, Started)

    return run


def test_first_spider(site: Site, run_spider: RunSpider) -> None:
    site.pages["/"] = page('<html><body><article><a href="/article">Ferry</a></article></body>')
    [item] = run_spider("first-steps", "FirstSpider", site.url("/")).items
    assert (item["section"], item["headline"], item["text"]) == ("News", HEADLINE, text_of())


def test_class(site: Site, reactor: Reactor, load_class: LoadClass) -> None:
    """A class gets the fields that it declares."""
    story = load_class("usage/items", "Story")
    wanted = [Request(site.url("/article"))]
    [item] = reactor.crawl(wanted, lambda response: [story(url=response.url)], ADDON).items
    assert (item.headline, item.text) == (HEADLINE, text_of())
    assert vars(item).keys() == {"url", "headline", "text", "tags"}


def test_items_about_other_pages(site: Site, run_spider: RunSpider) -> None:
    teasers = '<article><a href="/article">Ferry</a></article><article><a href="/fair">Fair</a>'
    site.pages["/news"] = page(f"<html><body>{teasers}</article></body></html>")
    site.pages["/fair"] = page(article("The fair"))
    crawled = run_spider("usage/sections", "SectionSpider", site.url("/news"))
    assert sorted(item["headline"] for item in crawled.items) == [HEADLINE, "The fair"]
    assert crawled.counts["items/filled"] == 2


def test_items_of_two_pages(site: Site, run_spider: RunSpider) -> None:
    site.pages["/votes"] = page("<html><body>Votes: <b>17</b></body></html>")
    crawled = run_spider("usage/two-pages", "VotesSpider", site.url("/article"))
    [item] = crawled.items
    assert item["url"] == site.url("/article")
    assert (item["headline"], item["text"], item["votes"]) == (HEADLINE, text_of(), 17)
    assert "content" not in item
    assert (crawled.counts["documents"], crawled.counts["items/filled"]) == (1, 1)


def test_a_carried_item_can_be_queued(load_class: LoadClass) -> None:
    """A `JOBDIR` pickles requests."""
    spider = load_class("usage/two-pages", "VotesSpider")()
    response = HtmlResponse("http://x.example/ferry", body=article().encode(), encoding="utf-8")
    response.request = Request(response.url)
    [request] = spider.parse(response)
    again = pickle.loads(pickle.dumps(request.to_dict(spider=spider)))  # noqa: S301
    document = again["cb_kwargs"]["item"]["content"]
    assert (document.headline, document.text) == (HEADLINE, text_of())


def test_html_inside_json(site: Site, run_spider: RunSpider) -> None:
    stories = [
        {"url": "http://x.example/ferry", "body": article()},
        {"url": "http://x.example/fair", "body": article("The fair")},
    ]
    headers = {"Content-Type": "application/json"}
    site.pages["/api"] = Answer(json.dumps({"stories": stories}).encode(), headers=headers)
    crawled = run_spider("usage/json", "StoriesSpider", site.url("/api"))
    assert [item["headline"] for item in crawled.items] == [HEADLINE, "The fair"]
    assert [item["extractor"] for item in crawled.items] == ["container"] * 2, "as the crawl's"
    assert all("content" not in item for item in crawled.items)
    assert crawled.counts == {"items/filled": 2}


def test_raw_html(site: Site, run_spider: RunSpider) -> None:
    [item] = run_spider("usage/raw-html", "RawSpider", site.url("/article")).items
    assert (item["page_html"], item["text"]) == (article(), text_of())


def test_database(site: Site, reactor: Reactor, load_class: LoadClass) -> None:
    """An article that is crawled twice has one row."""
    pipeline = load_class("usage/database", "SQLitePipeline")
    for _ in range(2):
        reactor.crawl(
            [Request(site.url("/article"))],
            lambda response: [{"url": response.url}],
            ADDON | {"ITEM_PIPELINES": {pipeline: 300}},
        )
    with closing(sqlite3.connect("articles.sqlite")) as connection:
        [row] = connection.execute("SELECT url, headline, text, authors FROM articles")
    assert row[:3] == (site.url("/article"), HEADLINE, text_of())
    assert isinstance(json.loads(row[3]), list)


@pytest.mark.parametrize(("path", "code"), [("/article", 0), ("/empty", 1)])
def test_contracts(site: Site, tmp_path: Path, path: str, code: int) -> None:
    site.pages["/empty"] = page("<html><body></body></html>")
    folder = write_project(
        tmp_path, **ADDON, SPIDER_CONTRACTS={"project.contracts.ExtractsContract": 10}
    )
    contract = read_example("usage/contracts", "class ExtractsContract")
    (folder / "project" / "contracts.py").write_text(contract, encoding="utf-8")
    callback = read_example("usage/contracts", "def parse_article")
    callback = callback.replace("https://news.example/rain", site.url(path)).replace(" authors", "")
    head = "from scrapy import Spider\n\n\nclass CheckedSpider(Spider):\n    name = 'checked'\n\n"
    (folder / "project" / "spiders.py").write_text(head + indent(callback, "    "))
    run = scrapy(folder, "check")
    assert run.code == code, run.output
    assert "Ran 3 contracts" in run.output
    assert ("headline is empty" in run.output) == bool(code)


def test_the_reference_has_every_key_of_request_meta() -> None:
    text = (REPO / "docs" / "reference" / "meta.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    options = [option.name for option in fields(RequestOptions)]
    assert rows == [META_OPTIONS, META_SKIP, *options]


def test_request_meta() -> None:
    code = read_example("reference/meta", "yield response.follow(")
    written = eval(code[code.index("{") : code.rindex(")")])  # noqa: S307
    options = RequestOptions.from_meta(written["boilerplate"])
    assert (options.favor, list(options.fields or ())) == ("recall", ["headline", "text"])
