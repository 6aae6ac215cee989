"""Redis is killed and started again in the middle of a crawl: no item is lost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import RedisStore, open_store
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.site.redis_server import redis_server
from tests.site_pages import site_page

PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(12)}


def item(**values: Any) -> dict[str, Any]:
    return dict(values)


@pytest.mark.parametrize("keeping", [True, False])
def test_redis_restarts_in_a_crawl(
    keeping: bool, crawl: CrawlPages, site: Site, tmp_path: Path
) -> None:
    server = redis_server(tmp_path, keeping=keeping)

    def on_request(path: str) -> None:
        if path == "/4":
            server.kill()
        if path == "/9":
            server.start()
        time.sleep(0.1)

    site.on_request = on_request
    settings = {
        "BOILERPLATE_SITE": True,
        "BOILERPLATE_EXTRACTOR": "num-words",
        "BOILERPLATE_SITE_STORE": server.url,
        "BOILERPLATE_SITE_SYNC_SECONDS": 0.05,
    }
    crawled = crawl(items_of(item), settings, pages=PAGES)
    assert [item["site_pages"] for item in crawled.items] == list(range(12))
    assert crawled.counts["site/store_errors"] >= 1
    assert crawled.counts["site/store_returns"] == 1
    assert "site/unsent" not in crawled.counts
    later = SiteRegistry(open_store(server.url))
    name = later.find_site(site.url())
    later.knowledge(name)
    later.synchronise()
    n_stored = later.knowledge(name).voters
    assert n_stored == 12 if keeping else 7 <= n_stored < 12, "what an empty Redis lost is gone"
    later.close()
    server.kill()


def test_a_closing_crawl_waits_for_the_exchange_under_way(
    crawl: CrawlPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    settings = {
        "BOILERPLATE_SITE": True,
        "BOILERPLATE_EXTRACTOR": "num-words",
        "BOILERPLATE_SITE_STORE": server.url,
        "BOILERPLATE_SITE_SYNC_SECONDS": 0.01,
    }
    crawled = crawl(items_of(item), settings, pages=PAGES)
    assert len(crawled.items) == len(PAGES)
    assert at_close == [0]
    server.kill()
