"""A project as `scrapy startproject` makes it, with one line of settings, crawls a site.

Every item has what its page says, or none of it, and a stat or a line of the log says why.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.project import Run, python
from tests.crawl.site import serving
from tests.startproject.feeds import (
    FAST,
    KINDS,
    PROJECT,
    STORIES,
    filled_paths,
    is_filled,
    path_of,
)
from tests.startproject.stories import N_STORIES, headline_of, publish

pytest.importorskip("zyte_common_items")

LINE = 'ADDONS = {"scrapy_boilerplate.Addon": 500}'
ASYNCIO: tuple[dict[str, Any], list[str]] = ({}, ["sections", "archive", "wire"])
REACTORLESS: tuple[dict[str, Any], list[str]] = (
    {"TWISTED_REACTOR_ENABLED": False, "BOILERPLATE_EXECUTOR": "process", "BOILERPLATE_WORKERS": 1},
    ["sections", "wire"],
)


@dataclass(frozen=True)
class Crawled:
    """What the spiders of one process left: their items and stats by spider, and the log."""

    items: dict[str, list[dict[str, Any]]]
    stats: dict[str, dict[str, Any]]
    run: Run

    def counts(self, spider: str) -> dict[str, int]:
        """Return how the items of a spider were counted."""
        prefix = "boilerplate/items/"
        stats = self.stats[spider].items()
        return {name.removeprefix(prefix): n for name, n in stats if name.startswith(prefix)}

    def log_lines(self, words: str) -> list[str]:
        """Return the lines of the log with these words."""
        return [line for line in self.run.output.splitlines() if words in line]


def crawl_together(folder: Path, settings: dict[str, Any], spiders: list[str]) -> Crawled:
    """Crawl with several spiders in one process."""
    with serving() as site:
        publish(site)
        written = json.dumps({**FAST, **settings})
        run = python(PROJECT / "crawl_all.py", site.url("/"), str(folder), written, *spiders)
    assert run.code == 0, run.output
    items, stats = {}, {}
    for spider in spiders:
        lines = (folder / f"{spider}.jsonl").read_text(encoding="utf-8").splitlines()
        items[spider] = [json.loads(line) for line in lines]
        stats[spider] = json.loads((folder / f"{spider}.json").read_text(encoding="utf-8"))
    return Crawled(items, stats, run)


@pytest.fixture(scope="module")
def asyncio_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """All spiders, pages read in the crawl's process."""
    return crawl_together(tmp_path_factory.mktemp("asyncio"), *ASYNCIO)


@pytest.fixture(scope="module")
def reactorless_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Some spiders, without a reactor, pages read by workers."""
    return crawl_together(tmp_path_factory.mktemp("reactorless"), *REACTORLESS)


@pytest.fixture(params=["asyncio", "reactorless"])
def crawled(request: pytest.FixtureRequest) -> Crawled:
    """Each of the two."""
    crawl: Crawled = request.getfixturevalue(f"{request.param}_crawl")
    return crawl


def test_no_crawl_has_errors(crawled: Crawled) -> None:
    allowed = "AiohttpDownloadHandler is experimental"
    bad = re.compile(r"\] (?:WARNING|ERROR|CRITICAL): |^Traceback|^\S+Warning: ")
    lines = [line for line in crawled.run.output.splitlines() if bad.search(line)]
    assert [line for line in lines if allowed not in line] == [], crawled.run.output
    for spider, stats in crawled.stats.items():
        counted = sum(crawled.counts(spider).values())
        assert counted == stats["item_scraped_count"] == len(crawled.items[spider])


@pytest.mark.parametrize("kind", KINDS)
def test_crawl_spider(kind: str, crawled: Crawled) -> None:
    """Items that name their page by its address, a redirect to it, or its canonical link."""
    assert filled_paths(crawled.items["sections"], kind) == STORIES


def test_what_items_declare_is_filled(crawled: Crawled) -> None:
    stories = [item for item in crawled.items["sections"] if "kind" in item]
    for item in stories:
        declared = {name for name in ("html", "fingerprint", "articleBodyHtml") if name in item}
        assert all(item[name] for name in declared), item["kind"]
        assert declared or item["kind"] == "dict"


def test_listing_items_are_left_alone(crawled: Crawled) -> None:
    """An item of a section names a story: it has nothing of the section's text."""
    teasers = [item for item in crawled.items["sections"] if "title" in item]
    assert Counter(map(path_of, teasers)) == STORIES + STORIES
    assert not any(map(is_filled, teasers))
    assert all(item["title"] == headline_of(path_of(item)) for item in teasers)
    assert crawled.counts("sections") == {
        "filled": N_STORIES * len(KINDS),
        "other_page": 2 * N_STORIES,
    }
    assert crawled.log_lines("differs from the URL of their response; the first is http")


def test_sitemap_spider_with_item_loaders(asyncio_crawl: Crawled) -> None:
    assert filled_paths(asyncio_crawl.items["archive"]) == STORIES + STORIES + STORIES
    assert asyncio_crawl.counts("archive") == {"filled": 3 * N_STORIES}


def test_xml_feed_spider(crawled: Crawled) -> None:
    """Items of the feed do not change, items of its stories are filled."""
    items = crawled.items["wire"]
    assert filled_paths([item for item in items if "title" not in item]) == STORIES
    assert filled_paths([item for item in items if "title" in item]) == Counter()
    assert crawled.counts("wire") == {"filled": N_STORIES, "untouched": N_STORIES}
    assert all(item["kind"] == item["headline"] for item in items if "title" not in item)


def test_workers_read_a_page_once_or_twice(reactorless_crawl: Crawled) -> None:
    """A second time only for fields that were not requested before."""
    stats = reactorless_crawl.stats
    assert stats["wire"]["boilerplate/documents"] <= 2 * N_STORIES
    assert stats["sections"]["boilerplate/documents"] <= 3 * N_STORIES
