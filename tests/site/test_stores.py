"""Stores: one interface, real files, a real Redis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scrapy_boilerplate.site.stores import Store, StoreError, StoreRecord, now, open_store


def make_record(number: int, at: int) -> StoreRecord:
    return StoreRecord(bytes([number]) * 16, at, b"data %d" % at)


def numbers_in(store: Store) -> list[int]:
    return sorted(record.key[0] for record in store.read({"site:x": ()})["site:x"])


def test_the_newest_records_stay_whatever_the_order(address: str) -> None:
    store = open_store(address)
    for number in (3, 1, 4, 2):
        store.write({"site:x": [make_record(number, number)]}, {"site:x": 3})
    store.write(
        {"site:x": [make_record(4, 4)], "site:y": [make_record(9, 9)]}, {"site:x": 3, "site:y": 3}
    )
    assert numbers_in(store) == [2, 3, 4]
    known = {"site:x": [make_record(4, 4).key]}
    assert sorted(record.at for record in store.read(known)["site:x"]) == [2, 3]
    store.close()


def test_a_newer_sight_of_a_page_replaces_the_older(address: str) -> None:
    store = open_store(address)
    store.write({"site:x": [make_record(1, 5)]}, {"site:x": 3})
    store.write({"site:x": [make_record(1, 2)]}, {"site:x": 3})
    assert store.read({"site:x": ()})["site:x"] == [make_record(1, 5)]
    store.close()


def test_records_are_read_from_a_time_on(address: str) -> None:
    store = open_store(address)
    store.write({"site:x": [make_record(number, number) for number in (1, 2, 3)]}, {"site:x": 9})
    assert [record.at for record in store.read({"site:x": ()}, {"site:x": 2})["site:x"]] == [2, 3]


def write_text(file: Path) -> None:
    file.write_text("no database", encoding="utf-8")


def break_schema(file: Path) -> None:
    """Give a column a name that is no UTF-8."""
    open_store(str(file)).close()
    file.write_bytes(file.read_bytes().replace(b", key)", b",\x9dkey)"))


@pytest.mark.parametrize("damage", [Path.mkdir, write_text, break_schema])
def test_a_file_that_cannot_be_opened_says_so(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    damage(file)
    with pytest.raises(StoreError, match="give another file"):
        open_store(str(file))


@pytest.mark.parametrize(
    "mistyped", ["reddis://localhost:6379", "redis:/foo", "redis//127.0.0.1", "postgres://x/y"]
)
def test_a_mistyped_address_is_no_file(mistyped: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'redis://host:port/db'"):
        open_store(mistyped, tmp_path)
    assert not list(tmp_path.iterdir())


def test_one_of_several_claims_a_record(address: str) -> None:
    first, second = open_store(address), open_store(address)
    at, span = now(), 1_000
    claims = [(first, 1, at), (second, 1, at + 5), (second, 2, at + 6), (first, 1, at + 2_000)]
    taken = [
        store.claim("changes", make_record(number, when), 2, when - span)
        for store, number, when in claims
    ]
    assert taken == [True, False, True, True], "after a while it is free again"
    assert first.claim("changes", make_record(3, at + 2_001), 2, at)
    assert len(second.read({"changes": ()})["changes"]) == 2, "the newest stay"
    assert first.bad_records == second.bad_records == 0
    first.close()
    second.close()
