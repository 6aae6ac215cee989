"""The knowledge of all sites of a process, synchronised with a store.

Records are written in batches and read on demand. The methods `prepare_sync` and `apply_sync` use
the knowledge and are quick. Between them `synchronise` blocks on the store, perhaps in a thread.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.fingerprints import EXACT, MAX_ARTICLES, Article, ArticleIndex
from scrapy_boilerplate.site.knowledge import MAX_PAGES, Knowledge
from scrapy_boilerplate.site.monitors import (
    MAX_MONITORS,
    Observation,
    SiteChange,
    SiteMonitor,
    SiteMonitors,
)
from scrapy_boilerplate.site.page_records import PageRecord, PageRecordError
from scrapy_boilerplate.site.stores import (
    ARTICLES,
    MAX_AHEAD,
    MONITORS,
    VERSIONS,
    MemoryStore,
    Store,
    StoreError,
    StoreRecord,
    name_collection,
    now,
)
from scrapy_boilerplate.site.synchronisation import (
    SyncRequest,
    SyncResult,
    WriteQueue,
    synchronise,
)
from scrapy_boilerplate.site.versions import (
    CHANGED,
    MAX_VERSIONS,
    NEW,
    UNCHANGED,
    Change,
    Sighting,
    Version,
    VersionCache,
    compare_paragraphs,
)

_T = TypeVar("_T")

# Sites that are kept in memory; the least recently used go first.
MAX_SITES = 500
# Records between two writes to a local store, or between two attempts.
WRITE_INTERVAL = 100
# Overlap of two reads of articles, in milliseconds before the newest one (our choice: an hour):
# clocks differ, and records may arrive late.
OVERLAP = 3_600_000
# Keys of unreadable records that are remembered, so that they are not fetched again.
MAX_BAD_RECORDS = 1_000

# Overlap of two reads of monitors (our choice, ten minutes): clocks differ.
MONITOR_OVERLAP = 600_000
# Milliseconds for which a change that one worker told is not told by another (our choice, an hour:
# after the next synchronisation all know of it).
CLAIM_SPAN = 3_600_000


def _raise(error: StoreError) -> None:
    raise error


class SiteRegistry:
    """The knowledge of sites, by their registrable domain, over a store.

    A local store is read on the first page of a site, and written to in batches. A remote store is
    used only by `synchronise`, or by its three parts, of which the middle one may run in a thread.
    Otherwise this class is not thread-safe. `clock` returns milliseconds since 1970. Times of pages
    never decrease, so pages stay in order.

    on_error      called when a local store fails; raises the error by default. Records then stay in
                  the queue, and the store is tried again after WRITE_INTERVAL more records
    max_sites     maximum sites in memory
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        max_pages: int = MAX_PAGES,
        max_sites: int = MAX_SITES,
        clock: Callable[[], int] = now,
    ) -> None:
        self.store: Store = MemoryStore() if store is None else store
        self.articles = ArticleIndex()
        self.versions = VersionCache()
        self.monitors = SiteMonitors()
        self.on_error: Callable[[StoreError], None] = _raise
        self.max_sites = max_sites
        self._has_store = not isinstance(self.store, MemoryStore)
        self._max_pages = max_pages
        self._clock = clock
        self._last_time = 0
        self._domains = Domains()
        self._knowledge: OrderedDict[str, Knowledge] = OrderedDict()
        self._queue = WriteQueue()
        self._n_queued = 0
        self._next_sync = WRITE_INTERVAL
        self._unread: set[str] = set()  # collections of a local store
        self._is_unavailable = False
        self._uses_articles = False
        self._uses_monitors = False
        self._newest_monitor = 0
        self._newest_article = 0
        self._bad_keys: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._knowledge)

    @property
    def queued(self) -> int:
        """Number of records that are not yet in the store, or that the store may have lost."""
        return len(self._queue)

    @property
    def lost(self) -> int:
        """Number of records that were dropped before any store could be written to."""
        return self._queue.lost

    @property
    def bad_records(self) -> int:
        """Records of the store with a value that none of ours has, which were not used.

        Of those that only this class can tell, MAX_BAD_RECORDS at most are counted.
        """
        return self.store.bad_records + len(self._bad_keys)

    def find_site(self, url: str | None) -> str:
        """Return the name of the site of a URL."""
        return self._domains(url)

    def next_time(self) -> int:
        """Return a time for the next page, later than all earlier times."""
        self._last_time = max(self._clock(), self._last_time + 1)
        return self._last_time

    def knowledge(self, site: str) -> Knowledge:
        """Return the current knowledge of a site."""
        if site not in self._knowledge:
            self._knowledge[site] = Knowledge(max_pages=self._max_pages)
            self._load(name_collection(site))
            while len(self._knowledge) > self.max_sites:
                dropped, _ = self._knowledge.popitem(last=False)
                self._unread.discard(name_collection(dropped))
        self._knowledge.move_to_end(site)
        return self._knowledge[site]

    def add_page(self, site: str, record: PageRecord) -> None:
        """Add a page to the knowledge of a site."""
        self._knowledge[site] = self.knowledge(site).with_pages([record])
        if self._has_store:
            self._put(name_collection(site), StoreRecord(record.key, record.at, record.pack()))

    def enable_articles(self) -> None:
        """Include the articles of a remote store from the next synchronisation on."""
        self._uses_articles = self._uses_articles or self.store.remote

    def register_article(self, article: Article, *, elsewhere: bool = False) -> str | None:
        """Add an article; return how it is a duplicate of an earlier one, or None.

        An article that is EXACT is not added again, unless it tells the place of one that had none.
        With `elsewhere` only articles at other addresses count.
        """
        if not self._uses_articles:
            self._uses_articles = True
            self._load(ARTICLES)
        duplicate = self.articles.find(article, elsewhere=elsewhere)
        known = self.articles.entry(article.fingerprint)
        tells_place = known is not None and not known[1].page and bool(article.page)
        if article.fingerprint and (duplicate != EXACT or tells_place):
            # another clock that is ahead must not keep the record that is replaced
            at = max(self.next_time(), 0 if known is None else known[0] + 1)
            self.articles.add(article, at)
            if self._has_store:
                self._put(ARTICLES, StoreRecord(article.key, at, article.pack()))
        return duplicate

    def watch_page(self, url: str | None, page: Observation) -> SiteChange | None:
        """Add a page to the monitor of its site; return the change of the site, if any."""
        monitor, at = self.monitors.find(self.find_site(url)), self.next_time()
        change = monitor.watch(page, url, at)
        record = StoreRecord(monitor.key, at, self.monitors.put(monitor, at))
        if self._has_store:
            self._put(MONITORS, record)
        return change

    def add_monitors(self, records: Iterable[StoreRecord]) -> None:
        """Add the monitors of a store; those of another version are passed over."""
        for record in sorted(records, key=lambda record: record.at):
            monitor = self._unpack_monitor(record)
            if monitor is not None:
                self.monitors.put(monitor, record.at)

    def enable_monitors(self) -> None:
        """Include the monitors of a remote store from the next synchronisation on."""
        self._uses_monitors = self.store.remote
        self._newest_monitor = self._clock()

    def _adopt_monitors(self, records: Iterable[StoreRecord]) -> None:
        """Take over what other workers know of sites that this one has met."""
        for record in records:
            self._newest_monitor = max(self._newest_monitor, min(record.at, self._clock()))
            other = self._unpack_monitor(record)
            if other is None:
                continue
            if self.monitors.get(other.key) is None:
                self.monitors.put(other, record.at)
                continue
            monitor = self.monitors.find(other.site)
            if monitor.adopt(other):
                at = self.next_time()
                self._put(MONITORS, StoreRecord(monitor.key, at, self.monitors.put(monitor, at)))

    def build_claim(self, change: SiteChange) -> StoreRecord:
        """Return the record of a change that is to be told by one worker alone."""
        return StoreRecord(change.key, self.next_time(), b"")

    def load_monitors(self) -> None:
        """Read the monitors of a local store."""
        try:
            self.add_monitors(self.store.read({MONITORS: frozenset()})[MONITORS])
        except StoreError as error:
            self.on_error(error)

    def find_version(self, site: str, key: bytes) -> StoreRecord | None:
        """Return the last version of an article that this process knows."""
        known = self.versions.get(site, key)
        return None if known is None else StoreRecord(key, *known)

    def look_up_version(self, site: str, key: bytes) -> StoreRecord | None:
        """Return what a local store has of an article; None while it cannot be used."""
        if self._is_unavailable:
            return None
        try:
            return self.store.look_up(VERSIONS + site, key)
        except StoreError as error:
            self.on_error(error)
            self._is_unavailable = True
            return None

    def register_version(self, sighting: Sighting, stored: StoreRecord | None) -> Change:
        """Add an article and its version; return the change since its last version.

        `stored` is the version in the store; the newer of that and the version in memory counts. An
        unchanged article keeps its verdict as a duplicate of articles elsewhere. An original stays
        an original while it is near its last version.
        """
        site, key, version = sighting.site, sighting.key, sighting.version
        records = [each for each in (stored, self.find_version(site, key)) if each is not None]
        last, previous = None, None
        for record in sorted(records, key=lambda record: record.at):
            unpacked = self._unpack(record, lambda r: Version.unpack(r.data))
            if unpacked is not None:
                last, previous = record, unpacked
        duplicate = self.register_article(sighting.article, elsewhere=True)
        if previous is not None:
            is_original = previous.duplicate is None
            if version.is_near(previous) if is_original else version.is_same(previous):
                duplicate = previous.duplicate
        at = max(self.next_time(), 0 if last is None else last.at + 1)
        record = StoreRecord(key, at, replace(version, duplicate=duplicate).pack())
        self.versions.put(site, key, at, record.data)
        if self._has_store:
            self._put(VERSIONS + site, record)
        if last is None or previous is None:
            return Change(NEW, duplicate)
        change = UNCHANGED if version.is_same(previous) else CHANGED
        added, removed = compare_paragraphs(sighting, previous)
        return Change(change, duplicate, previous, last.at, added, removed)

    def synchronise(self) -> None:
        """Write the queue, and read the records of other processes. Raises StoreError."""
        request = self.prepare_sync()
        self.apply_sync(request, synchronise(self.store, request))

    def prepare_sync(self) -> SyncRequest:
        """Return the request for the next synchronisation."""
        known: dict[str, Set[bytes]] = {}
        since = {}
        for site, knowledge in self._knowledge.items():
            known[name_collection(site)] = self._bad_keys.union(knowledge.pages)
            since[name_collection(site)] = max(0, knowledge.horizon[0])
        if self._uses_monitors:
            known[MONITORS] = self._bad_keys
            since[MONITORS] = max(0, self._newest_monitor - MONITOR_OVERLAP)
        if self._uses_articles:
            fingerprints = map(bytes.fromhex, self.articles.fingerprints)
            known[ARTICLES] = self._bad_keys.union(fingerprints)
            since[ARTICLES] = max(0, self._newest_article - OVERLAP)
        return replace(self._pending(), known=known, since=since)

    def apply_sync(self, request: SyncRequest, result: SyncResult) -> None:
        """Add the new records; if the store has restarted, send all known records again."""
        self._queue.acknowledge(request)
        sent = (record.at for record in request.records.get(ARTICLES, ()))
        self._newest_article = max(self._newest_article, *sent, 0)
        for collection, records in result.records.items():
            if collection == MONITORS:
                self._adopt_monitors(records)
            elif collection == ARTICLES:
                self._add_articles(records)
            else:
                self._add_pages(collection.partition(":")[2], records)
        if result.has_restarted:
            self.resend_all()

    def resend_all(self) -> None:
        """Send all known records again to a store that may have lost them.

        Each synchronisation sends one batch. All articles of the store are read again.
        """
        for site, knowledge in self._knowledge.items():
            self._queue.resend((name_collection(site), key) for key in knowledge.pages)
        self._queue.resend((ARTICLES, bytes.fromhex(key)) for key in self.articles.fingerprints)
        self._queue.resend((VERSIONS + site, key) for site, key in self.versions.ids)
        self._queue.resend((MONITORS, monitor.key) for monitor in self.monitors)
        self._newest_article = 0

    def close(self) -> None:
        """Write the queue, and close the store. Raises StoreError."""
        try:
            while self._queue:
                request = self._pending()
                self.store.write(request.records, request.sizes)
                self._queue.acknowledge(request)
        finally:
            self.store.close()

    def _put(self, collection: str, record: StoreRecord) -> None:
        self._queue.put(collection, record)
        self._n_queued += 1
        if not self.store.remote and self._n_queued >= self._next_sync:
            self._synchronise_local()

    def _load(self, collection: str) -> None:
        """Read a collection of a local store now, or when the store works again."""
        if not self.store.remote:
            self._unread.add(collection)
            if not self._is_unavailable:
                self._synchronise_local()

    def _synchronise_local(self) -> None:
        """Write the queue, then read the unread collections; a collection may be in both."""
        self._next_sync = self._n_queued + WRITE_INTERVAL
        request = replace(self._pending(), known={name: frozenset() for name in self._unread})
        try:
            result = synchronise(self.store, request)
        except StoreError as error:
            self.on_error(error)
            self._is_unavailable = True
        else:
            self._is_unavailable = False
            self._unread.clear()
            self.apply_sync(request, result)

    def _pending(self) -> SyncRequest:
        """Return the request that writes the queue and reads nothing."""
        records, resent = self._queue.records(), self._queue.resend_batch()
        for collection, key in resent:
            record = self._find_record(collection, key)
            if record is not None:
                records.setdefault(collection, []).append(record)
        sizes = {name: self._size_of(name) for name in records}
        return SyncRequest(records, sizes, resent)

    def _size_of(self, collection: str) -> int:
        if collection.startswith(VERSIONS):
            return MAX_VERSIONS
        if collection == MONITORS:
            return MAX_MONITORS
        return MAX_ARTICLES if collection == ARTICLES else self._max_pages

    def _find_record(self, collection: str, key: bytes) -> StoreRecord | None:
        """Return a record that is remembered, or None."""
        if collection == ARTICLES:
            entry = self.articles.entry(key.hex())
            return None if entry is None else StoreRecord(key, entry[0], entry[1].pack())
        if collection == MONITORS:
            watched = self.monitors.get(key)
            return None if watched is None else StoreRecord(key, *watched)
        if collection.startswith(VERSIONS):
            return self.find_version(collection.removeprefix(VERSIONS), key)
        knowledge = self._knowledge.get(collection.partition(":")[2])
        page = None if knowledge is None else knowledge.pages.get(key)
        return None if page is None else StoreRecord(page.key, page.at, page.pack())

    def _add_pages(self, site: str, records: Sequence[StoreRecord]) -> None:
        unpacked = (self._unpack(record, _read_page) for record in records)
        pages = [page for page in unpacked if page is not None]
        if pages and site in self._knowledge:
            self._knowledge[site] = self._knowledge[site].with_pages(pages)
            self._last_time = max(self._last_time, *(page.at for page in pages))

    def _add_articles(self, records: Iterable[StoreRecord]) -> None:
        for record in sorted(records, key=lambda record: (record.at, record.key)):
            article = self._unpack(record, lambda r: Article.unpack(r.key, r.data))
            if article is not None:
                self.articles.add(article, record.at)
                # a clock that is ahead must not hide the articles of others
                newest = min(record.at, self._clock())
                self._newest_article = max(self._newest_article, newest)

    def _unpack_monitor(self, record: StoreRecord) -> SiteMonitor | None:
        monitor = self._unpack(record, _read_monitor)
        if monitor is not None:
            self._last_time = max(self._last_time, record.at)  # what is written next is newer
        return monitor

    def _unpack(self, record: StoreRecord, unpack: Callable[[StoreRecord], _T]) -> _T | None:
        """Return what `unpack` reads of a record; None for one that none of us has written.

        `unpack` raises ValueError for one that it cannot read.
        """
        if record.at <= self._clock() + MAX_AHEAD:
            with suppress(ValueError):
                return unpack(record)
            # a good one under its key has to be newer
            self._last_time = max(self._last_time, record.at)
        if len(self._bad_keys) < MAX_BAD_RECORDS:
            self._bad_keys.add(record.key)
        return None


def _read_page(record: StoreRecord) -> PageRecord:
    page = PageRecord.unpack(record.data)
    if (page.key, page.at) != (record.key, record.at):
        raise PageRecordError("a page under another key or time")
    return page


def _read_monitor(record: StoreRecord) -> SiteMonitor:
    monitor = SiteMonitor.unpack(record.data)
    if monitor.key != record.key:
        raise ValueError("a monitor under another key")
    return monitor
