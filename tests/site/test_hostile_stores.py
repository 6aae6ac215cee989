"""Stores that others have written to: whatever they hold, every page keeps its text."""

from __future__ import annotations

import random
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.fingerprints import Article
from scrapy_boilerplate.site.page_records import MAX_TIME, PageRecord, PageRecordError
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import MAX_AHEAD, StoreError, StoreRecord, now, open_store
from tests.site.redis_server import RedisServer, redis_server
from tests.site.test_knowledge import pool
from tests.site_pages import article_text, site_page

URL = "https://news.example.com/a"
SITE, ARTICLES = "site:example.com", "articles"
KEY = b"k" * 16
# Anything that a column, key or score can hold.
Entry = tuple[Any, Any, Any]


class SqliteFile:
    """A file that others have written to."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)

    def put(self, collection: str, entries: Sequence[Entry]) -> None:
        open_store(self.address).close()
        connection = sqlite3.connect(self.address)
        with connection:
            connection.executemany(
                "insert or replace into records values (?, ?, ?, ?)",
                [(collection, *entry) for entry in entries],
            )
        connection.close()

    def clear(self) -> None:
        connection = sqlite3.connect(self.address)
        with connection:
            connection.execute("drop table if exists records")
        connection.close()


class RedisKeys:
    """A Redis that others have written to."""

    def __init__(self, server: RedisServer) -> None:
        redis = pytest.importorskip("redis")
        self.address = server.url
        self.client: Any = redis.Redis.from_url(server.url)

    def put(self, collection: str, entries: Sequence[Entry]) -> None:
        pages, times = (
            f"boilerplate:{{{collection}}}:records",
            f"boilerplate:{{{collection}}}:times",
        )
        for key, at, data in entries:
            self.client.zadd(times, {key: at if isinstance(at, int | float) else 0})
            self.client.hset(pages, key, data)

    def clear(self) -> None:
        self.client.flushall()


Shared = SqliteFile | RedisKeys


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("stores")
    if request.param == "sqlite":
        yield SqliteFile(folder / "sites.sqlite")
        return
    server = redis_server(folder)
    yield RedisKeys(server)
    server.kill()


def pack(at: int, number: int = 99) -> tuple[bytes, bytes]:
    """The key and the packed form of the record of a page with another time in it."""
    record = SiteExtraction(SiteRegistry()).read(site_page(number), URL, "container").record
    return record.key, struct.pack("<3sq", b"SP2", at) + record.pack()[11:]


def check_crawl(shared: Shared, pages: int = 2) -> SiteRegistry:
    """Read pages and articles; every one is whole, and known to a reader that comes later."""
    sites = SiteRegistry(open_store(shared.address))
    sites.enable_articles()
    texts = []
    for number in range(pages):
        extraction = SiteExtraction(sites)
        observed = extraction.read_and_learn(site_page(number), URL, "container")
        text = "\n".join(article_text(number))
        sites.register_article(Article.from_text(text))
        texts.append(extraction.build_document(observed, "container").text)
        sites.synchronise()
    assert all(texts)
    sites.close()
    later = SiteRegistry(open_store(shared.address))
    own = sites.knowledge("example.com").pages.keys()
    later.knowledge("example.com")
    later.synchronise()
    assert own <= later.knowledge("example.com").pages.keys()
    later.close()
    return sites


COLUMNS: dict[str, Entry] = {
    "the last time of 64 bits": (pack(2**63 - 1)[0], 2**63 - 1, pack(2**63 - 1)[1]),
    "the last time of 64 bits in the data alone": (pack(2**63 - 1)[0], 5, pack(2**63 - 1)[1]),
    "the last time of 48 bits": (pack(MAX_TIME)[0], MAX_TIME, pack(MAX_TIME)[1]),
    "a time before 1970": (pack(-5)[0], -5, pack(-5)[1]),
    "a time that is text": (KEY, "soon", b"x" * 16),
    "a time that is bytes": (KEY, b"\0", b"x" * 16),
    "a time that is half a number": (KEY, 1.5, b"x" * 16),
    "a time without end": (KEY, float("inf"), b"x" * 16),
    "a time without beginning": (KEY, float("-inf"), b"x" * 16),
    "a time of 300 digits": (KEY, 1e300, b"x" * 16),
    "a key of 1,000 bytes": (b"k" * 1_000, 5, b"x" * 16),
    "an empty key": (b"", 5, b"x" * 16),
    "a key that is text": ("k" * 16, 5, b"x" * 16),
    "a key of another length": (b"k", 5, b"x" * 16),
    "data that is a number": (KEY, 5, 7),
    "data that is text": (KEY, 5, "x" * 16),
    "data of another length": (KEY, 5, b"x" * 15),
    "a million bytes": (KEY, 5, b"x" * 1_000_000),
    "the data of another key": (KEY, pool()[1].at, pool()[1].pack()),
}


@pytest.mark.parametrize("at", [5, MAX_TIME, 2**63 - 1])
def test_an_entry_under_the_key_of_a_page_does_not_keep_its_record_away(
    at: int, shared: Shared
) -> None:
    shared.clear()
    key, data = pack(at, number=0)
    shared.put(SITE, [(key, at, data)])
    assert key in check_crawl(shared).knowledge("example.com").pages


@pytest.mark.parametrize("collection", [SITE, ARTICLES])
@pytest.mark.parametrize("name", COLUMNS)
def test_no_value_empties_a_page(name: str, collection: str, shared: Shared) -> None:
    shared.clear()
    shared.put(collection, [COLUMNS[name]])
    sites = check_crawl(shared)
    key, at, data = COLUMNS[name]
    becomes_another_value = isinstance(shared, RedisKeys) and not (
        isinstance(key, bytes) and isinstance(at, int | float) and isinstance(data, bytes)
    )
    is_before_all = isinstance(at, float | int) and at < 0
    if not becomes_another_value and not is_before_all:
        assert sites.bad_records == 1


def test_text_that_is_no_utf_8(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "sites.sqlite")
    file.put(SITE, [])
    connection = sqlite3.connect(file.address)
    with connection:
        for number, column in enumerate(("key", "at", "data")):
            values = {"key": "x'01'", "at": "5", "data": "x'00'", column: "cast(x'fffe' as text)"}
            connection.execute(
                f"insert into records values ('{SITE}', {values['key']}, "  # noqa: S608
                f"{values['at']}, {values['data']})"
                if number
                else f"insert into records values ('{SITE}', {values['key']}, 5, x'00')"  # noqa: S608
            )
            connection.commit()
            assert check_crawl(file).bad_records >= 1
    connection.close()


@pytest.mark.parametrize("part", ["records", "times"])
@pytest.mark.parametrize("collection", [SITE, ARTICLES])
def test_keys_of_another_type_do_not_stop_the_exchange(
    part: str, collection: str, server: RedisServer
) -> None:
    keys = RedisKeys(server)
    for command in (("set", "x"), ("rpush", "x"), ("sadd", "x")):
        keys.clear()
        getattr(keys.client, command[0])(f"boilerplate:{{{collection}}}:{part}", command[1])
        assert check_crawl(keys).bad_records == 1


def test_bad_entries_are_removed_and_counted_once(shared: Shared) -> None:
    shared.clear()
    shared.put(SITE, [(b"k" * 1_000, 5, b"x"), (KEY, 1e300, b"x")])
    store = open_store(shared.address)
    for _ in range(3):
        assert store.read({SITE: ()}) == {SITE: []}
    assert store.bad_records == 2
    store.close()


@pytest.mark.parametrize(("at", "before"), [(float("inf"), 1e299), (1e300, 1e299), (-5.0, -6.0)])
def test_no_impossible_time_is_looked_up(at: float, before: float, shared: Shared) -> None:
    """Redis removes 1,000 entries at once, and this one stands behind more."""
    shared.clear()
    shared.put(SITE, [*((b"%016d" % n, before, b"x") for n in range(1_500)), (KEY, at, b"x")])
    store = open_store(shared.address)
    assert store.look_up(SITE, KEY) is None
    assert store.bad_records > 0
    store.close()


def test_a_file_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "sites.sqlite")
    file.put(SITE, [(KEY, "soon", b"x"), (KEY, 5, b"x")])
    store = open_store(file.address)
    store._connection.execute("pragma query_only = on")  # type: ignore[attr-defined]
    assert store.read({SITE: ()}) == {SITE: [StoreRecord(KEY, 5, b"x")]}


def test_a_record_of_the_day_after_tomorrow_is_passed_over(address: str) -> None:
    """It would count as the newest, and hide later articles of others."""
    for ahead, is_known in ((MAX_AHEAD // 2, True), (2 * MAX_AHEAD, False)):
        at = now() + ahead
        key, data = pack(at)
        store = open_store(address)
        store.write({SITE: [StoreRecord(key, at, data)]}, {SITE: 9})
        store.write({ARTICLES: [StoreRecord(KEY, at, b"")]}, {ARTICLES: 9})
        sites = SiteRegistry(store)
        sites.enable_articles()
        assert bool(sites.knowledge("example.com").pages) is (is_known and not store.remote)
        sites.synchronise()
        assert (key in sites.knowledge("example.com").pages) is is_known
        assert sites.prepare_sync().since[ARTICLES] <= now() if store.remote else True
        assert sites.next_time() <= now() + MAX_AHEAD
        sites.close()
        if is_known:
            for name in (SITE, ARTICLES):
                open_store(address).write({name: []}, {name: 0})


def test_more_records_than_can_be_used_are_not_read(shared: Shared) -> None:
    shared.clear()
    entries = [(b"%016d" % n, n, random.Random(n).randbytes(60_000)) for n in range(500)]  # noqa: S311
    shared.put(SITE, entries)
    read = open_store(shared.address).read({SITE: ()})[SITE]
    assert 300 < len(read) < 350, "20 MB"
    assert read[-1].at == 499, "the newest"


@pytest.mark.parametrize(
    "host", ["\ud800.example", "x" * 1_000_000, "[::1", "\0", "a b", "{}", "*", "ﬀ.example"]
)
def test_addresses_that_no_store_can_hold(host: str, shared: Shared) -> None:
    shared.clear()
    sites = SiteRegistry(open_store(shared.address))
    SiteExtraction(sites).read_and_learn(site_page(1), f"https://{host}/a", "container")
    sites.synchronise()
    sites.close()
    assert sites.queued == 0


MUTATIONS = st.tuples(st.integers(0, 2_000), st.binary(max_size=20), st.integers(0, 20))


@given(mutations=st.lists(MUTATIONS, max_size=4), number=st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_whatever_is_unpacked_is_a_record_that_can_be_used(
    mutations: list[tuple[int, bytes, int]], number: int
) -> None:
    data = pool()[number].pack()
    for place, put, cut in mutations:
        data = data[:place] + put + data[place + cut :]
    try:
        record = PageRecord.unpack(data)
    except PageRecordError:
        return
    assert record.pack() == data
    sites = SiteRegistry(clock=lambda: MAX_TIME)
    sites.add_page("example.com", record)
    observed = SiteExtraction(sites).read_and_learn(site_page(1), URL, "container")
    assert SiteExtraction(sites).build_document(observed, "container").text


TIMES = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(), st.binary()
)
VALUES = st.one_of(
    st.binary(), st.text(st.characters(exclude_categories=["Cs"])), st.integers(-9, 9)
)
KEYS = st.one_of(VALUES, st.binary(min_size=16, max_size=16), st.binary(min_size=900, max_size=999))
DATA = st.one_of(VALUES, st.binary(min_size=16, max_size=16), st.builds(lambda at: pack(at)[1],
                 st.integers(-(2**63), 2**63 - 1)))  # fmt: skip


@given(
    entries=st.lists(st.tuples(KEYS, TIMES, DATA), max_size=4),
    collection=st.sampled_from([SITE, ARTICLES]),
)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_in_any_column_or_key(
    entries: list[Entry], collection: str, shared: Shared
) -> None:
    shared.clear()
    shared.put(collection, entries)
    check_crawl(shared, 1)


def test_a_redis_that_answers_text_is_an_error_of_the_store(server: RedisServer) -> None:
    keys = RedisKeys(server)
    keys.put(SITE, [(b"\xff" * 16, 5, b"\xff")])
    with pytest.raises(StoreError):
        open_store(f"{server.url}?decode_responses=true").read({SITE: ()})


@pytest.mark.parametrize("name", COLUMNS)
def test_no_entry_keeps_a_claim_away_for_long(name: str, shared: Shared) -> None:
    shared.clear()
    _, at, data = COLUMNS[name]
    shared.put("changes", [COLUMNS[name], (KEY, at, data)])
    store = open_store(shared.address)
    assert store.claim("changes", StoreRecord(KEY, now(), b""), 9, now() - 1_000)
    assert not store.claim("changes", StoreRecord(KEY, now(), b""), 9, now() - 1_000)
    store.close()
