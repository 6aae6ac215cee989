"""A mistake in the settings stops `scrapy crawl` at its start, with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy import version_info

from tests.crawl.crawling import ADDON
from tests.crawl.names import names_but
from tests.crawl.project import Run, crawl, write_project
from tests.crawl.site import Site
from tests.crawl.test_placement import BY_PATH

MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "extractor": (
        {"BOILERPLATE_EXTRACTOR": "bolierpipe"},
        "BOILERPLATE_EXTRACTOR: no extractor is called 'bolierpipe'; did you mean 'boilerpipe-",
    ),
    "scheme of a store": (
        {"BOILERPLATE_SITE": True, "BOILERPLATE_SITE_STORE": "redsi://localhost:6379"},
        "BOILERPLATE_SITE_STORE = 'redsi://localhost:6379': write 'memory', the path of a file, or",
    ),
    "name": (
        {"BOILERPLATE_MINWORDS": 100},
        "there is no setting BOILERPLATE_MINWORDS; write BOILERPLATE_MIN_WORDS, or remove it",
    ),
}
ONE_BY_HAND: dict[str, dict[str, Any]] = {name: {name: value} for name, value in BY_PATH.items()}


def assert_stopped(run: Run, site: Site, sentence: str) -> None:
    assert run.code != 0 or version_info < (2, 15), "2.14 exits with 0 (scrapy/scrapy#6820)"
    assert site.asked == [], "no request was made"
    assert sentence in run.output
    assert "item_scraped_count" not in run.stats


@pytest.mark.parametrize("mistake", MISTAKES)
def test_in_the_projects_settings(mistake: str, site: Site, tmp_path: Path) -> None:
    settings, sentence = MISTAKES[mistake]
    project = write_project(tmp_path / "p", **ADDON, **settings)
    assert_stopped(crawl(project, [site.url("/article")]), site, sentence)


@pytest.mark.parametrize("setting", ONE_BY_HAND)
def test_seen_by_each_component_alone(setting: str, site: Site, tmp_path: Path) -> None:
    settings, sentence = MISTAKES["extractor"]
    project = write_project(tmp_path / "p", **ONE_BY_HAND[setting], **settings)
    assert_stopped(crawl(project, [site.url("/article")]), site, sentence)


def test_on_the_command_line(site: Site, tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", **BY_PATH)
    run = crawl(project, [site.url("/article")], "-s", "BOILERPLATE_MIN_CONFIDENCE=50%")
    assert_stopped(run, site, "BOILERPLATE_MIN_CONFIDENCE = '50%': write a number from 0 to 1")


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("BOILERPLATE_FIELDS=headline, text", "headline text"),
        ('BOILERPLATE_FIELDS={"text": "body", "blocks": null, "comments": false}', None),
        ("BOILERPLATE_ENABLED=0", ""),
    ],
)
def test_good_settings_on_the_command_line(
    written: str, names: str | None, site: Site, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "p", **ADDON)
    feed = tmp_path / "items.jsonl"
    run = crawl(project, [site.url("/article")], "-s", written, "-O", str(feed))
    default = ["headline", "body", *names_but("blocks", "comments")[2:]]
    expected = default if names is None else names.split()
    assert (run.code, run.troubles) == (0, [])
    assert keys_of(feed) == ["page", "url", *expected]


def keys_of(feed: Path) -> list[str]:
    [line] = feed.read_text(encoding="utf-8").splitlines()
    item: dict[str, Any] = json.loads(line)
    return list(item)


OLD_PIPELINE = """
class OldPipeline:
    def process_item(self, item, spider):
        return item
"""


def test_the_crawls_of_these_tests_refuse_deprecated_api(site: Site, tmp_path: Path) -> None:
    """Else "no warning of a deprecated API" would prove nothing."""
    pipelines = {"ITEM_PIPELINES": {"project.old.OldPipeline": 1}}
    project = write_project(tmp_path / "p", **pipelines)
    (project / "project" / "old.py").write_text(OLD_PIPELINE)
    run = crawl(project, [site.url("/article")])
    assert run.troubles
    assert "ScrapyDeprecationWarning" in run.output
    assert "item_scraped_count" not in run.stats
