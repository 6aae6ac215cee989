"""The knowledge of all sites of a process, exchanged with a store.

New records go to a buffer. `synchronise` writes the buffer and reads the records of other
processes. In a crawl, a thread runs the part that waits for the store (`crawl/site.py`).
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.fingerprints import (
    CHANGED,
    EXACT,
    NEW,
    UNCHANGED,
    Article,
    ArticleIndex,
    Change,
    Duplicate,
    Sighting,
    Version,
    compare_paragraphs,
)
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.monitors import Observation, SiteChange, SiteMonitor
from scrapy_boilerplate.site.page_records import MAX_PAGES, Knowledge, PageRecord
from scrapy_boilerplate.site.stores import (
    Collection,
    Record,
    RecordError,
    Store,
    StoreError,
    StoreRecord,
    now,
)

logger = logging.getLogger(__name__)

MAX_SITES = 500  # in memory; the least recently used go first
MAX_BUFFERED = 20_000  # records that wait for the store, about 50 MB
CHUNK = 1_000  # records that are written to the store at once
STEP = 200  # records that are read at once, in about 5 ms
MAX_CACHE_BYTES = 32_000_000  # of versions; the same of monitors
RECORD_OVERHEAD = 400  # bytes that Python needs for a record in the cache
# milliseconds that are read again: clocks differ, writes take time, and times of records that are
# written together are up to MAX_BUFFERED earlier
OVERLAP = 90_000

ARTICLES = Collection(Article)
MONITORS = Collection(SiteMonitor)


Key = TypeVar("Key")
RecordType = TypeVar("RecordType", bound=Record)


def _raise_error(error: StoreError) -> None:
    raise error


class RecordCache(OrderedDict[Key, bytes]):
    """The records that were written last, encoded, in at most MAX_CACHE_BYTES."""

    _size = 0

    def put(self, key: Key, data: bytes) -> None:
        self._drop(self.pop(key, None))
        self[key] = data
        self._size += RECORD_OVERHEAD + len(data)
        while self._size > MAX_CACHE_BYTES:
            self._drop(self.popitem(last=False)[1])

    def _drop(self, data: bytes | None) -> None:
        self._size -= 0 if data is None else RECORD_OVERHEAD + len(data)


@dataclass(frozen=True)
class Exchange:
    """One exchange with a store.

    at       when it was prepared
    records  records to write
    since    collections to read, from these times on
    known    keys of each collection that are not read
    """

    at: int
    records: Mapping[Collection, list[StoreRecord]]
    since: Mapping[Collection, int]
    known: Mapping[Collection, Container[bytes]]

    def run(self, store: Store) -> dict[Collection, dict[bytes, bytes]]:
        """Write, then return the new records of other processes. Raises StoreError.

        Records get the time when they are written, a millisecond apart, so that other processes
        find records that waited.
        """
        for collection, records in self.records.items():
            for first in range(0, len(records), CHUNK):
                written = range(first, min(first + CHUNK, len(records)))
                times = (max(records[n].at, self.at + n + 1 - len(records)) for n in written)
                store.put(
                    collection,
                    [replace(records[n], at=at) for n, at in zip(written, times, strict=True)],
                )
        read = {}
        for collection, since in self.since.items():
            keys = store.newest(collection, since)
            new = [key for key in keys if key not in self.known[collection]]
            read[collection] = store.get(collection, new)
        return read


class SiteRegistry:
    """The knowledge of sites by their registrable domain, with a store or in memory only.

    Not thread-safe, except for `Exchange.run`. `clock` returns milliseconds since 1970. Times of
    pages never decrease, so pages stay in order.

    on_error     called when a local store fails at the first page of a site; raises by default
    on_crowded   called for each record while more than half of the buffer waits for the store
    max_sites    maximum number of sites in memory
    lost         number of records that were dropped from a full buffer
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        max_pages: int = MAX_PAGES,
        max_sites: int = MAX_SITES,
        clock: Callable[[], int] = now,
    ) -> None:
        self.store = store
        self.articles = ArticleIndex()
        self.on_error: Callable[[StoreError], None] = _raise_error
        self.on_crowded: Callable[[], None] = lambda: None
        self.max_sites = max_sites
        self.lost = 0
        self._max_pages = max_pages
        self._clock = clock
        self._last_time = 0
        self._domains = Domains()
        self._knowledge: OrderedDict[str, Knowledge] = OrderedDict()
        self._versions: RecordCache[tuple[str, bytes]] = RecordCache()
        self._monitors: RecordCache[bytes] = RecordCache()
        self._buffer: dict[tuple[Collection, bytes], StoreRecord] = {}
        self._to_read: set[Collection] = set()
        self._read_at: dict[Collection, int] = {}
        self._bad_keys: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._knowledge)

    @property
    def buffered(self) -> int:
        return len(self._buffer)

    @property
    def bad_records(self) -> int:
        """Number of records of the store that could not be decoded."""
        return len(self._bad_keys)

    def find_site(self, url: str | None) -> str:
        return self._domains(url)

    def next_time(self) -> int:
        """Return a time for the next page, later than all earlier times."""
        self._last_time = max(self._clock(), self._last_time + 1)
        return self._last_time

    def knowledge(self, site: str) -> Knowledge:
        """Return the current knowledge of a site. A local store is read at its first page."""
        collection = self._name_pages(site)
        if site not in self._knowledge:
            self._knowledge[site] = Knowledge(max_pages=self._max_pages)
            if self.store is not None and self.store.is_local:
                self._read_now(self.store, collection)
            while len(self._knowledge) > self.max_sites:
                dropped, _ = self._knowledge.popitem(last=False)
                self._to_read.discard(self._name_pages(dropped))
                self._read_at.pop(self._name_pages(dropped), None)
        self._knowledge.move_to_end(site)
        self._to_read.add(collection)
        return self._knowledge[site]

    def add_page(self, url: str | None, record: PageRecord) -> None:
        """Add a page, seen now, to its site. Raises StoreError of a local store."""
        site, seen = self.find_site(url), replace(record, at=self.next_time())
        self._knowledge[site] = self.knowledge(site).with_pages([seen])
        if self.store is not None:
            self._write(self._name_pages(site), seen.key, seen.at, seen)

    def enable_articles(self) -> None:
        """Read the articles of the store in the next exchange, and new ones in later exchanges."""
        self._to_read.add(ARTICLES)

    def register_article(self, article: Article, *, elsewhere: bool = False) -> Duplicate | None:
        """Add an article; return how it is a duplicate of an earlier one, or None.

        An EXACT article is not added again, unless the earlier one has no URL. With `elsewhere`
        only articles at other URLs count.
        """
        duplicate = self.articles.find(article, elsewhere=elsewhere)
        known = self.articles.entry(article.fingerprint)
        is_exact = duplicate is not None and duplicate.kind == EXACT
        adds_url = known is not None and not known[1].page and bool(article.page)
        if article.fingerprint and (adds_url or not is_exact):
            # a record from a clock that is ahead must not survive its replacement
            at = max(self.next_time(), 0 if known is None else known[0] + 1)
            self.articles.add(article, at)
            self._write(ARTICLES, article.key, at, article)
        return duplicate

    def enable_monitors(self) -> None:
        """Read the monitors of the store in the next exchange."""
        self._to_read.add(MONITORS)

    def monitors(self) -> list[tuple[int, SiteMonitor]]:
        """Return when a page of each watched site was last seen, and the monitor of the site."""
        decoded = (self._decode(SiteMonitor, key, data) for key, data in self._monitors.items())
        return list(filter(None, decoded))

    def watch_page(self, url: str | None, page: Observation) -> SiteChange | None:
        """Add a page to the monitor of its site; return the change of the site, if any."""
        site, at = self.find_site(url), self.next_time()
        key = hash_name(site)
        known = self._decode(SiteMonitor, key, self._monitors.get(key))
        monitor = SiteMonitor(site) if known is None else known[1]
        change = monitor.watch(page, url, at)
        self._monitors.put(key, self._write(MONITORS, key, at, monitor))
        return change

    def register_version(self, sighting: Sighting, stored: bytes | None) -> Change:
        """Add an article and its version; return the change since its last version.

        `stored` is the version in the store; the newer of that and the version in memory counts. An
        unchanged article keeps its `duplicate` of articles elsewhere. An original stays an original
        while it is near its last version.
        """
        site, key, version = sighting.site, sighting.key, sighting.version
        versions = (stored, self._versions.get((site, key)))
        decoded = [self._decode(Version, key, data) for data in versions]
        seen, previous = max(filter(None, decoded), key=lambda each: each[0], default=(0, None))
        elsewhere = self.register_article(sighting.article, elsewhere=True)
        duplicate = None if elsewhere is None else elsewhere.kind
        if previous is not None:
            is_original = previous.duplicate is None
            if version.is_near(previous) if is_original else version.is_same(previous):
                duplicate = previous.duplicate
        at = max(self.next_time(), seen + 1)
        registered = replace(version, duplicate=duplicate)
        self._versions.put((site, key), self._write(Collection(Version, site), key, at, registered))
        url = "" if elsewhere is None or elsewhere.kind != duplicate else elsewhere.url
        if previous is None:
            return Change(NEW, duplicate, url)
        change = UNCHANGED if version.is_same(previous) else CHANGED
        added, removed = compare_paragraphs(sighting, previous)
        return Change(change, duplicate, url, previous, seen, added, removed)

    def synchronise(self) -> None:
        """Exchange records with the store. Raises StoreError."""
        if self.store is not None:
            exchange = self.prepare_exchange()
            self.finish_exchange(exchange, exchange.run(self.store))

    def prepare_exchange(self, collections: Iterable[Collection] | None = None) -> Exchange:
        """Return the next exchange, by default with the collections used since the last one."""
        records: dict[Collection, list[StoreRecord]] = {}
        for (collection, _), record in self._buffer.items():
            records.setdefault(collection, []).append(record)
        wanted = self._to_read if collections is None else collections
        since = {each: max(0, self._read_at.get(each, 0) - OVERLAP) for each in wanted}
        known = {each: self._find_known(each) for each in since}
        return Exchange(self._clock(), records, since, known)

    def finish_exchange(
        self, exchange: Exchange, records: Mapping[Collection, dict[bytes, bytes]]
    ) -> None:
        """Add the records that an exchange has read; forget those that it has written."""
        for _ in self.finish_in_steps(exchange, records):
            pass

    def finish_in_steps(
        self, exchange: Exchange, records: Mapping[Collection, dict[bytes, bytes]]
    ) -> Iterator[None]:
        """Do as `finish_exchange`; yield after every STEP records."""
        written = ((name, each) for name, some in exchange.records.items() for each in some)
        for number, (collection, record) in enumerate(written, start=1):
            if self._buffer.get((collection, record.key)) is record:
                del self._buffer[collection, record.key]
            if number % CHUNK == 0:
                yield
        for collection, encoded in records.items():
            if collection.site and collection.site not in self._knowledge:  # dropped meanwhile
                continue
            if collection is not ARTICLES:
                self._to_read.discard(collection)
            self._read_at[collection] = exchange.at
            for number, key in enumerate(reversed(encoded), start=1):  # the oldest first
                self._add(collection, key, encoded[key])
                if number % STEP == 0:
                    yield

    def close(self) -> None:
        """Write the buffer, and close the store. Raises StoreError."""
        if self.store is None:
            return
        try:
            if self._buffer:
                exchange = self.prepare_exchange(())
                self.finish_exchange(exchange, exchange.run(self.store))
        finally:
            self.store.close()

    def _name_pages(self, site: str) -> Collection:
        return Collection(PageRecord, site, self._max_pages)

    def _write(self, collection: Collection, key: bytes, at: int, record: Record) -> bytes:
        data = record.encode(at)
        if self.store is not None:
            self._buffer[collection, key] = StoreRecord(key, at, data)
            self._limit_buffer()
        return data

    def _limit_buffer(self) -> None:
        if len(self._buffer) > MAX_BUFFERED:
            del self._buffer[next(iter(self._buffer))]
            if not self.lost:
                logger.warning(
                    "%d records wait for the site store, so the oldest are lost: use a faster "
                    "store, or a lower BOILERPLATE_SITE_SYNC_SECONDS",
                    MAX_BUFFERED,
                )
            self.lost += 1
        if len(self._buffer) > MAX_BUFFERED // 2:
            self.on_crowded()

    def _read_now(self, store: Store, collection: Collection) -> None:
        exchange = replace(self.prepare_exchange([collection]), records={})
        try:
            self.finish_exchange(exchange, exchange.run(store))
        except StoreError as error:
            self.on_error(error)

    def _find_known(self, collection: Collection) -> Container[bytes]:
        if collection.kind is PageRecord:
            return self._knowledge[collection.site].pages
        return self.articles if collection.kind is Article else ()

    def _add(self, collection: Collection, key: bytes, data: bytes) -> None:
        decoded = self._decode(collection.kind, key, data)
        if decoded is None:
            return
        at, record = decoded
        if isinstance(record, PageRecord):
            known = self._knowledge.get(collection.site)
            if known is not None:  # else dropped meanwhile
                self._knowledge[collection.site] = known.with_pages([record])
                self._last_time = max(self._last_time, at)
        elif isinstance(record, Article):
            self.articles.add(record, at)
        elif isinstance(record, SiteMonitor) and self._monitors.get(key) is None:
            self._monitors.put(key, data)

    def _decode(
        self, kind: type[RecordType], key: bytes, data: bytes | None
    ) -> tuple[int, RecordType] | None:
        if data is None:
            return None
        try:
            return kind.decode(data)
        except RecordError:
            self._bad_keys.add(key)
            return None
