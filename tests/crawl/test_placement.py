"""Components that are enabled by the add-on, by hand, by both, or not at all."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from scrapy.exporters import CsvItemExporter
from scrapy.settings import Settings

from scrapy_boilerplate import (
    Addon,
    BoilerplateDownloaderMiddleware,
    BoilerplatePipeline,
    BoilerplateSpiderMiddleware,
    SettingError,
)
from scrapy_boilerplate.crawl.exporters import BoilerplateCsvItemExporter
from scrapy_boilerplate.crawl.settings import CrawlSettings
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON
from tests.crawl.pages import text_of
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


def test_components_share_the_parsed_settings(
    crawl: CrawlPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[Settings] = []
    parse = CrawlSettings.from_settings

    def count(settings: Settings) -> CrawlSettings:
        parsed.append(settings)
        return parse(settings)

    monkeypatch.setattr(CrawlSettings, "from_settings", count)
    settings = {
        "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60},
        "BOILERPLATE_SITE": True,
        "FEED_EXPORTERS": {"csv": BoilerplateCsvItemExporter},
        "FEEDS": {str(tmp_path / "items.csv"): {"format": "csv"}},
    }
    assert len(crawl(items_of(dict), settings).items) == 1
    assert len(parsed) == 1


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


class OwnCsvExporter(CsvItemExporter):
    """A project's own."""


@pytest.mark.parametrize("own", [OwnCsvExporter, "somewhere.OwnCsvExporter", None])
@pytest.mark.parametrize("priority", ["addon", "project", "cmdline"])
def test_exporters_of_others_stay(own: Any, priority: str) -> None:
    settings = settings_after(priority, FEED_EXPORTERS={"csv": own, "tsv": OwnCsvExporter})
    assert settings["FEED_EXPORTERS"]["csv"] is own
    assert settings["FEED_EXPORTERS"]["tsv"] is OwnCsvExporter
    assert settings["FEED_EXPORTERS"]["xml"].__name__ == "BoilerplateXmlItemExporter"


def test_duplicates_without_their_pipeline_are_warned_of(crawl: CrawlPages) -> None:
    setting = {"BOILERPLATE_DUPLICATES": "mark", "BOILERPLATE_EXTRACTOR": "container"}
    [warning] = crawl(items_of(dict), setting).messages(logging.WARNING)
    assert 'add "scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES' in warning
    placed = {"ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}}
    assert crawl(items_of(dict), {**setting, **placed}).messages(logging.WARNING) == []


def test_duplicates_before_the_text_stop_the_crawl(crawl: CrawlPages, site: Site) -> None:
    pipelines = {
        "scrapy_boilerplate.BoilerplateDuplicatesPipeline": 49,
        **BY_PATH["ITEM_PIPELINES"],
    }
    sentence = "^ITEM_PIPELINES: BoilerplateDuplicatesPipeline runs before BoilerplatePipeline, .*"
    with pytest.raises(SettingError, match=f"{sentence}; give it the higher number$"):
        crawl(items_of(dict), components={**BY_PATH, "ITEM_PIPELINES": pipelines})
    assert site.asked == []
