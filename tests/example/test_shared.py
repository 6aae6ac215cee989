"""`make example-redis`: two real workers, one real Redis, a feed each."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store
from tests.crawl.project import environment
from tests.example.test_example import EXAMPLE, EXPECTED
from tests.site.redis_server import RedisServer, redis_server

# slow enough for both: an idle worker looks into the queue every five seconds
SETTINGS = ("AUTOTHROTTLE_ENABLED=0", "LOG_LEVEL=INFO", "DOWNLOAD_DELAY=1")
LIMIT = 400
"""Seconds for a crawl."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    pytest.importorskip("scrapy_redis")
    (tmp_path / "redis").mkdir()
    running = redis_server(tmp_path / "redis")
    yield running
    running.kill()


def crawled(project: Path, redis: str) -> tuple[list[list[dict[str, Any]]], str]:
    """The items of both feeds, and the output."""
    settings = [part for setting in SETTINGS for part in ("-s", setting)]
    run = subprocess.run(
        [sys.executable, "-m", "newsroom.shared", "--redis", redis, *settings],
        cwd=project,
        env={**environment(), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("Spider closed (finished)") == 2, run.stderr
    assert not re.search(r"Traceback|\bERROR\b|Unable to serialize", run.stderr), run.stderr
    feeds = sorted(project.glob("articles-*.jsonl"))
    assert [feed.name for feed in feeds] == ["articles-1.jsonl", "articles-2.jsonl"]
    lines = [feed.read_text("utf-8").splitlines() for feed in feeds]
    return [[*map(json.loads, listed)] for listed in lines], run.stdout + run.stderr


def test_two_workers_share_all_but_their_feeds(server: RedisServer, tmp_path: Path) -> None:
    project = shutil.copytree(EXAMPLE, tmp_path / "project")
    feeds, output = crawled(project, server.url)
    assert all(feeds), "both had something to do"
    items = [item for feed in feeds for item in feed]
    paths = sorted(urlsplit(item["url"]).path for item in items)
    assert paths == sorted(EXPECTED), "each article once, whoever read it"
    assert all(item["text"] and item["site_pages"] is not None for item in items)
    assert f"{len(EXPECTED)} records of articles" in output
    sites = SiteRegistry(open_store(server.url))
    site = sites.find_site(items[0]["url"])
    sites.knowledge(site)
    sites.synchronise()
    assert sites.knowledge(site).voters == len(EXPECTED), "the site is learnt by both"
    sites.close()
