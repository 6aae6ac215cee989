"""BOILERPLATE_EXECUTOR = "process": real crawls whose pages are read by worker processes."""

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate import Document, boilerplate, boilerplate_async
from scrapy_boilerplate.crawl.page_reader import PageReader
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.workers.pool import WorkerPool
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, QUIET, WITHOUT_REACTOR, Crawl, PagesSpider, Reactor
from tests.crawl.pages import HEADLINE, article, page, text_of
from tests.crawl.project import crawl_arguments, python, scrapy, write_project
from tests.crawl.site import Site

PROCESS = {"BOILERPLATE_EXECUTOR": "process", "BOILERPLATE_WORKERS": 2}
DEADLY = "mackerel-of-death"
START_OF_THE_DEADLY = """
import os, sys; sys.path[:] = sys.argv[1].split(chr(10))
from scrapy_boilerplate.metadata import fields
from scrapy_boilerplate.workers import worker
answer_page, find_authors = worker.answer_page, fields.find_authors
def fail(_):
    raise RuntimeError("broken")
def answer(request, body):
    if {word!r} in body:
        open({deaths!r}, "a").write("x")
        os._exit(139)
    fields.find_authors = fail if b"mackerel-of-no-author" in body else find_authors
    header, answer = answer_page(request, body)
    if b"mackerel-of-nonsense" in body:
        header["document"] = {{"nonsense": 1}}
    return header, answer
worker.answer_page = answer
worker.serve_documents()
"""
"""Workers that die of a page with a word, note each death in a file, and fail on other words."""
MANY = {f"/{n}": page(article(headline=f"Ferry number {n}")) for n in range(12)}


def test_the_items_are_those_of_inline(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_FIELDS": {"html": True, "article_probability": True}}
    several = {"CONCURRENT_REQUESTS": 8}
    inline = crawl(items_of(dict), {**settings, **several}, pages=MANY)
    process = crawl(items_of(dict), {**settings, **several, **PROCESS}, pages=MANY)
    by_url = [sorted(crawled.items, key=lambda item: item["url"]) for crawled in (inline, process)]
    assert by_url[0] == by_url[1]
    assert "<p>" in by_url[1][0]["html"]
    assert inline.counts == process.counts


def list_children() -> set[int]:
    """The processes that this one has started and that have not ended."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for task in tasks for pid in task.read_text().split()}


@pytest.mark.linux("/proc lists the children of a process")
def test_workers_are_bounded_start_once_and_end_with_the_spider(crawl: CrawlPages) -> None:
    before = list_children()
    seen: set[int] = set()

    class Watching(PagesSpider):
        async def parse(self, response: Response, **kwargs: Any) -> Any:
            yield {"text": (await boilerplate_async(response)).text}
            seen.update(list_children())

    settings = {**PROCESS, "CONCURRENT_REQUESTS": 8}
    crawled = crawl(items_of(dict), settings, pages=MANY, spider=Watching)
    assert len(crawled.items) == len(MANY)
    assert 1 <= len(seen - before) <= 2
    assert not (seen - before) & list_children()


def test_pages_that_workers_fail_on_cost_nothing_else(
    crawl: CrawlPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths = tmp_path / "deaths"
    start = START_OF_THE_DEADLY.format(word=DEADLY.encode(), deaths=str(deaths))
    monkeypatch.setattr("scrapy_boilerplate.workers.pool.START", start)
    others = {"/unsigned": "mackerel-of-no-author", "/nonsense": "mackerel-of-nonsense"}
    others["/deadly"] = DEADLY
    pages = {**MANY, **{path: page(article(headline=word)) for path, word in others.items()}}
    crawled = crawl(items_of(dict), {**PROCESS, "CONCURRENT_REQUESTS": 8}, pages=pages)
    assert deaths.read_text() == "xx", "tried once more, and not again"
    texts = {item["url"].rpartition("/")[2]: item["text"] for item in crawled.items}
    assert texts.pop("deadly") is texts.pop("nonsense") is None
    assert set(texts.values()) == {text_of()}
    assert len(texts) == len(MANY) + 1
    assert (crawled.counts["errors/worker"], crawled.counts["workers/died"]) == (1, 2)
    assert (crawled.counts["errors/page"], crawled.counts["errors/fields/authors"]) == (1, 1)
    assert (crawled.counts["items/filled"], crawled.counts["items/failed"]) == (len(texts), 2)
    lines = crawled.messages(logging.ERROR)
    assert len(lines) == 3
    assert any("/deadly: WorkerDiedError: worker " in line for line in lines)
    assert any("/nonsense: TypeError" in line for line in lines)
    [unsigned] = [line for line in lines if line.startswith("Cannot find authors of ")]
    assert unsigned.endswith(": RuntimeError: broken")


def test_callbacks_wait_for_workers(crawl: CrawlPages) -> None:
    class Asking(PagesSpider):
        async def parse(self, response: Response, **kwargs: Any) -> Any:
            plain = await boilerplate_async(response)
            rich = await boilerplate_async(response, html=True)
            again = await boilerplate_async(response)
            yield {
                "values": [plain.headline, plain.html, plain.labelled],
                "same": again is rich,
                "markup": (rich.html or "")[:3],
                "blocks": bool(plain.blocks),
            }

    crawled = crawl(items_of(dict), PROCESS, spider=Asking)
    [item] = crawled.items
    assert item["values"] == [HEADLINE, None, None]
    assert (item["same"], item["markup"]) == (True, "<p>")
    assert crawled.counts["documents"] == 1, "read once more for the html, and one page"


def test_what_a_callback_asks_at_once_is_made_here(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        has_page = boilerplate(response).labelled is not None
        return [{"n": n, "has_page": has_page} for n in range(5)]

    crawled = crawl(parse, PROCESS)
    assert [(item["has_page"], item["text"]) for item in crawled.items] == [(True, text_of())] * 5
    assert crawled.counts["documents"] == 1


def test_several_crawls_at_once(site: Site, reactor: Reactor) -> None:
    """The items of a page share the work."""

    def parse(_: Response) -> Any:
        return [{"n": n} for n in range(5)]

    def run(_: int) -> Crawl:
        return reactor.crawl([site.request("/article")], parse, {**ADDON, **PROCESS})

    with ThreadPoolExecutor(3) as threads:
        crawls = list(threads.map(run, range(3)))
    for crawled in crawls:
        assert [item["text"] for item in crawled.items] == [text_of()] * 5
        assert crawled.counts["documents"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"},
        {"TWISTED_REACTOR_ENABLED": False},
    ],
    ids=["asyncio", "select", "without a reactor"],
)
def test_scrapy_crawl(tmp_path: Path, site: Site, settings: dict[str, Any]) -> None:
    everything = {**ADDON, **PROCESS, **settings, "BOILERPLATE_EXTRACTOR": "container"}
    folder = write_project(tmp_path / "project", **everything)
    urls = [site.url("/article")]
    run = scrapy(folder, *crawl_arguments(folder, urls, "-O", "items.jsonl"))
    assert run.code == 0
    assert run.troubles == []
    assert run.ours == {
        "responses": 1,
        "documents": 1,
        "documents/container": 1,
        "items/filled": 1,
    }
    assert HEADLINE in (folder / "items.jsonl").read_text()


SCRIPT = """
from scrapy.crawler import AsyncCrawlerProcess
from project.spiders import PagesSpider

process = AsyncCrawlerProcess({settings!r})
process.crawl(PagesSpider, urls={urls!r})
process.start()
"""


def test_a_script_without_a_guard(tmp_path: Path, site: Site) -> None:
    """With `multiprocessing` its worker would start the crawl again."""
    settings = {**ADDON, **PROCESS, **QUIET}
    folder = write_project(tmp_path / "project")
    *_, argument = crawl_arguments(folder, [site.url("/article")])
    script = folder / "crawl.py"
    script.write_text(SCRIPT.format(urls=argument.removeprefix("urls="), settings=settings))
    run = python(script)
    assert (run.code, run.troubles, run.ours["items/filled"]) == (0, [], 1)
    assert site.asked == ["/article"]


def response(number: int) -> HtmlResponse:
    return HtmlResponse(f"http://x.example/{number}", body=article().encode(), encoding="utf-8")


@WITHOUT_REACTOR
def test_pages_that_wait_when_the_pool_closes_give_empty_documents() -> None:
    """But a caller that is cancelled is cancelled."""

    async def crawl() -> list[Document]:
        reader = PageReader(Options(), lambda _: None, pool=WorkerPool(1))
        cancelled, *tasks = (
            asyncio.ensure_future(reader.read_async(response(number), ())) for number in range(5)
        )
        await asyncio.sleep(0.1)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        reader.close()
        return await asyncio.gather(*tasks)

    documents = asyncio.run(crawl())
    assert [document.text for document in documents] == [""] * 4
    errors = [str(document.error) for document in documents]
    assert errors[1:] == ["the pool was closed before its turn"] * 3
