"""Components that are enabled by the add-on, by hand, by both, or not at all."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from scrapy import version_info
from scrapy.exporters import CsvItemExporter
from scrapy.settings import Settings

from scrapy_boilerplate import (
    Addon,
    BoilerplateCsvItemExporter,
    BoilerplateDownloaderMiddleware,
    BoilerplatePipeline,
    BoilerplateSpiderMiddleware,
    SettingError,
)
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON
from tests.crawl.kinds import names_but
from tests.crawl.pages import text_of
from tests.crawl.project import crawl as crawl_project
from tests.crawl.project import write_project
from tests.crawl.site import Site

BY_PATH = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_boilerplate.BoilerplateDownloaderMiddleware": 547},
    "SPIDER_MIDDLEWARES": {"scrapy_boilerplate.BoilerplateSpiderMiddleware": 60},
    "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplatePipeline": 50},
}
BY_CLASS: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {BoilerplateDownloaderMiddleware: 548},
    "SPIDER_MIDDLEWARES": {BoilerplateSpiderMiddleware: 61},
    "ITEM_PIPELINES": {BoilerplatePipeline: 300},
}
PLACEMENTS: dict[str, dict[str, Any]] = {
    "add-on": ADDON,
    "by path": BY_PATH,
    "by class": BY_CLASS,
    "add-on and by path": {**ADDON, **BY_PATH},
    "add-on and one by hand": {**ADDON, "ITEM_PIPELINES": BY_PATH["ITEM_PIPELINES"]},
}


@pytest.mark.parametrize("placed", PLACEMENTS)
def test_works_and_works_once(placed: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), components=PLACEMENTS[placed])
    assert [item["text"] for item in crawled.items] == [text_of()]
    assert crawled.counts == {
        "responses": 1,
        "documents": 1,
        "documents/container": 1,
        "items/filled": 1,
    }


@pytest.mark.parametrize("placed", ["add-on", "by path", "add-on and one by hand"])
def test_switched_off(placed: str, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), {"BOILERPLATE_ENABLED": 0}, components=PLACEMENTS[placed])
    assert [list(item) for item in crawled.items] == [["url"]]
    assert crawled.counts == {}
    assert [r.getMessage() for r in crawled.log if "oilerplate" in r.getMessage()] == []


def settings_after(priority: str = "project", **written: Any) -> Settings:
    """The settings of a project (or another add-on) after our add-on saw them."""
    settings = Settings(written, priority)
    Addon().update_settings(settings)
    return settings


def test_orders() -> None:
    """Those that are set by hand stay, and nothing is set when switched off."""
    settings = settings_after()
    assert settings["DOWNLOADER_MIDDLEWARES"][BoilerplateDownloaderMiddleware] == 547
    assert settings["SPIDER_MIDDLEWARES"][BoilerplateSpiderMiddleware] == -1_000
    assert settings["ITEM_PIPELINES"][BoilerplatePipeline] == -1_000
    assert settings["FEED_EXPORTERS"]["csv"] is BoilerplateCsvItemExporter
    settings = settings_after(**BY_CLASS)
    assert {name: dict(settings[name]) for name in BY_CLASS} == BY_CLASS
    settings = settings_after(BOILERPLATE_ENABLED=False)
    assert dict(settings["ITEM_PIPELINES"]) == dict(settings["FEED_EXPORTERS"]) == {}


@pytest.mark.parametrize("own", [CsvItemExporter, "somewhere.OwnExporter", None])
@pytest.mark.parametrize("priority", ["addon", "project", "cmdline"])
def test_exporters_of_others_stay(own: Any, priority: str) -> None:
    settings = settings_after(priority, FEED_EXPORTERS={"csv": own, "tsv": CsvItemExporter})
    assert settings["FEED_EXPORTERS"]["csv"] is own
    assert settings["FEED_EXPORTERS"]["tsv"] is CsvItemExporter
    assert settings["FEED_EXPORTERS"]["xml"].__name__ == "BoilerplateXmlItemExporter"


MISTAKE = {"BOILERPLATE_EXTRACTOR": "bolierpipe"}
SENTENCE = "BOILERPLATE_EXTRACTOR: no extractor is called 'bolierpipe'; did you mean 'boilerpipe-"


@pytest.mark.parametrize("setting", BY_PATH)
def test_each_component_alone_sees_a_mistake(setting: str, crawl: CrawlPages, site: Site) -> None:
    with pytest.raises(SettingError, match=f"^{SENTENCE}"):
        crawl(items_of(dict), MISTAKE, components={setting: BY_PATH[setting]})
    assert site.asked == [], "no request was made"


def test_scrapy_crawl_stops_at_a_mistake(site: Site, tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", **ADDON, **MISTAKE)
    run = crawl_project(project, [site.url("/article")])
    assert run.code != 0 or version_info < (2, 15), "2.14 exits with 0 (scrapy/scrapy#6820)"
    assert SENTENCE in run.output
    assert (site.asked, "item_scraped_count" in run.stats) == ([], False)


def test_settings_on_the_command_line(site: Site, tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", **ADDON)
    feed = tmp_path / "items.jsonl"
    written = 'BOILERPLATE_FIELDS={"text": "body", "blocks": null, "comments": false}'
    run = crawl_project(project, [site.url("/article")], "-s", written, "-O", str(feed))
    assert (run.code, run.troubles) == (0, [])
    [line] = feed.read_text(encoding="utf-8").splitlines()
    names = names_but("blocks", "comments")[2:]
    assert list(json.loads(line)) == ["page", "url", "headline", "body", *names]


def test_settings_of_duplicates_without_their_pipeline_are_warned_of(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_DUPLICATES": "mark", "BOILERPLATE_CHANGES": True}
    [warning] = crawl(items_of(dict), settings).messages(logging.WARNING)
    assert warning.startswith("BOILERPLATE_DUPLICATES and BOILERPLATE_CHANGES have no effect")
    assert 'add "scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES' in warning
    placed = {"ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}}
    assert crawl(items_of(dict), {**settings, **placed}).messages(logging.WARNING) == []


def test_duplicates_before_the_text_stop_the_crawl(crawl: CrawlPages, site: Site) -> None:
    pipelines = {
        "scrapy_boilerplate.BoilerplateDuplicatesPipeline": 49,
        **BY_PATH["ITEM_PIPELINES"],
    }
    sentence = "^ITEM_PIPELINES: BoilerplateDuplicatesPipeline runs before BoilerplatePipeline, .*"
    with pytest.raises(SettingError, match=f"{sentence}; give it the higher number$"):
        crawl(items_of(dict), components={**BY_PATH, "ITEM_PIPELINES": pipelines})
    assert site.asked == []
