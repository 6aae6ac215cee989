"""Versions of articles, and stores that hold anything."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site import stores
from scrapy_boilerplate.site.fingerprints import EXACT, NEAR
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import MAX_DATA_BYTES, VERSIONS, StoreRecord, now, open_store
from scrapy_boilerplate.site.versions import (
    MAX_EXCERPT,
    MAX_PARAGRAPHS,
    Change,
    Sighting,
    Version,
    VersionCache,
    compare_paragraphs,
    hash_address,
    hash_paragraphs,
)
from tests.site.test_hostile_stores import COLUMNS, Entry, Shared, shared
from tests.site_pages import article_text

__all__ = ["shared"]  # a fixture

TEXT = "\n\n".join(article_text(1))
SITE, ADDRESS = "example.com", "example.com/a?"
MORE = "More than that was not to be learnt until the evening came."
KEY = hash_address(ADDRESS)
COLLECTION = VERSIONS + SITE


def see(text: str, address: str = ADDRESS, *, with_paragraphs: bool = True) -> Sighting:
    return Sighting.from_text(text, address, SITE, with_paragraphs=with_paragraphs)


def meet(sites: SiteRegistry, text: str = TEXT, address: str = ADDRESS) -> Change:
    """Meet an article as the pipeline does."""
    sighting = see(text, address)
    stored = sites.store.look_up(COLLECTION, sighting.key)
    return sites.register_version(sighting, stored)


def version(**values: Any) -> Version:
    return Version(**{"fingerprint": "0f" * 16, "simhash": "a0" * 16, **values})


@pytest.mark.parametrize(
    "written",
    [
        version(),
        version(simhash=""),
        version(duplicate=NEAR, paragraphs=()),
        version(duplicate=EXACT, paragraphs=((2**64 - 1, "x" * MAX_EXCERPT), (0, "é"))),
        version(paragraphs=tuple((n, "😀" * MAX_EXCERPT) for n in range(MAX_PARAGRAPHS))),
    ],
)
def test_a_version_is_read_as_it_was_written(written: Version) -> None:
    data = written.pack()
    assert Version.unpack(data) == written
    assert len(data) <= MAX_DATA_BYTES
    for bad in (data[:-1], data + b"\0", b"\2" + data[1:], data[:1] + b"\t" + data[2:], b""):
        with pytest.raises(ValueError, match="no version"):
            Version.unpack(bad)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 255)), max_size=3), st.binary())
@settings(max_examples=300, deadline=None)
def test_whatever_is_unpacked_can_be_packed(edits: list[tuple[int, int]], anything: bytes) -> None:
    data = bytearray(version(paragraphs=((1, "one"), (2, "two"))).pack())
    for place, value in edits:
        data[place % len(data)] = value
    for each in (bytes(data), anything):
        try:
            read = Version.unpack(each)
        except ValueError:
            continue
        assert read.pack() == each


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        ("one\n\ntwo", "one\n\ntwo", (), ()),
        ("one\n\ntwo", "two\n\none", (), ()),
        ("one\n\ntwo", "ONE!\n\ntwo", (), ()),
        ("one\n\n...\n\ntwo", "one\n\nthree\n\n?\n\ntwo", ("three",), ()),
        ("one\n\ntwo", "one", (), ("two",)),
        ("a" * 61, "b", ("b",), ("a" * 59 + "…",)),
        ("a" * 60, "b", ("b",), ("a" * 60,)),
        ("one\n\n" * 201, "one", None, None),
    ],
)
def test_paragraphs(before: str, after: str, added: Any, removed: Any) -> None:
    new, old = see(after), see(before).version
    assert compare_paragraphs(new, old) == (added, removed)
    without = see(before, with_paragraphs=False).version
    assert compare_paragraphs(new, without) == (None, None)


def test_another_date_and_byline_are_no_change() -> None:
    sites = SiteRegistry()
    told = [meet(sites, f"By Ann Lee\n\n{TEXT}\n\n{n} comments").change for n in (3, 4)]
    assert told == ["new", "unchanged"]


def test_an_address_with_another_article_is_judged_anew() -> None:
    """As `/latest`, which showed a copy of an article, and then one of its own."""
    sites = SiteRegistry()
    meet(sites)
    other = "\n\n".join(article_text(7))
    changes = [meet(sites, text, "example.com/latest?") for text in (TEXT, TEXT, other)]
    assert [(change.change, change.duplicate) for change in changes] == [
        ("new", EXACT), ("unchanged", EXACT), ("updated", None)
    ]  # fmt: skip


def test_the_cache_is_bounded_in_bytes() -> None:
    cache = VersionCache(max_bytes=10_000)
    for number in random.Random(1).choices(range(50), k=500):  # noqa: S311
        cache.put(SITE, b"%d" % number, number, bytes(number))
        assert cache.get(SITE, b"%d" % number) == (number, bytes(number))
    sizes = [400 + len(cache.get(*each)[1]) for each in cache.ids]  # type: ignore[index]
    assert sum(sizes) == cache._size <= 10_000
    assert len(cache) > 20


def test_excerpts_of_spaces() -> None:
    assert [excerpt for _, excerpt in hash_paragraphs(" a \n b \n\n\n\n — ")] == ["a b"]


@pytest.mark.parametrize("name", COLUMNS)
def test_no_entry_of_a_store_keeps_a_version_away(name: str, shared: Shared) -> None:
    shared.clear()
    key, at, data = COLUMNS[name]
    entry: Entry = (KEY if isinstance(key, bytes) and len(key) == 16 else key, at, data)
    shared.put(COLLECTION, [entry])
    for told in ("new", "unchanged"):
        sites = SiteRegistry(open_store(shared.address))
        change = meet(sites)
        assert change.change == told
        sites.synchronise()
        sites.close()


def test_the_newer_of_store_and_memory_counts(address: str) -> None:
    """Two processes meet an article by turns."""
    one, other = (SiteRegistry(open_store(address)) for _ in range(2))
    told = []
    for sites, text in ((one, TEXT), (other, TEXT + "\n\n" + MORE), (one, TEXT + "\n\n" + MORE)):
        told.append(meet(sites, text))
        sites.synchronise()
    assert [(each.change, each.added) for each in told] == [
        ("new", None), ("updated", (MORE,)), ("unchanged", ())
    ]  # fmt: skip


def test_a_record_of_the_future_is_none(address: str) -> None:
    store = open_store(address)
    at = now() + 10**9
    store.write({COLLECTION: [StoreRecord(KEY, at, version().pack())]}, {COLLECTION: 9})
    sites = SiteRegistry(store)
    assert meet(sites).change == "new"
    assert sites.bad_records == 1


@pytest.mark.parametrize(("days", "first"), [(0.5, "unchanged"), (3, "new"), (4_000, "new")])
def test_a_clock_that_is_set_back_between_crawls(
    days: float, first: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version of more than a day ahead is replaced by the next one."""
    meet_once(address, TEXT, now())
    back = now() - int(days * 86_400_000)
    monkeypatch.setattr(stores, "now", lambda: back)
    texts = (TEXT, f"{TEXT}\n\n{MORE}", f"{TEXT}\n\n{MORE}")
    changes = [meet_once(address, text, back) for text in texts]
    assert changes == [first, "updated", "unchanged"]


def meet_once(address: str, text: str, at: int) -> str:
    """Meet an article in a crawl of its own, at a time."""
    sites = SiteRegistry(open_store(address), clock=lambda: at)
    change = meet(sites, text).change
    sites.close()
    return change
