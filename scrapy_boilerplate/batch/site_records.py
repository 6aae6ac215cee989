"""Site knowledge of a batch: make records of pages, and label pages by the records of their site.

The rows must not depend on the order of pages. So the `at` of a record is a hash of the record
instead of the time, and the "newest" records of a site, which are kept, are an even sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.codec import MAX_TIME, RecordError, decode_record, encode_record
from scrapy_boilerplate.site.extractor import SiteVisit
from scrapy_boilerplate.site.knowledge import MAX_PAGES
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, SqliteStore, StoreRecord

# Sites that a worker keeps in memory, about 1 MB each at most.
MAX_SITES = 200
# Pages whose records are written at once.
TRANSACTION_PAGES = 500
# Bytes of `at`: as many as milliseconds since 1970 need.
AT_BYTES = 6
# Encoded record of a page that has no text or cannot be read; its row says why.
NO_RECORD = b""


class SitePageReader:
    """Reads pages with the site records in the file `statistics`, if any."""

    def __init__(self, options: Options, statistics: str = "") -> None:
        store = SqliteStore(Path(statistics)) if statistics else None
        registry = SiteRegistry(store, max_sites=MAX_SITES, clock=lambda: MAX_TIME)
        self._registry = registry
        self._options = options

    def read_record(self, page: StoredPage) -> bytes:
        """Return the encoded record of a page, or NO_RECORD."""
        try:
            document, record = self._read(page)
        except Exception:  # noqa: BLE001 - the second pass reports the same error
            return NO_RECORD
        if record is None or not len(document.get_page()[0]):
            return NO_RECORD
        return encode_record(record, derive_time(record))

    def build_document(self, page: StoredPage) -> Document:
        """Return the document of a page by the records of its site."""
        return self._read(page)[0]

    def _read(self, page: StoredPage) -> tuple[Document, PageRecord | None]:
        visit = SiteVisit(self._registry, learns=False)
        options = self._options.for_page(page.url)
        return extract_page(page.html, page.url, options, site=visit), visit.record


def derive_time(record: PageRecord) -> int:
    """Return the `at` of a record: a hash of its other values."""
    digest = blake2b(encode_record(record, 0), digest_size=AT_BYTES)
    return int.from_bytes(digest.digest(), "big")


def parse_record(line: bytes) -> StoreRecord | None:
    """Return the record that a worker sent; None for NO_RECORD or the row of an error."""
    try:
        at, record = decode_record(PageRecord, line)
    except RecordError:
        return None
    # the same page under another title gives another record, so the order of pages does not matter
    return StoreRecord(record.key + at.to_bytes(AT_BYTES, "big"), at, line)


def write_records(file: Path, lines: Iterator[tuple[str, bytes]]) -> None:
    """Write pairs of a site and a line of `parse_record` to a file of statistics.

    Raises StoreError.
    """
    with closing(SqliteStore(file)) as store:
        while chunk := list(islice(lines, TRANSACTION_PAGES)):
            records: dict[str, list[StoreRecord]] = {}
            for site, line in chunk:
                if record := parse_record(line):
                    records.setdefault(site, []).append(record)
            for site, of_site in records.items():
                store.put(Collection(PageRecord, site, MAX_PAGES), of_site)
