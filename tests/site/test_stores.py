"""Stores: one interface over real files and a real Redis."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scrapy_boilerplate.site.fingerprints import Version
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.stores import (
    Collection,
    RedisStore,
    Store,
    StoreError,
    StoreRecord,
    open_store,
)
from tests.site.redis_server import RedisServer

PAGES = Collection(PageRecord, "x.example", 3)
OTHER = Collection(PageRecord, "y.example", 3)


def make_record(number: int, at: int) -> StoreRecord:
    return StoreRecord(bytes([number]) * 16, at, b"data %d" % at)


def open_existing(location: str) -> Store:
    store = open_store(location)
    assert store is not None
    return store


def numbers_in(store: Store, since: int = 0) -> list[int]:
    return [key[0] for key in store.newest(PAGES, since)]


def test_the_newest_records_of_each_collection_stay(location: str) -> None:
    store = open_existing(location)
    for number in (3, 1, 4, 2):
        store.put(PAGES, [make_record(number, number)])
    store.put(PAGES, [make_record(4, 4)])
    store.put(OTHER, [make_record(9, 9)])
    store.put(Collection(Version, "x.example"), [make_record(2, 2)])
    assert numbers_in(store) == [4, 3, 2]
    assert numbers_in(store, since=3) == [4, 3]
    assert numbers_in(store, since=5) == []
    assert store.newest(OTHER) == [make_record(9, 9).key]
    store.close()


def test_records_are_read_by_their_keys(location: str) -> None:
    store = open_existing(location)
    store.put(PAGES, [make_record(1, 5), make_record(2, 6)])
    store.put(PAGES, [make_record(1, 7)])
    keys = [make_record(n, 0).key for n in (1, 3)]
    assert store.get(PAGES, keys) == {make_record(1, 0).key: b"data 7"}
    assert store.get(PAGES, []) == store.get(OTHER, keys) == {}
    assert numbers_in(store) == [1, 2]
    store.close()


def test_records_in_redis_expire(server: RedisServer) -> None:
    store = RedisStore(server.url, time_to_live=100)
    store.put(PAGES, [make_record(1, 1)])
    keys = store._client.keys()
    assert len(keys) == 2
    assert all(0 < store._client.ttl(key) <= 100 for key in keys)
    store.close()


def write_text(file: Path) -> None:
    file.write_text("no database", encoding="utf-8")


def break_schema(file: Path) -> None:
    """Give a column a name that is not UTF-8."""
    open_existing(str(file)).close()
    file.write_bytes(file.read_bytes().replace(b", key ", b",\x9dkey "))


@pytest.mark.parametrize("damage", [Path.mkdir, write_text, break_schema])
def test_a_file_that_cannot_be_opened_says_so(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    damage(file)
    with pytest.raises(StoreError, match="give another file"):
        open_store(str(file))


@pytest.mark.parametrize("mistyped", ["redis:/foo", "redis//127.0.0.1", "postgres://x/y"])
def test_a_mistyped_location_is_no_file(mistyped: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'redis://host:port/db'"):
        open_store(mistyped, tmp_path)
    assert not list(tmp_path.iterdir())
