"""Stores that others have written to: any bytes in any column of every kind of record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.fingerprints import Article
from scrapy_boilerplate.site.monitors import SiteChange, SiteMonitor
from scrapy_boilerplate.site.registry import CLAIM_SPAN, SiteRegistry
from scrapy_boilerplate.site.stores import (
    ARTICLES,
    CHANGES,
    MONITORS,
    VERSIONS,
    now,
    open_store,
)
from tests.site.test_hostile_stores import (
    DATA,
    KEYS,
    TIMES,
    Entry,
    Shared,
    shared,
)
from tests.site.test_knowledge import pool
from tests.site.test_monitors import PAGE, monitor_of
from tests.site.test_versions import KEY, MORE, TEXT, see, version
from tests.site_pages import article_text, site_page

__all__ = ["shared"]  # a fixture

SITE = "example.com"
CHANGE = SiteChange(SITE, 40, ("text",), (), 1)


class Kind(NamedTuple):
    """A collection, the key that this crawl writes in it, and records that others wrote."""

    collection: str
    key: bytes
    written: Callable[[], list[bytes]]


KINDS = {
    "page records": Kind(f"site:{SITE}", pool()[0].key, lambda: [page.pack() for page in pool()]),
    "articles": Kind(ARTICLES, Article.from_text(TEXT).key, lambda: [b"", b"x" * 16]),
    "versions": Kind(
        VERSIONS + SITE,
        KEY,
        lambda: [see(TEXT).version.pack(), see(MORE).version.pack(), version(simhash="").pack()],
    ),
    "monitors": Kind(
        MONITORS, SiteMonitor(SITE).key, lambda: [monitor_of(60).pack(), SiteMonitor(SITE).pack()]
    ),
    "changes": Kind(CHANGES, CHANGE.key, lambda: [b""]),
}


def near_times(hour: int) -> int:
    """A time so many hours from now."""
    return now() + hour * 3_600_000


# Numbers that break what counts with them: endless, none, the largest, the smallest.
NUMBERS = (b"\0\0\x80\x7f", b"\0\0\xc0\x7f", b"\0\0\x80\xff", b"\xff" * 8, b"\0" * 4, b"\xff")
EDITS = st.tuples(
    st.integers(0, 200), st.one_of(st.sampled_from(NUMBERS), st.binary(max_size=20)), st.booleans()
)


@st.composite
def entries(draw: st.DrawFn, kind: Kind) -> list[Entry]:
    """Entries of a collection: records of its kind that were changed, or anything."""
    drawn: list[Entry] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 3)) == 0:
            drawn.append((draw(KEYS), draw(TIMES), draw(DATA)))
            continue
        data = draw(st.sampled_from(kind.written()))
        for number, put, replaces in draw(st.lists(EDITS, max_size=3)):
            place = number % (len(data) + 1)
            data = data[:place] + put + data[place + len(put) * replaces :]
        key = draw(st.one_of(st.just(kind.key), KEYS))
        drawn.append((key, draw(st.integers(-48, 23).map(near_times)), data))
    return drawn


def use(shared: Shared) -> dict[str, Any]:
    """Use every collection as a crawl does; return what it says."""
    sites = SiteRegistry(open_store(shared.address))
    sites.enable_articles()
    sites.add_monitors(sites.store.read({MONITORS: ()})[MONITORS])
    sites.enable_monitors()
    sites.synchronise()
    extraction = SiteExtraction(sites)
    observed = extraction.read_and_learn(site_page(0), f"https://{SITE}/a", "container")
    sighting = see(TEXT)
    change = sites.register_version(sighting, sites.store.look_up(VERSIONS + SITE, sighting.key))
    sites.watch_page(f"https://{SITE}/a", PAGE)
    claim = sites.build_claim(CHANGE)
    sites.store.claim(CHANGES, claim, 9, claim.at - CLAIM_SPAN)
    sites.synchronise()
    told = {
        "text": extraction.build_document(observed, "container").text,
        "change": change.change,
        "pages": set(sites.knowledge(SITE).pages),
        "pages watched": sites.monitors.find(SITE).pages,
        "claimed": sites.store.claim(CHANGES, claim, 9, claim.at - CLAIM_SPAN),
    }
    assert all(monitor.words >= 0 for monitor in sites.monitors)
    sites.close()
    return told


@pytest.mark.parametrize("name", KINDS)
def test_any_bytes_in_any_column_of_every_kind(name: str, shared: Shared) -> None:
    @given(entries(KINDS[name]))
    @settings(
        max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def check(written: list[Entry]) -> None:
        shared.clear()
        shared.put(KINDS[name].collection, written)
        told = use(shared)
        text = "\n".join(article_text(0))
        assert text[:40] in told["text"]
        assert told["change"] in ("new", "unchanged", "updated")
        assert not told["claimed"], "it was claimed before"
        assert told["pages watched"] >= 1
        later = use(shared)
        assert told["pages"] <= later["pages"]
        assert later["change"] != "new"
        assert later["pages watched"] >= 2

    check()


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("articles", "changes")])
def test_a_bad_record_of_today_does_not_keep_its_key_for_a_day(name: str, shared: Shared) -> None:
    """What was written under its key had the time of the own clock, and was dropped as older."""
    shared.clear()
    kind = KINDS[name]
    shared.put(kind.collection, [(kind.key, near_times(6), b"\1" + kind.written()[0][1:] + b"x")])
    told, later = use(shared), use(shared)
    assert later["change"] == "unchanged"
    assert later["pages watched"] == 2
    assert told["pages"] <= later["pages"]
