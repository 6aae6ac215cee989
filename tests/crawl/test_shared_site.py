"""Two real Scrapy processes share a queue (scrapy-redis) and site knowledge on a real Redis."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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


def test_two_workers_count_what_one_process_would(
    server: RedisServer, site: Site, tmp_path: Path
) -> None:
    import redis  # noqa: PLC0415 - of the extra

    site.pages = {f"/{number}": Answer(site_page(number).encode()) for number in range(PAGES)}
    client = redis.Redis.from_url(server.url)
    client.lpush("shared:start_urls", *(site.url(path) for path in site.pages))
    feeds = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.crawl.shared_spider", server.url, str(feed)],
            cwd=REPO,
            stderr=subprocess.PIPE,
        )
        for feed in feeds
    ]
    logs = [worker.communicate(timeout=LIMIT)[1].decode() for worker in workers]
    items = [json.loads(line) for feed in feeds for line in feed.read_text().splitlines()]
    assert sorted(item["url"] for item in items) == sorted(map(site.url, site.pages)), logs
    merged, alone = SiteRegistry(open_store(server.url)), SiteRegistry()
    name = merged.find_site(site.url())
    merged.knowledge(name)
    merged.synchronise()
    for number in range(PAGES):
        SiteExtraction(alone).read_and_learn(site_page(number), site.url(), "num-words")
    together, expected = merged.knowledge(name), alone.knowledge(name)
    assert together.voters == PAGES
    for name in ("texts", "paths", "path_texts", "links"):
        table, wanted = getattr(together, name), getattr(expected, name)
        assert table.keys.tobytes() == wanted.keys.tobytes()
        assert table.counts.tobytes() == wanted.counts.tobytes()
    merged.close()
