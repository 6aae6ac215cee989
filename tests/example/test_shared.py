"""`make example-redis`: two real workers, one real Redis, a feed each."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store
from tests.crawl.project import module
from tests.example.test_example import EXAMPLE, EXPECTED
from tests.site.redis_server import RedisServer, redis_server

# slow enough for both: an idle worker looks into the queue every five seconds
SETTINGS = ("AUTOTHROTTLE_ENABLED=0", "LOG_LEVEL=INFO", "DOWNLOAD_DELAY=1")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    pytest.importorskip("scrapy_redis")
    (tmp_path / "redis").mkdir()
    running = redis_server(tmp_path / "redis")
    yield running
    running.kill()


def test_two_workers_share_all_but_their_feeds(server: RedisServer, tmp_path: Path) -> None:
    project = Path(shutil.copytree(EXAMPLE, tmp_path / "project"))
    settings = [part for setting in SETTINGS for part in ("-s", setting)]
    run = module(project, "newsroom.shared", "--redis", server.url, *settings)
    assert run.code == 0, run.output
    assert run.output.count("Spider closed (finished)") == 2, run.output
    assert not re.search(r"Traceback|\bERROR\b|Unable to serialize", run.output), run.output
    assert f"{len(EXPECTED)} records of articles" in run.output
    feeds = [feed.read_text("utf-8").splitlines() for feed in project.glob("articles-*.jsonl")]
    assert len(list(filter(None, feeds))) == 2, "both had something to do"
    items = [json.loads(line) for feed in feeds for line in feed]
    paths = sorted(urlsplit(item["url"]).path for item in items)
    assert paths == sorted(EXPECTED), "each article once, whoever read it"
    assert all(item["text"] for item in items)
    sites = SiteRegistry(open_store(server.url))
    sites.enable_articles()
    sites.synchronise()
    assert len(sites.articles) == len(EXPECTED), "the articles of both are known"
    sites.close()
