"""What a process knows of all sites, and its exchange with a store."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from scrapy_boilerplate.site.articles import MAX_ARTICLES, Articles
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.exchange import Answer, Parcel, Waiting, carry_out
from scrapy_boilerplate.site.knowledge import MAX_PAGES, Knowledge
from scrapy_boilerplate.site.observation import PackedPageError, PageRecord
from scrapy_boilerplate.site.stores.memory import MemoryStore
from scrapy_boilerplate.site.stores.records import Record, Store

MAX_SITES = 500
"""Sites that are kept in memory; the least recently used go first."""
BATCH = 100
"""Records after which a local store is written to."""
ARTICLES = "articles"
"""The shelf of all articles; those of sites are called ``site:<domain>``."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Sites:
    """The knowledge of sites, by their registrable domain, over a store.

    A local store is read when a site is first met and written to in batches; a remote one only by
    `exchange` (or its three parts, the middle one in a thread). Not thread-safe but for that.
    `clock` gives milliseconds since 1970; ours never go back, so that pages stay in order.
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
        self.articles = Articles()
        self.bad_records = 0
        self._max_pages = max_pages
        self._max_sites = max_sites
        self._clock = clock
        self._last = 0
        self._domain_of = Domains()
        self._known: OrderedDict[str, Knowledge] = OrderedDict()
        self._waiting = Waiting()
        self._read_articles = False

    def __len__(self) -> int:
        return len(self._known)

    @property
    def waiting(self) -> int:
        """Records that are not in the store yet."""
        return len(self._waiting)

    @property
    def lost(self) -> int:
        """Records that found no store for so long that they were let go."""
        return self._waiting.lost

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
            if not self.store.remote:
                self._flush_local()
                self.take(Parcel({}, {}, {}), Answer(self.store.read({shelf_of(site): ()})))
            self._forget_sites()
        self._known.move_to_end(site)
        return self._known[site]

    def learn(self, site: str, record: PageRecord) -> None:
        """One more page of a site."""
        self._known[site] = self.knowledge(site).added([record])
        if not isinstance(self.store, MemoryStore):
            self._waiting.put(shelf_of(site), Record(record.key, record.at, record.packed()))
            if not self.store.remote and len(self._waiting) >= BATCH:
                self._flush_local()

    def expect_articles(self) -> None:
        """Articles will be looked for: the next exchange brings those that a remote store has."""
        self._read_articles = self._read_articles or self.store.remote

    def met_before(self, fingerprint: str, simhash: str) -> str | None:
        """EXACT or NEAR of `articles`, or None; the article is known from now on."""
        if not self._read_articles and not self.store.remote:
            self.take(Parcel({}, {}, {}), Answer(self.store.read({ARTICLES: ()})))
        self._read_articles = True
        found = self.articles.duplicate(fingerprint, simhash)
        if found is None and fingerprint:
            self.articles.add(fingerprint, simhash)
            if not isinstance(self.store, MemoryStore):
                record = _article(fingerprint, simhash, self.tick())
                self._waiting.put(ARTICLES, record)
        return found

    def exchange(self) -> None:
        """Write what waits, and read what others have learnt. Raises StoreError."""
        parcel = self.prepare()
        self.take(parcel, carry_out(self.store, parcel))

    def prepare(self) -> Parcel:
        """What to carry out."""
        known = {shelf_of(site): frozenset(k.pages) for site, k in self._known.items()}
        if self._read_articles:
            known[ARTICLES] = frozenset(bytes.fromhex(key) for key in self.articles.fingerprints)
        out = self._waiting.all()
        most = {shelf: MAX_ARTICLES if shelf == ARTICLES else self._max_pages for shelf in out}
        return Parcel(out, known, most)

    def take(self, parcel: Parcel, answer: Answer) -> None:
        """What came of it; if the store has started anew, it is to get all again that is known."""
        self._waiting.arrived(parcel.out)
        for shelf, records in answer.records.items():
            if shelf == ARTICLES:
                self._take_articles(records)
            else:
                self._take_pages(shelf.partition(":")[2], records)
        if answer.started_anew:
            self.send_again()

    def send_again(self) -> None:
        """Let everything that is known wait for the store: it may have lost it."""
        for site, knowledge in self._known.items():
            for record in knowledge.pages.values():
                self._waiting.put(shelf_of(site), Record(record.key, record.at, record.packed()))

    def close(self) -> None:
        """Write what waits, and let go of the store. Raises StoreError."""
        if self._waiting:
            parcel = self.prepare()
            self.store.write(parcel.out, parcel.most)
            self._waiting.arrived(parcel.out)
        self.store.close()

    def _flush_local(self) -> None:
        if len(self._waiting):
            parcel = self.prepare()
            self.store.write(parcel.out, parcel.most)
            self._waiting.arrived(parcel.out)

    def _forget_sites(self) -> None:
        while len(self._known) > self._max_sites:
            self._known.popitem(last=False)

    def _take_pages(self, site: str, records: Sequence[Record]) -> None:
        pages = []
        for record in records:
            try:
                pages.append(PageRecord.unpacked(record.data))
            except PackedPageError:
                self.bad_records += 1
        if pages and site in self._known:
            self._known[site] = self._known[site].added(pages)
            self._last = max(self._last, *(page.at for page in pages))

    def _take_articles(self, records: Sequence[Record]) -> None:
        for record in sorted(records, key=lambda one: (one.at, one.key)):
            self.articles.add(record.key.hex(), record.data.hex())


def shelf_of(site: str) -> str:
    """The shelf of the pages of a site, in every store."""
    return f"site:{site}"


def _article(fingerprint: str, simhash: str, at: int) -> Record:
    return Record(bytes.fromhex(fingerprint), at, bytes.fromhex(simhash))
