"""`BOILERPLATE_SITE_ALARM` in real crawls: a site that is redesigned."""

import logging
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.crawl.signals import boilerplate_site_changed
from scrapy_boilerplate.crawl.site import CrawlSites
from scrapy_boilerplate.report.inspection_folder import InspectedPage
from scrapy_boilerplate.site.monitors import SiteChange
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import PagesSpider
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.crawl.test_site import SITE
from tests.documented import find_block
from tests.site.conftest import location, server
from tests.site.redis_server import RedisServer
from tests.site_pages import site_page

__all__ = ["location", "server"]  # fixtures

N_OLD, N_NEW = 40, 15
OLD = {f"/old/{n}": Answer(site_page(n).encode()) for n in range(N_OLD)}
NEW = {
    f"/new/{n}": Answer(
        f"<html><head><title>{n}</title></head><body><div id=app data-n={n}></div></body>".encode()
    )
    for n in range(N_NEW)
}
ALARM = {"BOILERPLATE_SITE_ALARM": True}


class Listening(PagesSpider):
    changes: list[SiteChange]

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> Any:
        spider = super().from_crawler(crawler, *args, **kwargs)
        cls.changes = []
        crawler.signals.connect(spider.site_changed, boilerplate_site_changed)
        return spider

    def site_changed(self, change: SiteChange) -> None:
        self.changes.append(change)


def test_a_redesign_is_told_once(crawl: CrawlPages, site: Site, tmp_path: Path) -> None:
    pytest.importorskip("nh3")
    settings = {**ALARM, "BOILERPLATE_INSPECT_DIR": str(tmp_path / "doubtful")}
    crawled = crawl(items_of(dict), settings, pages={**OLD, **NEW}, spider=Listening)
    assert len(crawled.items) == N_OLD + N_NEW
    [change] = Listening.changes
    assert change.site == site.url().split("/")[2]
    assert N_OLD < change.pages < N_OLD + 10
    assert change.reasons[0] == "text"
    [message] = [m for m in crawled.messages(logging.WARNING) if "has changed" in m]
    assert "pages without text" in message
    assert site.url("/new/") in message
    assert str(tmp_path / "doubtful") in message
    assert (tmp_path / "doubtful" / InspectedPage(0, change.examples[-1]).file).is_file()
    assert "or of sites that have changed" in "".join(crawled.messages(logging.INFO))
    assert crawled.counts["site/changed"] == 1
    assert crawled.counts[f"site/changed/{change.site}"] == 1


def test_a_redesign_between_crawls_is_in_the_table(
    location: str, crawl: CrawlPages, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {**ALARM, "BOILERPLATE_SITE_STORE": location, "BOILERPLATE_FIELDS": []}
    first = crawl(items_of(dict), settings, pages=OLD)
    assert "site/changed" not in first.counts
    second = crawl(items_of(dict), settings, pages=NEW)
    assert second.counts["site/changed"] == 1
    assert main(["site", "status", location]) == 0
    head, row, _ = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["site", "pages"]
    name, pages, share, *_ = row.split()
    assert (name, share) == (site.url().split("/")[2], "100%")
    assert 0 < int(pages) < N_NEW
    assert " 1 " in row


def test_an_exchange_that_fails_does_not_cost_the_last_records(
    crawl: CrawlPages, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are written when the spider closes."""
    exchange = CrawlSites.synchronise

    async def exchange_first(self: CrawlSites) -> None:
        if hasattr(self, "exchanged"):
            raise RuntimeError("a mistake in the package")
        vars(self)["exchanged"] = True
        await exchange(self)

    monkeypatch.setattr(CrawlSites, "synchronise", exchange_first)
    settings = {**ALARM, "BOILERPLATE_SITE_STORE": server.url}
    settings["BOILERPLATE_SITE_SYNC_SECONDS"] = 0.01
    crawled = crawl(items_of(dict), settings, pages={**OLD, **NEW})
    assert "site/unsent" not in crawled.counts
    assert any("a mistake in the package" in message for message in crawled.messages(logging.ERROR))


def test_off_nothing_is_watched(crawl: CrawlPages, tmp_path: Path, capsys: Any) -> None:
    store = str(tmp_path / "sites.sqlite")
    settings = {**SITE, "BOILERPLATE_SITE_STORE": store}
    crawled = crawl(items_of(dict), settings, pages={**OLD, **NEW})
    assert "site/changed" not in crawled.counts
    assert main(["site", "status", store]) == 0
    assert "BOILERPLATE_SITE_ALARM = True" in capsys.readouterr().err
    assert main(["site", "status", str(tmp_path / "none.sqlite")]) == 1
    assert "there is no store" in capsys.readouterr().err


@pytest.mark.parametrize(("changed", "n_failed"), [(0, 0), (2, 1)])
def test_the_documented_monitor_fails_where_a_site_has_changed(changed: int, n_failed: int) -> None:
    runners = pytest.importorskip("spidermon.runners")
    block = find_block(
        "docs/usage/monitoring.md", "from spidermon import Monitor, MonitorSuite, monitors"
    )
    names: dict[str, Any] = {}
    exec(block.code, names)  # noqa: S102
    stats = {"boilerplate/site/changed": changed}
    result = runners.MonitorRunner().run(names["SiteSuite"](), stats=stats)
    assert (result.testsRun, len(result.failures), result.errors) == (1, n_failed, [])
