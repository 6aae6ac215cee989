"""Detect redesigns of a site by sequential tests over its pages, in a few hundred bytes.

A monitor watches eight events of each page, such as a text of fewer than MIN_WORDS words, or
content at new places. It learns their rates, and a CUSUM of each (Page 1954, "Continuous
inspection schemes") adds up the evidence for a much higher rate. Lorden (1971, "Procedures for
reacting to a change in distribution"): with log likelihood ratios and a threshold h, the mean
number of pages until a false alarm is e^h at least, if pages are independent and the rate is right.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import starmap
from typing import Any, ClassVar, Self

from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.site.stores import MAX_TIME, Record, check_values, is_whole

MIN_WORDS = 20  # of a page with text
MIN_PAGES, MAX_PAGES = 30, 200  # pages from which rates are learnt: before any alarm, and at most
FALSE_ALARM_PAGES = 10_000  # target: one false alarm in so many pages, over all tests
PRIOR_EVENTS, PRIOR_PAGES = 2.0, 4.0  # a high prior rate: low ones give false alarms
SHIFT = 0.8  # share of the way to 1 by which a rate increases when a site changes
MAX_RATE = 0.5  # of an event that is unusual
# Shares of the threshold above which nothing is learnt. A rate learns one event of a run.
RATE_FREEZE_SHARE = 0.35
FREEZE_SHARE = 0.1  # of means and places
CONFIDENCE_DEVIATIONS, MIN_CONFIDENCE_DEVIATION = 3.0, 0.065
MAX_PLACES = 32
KNOWN_SHARE = 0.5  # of the places of a page
KNOWN_PAGES = 2  # minimum pages of a known place, so that one page of a new design is not enough
MAX_COUNT = 255
MAX_LOG_WORDS = 30
MAX_EXAMPLES, MAX_EXAMPLE = 3, 200  # URLs, and characters of each
MAX_SITE = 300  # characters

WATCHED_FIELDS = ("headline", "authors", "date_published", "description", "main_image")
# The events: no text, a low confidence, other places, a field without value.
EVENTS = ("text", "confidence", "places", *WATCHED_FIELDS)
REASONS = {
    "text": "pages without text",
    "confidence": "a lower confidence",
    "places": "text at other places",
    **{name: f"no {name}" for name in WATCHED_FIELDS},
}
THRESHOLD = math.log(FALSE_ALARM_PAGES * len(EVENTS))


@dataclass(frozen=True)
class Observation:
    """The watched values of one page.

    words       words of its text
    confidence  as in `Document`
    places      class paths (32 bits) of its content
    missing     the WATCHED_FIELDS without a value
    """

    words: int
    confidence: float
    places: frozenset[int]
    missing: frozenset[str]


def observe(
    text: str, confidence: float, values: Sequence[object], places: frozenset[int]
) -> Observation:
    """Return the observation of a document; `values` are in the order of WATCHED_FIELDS."""
    named = zip(WATCHED_FIELDS, values, strict=True)
    missing = frozenset(name for name, value in named if not value)
    certainty = min(1.0, max(0.0, confidence))  # a custom extractor can return any number
    return Observation(count_words(text), certainty, places, missing)


@dataclass(frozen=True)
class SiteChange:
    """A site has changed.

    pages     how many of its pages were watched since the last change
    reasons   names of EVENTS that have become frequent, the clearest first
    examples  URLs of some of the last unusual pages
    number    how often the site has changed, with this change
    """

    site: str
    pages: int
    reasons: tuple[str, ...]
    examples: tuple[str, ...]
    number: int

    @property
    def description(self) -> str:
        return ", ".join(REASONS[name] for name in self.reasons)


@dataclass
class _Test:
    """The CUSUM of one event: how many pages and events were learnt, and the sum."""

    pages: float = 0.0
    events: float = 0.0
    sum: float = 0.0

    @property
    def rate(self) -> float:
        return (self.events + PRIOR_EVENTS) / (self.pages + PRIOR_PAGES)

    def update(self, *, is_event: bool) -> None:
        rate, is_calm = self.rate, self.sum <= RATE_FREEZE_SHARE * THRESHOLD
        if rate > MAX_RATE:
            self.sum = 0.0
        elif self.pages >= MIN_PAGES:
            higher = rate + SHIFT * (1 - rate)
            ratio = higher / rate if is_event else (1 - higher) / (1 - rate)
            self.sum = max(0.0, self.sum + math.log(ratio))
        if is_calm:  # only the first event of a run is learnt; without it, rates would be too low
            fade = min(1.0, MAX_PAGES / (self.pages + 1))
            self.pages, self.events = fade * (self.pages + 1), fade * (self.events + is_event)


@dataclass
class SiteMonitor(Record):
    """The state of a site: rates, sums, and the places of its content.

    pages    pages since the last change
    changes  how often it has changed; `changed_at` is when it last did, milliseconds since 1970
    moments  mean logarithm of words; mean and squared deviation of the confidence
    places   class path to the number of pages with content there, at most MAX_COUNT
    """

    COLLECTION: ClassVar[str] = "monitors"
    MAX_RECORDS: ClassVar[int] = 20_000

    site: str
    pages: int = 0
    changes: int = 0
    changed_at: int = 0
    moments: list[float] = field(default_factory=lambda: [0.0] * 3)
    tests: dict[str, _Test] = field(default_factory=lambda: {name: _Test() for name in EVENTS})
    places: dict[int, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    @property
    def words(self) -> int:
        """The words of a usual text: the geometric mean, near the median."""
        return round(math.expm1(self.moments[0]))

    @property
    def confidence(self) -> float:
        return self.moments[1]

    def rate(self, name: str) -> float:
        """Return the share of the pages with an event, 0 without pages."""
        test = self.tests[name]
        return test.events / test.pages if test.pages else 0.0

    def watch(self, page: Observation, url: str | None, at: int) -> SiteChange | None:
        """Add a page, seen `at` milliseconds since 1970; return the change that it completes."""
        events = self._find_events(page)
        is_calm = max(test.sum for test in self.tests.values()) <= FREEZE_SHARE * THRESHOLD
        for name, is_event in events.items():
            self.tests[name].update(is_event=is_event)
        sums = {name: test.sum for name, test in self.tests.items()}
        if any(events[name] for name in events if sums[name] > 0) and url:
            self.examples = [*self.examples[1 - MAX_EXAMPLES :], url[:MAX_EXAMPLE]]
        self.pages += 1
        if max(sums.values()) < THRESHOLD:
            if is_calm:
                self._learn(page)
            if not any(sums.values()):
                self.examples = []
            return None
        suspects = [name for name in EVENTS if sums[name] > THRESHOLD / 2]
        suspects.sort(key=lambda name: -sums[name])
        number = self.changes + 1
        change = SiteChange(self.site, self.pages, tuple(suspects), tuple(self.examples), number)
        vars(self).update(vars(SiteMonitor(self.site, changes=number, changed_at=at)))
        return change

    def _find_events(self, page: Observation) -> dict[str, bool]:
        has_text = page.words >= MIN_WORDS
        events = {"text": not has_text}
        _, confidence, squares = self.moments
        n = max(1, min(self.pages, MAX_PAGES))
        if has_text and page.places:
            known = sum(self.places.get(place, 0) >= KNOWN_PAGES for place in page.places)
            events["places"] = known < KNOWN_SHARE * len(page.places)
        deviation = max(MIN_CONFIDENCE_DEVIATION, math.sqrt(squares / n))
        events["confidence"] = page.confidence < confidence - CONFIDENCE_DEVIATIONS * deviation
        events |= {name: name in page.missing for name in WATCHED_FIELDS}
        if self.pages < MIN_PAGES // 2:  # means and places are not known yet
            events = {k: v for k, v in events.items() if k in ("text", *WATCHED_FIELDS)}
        return events

    def _learn(self, page: Observation) -> None:
        n = min(self.pages, MAX_PAGES)
        words, confidence, squares = self.moments
        if page.words >= MIN_WORDS or self.pages <= 1:
            words += (math.log1p(page.words) - words) / n
        change = page.confidence - confidence
        confidence += change / n
        # rounding can give less than zero
        squares = max(0.0, squares + change * (page.confidence - confidence))
        squares *= 1 if self.pages <= MAX_PAGES else 1 - 1 / n
        self.moments = [words, confidence, squares]
        for path in page.places:
            self.places[path] = min(MAX_COUNT, self.places.get(path, 0) + 1)
        while len(self.places) > MAX_PLACES:  # Misra and Gries 1982: subtract one from all counts
            self.places = {path: count - 1 for path, count in self.places.items() if count > 1}

    def to_values(self) -> dict[str, Any]:
        tests = [[test.pages, test.events, test.sum] for test in self.tests.values()]
        return {**vars(self), "tests": tests, "places": list(self.places.items())}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        names = (field.name for field in fields(cls))
        tests = dict(zip(EVENTS, starmap(_Test, values["tests"]), strict=True))
        monitor = cls(**{name: values[name] for name in names if name != "tests"}, tests=tests)
        monitor.places = {int(path): int(count) for path, count in values["places"]}
        monitor.moments, monitor.examples = list(monitor.moments), list(monitor.examples)
        words, confidence, squares = monitor.moments
        numbers = (monitor.pages, monitor.changes, monitor.changed_at)
        check_values(
            isinstance(monitor.site, str) and 0 < len(monitor.site) <= MAX_SITE,
            all(is_whole(number, MAX_TIME) for number in numbers),
            0 <= words < MAX_LOG_WORDS and 0 <= confidence <= 1,
            0 <= squares < math.inf,
            all(0 <= t.events <= t.pages <= MAX_PAGES for t in tests.values()),
            all(0 <= test.sum < math.inf for test in tests.values()),
            all(isinstance(url, str) for url in monitor.examples),
        )
        return monitor
