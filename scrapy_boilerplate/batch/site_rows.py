"""Pages of a batch and their sites: what each adds to the statistics, and its document by them.

What is known must not depend on the order of pages, nor on the engine. So a page is not dated by
the clock: its `at` is drawn from its record. The newest pages, which the statistics keep, are
thereby an even sample of all pages of the site.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.site.knowledge import MAX_PAGES
from scrapy_boilerplate.site.observation import PackedPageError, PageRecord
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site.stores.records import Record, shelf_of
from scrapy_boilerplate.site.stores.sqlite import SqliteStore
from scrapy_boilerplate.site_extraction import SiteExtraction
from scrapy_boilerplate.steps.extractor import Extractor

SITES = 200
"""Sites whose statistics a worker keeps in memory, about 1 MB each at most (our choice)."""
AT_BYTES = 6
"""Bytes of `at`: as many as the milliseconds of the clock need, for the same stores."""
NOTHING = b""
"""What is learnt of a page that has no text or cannot be read; its row will tell."""
NO_ADDRESS = "the page has no address, and so no site"


class SiteReader:
    """Reads pages with `extractor`; their sites are known from the file `statistics`, if any."""

    def __init__(self, extractor: Extractor, statistics: str = "") -> None:
        store = SqliteStore(Path(statistics)) if statistics else None
        self._extraction = SiteExtraction(Sites(store, max_sites=SITES))
        self._extractor = extractor

    def record_line(self, page: StoredPage) -> bytes:
        """The packed record of a page, or NOTHING."""
        try:
            read = self._extraction.observed(page.html, page.url, self._extractor)
        except Exception:  # noqa: BLE001 - the second pass meets it again, and tells
            return NOTHING
        return drawn(read.record).packed() if len(read.page) else NOTHING

    def document(self, page: StoredPage) -> Document:
        """The document of a page, by the statistics of its site, which stay as they are."""
        read = self._extraction.observed(page.html, page.url, self._extractor)
        return self._extraction.finish(read, self._extractor)


def drawn(record: PageRecord) -> PageRecord:
    """The record with an `at` that depends on nothing but itself."""
    digest = blake2b(replace(record, at=0).packed(), digest_size=AT_BYTES)
    return replace(record, at=int.from_bytes(digest.digest(), "big"))


def record_in(line: bytes) -> Record | None:
    """The record of an answer to LEARN, for a store; None for NOTHING, or the row of an error."""
    try:
        record = PageRecord.unpacked(line)
    except PackedPageError:
        return None
    return Record(record.key, record.at, line)


def learnable(page: StoredPage) -> StoredPage:
    """The page; one without an address costs no work: it has no site."""
    return page if page.url else replace(page, html="", error=page.error or NO_ADDRESS)


def keep(store: SqliteStore, records: Iterable[tuple[str, Record]], *more: Record) -> None:
    """Put (site, record) into the statistics, and `more` beside them, in one transaction."""
    shelves: dict[str, list[Record]] = {}
    for site, record in records:
        shelves.setdefault(shelf_of(site), []).append(record)
    if more:
        shelves[PROGRESS] = list(more)
    store.write(shelves, dict.fromkeys(shelves, MAX_PAGES))


PROGRESS = "progress"
"""The shelf of notes on the first pass."""


def notes_in(store: SqliteStore) -> Sequence[Record]:
    """The notes that were kept beside the statistics."""
    return store.read({PROGRESS: ()})[PROGRESS]
