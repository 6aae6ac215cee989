"""The other pages of a site in a batch: records of pages, and documents by the records of a site.

The rows must not depend on the order of pages. So the `at` of a record is a hash of the record
instead of the time, and the "newest" records of a site, which are kept, are an even sample.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract_page, load_page
from scrapy_boilerplate.extractors import Options, build_site_steps
from scrapy_boilerplate.site.page_records import (
    MAX_PAGES,
    PageRecord,
    build_page_record,
    compute_signatures,
)
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import (
    MAX_TIME,
    Collection,
    RecordError,
    SqliteStore,
    StoreRecord,
)
from scrapy_boilerplate.site.visit import SiteVisit

# Sites that a worker keeps in memory, about 1 MB each at most.
MAX_SITES = 200
# Pages whose records are written at once.
TRANSACTION_PAGES = 500
# Bytes of `at`: as many as milliseconds since 1970 need.
AT_BYTES = 6
# Encoded record of a page that has no text or cannot be read; its row says why.
NO_RECORD = b""


def encode_page(page: StoredPage, options: Options) -> bytes:
    """Return the encoded record of a page, or NO_RECORD."""
    try:
        options = options.for_page(page.url)
        extractor = options.build_extractor()
        read = extractor.segmenter(load_page(page.html, page.url, options.limits).page)
        labeling = extractor.decide_content(read)
        record = build_page_record(read, compute_signatures(read), labeling)
    except Exception:  # noqa: BLE001 - the second pass reports the same error
        return NO_RECORD
    return record.encode(derive_time(record)) if len(read) else NO_RECORD


class SitePageReader:
    """Reads pages with the site records in the file `statistics`."""

    def __init__(self, options: Options, statistics: str) -> None:
        store = SqliteStore(Path(statistics))
        self._registry = SiteRegistry(store, max_sites=MAX_SITES, clock=lambda: MAX_TIME)
        self._options = options

    def build_document(self, page: StoredPage) -> Document:
        """Return the document of a page by the records of its site."""
        options = self._options.for_page(page.url)
        extractor = options.build_extractor()
        if not extractor.uses_site:  # a rule chose it
            return extract_page(page.html, page.url, options)
        visit = SiteVisit(self._registry, build_site_steps(extractor), learns=False)
        options = replace(options, extractor=visit.insert_into(extractor))
        document = extract_page(page.html, page.url, options)
        document.site_pages = visit.site_pages
        return document


def derive_time(record: PageRecord) -> int:
    """Return the `at` of a record: a hash of its other values."""
    digest = blake2b(record.encode(0), digest_size=AT_BYTES)
    return int.from_bytes(digest.digest(), "big")


def parse_record(line: bytes) -> StoreRecord | None:
    """Return the record that a worker sent; None for NO_RECORD or the row of an error."""
    try:
        at, record = PageRecord.decode(line)
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
