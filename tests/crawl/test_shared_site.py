"""Two real Scrapy processes share a queue (scrapy-redis) and a store on a real Redis."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store
from tests.conftest import REPO
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.site.redis_server import RedisServer, redis_server
from tests.site_pages import site_page

PAGES = 24
LIMIT = 240
"""Seconds for a crawl."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    pytest.importorskip("scrapy_redis")
    running = redis_server(tmp_path)
    yield running
    running.kill()


def crawl(server: RedisServer, site: Site, folder: Path, setting: str) -> list[dict[str, Any]]:
    """Crawl all pages of the site with two workers, and return the items.

    On a busy machine one worker can crawl all pages.
    """
    import redis  # noqa: PLC0415 - of the extra

    client = redis.Redis.from_url(server.url)
    client.lpush("shared:start_urls", *(site.url(path) for path in site.pages))
    folder.mkdir()
    feeds = [folder / "one.jsonl", folder / "two.jsonl"]
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.crawl.shared_spider", server.url, str(feed), setting],
            cwd=REPO,
            stderr=subprocess.PIPE,
        )
        for feed in feeds
    ]
    logs = [worker.communicate(timeout=LIMIT)[1].decode() for worker in workers]
    lines = [feed.read_text().splitlines() for feed in feeds]
    items = [json.loads(line) for each in lines for line in each]
    assert sorted(item["url"] for item in items) == sorted(map(site.url, site.pages)), logs
    return items


def test_two_workers_count_what_one_process_would(
    server: RedisServer, site: Site, tmp_path: Path
) -> None:
    site.pages = {f"/{number}": Answer(site_page(number).encode()) for number in range(PAGES)}
    crawl(server, site, tmp_path / "feeds", "BOILERPLATE_SITE")
    merged, alone = SiteRegistry(open_store(server.url)), SiteRegistry()
    name = merged.find_site(site.url())
    merged.knowledge(name)
    merged.synchronise()
    for number in range(PAGES):
        SiteExtraction(alone).read_and_learn(site_page(number), site.url(), "num-words")
    together, expected = merged.knowledge(name), alone.knowledge(name)
    assert together.voters == PAGES
    assert set(together.pages) == set(expected.pages)
    merged.close()


def test_two_workers_share_versions(server: RedisServer, site: Site, tmp_path: Path) -> None:
    """Both workers know the articles of the other one's earlier crawl."""
    site.pages = {f"/{number}": Answer(site_page(number).encode()) for number in range(PAGES)}
    items = crawl(server, site, tmp_path / "first", "BOILERPLATE_CHANGES")
    assert {item["change"] for item in items} == {"new"}
    for number in range(0, PAGES, 3):
        site.pages[f"/{number}"] = Answer(site_page(PAGES + number).encode())
    items = crawl(server, site, tmp_path / "second", "BOILERPLATE_CHANGES")
    changes = {item["url"]: item["change"] for item in items}
    assert changes == {
        site.url(f"/{number}"): "unchanged" if number % 3 else "updated" for number in range(PAGES)
    }
