"""A mistake in the settings stops `scrapy crawl` at its start, with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy import version_info

from tests.crawl.crawling import ADDON
from tests.crawl.names import names_but
from tests.crawl.project import crawl, write_project
from tests.crawl.site import Site
from tests.crawl.test_placement import BY_PATH

MISTAKE = {"BOILERPLATE_EXTRACTOR": "bolierpipe"}
SENTENCE = "BOILERPLATE_EXTRACTOR: no extractor is called 'bolierpipe'; did you mean 'boilerpipe-"


@pytest.mark.parametrize("settings", [ADDON, *({name: BY_PATH[name]} for name in BY_PATH)])
def test_seen_by_each_component_alone(settings: dict[str, Any], site: Site, tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", **settings, **MISTAKE)
    run = crawl(project, [site.url("/article")])
    assert run.code != 0 or version_info < (2, 15), "2.14 exits with 0 (scrapy/scrapy#6820)"
    assert site.asked == [], "no request was made"
    assert SENTENCE in run.output
    assert "item_scraped_count" not in run.stats


def test_good_settings_on_the_command_line(site: Site, tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", **ADDON)
    feed = tmp_path / "items.jsonl"
    written = 'BOILERPLATE_FIELDS={"text": "body", "blocks": null, "comments": false}'
    run = crawl(project, [site.url("/article")], "-s", written, "-O", str(feed))
    assert (run.code, run.troubles) == (0, [])
    [line] = feed.read_text(encoding="utf-8").splitlines()
    names = names_but("blocks", "comments")[2:]
    assert list(json.loads(line)) == ["page", "url", "headline", "body", *names]
