"""The URLs of a site: waiting URLs, requested URLs, and the results of their requests.

The URLs wait in arms, one for each context of a link and shape of a URL, which are requested in a
fixed order of contexts. An arm ends that leads to no articles. A store keeps a record of each URL
for the next crawl.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush, nlargest
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

from scrapy_boilerplate.crawl.spider import urls
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link, Skip
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url
from scrapy_boilerplate.site import stores

logger = logging.getLogger(__name__)

MAX_WAITING = 100_000  # URLs of a crawl
MAX_KNOWN = 100_000  # requested URLs and texts of a site, the newest
MAX_ARMS = 500
MAX_FEEDS = 20  # requests
PRIOR_PAGES = 2  # pages that weigh as much as a prior
LIKELY = 0.5  # probability from which a link counts as an article
BARREN_PAGES = 6  # pages of an arm without a new link until it ends
MIN_EQUAL = 2  # pairs of equal pages until a parameter is noise
MAX_CREDIT = 5  # new links of a page that count for its arm
MAX_MISSES = 20  # likely first pages of arms in a row that were no articles, until new arms are not
MAX_BARREN_SHAPES = 50  # first pages of arms in a row without any, until new arms end
FIRST_LISTS = 3  # sitemaps that are read in the order of their dates
LIST_SHARE = 0.03  # of requests for further sitemaps, while likely articles wait
MAX_SECTIONS = 50  # lists that a second run requests again
MAX_OLD = 5  # articles in a row before `since` after which the others of an arm are dropped
HOME, SECTIONS = "@home", "@section"
SOURCES = (HOME, FEEDS, SECTIONS, SITEMAPS)  # contexts of lists of articles
# contexts to their order of requests, the highest first; other links follow by their yield
ORDER = {HOME: 5, FEEDS: 4, urls.FEED: 3, urls.NEWS: 3, SITEMAPS: 2, urls.SITEMAP: 2, urls.TITLE: 1}
FURTHER_LISTS = 1.5  # order of more sitemaps, as long as they list new articles
# request headers to the response headers that they repeat
VALIDATORS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
is_header = re.compile("[\\x20-\\x7e\\x80-\\xff]{1,1000}").fullmatch
CLAIMED = Link("", HOME)  # of records of texts, and of other URLs of an article


class Result(NamedTuple):
    """The result of a request.

    is_article  whether the page was an article
    links       new likely articles that it listed; each run halves the earlier count
    headers     headers of the next request, which is answered with 304 if nothing changed
    at          timestamp
    """

    is_article: bool = False
    links: int = 0
    headers: Mapping[str, str] = {}
    at: float = 0.0


@dataclass(frozen=True)
class UrlRecord(stores.Record):
    """A URL in a store; without a result it waits."""

    COLLECTION: ClassVar[str] = "urls"
    MAX_RECORDS: ClassVar[int] = MAX_WAITING + MAX_KNOWN

    link: Link
    result: Result | None = None

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> UrlRecord:
        link = Link(*values["link"])
        result = None if values["result"] is None else Result(*values["result"])
        is_text = isinstance(link.url, str) and isinstance(link.found_in, str)
        is_claim = link == CLAIMED and result is not None
        stores.check_values(
            is_text and (is_claim or _is_web_url(link.url)),
            link.context in {*SOURCES, *urls.LOG_ODDS},
            link.date is None or _is_time(link.date),
            stores.is_whole(link.depth, stores.MAX_TIME),
            result is None or _is_result(result),
        )
        return cls(link, result)


def _is_web_url(text: str) -> bool:
    cleaned = clean_url(text, None, IMAGE_SCHEMES)
    return cleaned is not None and urlsplit(cleaned).scheme != ""


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= stores.MAX_TIME


def _is_result(result: Result) -> bool:
    return (
        isinstance(result.is_article, bool)
        and stores.is_whole(result.links, stores.MAX_TIME)
        and isinstance(result.headers, dict)
        and all(name in VALIDATORS and is_header(text) for name, text in result.headers.items())
        and _is_time(result.at)
    )


@dataclass
class Arm:
    """URLs of a context and shape that wait, and the results of others.

    prior    probability that a page is an article, by its link
    listed   pages of this crawl that were no articles
    links    new likely articles on them
    old      articles before `since` in a row, by the URL of their list
    queue    dates and keys
    """

    context: str
    prior: float = 0.0
    tried: int = 0
    articles: int = 0
    listed: int = 0
    links: int = 0
    old: Counter[str] = field(default_factory=Counter)
    queue: list[tuple[float, bytes]] = field(default_factory=list)

    @property
    def probability(self) -> float:
        return (self.articles + PRIOR_PAGES * self.prior) / (self.tried + PRIOR_PAGES)

    def is_barren(self, n_pages: int) -> bool:
        """Return whether at least `n_pages` listed almost no new articles."""
        return self.listed >= n_pages and self.links * BARREN_PAGES < self.listed

    def learn(self, result: Result) -> None:
        self.tried += 1
        self.articles += result.is_article
        self.listed += not result.is_article
        self.links += min(result.links, MAX_CREDIT)


class Site:
    """The URLs of one of `n_sites` sites.

    waiting    URLs that wait or are requested, by their key
    in_flight  keys of the requests whose response was not read yet
    failures   requests without an answer in a row
    articles   articles by the source of their URL
    read       responses by kind: pages, feeds, sitemaps
    skipped    URLs without an item by reason
    examples   the first URL of each reason
    bad_records  invalid records of the store
    """

    def __init__(self, name: str, n_sites: int = 1, *, is_stored: bool = True) -> None:
        self.name, self._is_stored = name, is_stored
        self.waiting: dict[bytes, Link] = {}
        self.in_flight: set[bytes] = set()
        self.requests = self.failures = self.bad_records = 0
        self.is_given_up = False
        self.articles: Counter[str] = Counter()
        self.read: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self._counted: set[int] = set()  # hashes of reasons and URLs
        self._collection = stores.Collection(UrlRecord, name)
        self._max_waiting = MAX_WAITING // n_sites
        self._opened = time.time()
        self._arms: dict[str, Arm] = {}
        self._lists = 0
        self._barren: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()
        self._known: dict[bytes, Result] = {}  # the oldest first
        self._variants: dict[bytes, tuple[str, bytes]] = {}  # URLs and texts, by a parameter less
        self._noise: Counter[str] = Counter()
        self._changed: dict[bytes, UrlRecord] = {}
        self._held: dict[bytes, dict[bytes, UrlRecord]] = {}
        self._holder: bytes | None = None

    def find_arm(self, link: Link) -> Arm:
        """Return the arm of a link, which is added if it is new."""
        context = link.context
        if context in SOURCES:
            return self._arms.setdefault(context, Arm(context))
        name = f"{context} {urls.describe_shape(link.url)}"
        if name not in self._arms and len(self._arms) >= MAX_ARMS:
            name = context
        if name not in self._arms:
            self._arms[name] = Arm(context, urls.estimate_article(link.url, context))
        return self._arms[name]

    def add(self, link: Link, *, is_dated: bool = False) -> float:
        """Queue a link with a date; return the probability that it is an article, 0 if it is known.

        With `is_dated`, a page that was changed after its request is queued again. Otherwise a
        source is queued again in a new run.
        """
        key = urls.create_key(link.url)
        if key is None:
            self.drop(link.url, Skip.BAD_URL)
            return 0.0
        known = self._known.get(key)
        changed = link.date or 0.0 if is_dated else self._opened
        is_again = (is_dated or link.context in SOURCES) and known and changed > known.at
        if key in self.waiting or (known and not is_again):
            self.drop(link.url, Skip.KNOWN, is_counted=False)
            if key in self.waiting and key not in self.in_flight:
                self._improve(key, link)
            return 0.0
        arm = self.find_arm(link)
        if self.is_over(arm) or len(self.waiting) >= self._max_waiting:
            self.drop(link.url, Skip.TRAP if self.is_over(arm) else Skip.QUEUE_FULL)
            return 0.0
        self._queue(key, link)
        self._note(key, UrlRecord(link))
        return self.estimate(arm)

    def _improve(self, key: bytes, link: Link) -> None:
        """Queue a link of a waiting URL instead, if its context says more about the page."""
        context = self.waiting[key].context
        is_better = ORDER.get(link.context, 0) > ORDER.get(context, 0)
        # pages in the menu are rarely articles
        is_menu = link.context == urls.NAV and link.depth == 1
        if (is_menu and context == urls.SITEMAP) or (is_better and context != urls.NAV):
            self._queue(key, link)
            self._note(key, UrlRecord(link))

    def _queue(self, key: bytes, link: Link) -> None:
        self.waiting[key] = link
        heappush(self.find_arm(link).queue, (-(link.date or 0.0), key))

    def pop(self) -> Link | None:
        """Return the next URL to request: the newest of the arms that are first in ORDER.

        Others, and unlikely articles, follow by their share of articles and of links to new ones.
        """
        newest = [(arm, link) for arm in self._arms.values() if (link := self._peek(arm))]
        if not newest:
            return None
        arm, link = max(newest, key=lambda pair: (*self._rank(pair[0]), pair[1].date or 0.0))
        if self._rank(arm)[0] < FURTHER_LISTS and self._awaits_list():
            return None  # it may name newer articles
        self.in_flight.add(heappop(arm.queue)[1])
        self._lists += arm.context == SITEMAPS
        self.requests += 1
        return link

    def _awaits_list(self) -> bool:
        contexts = {self.waiting[key].context for key in self.in_flight if key in self.waiting}
        return not contexts.isdisjoint((FEEDS, SITEMAPS))

    def _rank(self, arm: Arm) -> tuple[float, float]:
        place: float = ORDER.get(arm.context, 0)
        if arm.context == SITEMAPS and self._lists >= FIRST_LISTS + LIST_SHARE * self.requests:
            place = 0 if arm.is_barren(BARREN_PAGES) else FURTHER_LISTS
        if place and (arm.context in SOURCES or self.estimate(arm) >= LIKELY):
            return place, 0
        return 0, (arm.links + arm.articles + 1) / (arm.tried + 2)

    def estimate(self, arm: Arm) -> float:
        """Return the probability that a page of an arm is an article."""
        is_doubtful = not arm.tried and self._misses[arm.context] >= MAX_MISSES
        return arm.probability * (LIKELY if is_doubtful else 1)

    def is_over(self, arm: Arm) -> bool:
        """Return whether an arm has neither articles nor lists of new ones, as a calendar."""
        if arm.context in (HOME, SECTIONS, FEEDS):
            return arm.context == FEEDS and arm.tried >= MAX_FEEDS
        # the news can be in the last of many sitemaps
        is_barren = arm.is_barren(MAX_BARREN_SHAPES if arm.context == SITEMAPS else BARREN_PAGES)
        is_barren |= not arm.tried and self._barren[arm.context] >= MAX_BARREN_SHAPES
        return is_barren and self.estimate(arm) < LIKELY

    def accept(self, link: Link) -> bool:
        """Return whether the URL of a response waits for a result; if so, `end` must follow.

        It does not if another page has claimed it, or if Scrapy's queue in JOBDIR kept the request
        of an earlier run and this run has requested the URL again.
        """
        key = urls.create_key(link.url) or b""
        if key in self.waiting:
            self.in_flight.add(key)
            return True
        self.in_flight.discard(key)
        self.drop(link.url, Skip.DUPLICATE)
        return False

    def end(self, link: Link) -> None:
        self.in_flight.discard(urls.create_key(link.url) or b"")

    def _peek(self, arm: Arm) -> Link | None:
        while arm.queue:
            _, key = arm.queue[0]
            link = self.waiting.get(key)
            is_here = link is not None and key not in self.in_flight and self.find_arm(link) is arm
            reason = self._find_reason(arm, link) if link is not None and is_here else None
            if is_here and reason is None:
                return link
            heappop(arm.queue)
            if link is not None and reason is not None:
                self.drop(link.url, reason)
                self._record(key, link, Result())
        return None

    def _find_reason(self, arm: Arm, link: Link) -> Skip | None:
        if arm.context != urls.NAV and arm.old[link.found_in] >= MAX_OLD:  # menus lead to lists
            return Skip.OLD_LIST
        if self.is_over(arm):
            return Skip.TRAP
        return Skip.DUPLICATE if self.is_variant(link.url) else None

    def find_headers(self, link: Link) -> Mapping[str, str]:
        """Return the headers of the next request for a list of articles."""
        key = urls.create_key(link.url)
        known = self._known.get(key) if key is not None and link.context in SOURCES else None
        return {} if known is None else known.headers

    def learn(self, link: Link, result: Result) -> None:
        arm, key = self.find_arm(link), urls.create_key(link.url)
        if not arm.tried:
            is_miss, is_barren = not result.is_article, not (result.is_article or result.links)
            name = arm.context
            self._misses[name] = self._misses[name] + (arm.probability >= LIKELY) if is_miss else 0
            self._barren[name] = self._barren[name] + 1 if is_barren else 0
        # lists of an earlier run have few new links
        if link.context != SITEMAPS or key not in self._known:
            arm.learn(result)
        if key is not None:
            self._record(key, link, result)

    def refuse(self, link: Link, reason: str) -> None:
        self.drop(link.url, reason)
        self._record(urls.create_key(link.url) or b"", link, Result())

    def compare_variants(self, url: str, text: bytes) -> None:
        """Learn which parameters of a URL do not change the text of its page."""
        for name, variant in urls.find_variants(url).items():
            known = self._variants.setdefault(variant, (url, text))
            if known != (url, text):
                is_same = known[1] == text
                self._noise[name] = self._noise[name] + 1 if is_same else -MAX_KNOWN
        while len(self._variants) > MAX_KNOWN:
            del self._variants[next(iter(self._variants))]

    def is_variant(self, url: str) -> bool:
        """Return whether a URL is an article's, except for a parameter that changes no text."""
        return bool(self._noise) and any(
            self._noise[name] >= MIN_EQUAL and variant in self._variants
            for name, variant in urls.find_variants(url).items()
        )

    def skip(self, link: Link, reason: str) -> None:
        self.drop(link.url, reason)
        self.learn(link, Result())

    def drop(self, url: str, reason: str, *, is_counted: bool = True) -> None:
        """Log a URL without an item, and count it, once for each reason."""
        number = hash((reason, url))
        if is_counted and number not in self._counted:
            if len(self._counted) < MAX_KNOWN:
                self._counted.add(number)
            self.skipped[reason] += 1
            self.examples.setdefault(reason, url)
        logger.debug("%s: skipped %s: %s", self.name, url, reason)

    def claim(self, key: bytes) -> Result | None:
        """Record another URL, or the text, of an article; return the result it had, or None."""
        known = self._known.get(key)
        if known is None:
            self._record(key, CLAIMED, Result())
        return known

    def _record(self, key: bytes, link: Link, result: Result) -> None:
        self.waiting.pop(key, None)
        before = self._known.pop(key, Result())
        links = before.links // 2 + result.links
        self._known[key] = result._replace(links=links, at=time.time())
        self._note(key, UrlRecord(link, self._known[key]))
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]

    def _note(self, key: bytes, record: UrlRecord) -> None:
        """Keep a record for the store; while the store fails, the newest."""
        if self._is_stored and self._holder is not None:
            self._held.setdefault(self._holder, {})[key] = record
        elif self._is_stored:
            self._changed[key] = record
            if len(self._changed) > UrlRecord.MAX_RECORDS:
                del self._changed[next(iter(self._changed))]

    @contextmanager
    def hold(self, link: Link) -> Iterator[None]:
        """Write the records of this block only after `release`, when the item was exported."""
        self._holder = urls.create_key(link.url)
        try:
            yield
        finally:
            self._holder = None

    def release(self, link: Link | None = None) -> None:
        """Let `save` write the records of `hold`: of a link, or all."""
        keys = list(self._held) if link is None else [urls.create_key(link.url)]
        for holder in keys:
            for key, record in self._held.pop(holder or b"", {}).items():
                self._note(key, record)

    def load(self, store: stores.Store) -> None:
        """Queue the URLs of an earlier run that wait, and the lists with the most new links.

        Lists without new links, and the pages in the menu of the home page, are still lists.
        Invalid records, such as those of another version, are counted.

        Raises StoreError.
        """
        keys = store.newest(self._collection)[::-1]
        lists: list[tuple[int, bytes, Link]] = []
        for key, data in store.get(self._collection, keys).items():
            try:
                _, record = UrlRecord.decode(data)
            except stores.RecordError:
                self.bad_records += 1
                continue
            link, result = record.link, record.result
            is_list = result is not None and self._recall(key, link, result)
            # a URL that waits under another key would wait for ever
            if (result is None or is_list) and urls.create_key(link.url) != key:
                self.bad_records += 1
            elif result is None:
                self._queue(key, link)
            elif is_list:
                lists.append((result.links, key, link))
        for _, key, link in nlargest(MAX_SECTIONS, lists):
            self._queue(key, link._replace(context=SECTIONS))

    def _recall(self, key: bytes, link: Link, result: Result) -> bool:
        """Add the result of an earlier run; return whether the page is a list to read again."""
        # the clock of another machine may be ahead
        self._known[key] = result._replace(at=min(result.at, self._opened - 1))
        if link.context in (HOME, FEEDS, SITEMAPS):  # those are found again
            return False
        arm = self.find_arm(link)
        arm.learn(result)
        arm.listed = arm.links = 0
        is_section = link.context == SECTIONS or (link.context == urls.NAV and link.depth == 1)
        return not result.is_article and bool(result.links or is_section)

    def take_changes(self) -> dict[bytes, UrlRecord]:
        """Return the records that `write` must write."""
        changed, self._changed = self._changed, {}
        return changed

    def save(self, store: stores.Store) -> None:
        """Write the changes since the last call. After a StoreError the next call writes them."""
        self.write(store, self.take_changes())

    def write(self, store: stores.Store, changed: Mapping[bytes, UrlRecord]) -> None:
        """Write records; keep them if that raises StoreError. URLs can be added meanwhile."""
        if not changed:
            return
        at = stores.now()
        records = [
            stores.StoreRecord(key, at, record.encode(at)) for key, record in changed.items()
        ]
        try:
            store.put(self._collection, records)
        except stores.StoreError:
            for key, url in changed.items():
                self._changed.setdefault(key, url)
            raise
