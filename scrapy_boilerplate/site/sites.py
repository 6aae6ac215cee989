"""What a process knows of all sites, and its exchange with a store."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from scrapy_boilerplate.site.articles import MAX_ARTICLES, Articles
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.exchange import Answer, Parcel, Place, Waiting, carry_out
from scrapy_boilerplate.site.knowledge import MAX_PAGES, Knowledge
from scrapy_boilerplate.site.observation import PackedPageError, PageRecord
from scrapy_boilerplate.site.stores.memory import MemoryStore
from scrapy_boilerplate.site.stores.records import ARTICLES, Record, Store, StoreError, shelf_of

MAX_SITES = 500
"""Sites that are kept in memory; the least recently used go first."""
BATCH = 100
"""Records after which a local store is written to, or tried again."""
OVERLAP = 3_600_000
"""Milliseconds before the newest article of others that are looked through again: their clocks
differ, and what they found may arrive late (our choice: an hour)."""
MAX_BAD = 1_000
"""Keys of records that cannot be read, which are remembered so that they are not fetched again."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _raise(error: StoreError) -> None:
    raise error


class Sites:
    """The knowledge of sites, by their registrable domain, over a store.

    A local store is read when a site is first met and written to in batches; a remote one only by
    `exchange` (or its three parts, the middle one in a thread). Not thread-safe but for that.
    `clock` gives milliseconds since 1970; ours never go back, so that pages stay in order.

    failed        is told when a local store fails; raises the error unless told otherwise. What is
                  learnt waits then, and the store is tried again after BATCH more records
    max_sites     sites that are kept in memory
    bad_records   records of the store that could not be read
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
        self._stores = not isinstance(self.store, MemoryStore)
        self.articles = Articles()
        self.failed: Callable[[StoreError], None] = _raise
        self.max_sites = max_sites
        self._bad: set[bytes] = set()
        self._max_pages = max_pages
        self._clock = clock
        self._last = 0
        self._domain_of = Domains()
        self._known: OrderedDict[str, Knowledge] = OrderedDict()
        self._waiting = Waiting()
        self._unread: set[str] = set()
        self._kept = 0
        self._due = BATCH
        self._away = False
        self._read_articles = False
        self._newest_article = 0

    def __len__(self) -> int:
        return len(self._known)

    @property
    def waiting(self) -> int:
        """Records that are not in the store yet, or may be no more."""
        return len(self._waiting)

    @property
    def lost(self) -> int:
        """Records that found no store for so long that they were let go."""
        return self._waiting.lost

    @property
    def bad_records(self) -> int:
        """Records of the store that could not be read; MAX_BAD for more."""
        return len(self._bad)

    def site_of(self, url: str | None) -> str:
        """The name of the site of an address."""
        return self._domain_of(url)

    def tick(self) -> int:
        """A time for the next page: later than those before."""
        self._last = max(self._clock(), self._last + 1)
        return self._last

    def knowledge(self, site: str) -> Knowledge:
        """What is known of a site now."""
        if site not in self._known:
            self._known[site] = Knowledge(max_pages=self._max_pages)
            self._read_local(shelf_of(site))
            while len(self._known) > self.max_sites:
                self._unread.discard(shelf_of(self._known.popitem(last=False)[0]))
        self._known.move_to_end(site)
        return self._known[site]

    def learn(self, site: str, record: PageRecord) -> None:
        """One more page of a site."""
        self._known[site] = self.knowledge(site).added([record])
        if self._stores:
            self._keep(shelf_of(site), Record(record.key, record.at, record.packed()))

    def expect_articles(self) -> None:
        """Articles will be looked for: the next exchange brings those that a remote store has."""
        self._read_articles = self._read_articles or self.store.remote

    def met_before(self, fingerprint: str, simhash: str) -> str | None:
        """EXACT or NEAR of `articles`, or None; the article is known from now on."""
        if not self._read_articles:
            self._read_articles = True
            self._read_local(ARTICLES)
        found = self.articles.duplicate(fingerprint, simhash)
        if found is None and fingerprint:
            self.articles.add(fingerprint, simhash, self.tick())
            self._keep(ARTICLES, self.articles.record(fingerprint))
        return found

    def exchange(self) -> None:
        """Write what waits, and read what others have learnt. Raises StoreError."""
        parcel = self.prepare()
        self.take(parcel, carry_out(self.store, parcel))

    def prepare(self) -> Parcel:
        """What to carry out."""
        known = {shelf_of(site): self._bad.union(k.pages) for site, k in self._known.items()}
        since = {shelf_of(site): max(0, k.horizon[0]) for site, k in self._known.items()}
        if self._read_articles:
            known[ARTICLES] = {bytes.fromhex(key) for key in self.articles.fingerprints}
            since[ARTICLES] = max(0, self._newest_article - OVERLAP)
        return replace(self._outgoing(), known=known, since=since)

    def take(self, parcel: Parcel, answer: Answer) -> None:
        """What came of it; if the store has started anew, it is to get all again that is known."""
        self._waiting.arrived(parcel)
        sent = (record.at for record in parcel.out.get(ARTICLES, ()))
        self._newest_article = max(self._newest_article, *sent, 0)
        for shelf, records in answer.records.items():
            if shelf == ARTICLES:
                self._take_articles(records)
            else:
                self._take_pages(shelf.partition(":")[2], records)
        if answer.started_anew:
            self.send_again()

    def send_again(self) -> None:
        """Let everything that is known wait for the store, which may have lost it, and look through
        all its articles once more. It goes out in portions, one an exchange."""
        self._waiting.send_again(self._places())
        self._newest_article = 0

    def close(self) -> None:
        """Write what waits, and let go of the store. Raises StoreError."""
        try:
            while self._waiting:
                parcel = self._outgoing()
                self.store.write(parcel.out, parcel.most)
                self._waiting.arrived(parcel)
        finally:
            self.store.close()

    def _keep(self, shelf: str, record: Record | None) -> None:
        """A record is for the store."""
        if record is None or not self._stores:
            return
        self._waiting.put(shelf, record)
        self._kept += 1
        if not self.store.remote and self._kept >= self._due:
            self._exchange_local()

    def _read_local(self, shelf: str) -> None:
        """What a local store has on a shelf: now, or when it is back."""
        if not self.store.remote:
            self._unread.add(shelf)
            if not self._away:
                self._exchange_local()

    def _exchange_local(self) -> None:
        """Write what waits, then read what was not read yet: it may be both."""
        self._due = self._kept + BATCH
        parcel = replace(self._outgoing(), known={shelf: frozenset() for shelf in self._unread})
        try:
            answer = carry_out(self.store, parcel)
        except StoreError as error:
            self.failed(error)
            self._away = True
        else:
            self._away = False
            self._unread.clear()
            self.take(parcel, answer)

    def _outgoing(self) -> Parcel:
        out, again = self._waiting.records(), self._waiting.portion()
        for shelf, key in again:
            record = self._remembered(shelf, key)
            if record is not None:
                out.setdefault(shelf, []).append(record)
        most = {shelf: MAX_ARTICLES if shelf == ARTICLES else self._max_pages for shelf in out}
        return Parcel(out, {}, most, again)

    def _places(self) -> Iterator[Place]:
        for site, knowledge in self._known.items():
            yield from ((shelf_of(site), key) for key in knowledge.pages)
        yield from ((ARTICLES, bytes.fromhex(key)) for key in self.articles.fingerprints)

    def _remembered(self, shelf: str, key: bytes) -> Record | None:
        if shelf == ARTICLES:
            return self.articles.record(key.hex())
        knowledge = self._known.get(shelf.partition(":")[2])
        page = None if knowledge is None else knowledge.pages.get(key)
        return None if page is None else Record(page.key, page.at, page.packed())

    def _take_pages(self, site: str, records: Sequence[Record]) -> None:
        pages = []
        for record in records:
            try:
                pages.append(PageRecord.unpacked(record.data))
            except PackedPageError:
                if len(self._bad) < MAX_BAD:
                    self._bad.add(record.key)
        if pages and site in self._known:
            self._known[site] = self._known[site].added(pages)
            self._last = max(self._last, *(page.at for page in pages))

    def _take_articles(self, records: Sequence[Record]) -> None:
        for record in sorted(records, key=lambda one: (one.at, one.key)):
            self.articles.add(record.key.hex(), record.data.hex(), record.at)
            self._newest_article = max(self._newest_article, record.at)
