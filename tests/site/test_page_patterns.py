"""How a site numbers the pages of its articles: merges, bounds, stores."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.site.page_patterns import (
    MAX_AGE,
    MAX_OUTCOMES,
    MAX_PATTERN,
    PageOutcome,
    PagePatterns,
    hash_article,
    is_pattern,
)
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import PATTERNS, now, open_store
from tests.site.test_hostile_stores import COLUMNS, KEY, Shared, shared

__all__ = ["shared"]  # a fixture

URL = "https://www.paper.example/story/%d"
PATTERN, OTHER = "?page=#", "-#"
COLLECTION = f"{PATTERNS}paper.example"


def outcome(number: int, *, is_joined: bool, pattern: str = PATTERN, at: int = 5) -> PageOutcome:
    return PageOutcome(hash_article(URL % number), at, pattern, is_joined)


def patterns(*outcomes: PageOutcome, now: int = 9) -> PagePatterns:
    site = PagePatterns(lambda: now)
    for each in outcomes:
        site.add(each)
    return site


@pytest.mark.parametrize(
    ("told", "is_known", "is_refused"),
    [
        ([], False, False),
        ([True], False, False),
        ([True, True], True, False),
        ([True, True, False], True, False),
        ([True, True, False, False], False, False),
        ([False, False], False, False),
        ([False, False, False], False, True),
        ([False, False, False, True], False, False),
    ],
)
def test_what_is_known_of_a_pattern(told: list[bool], is_known: bool, is_refused: bool) -> None:
    site = patterns(*(outcome(n, is_joined=is_joined) for n, is_joined in enumerate(told)))
    assert (site.is_known(PATTERN), site.is_refused(PATTERN)) == (is_known, is_refused)
    assert (site.is_known(OTHER), site.is_refused(OTHER)) == (False, False)


def test_an_article_counts_once_by_what_it_was_last() -> None:
    again = [outcome(1, is_joined=True, at=at) for at in (1, 2, 3)]
    assert not patterns(*again).is_known(PATTERN)
    assert patterns(*again, outcome(1, is_joined=False, at=4)).outcomes[again[0].key].at == 4


def test_old_outcomes_do_not_count() -> None:
    site = patterns(*(outcome(n, is_joined=False, at=n) for n in range(3)), now=MAX_AGE + 1)
    assert not site.is_refused(PATTERN), "tried again"
    site.add(outcome(0, is_joined=False, at=MAX_AGE))
    assert site.is_refused(PATTERN)


def test_the_order_does_not_matter() -> None:
    told = [outcome(n % 3, is_joined=n % 2 > 0, at=n // 2) for n in range(5)]
    merged = {tuple(sorted(patterns(*each).outcomes.items())) for each in permutations(told)}
    assert len(merged) == 1


def test_the_newest_outcomes_stay() -> None:
    numbers = range(2 * MAX_OUTCOMES)
    site = patterns(*(outcome(n, is_joined=True, at=n) for n in reversed(numbers)))
    expected = {hash_article(URL % n) for n in numbers[MAX_OUTCOMES:]}
    assert set(site.outcomes) == expected


@given(st.binary(max_size=60), st.binary(max_size=20))
def test_whatever_is_unpacked_is_what_was_packed(data: bytes, key: bytes) -> None:
    for each in (data, b"\x01\x01" + data):
        try:
            read = PageOutcome.unpack(key, 5, each)
        except ValueError:
            continue
        assert read.pack() == each
        assert is_pattern(read.pattern)


@pytest.mark.parametrize("pattern", ["", "x" * (MAX_PATTERN + 1), "?pagé=#", "?a b=#", "a\n"])
def test_patterns_that_are_not_remembered(pattern: str) -> None:
    sites = SiteRegistry()
    for number in range(9):
        sites.add_outcome(URL % number, pattern, is_joined=True)
    assert not sites.find_patterns(URL % 1).outcomes


def test_a_store_carries_patterns_to_the_next_crawl(address: str) -> None:
    for number in range(3):
        sites = SiteRegistry(open_store(address))
        sites.find_patterns(URL % 1)
        sites.synchronise()
        assert sites.find_patterns(URL % 1).is_known(PATTERN) is (number == 2)
        assert not sites.find_patterns("https://other.example/").outcomes
        sites.add_outcome(URL % number, PATTERN, is_joined=True)
        sites.close()
        assert sites.bad_records == 0


def test_workers_tell_each_other(address: str) -> None:
    workers = [SiteRegistry(open_store(address)) for _ in range(2)]
    for number, sites in enumerate(workers):
        sites.add_outcome(URL % number, PATTERN, is_joined=True)
    for sites in (*workers, *workers):
        sites.synchronise()
    if address.startswith("redis"):  # a file is read when a site is first met
        assert all(sites.find_patterns(URL % 9).is_known(PATTERN) for sites in workers)
    for sites in workers:
        sites.close()
    later = SiteRegistry(open_store(address))
    later.find_patterns(URL % 9)
    later.synchronise()
    assert later.find_patterns(URL % 9).is_known(PATTERN)
    later.close()


def test_patterns_are_sent_again_to_a_store_that_lost_them(address: str) -> None:
    sites = SiteRegistry(open_store(address))
    sites.add_outcome(URL % 1, PATTERN, is_joined=True)
    sites.synchronise()
    sites.resend_all()
    assert sites.queued == 1
    sites.synchronise()
    sites.close()
    assert (sites.queued, sites.lost) == (0, 0)


def test_the_sites_met_last_are_kept() -> None:
    sites = SiteRegistry(max_sites=2)
    for host in ("a", "b", "c"):
        sites.add_outcome(f"https://{host}.example/s", PATTERN, is_joined=True)
    counts = [len(sites.find_patterns(f"https://{host}.example/").outcomes) for host in "cba"]
    assert counts == [1, 1, 0]


@pytest.mark.parametrize("name", COLUMNS)
def test_no_entry_of_a_store_is_taken_for_an_outcome(name: str, shared: Shared) -> None:
    shared.clear()
    shared.put(COLLECTION, [COLUMNS[name]])
    sites = SiteRegistry(open_store(shared.address))
    sites.find_patterns(URL % 1)
    sites.synchronise()
    assert not sites.find_patterns(URL % 1).outcomes
    assert sites.bad_records
    sites.add_outcome(URL % 1, PATTERN, is_joined=True)
    sites.close()
    later = SiteRegistry(open_store(shared.address))
    later.find_patterns(URL % 1)
    later.synchronise()
    assert len(later.find_patterns(URL % 1).outcomes) == 1
    later.close()


def test_an_outcome_of_the_future_is_passed_over(shared: Shared) -> None:
    shared.clear()
    at = now() + 10 * 86_400_000
    shared.put(COLLECTION, [(KEY, at, outcome(1, is_joined=True).pack())])
    sites = SiteRegistry(open_store(shared.address))
    sites.find_patterns(URL % 1)
    sites.synchronise()
    assert (len(sites.find_patterns(URL % 1).outcomes), sites.bad_records) == (0, 1)
    sites.close()
