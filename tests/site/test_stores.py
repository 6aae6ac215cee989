"""Stores: one interface, real files, a real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_boilerplate.site.articles import EXACT, NEAR
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site.stores import Record, Store, StoreError, store_at
from scrapy_boilerplate.site_extraction import SiteExtraction
from tests.site.redis_server import RedisServer, redis_server
from tests.site_pages import article_text, site_page

URL = "https://news.example.com/a"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = redis_server(tmp_path)
    yield running
    running.kill()


@pytest.fixture(params=["sqlite", "redis"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "sites.sqlite")
    return str(request.getfixturevalue("server").url)


def record(number: int, at: int) -> Record:
    return Record(bytes([number]) * 16, at, b"data %d" % at)


def keys(store: Store, shelf: str = "site:x") -> list[int]:
    return sorted(one.key[0] for one in store.read({shelf: ()})[shelf])


def learn(sites: Sites, *numbers: int) -> None:
    for number in numbers:
        SiteExtraction(sites).read(site_page(number), URL, "container")


def test_the_newest_records_stay_whatever_the_order(address: str) -> None:
    store = store_at(address)
    for number in (3, 1, 4, 2):
        store.write({"site:x": [record(number, number)]}, {"site:x": 3})
    store.write({"site:x": [record(4, 4)], "site:y": [record(9, 9)]}, {"site:x": 3, "site:y": 3})
    assert keys(store) == [2, 3, 4]
    known = {"site:x": [record(4, 4).key]}
    assert [one.key[0] for one in sorted(store.read(known)["site:x"], key=lambda r: r.at)] == [2, 3]
    store.close()


def test_a_newer_sight_of_a_page_replaces_the_older(address: str) -> None:
    store = store_at(address)
    store.write({"site:x": [record(1, 5)]}, {"site:x": 3})
    store.write({"site:x": [record(1, 2)]}, {"site:x": 3})
    assert store.read({"site:x": ()})["site:x"] == [record(1, 5)]
    store.close()


def test_knowledge_and_articles_outlive_a_crawl(address: str) -> None:
    sites = Sites(store_at(address))
    learn(sites, 1, 2, 3)
    text = "\n".join(article_text(1))
    assert sites.met_before(fingerprint(text), simhash(text)) is None
    sites.close()
    later = Sites(store_at(address))
    later.expect_articles()
    later.knowledge("example.com")
    later.exchange()
    assert later.knowledge("example.com").voters == 3
    assert later.met_before(fingerprint(text), simhash(text)) == EXACT
    assert later.met_before(fingerprint(text + " x" * 9), simhash(text + " x" * 9)) == NEAR
    later.close()


def test_two_workers_know_together_what_one_would(address: str) -> None:
    one, other, alone = Sites(store_at(address)), Sites(store_at(address)), Sites()
    learn(one, 1, 2, 3, 4)
    learn(other, 4, 5, 6)
    learn(alone, 1, 2, 3, 4, 5, 6)
    for sites in (one, other, one):
        sites.exchange()
    counts = [sites.knowledge("example.com").texts for sites in (one, other, alone)]
    assert {tally.keys.tobytes() + tally.counts.tobytes() for tally in counts} == {
        counts[2].keys.tobytes() + counts[2].counts.tobytes()
    }


def test_a_redis_that_lost_everything_is_told_again(tmp_path: Path) -> None:
    server = redis_server(tmp_path, keeping=False)
    sites = Sites(store_at(server.url))
    learn(sites, 1, 2)
    sites.exchange()
    server.kill()
    learn(sites, 3)
    with pytest.raises(StoreError, match="Redis does not answer"):
        sites.exchange()
    assert sites.waiting == 1
    server.start()
    sites.exchange()
    sites.exchange()
    other = Sites(store_at(server.url))
    other.knowledge("example.com")
    other.exchange()
    assert other.knowledge("example.com").voters == 3
    server.kill()


def test_a_file_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database", encoding="utf-8")
    with pytest.raises(StoreError, match="give another file"):
        store_at(str(tmp_path / "file"))


def test_least_recently_used_sites_go_first_and_come_back(tmp_path: Path) -> None:
    sites = Sites(store_at(str(tmp_path / "sites.sqlite")), max_sites=2)
    for host in ("a.com", "b.com", "c.com"):
        SiteExtraction(sites).read(site_page(1), f"https://{host}/1", "container")
    assert len(sites) == 2
    assert sites.knowledge("a.com").voters == 1
