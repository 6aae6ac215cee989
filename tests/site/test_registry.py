"""The knowledge of sites over stores: what is written, read, sent again and lost."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site import registry, synchronisation
from scrapy_boilerplate.site.fingerprints import EXACT, UNPLACED, UPDATED, Article
from scrapy_boilerplate.site.registry import OVERLAP, SiteRegistry
from scrapy_boilerplate.site.stores import Store, StoreError, now, open_store
from scrapy_boilerplate.site.synchronisation import SyncRequest, WriteQueue, synchronise
from tests.site.redis_server import RedisServer, redis_server
from tests.site.test_stores import make_record
from tests.site_pages import article_text, site_page

URL = "https://news.example.com/a"


def learn(sites: SiteRegistry, *numbers: int) -> None:
    for number in numbers:
        SiteExtraction(sites).read_and_learn(site_page(number), URL, "container")


def test_knowledge_and_articles_outlive_a_crawl(address: str) -> None:
    sites = SiteRegistry(open_store(address))
    learn(sites, 1, 2, 3)
    text = "\n".join(article_text(1))
    assert sites.register_article(Article.from_text(text)) is None
    sites.close()
    later = SiteRegistry(open_store(address))
    later.enable_articles()
    later.knowledge("example.com")
    later.synchronise()
    assert later.knowledge("example.com").voters == 3
    assert later.register_article(Article.from_text(text)) == EXACT
    assert later.register_article(Article.from_text(text + " x" * 9)) == UNPLACED
    later.close()


def test_two_workers_know_together_what_one_would(address: str) -> None:
    first, second, alone = (
        SiteRegistry(open_store(address)),
        SiteRegistry(open_store(address)),
        SiteRegistry(),
    )
    learn(first, 1, 2, 3, 4)
    learn(second, 4, 5, 6)
    learn(alone, 1, 2, 3, 4, 5, 6)
    for sites in (first, second, first):
        sites.synchronise()
    tables = [sites.knowledge("example.com").texts for sites in (first, second, alone)]
    assert {table.keys.tobytes() + table.counts.tobytes() for table in tables} == {
        tables[2].keys.tobytes() + tables[2].counts.tobytes()
    }


def test_a_redis_that_lost_everything_gets_it_again(tmp_path: Path) -> None:
    server = redis_server(tmp_path, keeping=False)
    sites = SiteRegistry(open_store(server.url))
    learn(sites, 1, 2)
    sites.synchronise()
    server.kill()
    learn(sites, 3)
    with pytest.raises(StoreError, match="Redis does not answer"):
        sites.synchronise()
    assert sites.queued == 1
    server.start()
    sites.synchronise()
    sites.synchronise()
    other = SiteRegistry(open_store(server.url))
    other.knowledge("example.com")
    other.synchronise()
    assert other.knowledge("example.com").voters == 3
    server.kill()


def test_least_recently_used_sites_go_first_and_come_back(tmp_path: Path) -> None:
    sites = SiteRegistry(open_store(str(tmp_path / "sites.sqlite")), max_sites=2)
    for host in ("a.com", "b.com", "c.com"):
        SiteExtraction(sites).read_and_learn(site_page(1), f"https://{host}/1", "container")
    assert len(sites) == 2
    assert sites.knowledge("a.com").voters == 1


def register(sites: SiteRegistry, number: int) -> str | None:
    text = "\n".join(article_text(number))
    return sites.register_article(Article.from_text(text))


class Failing:
    """Stands in for the methods of a store that fail as long as `broken`."""

    def __init__(self, store: Store) -> None:
        self.broken, self.errors = True, list[StoreError]()
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
    monkeypatch.setattr(registry, "WRITE_INTERVAL", 4)
    file = str(tmp_path / "sites.sqlite")
    before = SiteRegistry(open_store(file))
    learn(before, 20)
    before.close()
    sites = SiteRegistry(open_store(file))
    failing = Failing(sites.store)
    sites.on_error = failing.errors.append
    learn(sites, 1, 2, 3)
    assert register(sites, 1) is None
    assert (len(failing.errors), sites.queued) == (2, 4), "tried at first, and after a batch"
    failing.broken = False
    learn(sites, 4, 5, 6, 7)
    assert (len(failing.errors), sites.queued) == (2, 0)
    assert sites.knowledge("example.com").voters == 8, "and what could not be read is read now"


def test_articles_alone_are_written_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "WRITE_INTERVAL", 3)
    file = str(tmp_path / "sites.sqlite")
    sites = SiteRegistry(open_store(file))
    for number in range(4):
        register(sites, number)
    assert len(open_store(file).read({"articles": ()})["articles"]) == 3, "though it is not closed"


PLACE = ("example.com/a", "example.com")


def read_article(address: str) -> Article:
    (record,) = open_store(address).read({"articles": ()})["articles"]
    return Article.unpack(record.key, record.data)


def test_an_exact_article_gives_its_place_to_a_record_without(address: str) -> None:
    text = "\n".join(article_text(1))
    for place, later in (((), ()), (PLACE, PLACE), ((), PLACE)):
        sites = SiteRegistry(open_store(address))
        sites.enable_articles()
        sites.synchronise()
        assert sites.register_article(Article.from_text(text, *place)) in (None, EXACT)
        sites.close()
        assert read_article(address) == Article.from_text(text, *later)


@pytest.mark.parametrize("ahead", [0, OVERLAP])
def test_an_update_of_one_fingerprint_replaces_its_record(address: str, ahead: int) -> None:
    old, new = (
        Article.from_text("\n".join([*article_text(1, 1), *f"{values * 9}".split(",")]), *PLACE)
        for values in ("1 C,2 C,", "13 C,14 C,")
    )
    assert old.key == new.key
    expected = ((old, now() + ahead, None), (new, now(), UPDATED), (new, now(), EXACT))
    for article, time, duplicate in expected:
        sites = SiteRegistry(open_store(address), clock=partial(int, time))
        sites.enable_articles()
        sites.synchronise()
        assert sites.register_article(article) == duplicate
        sites.close()
        assert read_article(address) == article


def test_everything_is_sent_again_in_batches(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synchronisation, "RESEND_BATCH", 2)
    sites = SiteRegistry(open_store(server.url))
    learn(sites, 1, 2, 3)
    register(sites, 9)
    sites.synchronise()
    server.flush()
    sites.resend_all()
    assert sites.queued == 4
    assert sum(map(len, sites.prepare_sync().records.values())) == 2
    for left in (2, 0):
        sites.synchronise()
        assert sites.queued == left
    other = open_store(server.url)
    records = other.read({"site:example.com": (), "articles": ()})
    assert (len(records["site:example.com"]), len(records["articles"])) == (3, 1)


def test_closing_sends_all_batches(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synchronisation, "RESEND_BATCH", 2)
    sites = SiteRegistry(open_store(server.url))
    learn(sites, 1, 2, 3, 4, 5)
    sites.synchronise()
    server.flush()
    sites.resend_all()
    sites.close()
    assert len(open_store(server.url).read({"site:example.com": ()})["site:example.com"]) == 5


def test_what_is_still_remembered_is_not_lost() -> None:
    queue = WriteQueue(max_records=2)
    for number in (1, 2, 3, 4):
        queue.put("site:x", make_record(number, number))
    assert (len(queue), queue.lost) == (4, 0)
    resent = queue.resend_batch()
    assert resent == [("site:x", make_record(number, number).key) for number in (1, 2)]
    records = {"site:x": [make_record(1, 1), *queue.records()["site:x"]]}
    queue.acknowledge(SyncRequest(records, {}, resent))
    assert (len(queue), queue.lost) == (0, 1), "one of the four is remembered by nobody"


def test_old_records_are_not_fetched_again(address: str) -> None:
    sites, other = (
        SiteRegistry(open_store(address), max_pages=2),
        SiteRegistry(open_store(address), max_pages=9),
    )
    learn(other, 1, 2, 3)
    other.close()
    sites.knowledge("example.com")
    sites.synchronise()
    oldest = min(page.at for page in sites.knowledge("example.com").pages.values())
    request = sites.prepare_sync()
    assert 0 < request.since["site:example.com"] < oldest
    (record,) = synchronise(sites.store, request).records["site:example.com"]
    assert record.at == request.since["site:example.com"], "that of the horizon itself may be new"


def test_an_idle_synchronisation_looks_only_at_the_newest_articles(address: str) -> None:
    sites = SiteRegistry(open_store(address), clock=lambda: 10 * OVERLAP)
    sites.enable_articles()
    register(sites, 1)
    sites.synchronise()
    assert sites.prepare_sync().since["articles"] == 9 * OVERLAP
    sites.resend_all()
    assert sites.prepare_sync().since["articles"] == 0


def test_a_record_that_cannot_be_read_is_counted_once(address: str) -> None:
    store = open_store(address)
    store.write({"site:example.com": [make_record(1, 1)]}, {"site:example.com": 9})
    sites = SiteRegistry(open_store(address))
    sites.knowledge("example.com")
    sites.synchronise()
    sites.synchronise()
    assert sites.bad_records == 1
