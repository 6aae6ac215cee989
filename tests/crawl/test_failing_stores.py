"""Stores that fail in a crawl: locked, full, read-only, gone, hanging or slow. No item is lost."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.site import stores
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Crawl
from tests.crawl.pages import Answer
from tests.crawl.project import crawl_arguments, scrapy, write_project
from tests.crawl.site import Site
from tests.site.redis_server import redis_server
from tests.site_pages import site_page

N_PAGES = 12
PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(N_PAGES)}
SITE = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words"}
FAILS_AT = "/4"
"""The page at which a store begins to fail."""


def check_items(crawled: Crawl) -> None:
    """Every page has its item, labelled with the knowledge of the pages before it."""
    assert [item["site_pages"] for item in crawled.items] == list(range(N_PAGES))
    assert all(item["text"] for item in crawled.items)


def count_stored(address: str, site: Site) -> int:
    """Return the pages that a later crawl finds."""
    later = SiteRegistry(open_store(address))
    name = later.find_site(site.url())
    later.knowledge(name)
    later.synchronise()
    pages = later.knowledge(name).voters
    later.close()
    return pages


HOLD_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=30)
connection.execute("begin immediate")
print("locked", flush=True)
sys.stdin.read()
"""
LOCKS: list[subprocess.Popen[str]] = []


def lock(file: Path) -> None:
    """Another process writes, and does not end."""
    command = [sys.executable, "-c", HOLD_LOCK, str(file)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    LOCKS.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"


def unlock() -> None:
    """The processes that write end, with their transactions undone."""
    while LOCKS:
        LOCKS.pop().communicate()


def forbid_writing(_file: Path) -> None:
    """The file can be read only."""
    for store in OPENED:
        store.execute("pragma query_only = on")


def fill_disk(_file: Path) -> None:
    """No page can be added to the file."""
    for store in OPENED:
        store.execute("pragma max_page_count = 1")


OPENED: list[sqlite3.Connection] = []


def remove_folder(file: Path) -> None:
    """The folder goes, with the open file in it."""
    shutil.rmtree(file.parent)


def write_over(file: Path) -> None:
    """Something else is written into the file."""
    with file.open("r+b") as opened:
        opened.write(b"no database " * 1_000)
        opened.truncate()


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("fail", [lock, forbid_writing, fill_disk, remove_folder, write_over])
def test_a_file_that_fails_in_the_middle(  # noqa: PLR0917
    fail: Callable[[Path], None],
    duplicates: bool,
    crawl: CrawlPages,
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "stores" / "sites.sqlite"
    connect = sqlite3.connect

    def note(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        kwargs["check_same_thread"] = False
        OPENED.append(connect(*args, **kwargs))
        return OPENED[-1]

    def on_request(path: str) -> None:
        time.sleep(0.1)  # exchanges take place meanwhile
        if path == FAILS_AT:
            fail(file)

    OPENED.clear()
    monkeypatch.setattr(stores.sqlite3, "connect", note)  # type: ignore[attr-defined]
    monkeypatch.setattr(stores, "SQLITE_TIMEOUT", 0.1)
    site.on_request = on_request
    settings: dict[str, Any] = {**SITE, "BOILERPLATE_SITE_STORE": str(file)}
    settings["BOILERPLATE_SITE_SYNC_SECONDS"] = 0.05
    if duplicates:
        settings["ITEM_PIPELINES"] = {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    lost = crawled.counts.get("site/unsent", 0)
    assert bool(crawled.counts.get("site/store_errors")) is bool(lost)
    assert len([line for line in crawled.messages(30) if "stay in memory" in line]) == bool(lost)
    is_noticed = fail not in (remove_folder, write_over)  # an open file can still be written
    assert bool(lost) is is_noticed
    unlock()
    if is_noticed:
        monkeypatch.setattr(stores.sqlite3, "connect", connect)  # type: ignore[attr-defined]
        assert 1 <= count_stored(str(file), site) < N_PAGES, "what was written is there"


def test_a_file_that_was_damaged_before_the_crawl(
    crawl: CrawlPages, site: Site, tmp_path: Path
) -> None:
    """It can be opened, and its records cannot be read."""
    file = tmp_path / "sites.sqlite"
    settings = {**SITE, "BOILERPLATE_SITE_STORE": str(file)}
    for is_damaged in (False, True):
        if is_damaged:
            content = file.read_bytes()
            file.write_bytes(content[:SQLITE_PAGE] + bytes(len(content) - SQLITE_PAGE))
        crawled = crawl(items_of(dict), settings, pages=PAGES)
        check_items(crawled)
        assert bool(crawled.counts.get("site/store_errors")) is is_damaged


SQLITE_PAGE = 4_096
"""Bytes; the first page of a file holds its schema."""

MAX_WAIT = 10
"""Seconds between two requests of a crawl whose store is locked; busy machines are slow."""


def test_a_locked_file_does_not_hold_up_the_crawl(
    crawl: CrawlPages, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock ends with the last page; the new records are written then."""
    file = tmp_path / "sites.sqlite"
    moments = []

    def on_request(path: str) -> None:
        time.sleep(0.1)
        moments.append(time.monotonic())
        if path == FAILS_AT:
            lock(file)
        elif path == f"/{N_PAGES - 1}":
            unlock()

    monkeypatch.setattr(stores, "SQLITE_TIMEOUT", 0.2)
    site.on_request = on_request
    settings = {**SITE, "BOILERPLATE_SITE_STORE": str(file), "BOILERPLATE_SITE_SYNC_SECONDS": 0.05}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert crawled.counts["site/store_errors"] >= 1
    assert max(after - before for before, after in pairwise(moments)) < MAX_WAIT
    assert "site/unsent" not in crawled.counts
    assert count_stored(str(file), site) == N_PAGES


LIMITED = """
import resource

from scrapy import Request, Spider

class PagesSpider(Spider):
    name = "pages"

    async def start(self):
        with open(self.urls) as urls:
            for url in urls:
                yield Request(url.strip())

    def parse(self, response):
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))
        yield {"url": response.url}
"""


@pytest.mark.posix("limits of the module `resource`")
def test_files_that_may_not_grow(site: Site, tmp_path: Path) -> None:
    """As on a full disk, writes of SQLite to its log fail; the feed is short enough."""
    site.pages = dict(PAGES)
    settings = {**ADDON, **SITE, "BOILERPLATE_FIELDS": ["site_pages"], "JOBDIR": "job"}
    project = write_project(tmp_path / "project", **settings)
    (project / "project" / "spiders.py").write_text(LIMITED)
    urls = [site.url(path) for path in PAGES]
    run = scrapy(project, *crawl_arguments(project, urls, "-O", "items.jsonl"))
    assert run.code == 0
    items = [json.loads(line) for line in (project / "items.jsonl").read_text().splitlines()]
    assert sorted(item["site_pages"] for item in items) == list(range(N_PAGES))
    assert run.ours["site/store_errors"] >= 1
    assert run.ours["site/unsent"] == N_PAGES
    assert run.output.count("stay in memory until the store is available") == 1
    assert count_stored(str(project / "job" / "site-knowledge.sqlite"), site) == 0


@contextmanager
def hanging() -> Iterator[str]:
    """The address of a server that accepts and never answers."""
    connections = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                connections.append(server.accept()[0])

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        server.shutdown(socket.SHUT_RDWR)
    for connection in connections:
        connection.close()


@contextmanager
def slowed(port: int, seconds: float) -> Iterator[str]:
    """The address of a Redis whose answers take so long."""

    def copy(source: socket.socket, target: socket.socket, delay: float) -> None:
        with suppress(OSError), closing(target):
            while data := source.recv(65_536):
                time.sleep(delay)
                target.sendall(data)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client = server.accept()[0]
                redis = socket.create_connection(("127.0.0.1", port))
                for pair in ((client, redis, 0.0), (redis, client, seconds)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        server.shutdown(socket.SHUT_RDWR)


TIMEOUT = 0.3
"""Seconds to wait for Redis."""


def test_a_redis_that_hangs(crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis")
    monkeypatch.setattr(stores, "REDIS_TIMEOUT", TIMEOUT)
    start = time.monotonic()
    with hanging() as address:
        settings = {**SITE, "BOILERPLATE_SITE_STORE": address, "BOILERPLATE_SITE_SYNC_SECONDS": 0.1}
        crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert crawled.counts["site/store_errors"] >= 2
    assert crawled.counts["site/unsent"] == N_PAGES
    assert sum("Redis does not answer" in line for line in crawled.messages(30)) == 1
    assert time.monotonic() - start < 60


def test_a_redis_that_is_slow(crawl: CrawlPages, site: Site, tmp_path: Path) -> None:
    server = redis_server(tmp_path)
    with slowed(server.port, 0.2) as address:
        settings = {**SITE, "BOILERPLATE_SITE_STORE": address, "BOILERPLATE_SITE_SYNC_SECONDS": 0.1}
        crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert "site/store_errors" not in crawled.counts
    assert "site/unsent" not in crawled.counts
    assert count_stored(server.url, site) == N_PAGES
    server.kill()
