"""Whether a site has been redesigned: sequential tests over its pages, in a few hundred bytes.

Of each page nine events are watched, such as a text of fewer than MIN_WORDS words, or content at
places where the site had none. Their rates are learnt, and a CUSUM of each (Page 1954, "Continuous
inspection schemes") sums what speaks for a rate that is much higher. Lorden (1971, "Procedures for
reacting to a change in distribution"): with log likelihood ratios and a threshold h, the mean
number of pages until a false alarm is e^h at least, if pages are independent and the rate is right.
"""

from __future__ import annotations

import math
import struct
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.site.page_records import MAX_TIME, MIN_SCORE, PageRecord

# Words of a text below which a page has none (our choice).
MIN_WORDS = 20
# Pages from which rates are learnt before any alarm (our choice), and at most: older ones fade.
MIN_PAGES, MAX_PAGES = 30, 200
# Pages of one false alarm that are aimed at, over all tests: the threshold of each follows.
FALSE_ALARM_PAGES = 10_000
# Added to events and pages of a rate: a high guess, as a low one gives false alarms (our choice).
PRIOR_EVENTS, PRIOR_PAGES = 2.0, 4.0
# How far a rate has moved to 1 when a site has changed (docs/usage/monitoring.md).
SHIFT = 0.8
# Rate above which an event is no news, such as that of a field that is rarely filled (our choice).
MAX_RATE = 0.5
# A rate is no longer learnt where its sum has this share of the threshold: one event is learnt,
# the next are not (docs/usage/monitoring.md). Means and places stay as they are sooner.
RATE_FREEZE_SHARE = 0.35
FREEZE_SHARE = 0.1
# Standard deviations by which the length of a text is unusual, and its confidence low; and the
# least deviations (our choice). Lengths are logarithms.
WORDS_DEVIATIONS, CONFIDENCE_DEVIATIONS = 3.0, 3.0
MIN_WORDS_DEVIATION, MIN_CONFIDENCE_DEVIATION = 0.6, 0.065
# Places of content that are remembered, and the share of a page's that must be among them (our
# choice).
MAX_PLACES = 32
KNOWN_SHARE = 0.5
# Pages on which a place is known: one page of a new design makes its places no old ones.
KNOWN_PAGES = 2
MAX_COUNT = 255
# Pages of a site that are counted, and the logarithm of the words of a text, below this.
MAX_COUNTED, MAX_LOG_WORDS = 2**32 - 1, 30
# Addresses of unusual pages that are kept, and their characters.
MAX_EXAMPLES, MAX_EXAMPLE = 3, 200
# Sites that are watched, and in a store (our choice: 10 MB).
MAX_MONITORS = 20_000
MAX_SITE = 300

WATCHED_FIELDS = ("headline", "authors", "date_published", "description", "main_image")
EVENTS = ("text", "words", "confidence", "places", *WATCHED_FIELDS)
"""The events: no text, an unusual length, a low confidence, other places, a field without value."""
REASONS = dict(
    zip(
        EVENTS,
        (
            "pages without text",
            "texts of another length",
            "a lower confidence",
            "text at other places",
            *(f"no {name}" for name in WATCHED_FIELDS),
        ),
        strict=True,
    )
)
THRESHOLD = math.log(FALSE_ALARM_PAGES * len(EVENTS))

MONITOR_FORMAT = 1
_HEAD = struct.Struct("<BIHq4fBBH")
"""Format, pages, changes, time of the last, moments, numbers of places and examples, size of the
name."""
_TEST = struct.Struct("<3f")
_PLACE = struct.Struct("<IB")


@dataclass(frozen=True)
class Observation:
    """What is watched of one page.

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
    """Return what is watched of a document; `values` are those of WATCHED_FIELDS."""
    named = zip(WATCHED_FIELDS, values, strict=True)
    missing = frozenset(name for name, value in named if not value)
    certainty = min(1.0, max(0.0, confidence))  # of an extractor of your own: any number
    return Observation(count_words(text), certainty, places, missing)


def find_content_paths(record: PageRecord) -> frozenset[int]:
    """Return the class paths of a record at which most words are content."""
    return frozenset(record.paths[record.contents >= 255 * MIN_SCORE].tolist())


@dataclass(frozen=True)
class SiteChange:
    """A site has changed.

    pages     how many of its pages were watched since the last change
    reasons   names of EVENTS that have become frequent, the clearest first
    examples  addresses of some of the last unusual pages
    number    how often the site has changed, with this change
    """

    site: str
    pages: int
    reasons: tuple[str, ...]
    examples: tuple[str, ...]
    number: int

    @property
    def key(self) -> bytes:
        """The key in stores."""
        return hash_site(f"{self.number} {self.site}")

    @property
    def description(self) -> str:
        """The reasons in words."""
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
        if is_calm:  # the first of a run counts: else rates would be too low
            fade = min(1.0, MAX_PAGES / (self.pages + 1))
            self.pages, self.events = fade * (self.pages + 1), fade * (self.events + is_event)


@dataclass
class SiteMonitor:
    """What is known of a site: rates, sums, and the places of its content.

    pages    pages since the last change
    changes  how often it has changed; `changed_at` is when it last did, milliseconds since 1970
    moments  mean and squared deviation of the logarithm of words, and of the confidence
    places   class path to the number of pages with content there, at most MAX_COUNT
    """

    site: str
    pages: int = 0
    changes: int = 0
    changed_at: int = 0
    moments: list[float] = field(default_factory=lambda: [0.0] * 4)
    tests: dict[str, _Test] = field(default_factory=lambda: {name: _Test() for name in EVENTS})
    places: dict[int, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    @property
    def words(self) -> int:
        """The words of a usual text: the geometric mean, near the median."""
        return round(math.expm1(self.moments[0]))

    @property
    def confidence(self) -> float:
        """The mean confidence."""
        return self.moments[2]

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
        self.pages = min(self.pages + 1, MAX_COUNTED)
        if max(sums.values()) < THRESHOLD:
            if is_calm:
                self._learn(page)
            if not any(sums.values()):
                self.examples = []
            return None
        suspects = [name for name in EVENTS if sums[name] > THRESHOLD / 2]
        suspects.sort(key=lambda name: -sums[name])
        number = min(self.changes + 1, 65_535)
        change = SiteChange(self.site, self.pages, tuple(suspects), tuple(self.examples), number)
        vars(self).update(vars(SiteMonitor(self.site, changes=number, changed_at=at)))
        return change

    def adopt(self, other: SiteMonitor) -> bool:
        """Take over what another worker knows of the site, if it is more; return whether it was.

        A change that it has seen begins the site anew. Of the same design the reference of more
        pages counts: rates, means and places. The sums stay those of the own pages.
        """
        is_newer = other.changes > self.changes
        if not is_newer and (other.changes < self.changes or other.pages <= self.pages):
            return False
        tests = {
            name: _Test(test.pages, test.events, 0.0 if is_newer else self.tests[name].sum)
            for name, test in other.tests.items()
        }
        examples = [] if is_newer else self.examples
        vars(self).update({**vars(other), "tests": tests, "examples": examples})
        return True

    def _find_events(self, page: Observation) -> dict[str, bool]:
        """Return the events that can be told of a page: without text neither length nor places."""
        has_text = page.words >= MIN_WORDS
        events = {"text": not has_text}
        mean, squares, confidence, confidence_squares = self.moments
        n = max(1, min(self.pages, MAX_PAGES))
        if has_text:
            deviation = max(MIN_WORDS_DEVIATION, math.sqrt(max(0.0, squares) / n))
            events["words"] = abs(math.log1p(page.words) - mean) > WORDS_DEVIATIONS * deviation
            if page.places:
                known = sum(self.places.get(place, 0) >= KNOWN_PAGES for place in page.places)
                events["places"] = known < KNOWN_SHARE * len(page.places)
        deviation = max(MIN_CONFIDENCE_DEVIATION, math.sqrt(max(0.0, confidence_squares) / n))
        events["confidence"] = page.confidence < confidence - CONFIDENCE_DEVIATIONS * deviation
        events |= {name: name in page.missing for name in WATCHED_FIELDS}
        if self.pages < MIN_PAGES // 2:  # means and places are not known yet
            events = {k: v for k, v in events.items() if k in ("text", *WATCHED_FIELDS)}
        return events

    def _learn(self, page: Observation) -> None:
        n = min(self.pages, MAX_PAGES)
        values = (math.log1p(page.words), page.confidence)
        for place, value in zip((0, 2), values, strict=True):
            if place == 0 and page.words < MIN_WORDS and self.pages > 1:
                continue
            change = value - self.moments[place]
            self.moments[place] += change / n
            # below zero by rounding where a store told a mean without pages
            squares = max(0.0, self.moments[place + 1] + change * (value - self.moments[place]))
            self.moments[place + 1] = squares * (1 if self.pages <= MAX_PAGES else 1 - 1 / n)
        for path in page.places:
            self.places[path] = min(MAX_COUNT, self.places.get(path, 0) + 1)
        while len(self.places) > MAX_PLACES:  # Misra and Gries 1982: all lose one
            self.places = {path: count - 1 for path, count in self.places.items() if count > 1}

    @property
    def key(self) -> bytes:
        """The key in stores."""
        return hash_site(self.site)

    def pack(self) -> bytes:
        """Return the monitor as bytes for a store."""
        site = self.site.encode("utf-8", "surrogatepass")
        head = _HEAD.pack(
            MONITOR_FORMAT, self.pages, self.changes, self.changed_at, *self.moments,
            len(self.places), len(self.examples), len(site),
        )  # fmt: skip
        tests = b"".join(_TEST.pack(t.pages, t.events, t.sum) for t in self.tests.values())
        places = b"".join(_PLACE.pack(*each) for each in self.places.items())
        examples = [url.encode("utf-8", "surrogatepass") for url in self.examples]
        texts = b"".join(struct.pack("<H", len(url)) + url for url in examples)
        return head + tests + places + site + texts

    @classmethod
    def unpack(cls, data: bytes) -> SiteMonitor:
        """Return the monitor of a record. Raises ValueError for one that `pack` cannot write."""
        try:
            monitor = cls._unpack(data)
            is_whole = monitor.pack() == data
        except (struct.error, UnicodeDecodeError, OverflowError) as error:
            raise ValueError("no monitor") from error
        numbers = [*monitor.moments, *(n for t in monitor.tests.values() for n in vars(t).values())]
        if not (
            is_whole
            and all(map(math.isfinite, numbers))
            and min(*numbers[1:2], *numbers[3:]) >= 0
            and all(
                t.events <= t.pages <= MAX_PAGES and t.sum < THRESHOLD
                for t in monitor.tests.values()
            )
            and 0 <= monitor.moments[0] < MAX_LOG_WORDS
            and 0 <= monitor.moments[2] <= 1
            and len(monitor.places) <= MAX_PLACES
            and len(monitor.examples) <= MAX_EXAMPLES
            and 0 < len(monitor.site) <= MAX_SITE
            and 0 <= monitor.changed_at <= MAX_TIME
        ):
            raise ValueError("no monitor")
        return monitor

    @classmethod
    def _unpack(cls, data: bytes) -> SiteMonitor:
        _, pages, changes, at, *moments, n_places, n_examples, n_site = _HEAD.unpack_from(data)
        position, tests = _HEAD.size, {}
        for name in EVENTS:
            tests[name] = _Test(*_TEST.unpack_from(data, position))
            position += _TEST.size
        places = {}
        for _ in range(n_places):
            place, count = _PLACE.unpack_from(data, position)
            places[place] = count
            position += _PLACE.size
        site = data[position : position + n_site].decode("utf-8", "surrogatepass")
        position, examples = position + n_site, []
        for _ in range(n_examples):
            (size,) = struct.unpack_from("<H", data, position)
            position += 2
            examples.append(data[position : position + size].decode("utf-8", "surrogatepass"))
            position += size
        return cls(site, pages, changes, at, moments, tests, places, examples)


def hash_site(site: str) -> bytes:
    """Return 16 bytes of the name of a site."""
    return blake2b(site.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class SiteMonitors:
    """The monitors of the sites that were met last, at most `max_monitors`."""

    def __init__(self, max_monitors: int = MAX_MONITORS) -> None:
        self._max_monitors = max_monitors
        self._packed: OrderedDict[bytes, tuple[int, bytes]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[SiteMonitor]:
        return (SiteMonitor.unpack(data) for _, data in self._packed.values())

    def get(self, key: bytes) -> tuple[int, bytes] | None:
        """Return when a site was last met, and the packed monitor."""
        return self._packed.get(key)

    def find(self, site: str) -> SiteMonitor:
        """Return the monitor of a site."""
        known = self._packed.get(hash_site(site))
        return SiteMonitor(site) if known is None else SiteMonitor.unpack(known[1])

    def put(self, monitor: SiteMonitor, at: int) -> bytes:
        """Keep a monitor; return it packed."""
        data = monitor.pack()
        self._packed[monitor.key] = at, data
        self._packed.move_to_end(monitor.key)
        if len(self._packed) > self._max_monitors:
            self._packed.popitem(last=False)
        return data
