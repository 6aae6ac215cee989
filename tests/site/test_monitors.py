"""The alarm of redesigns: events, sums, stores."""

import math
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

from scrapy_boilerplate.site.monitors import Observation, SiteChange, SiteMonitor, observe

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
        (replace(PAGE, confidence=0.4), "confidence", 8),
        (replace(PAGE, places=frozenset({77, 78})), "places", 8),
        (replace(PAGE, missing=frozenset({"headline", "description"})), "headline", 8),
        (replace(PAGE, missing=frozenset({"authors"})), "authors", 12),
    ],
)
def test_each_kind_of_change_is_reported_soon(changed: Observation, reason: str, most: int) -> None:
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


def test_a_site_of_many_places_and_long_urls_stays_small() -> None:
    monitor = SiteMonitor(SITE)
    drawn = random.Random(4)  # noqa: S311
    for number in range(300):
        places = frozenset(drawn.choices(range(10_000), k=100))
        monitor.watch(replace(PAGE, places=places), URL % number + "x" * 9_999, number)
    assert len(monitor.places) <= 32
    assert len(monitor.examples) <= 3
    assert len(monitor.encode(1)) < 2_000


def test_what_is_observed_of_a_document() -> None:
    page = observe("one two three", 0.5, ["Head", (), None, "", "x"], frozenset({1}))
    assert page == Observation(
        3, 0.5, frozenset({1}), frozenset({"authors", "date_published", "description"})
    )
    for confidence, kept in ((7.0, 1.0), (-1e300, 0.0), (math.nan, 0.0)):
        assert observe("", confidence, [None] * 5, frozenset()).confidence == kept
