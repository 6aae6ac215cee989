"""The alarm of redesigns: events, sums, stores."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site.monitors import (
    EVENTS,
    MAX_EXAMPLES,
    MAX_PLACES,
    MIN_PAGES,
    THRESHOLD,
    WATCHED_FIELDS,
    Observation,
    SiteChange,
    SiteMonitor,
    SiteMonitors,
    _Test,
    hash_site,
    observe,
)
from scrapy_boilerplate.site.page_records import MAX_TIME
from scrapy_boilerplate.site.registry import CLAIM_SPAN, SiteRegistry
from scrapy_boilerplate.site.stores import CHANGES, MONITORS, StoreRecord, open_store
from tests.site.redis_server import RedisServer
from tests.site.test_hostile_stores import COLUMNS, Shared, shared

__all__ = ["shared"]  # a fixture

SITE, URL = "example.com", "https://example.com/%d"
PAGE = Observation(400, 0.97, frozenset({1, 2, 3}), frozenset())
NO_TEXT = Observation(0, 0.0, frozenset(), frozenset())


def vary(seed: int, number: int) -> list[Observation]:
    """Pages of one design: other lengths, now and then without author."""
    drawn = random.Random(seed)  # noqa: S311
    return [
        Observation(
            round(math.exp(drawn.gauss(6, 0.5))),
            min(1.0, drawn.gauss(0.96, 0.02)),
            frozenset(drawn.sample(range(9), 4)),
            frozenset({"authors"} if drawn.random() < 0.1 else ()),
        )
        for _ in range(number)
    ]


def watch(monitor: SiteMonitor, pages: Iterable[Observation]) -> list[tuple[int, SiteChange]]:
    changes = [monitor.watch(page, URL % n, n) for n, page in enumerate(pages)]
    return [(n, change) for n, change in enumerate(changes) if change is not None]


@pytest.mark.parametrize(
    ("changed", "reason", "most"),
    [
        (NO_TEXT, "text", 8),
        (replace(PAGE, words=8_000), "words", 8),
        (replace(PAGE, confidence=0.4), "confidence", 8),
        (replace(PAGE, places=frozenset({77, 78})), "places", 8),
        (replace(PAGE, missing=frozenset({"headline", "description"})), "headline", 8),
        (replace(PAGE, missing=frozenset({"authors"})), "authors", 12),
    ],
)
def test_each_kind_of_change_is_told_soon(changed: Observation, reason: str, most: int) -> None:
    for seed in range(20):
        monitor = SiteMonitor(SITE)
        changes = watch(monitor, [*vary(seed, 100), *[changed] * 20])
        at, change = changes[0]
        assert 100 < at < 100 + most, seed
        assert reason in change.reasons
        assert change.examples == tuple(URL % n for n in range(at - 2, at + 1))
        assert (change.site, change.pages, monitor.changes) == (SITE, at + 1, 1)
        assert monitor.pages <= 20, "learnt anew"


def test_pages_of_one_design_are_no_change() -> None:
    alarms = [len(watch(SiteMonitor(SITE), vary(seed, 1_000))) for seed in range(20)]
    assert sum(alarms) <= 2, "of 20,000 pages; the aim is one in 10,000"


def test_a_change_is_told_once_and_the_next_as_well() -> None:
    monitor = SiteMonitor(SITE)
    new = [replace(page, places=frozenset({50, 51})) for page in vary(1, 200)]
    changes = watch(monitor, [*vary(2, 100), *new, *vary(3, 100)])
    assert [change.reasons[0] for _, change in changes] == ["places", "places"]
    assert monitor.changes == 2


def test_nothing_is_told_of_the_first_pages() -> None:
    assert not watch(SiteMonitor(SITE), [*[PAGE] * 5, *[NO_TEXT] * (MIN_PAGES - 6)])


def test_a_site_of_many_places_and_long_addresses_stays_small() -> None:
    monitor = SiteMonitor(SITE)
    drawn = random.Random(4)  # noqa: S311
    for number in range(300):
        places = frozenset(drawn.choices(range(10_000), k=100))
        monitor.watch(replace(PAGE, places=places), URL % number + "x" * 9_999, number)
    assert len(monitor.places) <= MAX_PLACES
    assert len(monitor.examples) <= MAX_EXAMPLES
    assert len(monitor.pack()) < 1_100


def test_what_is_observed_of_a_document() -> None:
    page = observe("one two three", 0.5, ["Head", (), None, "", "x"], frozenset({1}))
    assert page == Observation(3, 0.5, frozenset({1}), frozenset(WATCHED_FIELDS[1:4]))
    for confidence, kept in ((7.0, 1.0), (-1e300, 0.0), (math.nan, 0.0)):
        assert observe("", confidence, [None] * 5, frozenset()).confidence == kept


@pytest.mark.parametrize("pages", [0, 1, 29, 31, 300])
def test_a_monitor_goes_on_from_its_store(pages: int) -> None:
    monitor = SiteMonitor(SITE)
    watch(monitor, vary(5, pages))
    read = SiteMonitor.unpack(monitor.pack())
    assert read.pack() == monitor.pack()
    rest = [*vary(6, 50), *[NO_TEXT] * 20]
    assert [n for n, _ in watch(monitor, rest)] == [n for n, _ in watch(read, rest)]


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 255)), max_size=4), st.binary())
@settings(max_examples=300, deadline=None)
def test_whatever_is_unpacked_can_be_used(edits: list[tuple[int, int]], anything: bytes) -> None:
    monitor = SiteMonitor(SITE)
    watch(monitor, [*vary(7, 60), NO_TEXT])
    data = bytearray(monitor.pack())
    for place, value in edits:
        data[place % len(data)] = value
    for each in (bytes(data), anything):
        try:
            read = SiteMonitor.unpack(each)
        except ValueError:
            continue
        assert read.pack() == each
        watch(read, [*vary(8, 40), NO_TEXT])
        read.pack()


EXTREMES: dict[str, dict[str, Any]] = {
    "pages": {"pages": 2**32 - 1},
    "a high confidence": {"moments": [5.0, 1.0, 3e38, 0.1]},
    "a low confidence": {"moments": [5.0, 1.0, -3e38, 0.1]},
    "deviations": {"moments": [5.0, 3.4e38, 0.5, 3.4e38]},
    "long texts": {"moments": [29.9, 1.0, 0.5, 0.1]},
    "less than no words": {"moments": [-29.9, 1.0, 0.5, 0.1]},
    "changes": {"changes": 65_535},
    "the last time": {"changed_at": MAX_TIME},
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_largest_numbers_of_a_store_can_be_used(name: str) -> None:
    tests = {event: _Test(100.0, 5.0, THRESHOLD - 1e-3) for event in EVENTS}
    monitor = SiteMonitor(SITE, **{"pages": 100, "tests": tests, **EXTREMES[name]})
    try:
        read = SiteMonitor.unpack(monitor.pack())
    except ValueError:
        return
    for page in [*vary(8, 40), *[NO_TEXT] * 20]:
        watch(read, [page])
        read = SiteMonitor.unpack(read.pack())


def test_a_mean_without_pages_does_not_leave_squares_below_zero() -> None:
    """By rounding they fell to -5e-14, which `unpack` refuses."""
    monitor = SiteMonitor(SITE, moments=[29.999998092651367, 0.0, 0.0, 0.0])
    watch(monitor, [Observation(1, 1.0, frozenset(), frozenset())])
    assert SiteMonitor.unpack(monitor.pack()).moments[1] == 0


def test_the_sites_met_last_are_kept() -> None:
    monitors = SiteMonitors(max_monitors=3)
    for number in (1, 2, 3, 1, 4):
        monitors.put(SiteMonitor(str(number)), number)
    assert [monitor.site for monitor in monitors] == ["3", "1", "4"]


def test_a_store_carries_monitors_to_the_next_crawl(address: str) -> None:
    for crawl, expected in enumerate((0, 0, 1)):
        sites = SiteRegistry(open_store(address))
        sites.add_monitors(sites.store.read({MONITORS: ()})[MONITORS])
        pages = vary(crawl, 60) if crawl < 2 else [NO_TEXT] * 12
        changes = [sites.watch_page("https://www.example.com/a", page) for page in pages]
        assert sum(change is not None for change in changes) == expected
        sites.synchronise()
        sites.close()
        assert sites.bad_records == 0


def monitor_of(pages: int, seed: int = 9) -> SiteMonitor:
    monitor = SiteMonitor(SITE)
    watch(monitor, vary(seed, pages))
    return monitor


def test_the_reference_of_more_pages_is_adopted_and_own_sums_stay() -> None:
    own, other = monitor_of(20), monitor_of(60)
    own.tests["text"].sum = 2.5
    assert own.adopt(other)
    assert (own.pages, own.places, own.moments) == (60, other.places, other.moments)
    assert own.tests["authors"].events == other.tests["authors"].events
    assert own.tests["text"].sum == 2.5
    assert [own.adopt(other), own.adopt(monitor_of(30))] == [False, False]
    assert other.tests["text"].sum == 0, "nothing is shared"
    own.watch(PAGE, URL % 1, 1)
    assert other.pages == 60


def test_a_change_that_another_worker_saw_begins_the_site_anew() -> None:
    own, other = monitor_of(100), monitor_of(60)
    own.tests["text"].sum, own.examples = 2.5, [URL % 1]
    watch(other, [NO_TEXT] * 8)
    assert own.adopt(other)
    assert (own.changes, own.pages, own.tests["text"].sum, own.examples) == (1, other.pages, 0, [])
    assert not own.adopt(monitor_of(150)), "of the old design"
    assert not watch(own, [NO_TEXT] * 100), "the new one is usual"


def share(server: RedisServer, workers: int = 2) -> list[SiteRegistry]:
    registries = [SiteRegistry(open_store(server.url)) for _ in range(workers)]
    for sites in registries:
        sites.enable_monitors()
    return registries


def test_workers_learn_from_each_other(server: RedisServer) -> None:
    busy, idle = share(server)
    idle.watch_page(URL % 0, PAGE)
    for page in vary(3, 60):
        busy.watch_page(URL % 1, page)
    for sites in (busy, idle, busy, idle):
        sites.synchronise()
        assert max(monitor.pages for monitor in sites.monitors) == 60
    told = [idle.watch_page(URL % n, NO_TEXT) for n in range(5)]
    assert any(told), "by what the other has learnt"
    idle.synchronise()
    busy.synchronise()
    [monitor] = busy.monitors
    assert monitor.changes == 1
    assert not any(busy.watch_page(URL % n, NO_TEXT) for n in range(60)), "told once"
    later = share(server, 1)[0]
    later.add_monitors(later.store.read({MONITORS: ()})[MONITORS])
    assert [monitor.changes for monitor in later.monitors] == [1]
    for sites in (busy, idle, later):
        sites.close()
        assert sites.bad_records == 0


def test_workers_that_see_a_change_at_once_claim_it(address: str) -> None:
    workers = [SiteRegistry(open_store(address)) for _ in range(2)]
    claimed = []
    for sites in workers:
        sites.monitors.put(monitor_of(60), 1)
        [change] = filter(None, (sites.watch_page(URL % n, NO_TEXT) for n in range(6)))
        claim = sites.build_claim(change)
        claimed.append(sites.store.claim(CHANGES, claim, 9, claim.at - CLAIM_SPAN))
    assert claimed == [True, False]
    for sites in workers:
        sites.close()


def test_of_two_designs_at_once_both_are_told() -> None:
    one, two = (SiteChange(SITE, 9, (), (), number) for number in (1, 2))
    assert one.key != two.key


@pytest.mark.parametrize("name", COLUMNS)
def test_no_entry_of_a_store_stops_the_monitors(name: str, shared: Shared) -> None:
    shared.clear()
    key, at, data = COLUMNS[name]
    shared.put(MONITORS, [(hash_site(SITE) if key == b"k" * 16 else key, at, data)])
    sites = SiteRegistry(open_store(shared.address))
    sites.add_monitors(sites.store.read({MONITORS: ()})[MONITORS])
    sites.watch_page("https://example.com/a", PAGE)
    sites.synchronise()
    sites.close()
    later = SiteRegistry(open_store(shared.address))
    later.add_monitors(later.store.read({MONITORS: ()})[MONITORS])
    assert [monitor.pages for monitor in later.monitors] == [1]
    later.close()


def test_a_monitor_under_the_key_of_another_site_is_none() -> None:
    sites = SiteRegistry()
    sites.add_monitors([StoreRecord(b"k" * 16, 5, SiteMonitor(SITE).pack())])
    assert (len(sites.monitors), sites.bad_records) == (0, 1)


def test_every_event_has_a_rate() -> None:
    monitor = SiteMonitor(SITE)
    watch(monitor, [*[PAGE] * 30, *[NO_TEXT] * 2])
    rates = {name: monitor.rate(name) for name in EVENTS}
    assert rates["text"] > 0 == rates["headline"]
    assert 390 < monitor.words < 410
    assert SiteMonitor(SITE).rate("text") == 0
