"""Stores: one interface, real files, a real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.site import exchange as exchange_module
from scrapy_boilerplate.site import sites as sites_module
from scrapy_boilerplate.site.articles import EXACT, NEAR
from scrapy_boilerplate.site.exchange import Parcel, Waiting, carry_out
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash
from scrapy_boilerplate.site.sites import OVERLAP, Sites
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


def meet(sites: Sites, number: int) -> str | None:
    """Whether an article was met before; it is known from now on."""
    text = "\n".join(article_text(number))
    return sites.met_before(fingerprint(text), simhash(text))


class Failing:
    """Stands in for the methods of a store that fail as long as `broken`."""

    def __init__(self, store: Store) -> None:
        self.broken, self.told = True, list[StoreError]()
        self._write, self._read = store.write, store.read
        vars(store).update(write=self.write, read=self.read)

    def write(self, *args: Any) -> None:
        if self.broken:
            raise StoreError("disk full")
        self._write(*args)

    def read(self, *args: Any) -> Any:
        if self.broken:
            raise StoreError("disk full")
        return self._read(*args)


def test_a_local_store_that_fails_costs_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites_module, "BATCH", 4)
    file = str(tmp_path / "sites.sqlite")
    before = Sites(store_at(file))
    learn(before, 20)
    before.close()
    sites = Sites(store_at(file))
    failing = Failing(sites.store)
    sites.failed = failing.told.append
    learn(sites, 1, 2, 3)
    assert meet(sites, 1) is None
    assert (len(failing.told), sites.waiting) == (2, 4), "tried at first, and after a batch"
    failing.broken = False
    learn(sites, 4, 5, 6, 7)
    assert (len(failing.told), sites.waiting) == (2, 0)
    assert sites.knowledge("example.com").voters == 8, "and what could not be read is read now"


def test_articles_alone_are_written_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites_module, "BATCH", 3)
    file = str(tmp_path / "sites.sqlite")
    sites = Sites(store_at(file))
    for number in range(4):
        meet(sites, number)
    assert len(store_at(file).read({"articles": ()})["articles"]) == 3, "though it is not closed"


def test_everything_is_sent_again_in_portions(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_module, "PORTION", 2)
    sites = Sites(store_at(server.url))
    learn(sites, 1, 2, 3)
    meet(sites, 9)
    sites.exchange()
    server.flush()
    sites.send_again()
    assert sites.waiting == 4
    assert sum(map(len, sites.prepare().out.values())) == 2
    for left in (2, 0):
        sites.exchange()
        assert sites.waiting == left
    other = store_at(server.url)
    found = other.read({"site:example.com": (), "articles": ()})
    assert {shelf: len(records) for shelf, records in found.items()} == {
        "site:example.com": 3,
        "articles": 1,
    }


def test_closing_sends_all_portions(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_module, "PORTION", 2)
    sites = Sites(store_at(server.url))
    learn(sites, 1, 2, 3, 4, 5)
    sites.exchange()
    server.flush()
    sites.send_again()
    sites.close()
    assert len(store_at(server.url).read({"site:example.com": ()})["site:example.com"]) == 5


def test_what_is_still_remembered_is_not_lost() -> None:
    waiting = Waiting(most=2)
    for number in (1, 2, 3, 4):
        waiting.put("site:x", record(number, number))
    assert (len(waiting), waiting.lost) == (4, 0)
    again = waiting.portion()
    assert again == [("site:x", record(number, number).key) for number in (1, 2)]
    out = {"site:x": [record(1, 1), *waiting.records()["site:x"]]}
    waiting.arrived(Parcel(out, {}, {}, again))
    assert (len(waiting), waiting.lost) == (0, 1), "one of the four is remembered by nobody"


def test_old_records_are_not_fetched_again(address: str) -> None:
    store = store_at(address)
    store.write({"site:x": [record(number, number) for number in (1, 2, 3)]}, {"site:x": 9})
    assert [one.at for one in store.read({"site:x": ()}, {"site:x": 2})["site:x"]] == [2, 3]
    sites, other = Sites(store_at(address), max_pages=2), Sites(store_at(address), max_pages=9)
    learn(other, 1, 2, 3)
    other.close()
    sites.knowledge("example.com")
    sites.exchange()
    oldest = min(page.at for page in sites.knowledge("example.com").pages.values())
    parcel = sites.prepare()
    assert 0 < parcel.since["site:example.com"] < oldest
    (again,) = carry_out(sites.store, parcel).records["site:example.com"]
    assert again.at == parcel.since["site:example.com"], "that of the horizon itself may be new"


def test_an_idle_exchange_looks_only_at_the_newest_articles(address: str) -> None:
    sites = Sites(store_at(address), clock=lambda: 10 * OVERLAP)
    sites.expect_articles()
    meet(sites, 1)
    sites.exchange()
    assert sites.prepare().since["articles"] == 9 * OVERLAP
    sites.send_again()
    assert sites.prepare().since["articles"] == 0


def test_a_record_that_cannot_be_read_is_counted_once(address: str) -> None:
    store = store_at(address)
    store.write({"site:example.com": [record(1, 1)]}, {"site:example.com": 9})
    sites = Sites(store_at(address))
    sites.knowledge("example.com")
    sites.exchange()
    sites.exchange()
    assert sites.bad_records == 1


@pytest.mark.parametrize(
    "wrong", ["reddis://localhost:6379", "redis:/foo", "redis//127.0.0.1", "postgres://x/y"]
)
def test_a_mistyped_address_is_no_file(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'redis://host:port/db'"):
        store_at(wrong, tmp_path)
    assert not list(tmp_path.iterdir())
