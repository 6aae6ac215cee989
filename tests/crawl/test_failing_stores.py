"""Stores that fail in a crawl: locked, full, read-only, gone, hanging or slow. No item is lost."""

import shutil
import socket
import sqlite3
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.site import registry, stores
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import RedisStore, open_store
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import Crawl
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.crawl.test_site import SITE
from tests.site.redis_server import redis_server
from tests.site_pages import site_page

N_PAGES = 12
PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(N_PAGES)}
FAILS_AT = "/4"
"""The page at which a store begins to fail."""


def check_items(crawled: Crawl) -> None:
    """Every page has its item, labelled with the knowledge of the pages before it."""
    assert [item["site_pages"] for item in crawled.items] == list(range(N_PAGES))
    assert all(item["text"] for item in crawled.items)


def count_stored(location: str, site: Site) -> int:
    """Return the pages that a later crawl finds."""
    later = SiteRegistry(open_store(location))
    name = later.find_site(site.url())
    later.knowledge(name)
    later.synchronise()
    pages = len(later.knowledge(name).pages)
    later.close()
    return pages


LOCKS: list[sqlite3.Connection] = []


def lock(file: Path) -> None:
    """Another connection writes, and does not end."""
    LOCKS.append(sqlite3.connect(file, timeout=30, check_same_thread=False))
    LOCKS[-1].execute("begin immediate")


def unlock() -> None:
    """The connections that write are closed, with their transactions undone."""
    while LOCKS:
        LOCKS.pop().close()


def remove_folder(file: Path) -> None:
    """The folder goes, with the open file in it."""
    shutil.rmtree(file.parent)


def write_over(file: Path) -> None:
    """Something else is written into the file."""
    with file.open("r+b") as opened:
        opened.write(b"no database " * 1_000)
        opened.truncate()


@pytest.mark.parametrize("fail", [lock, remove_folder, write_over])
def test_a_file_that_fails_in_the_middle(
    fail: Callable[[Path], None],
    crawl: CrawlPages,
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "stores" / "sites.sqlite"

    def on_request(path: str) -> None:
        time.sleep(0.1)  # exchanges take place meanwhile
        if path == FAILS_AT:
            fail(file)

    monkeypatch.setattr(stores, "SQLITE_TIMEOUT", 0.1)
    site.on_request = on_request
    settings: dict[str, Any] = {**SITE, "BOILERPLATE_SITE_STORE": str(file)}
    settings["BOILERPLATE_SITE_SYNC_SECONDS"] = 0.05
    settings["ITEM_PIPELINES"] = {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    lost = crawled.counts.get("site/unsent", 0)
    assert bool(crawled.counts.get("site/store_errors")) is bool(lost)
    assert len([line for line in crawled.messages(30) if "stay in memory" in line]) == bool(lost)
    is_noticed = fail is lock  # an open file can still be written
    assert bool(lost) is is_noticed
    unlock()
    if is_noticed:
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


def test_records_are_written_before_too_many_wait(
    crawl: CrawlPages, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MAX_BUFFERED", N_PAGES // 2)
    site.on_request = lambda _path: time.sleep(0.1)
    file = str(tmp_path / "sites.sqlite")
    settings = {**SITE, "BOILERPLATE_SITE_STORE": file, "BOILERPLATE_SITE_SYNC_SECONDS": 3_600}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    assert "site/unsent" not in crawled.counts
    assert count_stored(file, site) == N_PAGES


TIMEOUT = 0.3
"""Seconds to wait for Redis."""


def test_a_redis_that_hangs(crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis")
    monkeypatch.setattr(stores, "REDIS_TIMEOUT", TIMEOUT)
    start = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server:  # nobody accepts
        location = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        settings = {
            **SITE,
            "BOILERPLATE_SITE_STORE": location,
            "BOILERPLATE_SITE_SYNC_SECONDS": 0.1,
        }
        crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert crawled.counts["site/store_errors"] >= 2
    assert crawled.counts["site/unsent"] == N_PAGES
    assert sum("Redis does not answer" in line for line in crawled.messages(30)) == 1
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("keeping", [True, False])
def test_redis_restarts_in_a_crawl(
    keeping: bool, crawl: CrawlPages, site: Site, tmp_path: Path
) -> None:
    server = redis_server(tmp_path, keeping=keeping)

    def on_request(path: str) -> None:
        if path == FAILS_AT:
            server.kill()
        if path == "/9":
            server.start()
        time.sleep(0.1)

    site.on_request = on_request
    settings = {**SITE, "BOILERPLATE_SITE_STORE": server.url, "BOILERPLATE_SITE_SYNC_SECONDS": 0.05}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert crawled.counts["site/store_errors"] >= 1
    assert crawled.counts["site/store_returns"] == 1
    assert "site/unsent" not in crawled.counts
    n_stored = count_stored(server.url, site)
    assert n_stored == N_PAGES if keeping else 7 <= n_stored < N_PAGES, "what Redis lost is gone"
    server.kill()


def test_a_closing_crawl_waits_for_the_exchange_under_way(
    crawl: CrawlPages, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread would lose the connection, and fail with whatever redis-py makes of that."""
    server = redis_server(tmp_path)
    under_way, at_close = [0], []

    def slow(self: RedisStore, *arguments: Any) -> Any:
        under_way[0] += 1
        time.sleep(0.3)
        keys = newest(self, *arguments)
        under_way[0] -= 1
        return keys

    def close(self: RedisStore) -> None:
        at_close.append(under_way[0])
        really_close(self)

    newest, really_close = RedisStore.newest, RedisStore.close
    monkeypatch.setattr(RedisStore, "newest", slow)
    monkeypatch.setattr(RedisStore, "close", close)
    settings = {**SITE, "BOILERPLATE_SITE_STORE": server.url, "BOILERPLATE_SITE_SYNC_SECONDS": 0.01}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    check_items(crawled)
    assert at_close == [0]
    assert "site/store_errors" not in crawled.counts
    assert count_stored(server.url, site) == N_PAGES
    server.kill()
