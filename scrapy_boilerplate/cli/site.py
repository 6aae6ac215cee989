"""``scrapy-boilerplate extract --format jsonl --site STORE``: lines answered with site
knowledge."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.shared import complain

if TYPE_CHECKING:
    from scrapy_boilerplate.document import Document
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.site.stores import StoreError
    from scrapy_boilerplate.site_extraction import ReadPage, SiteExtraction
    from scrapy_boilerplate.steps.extractor import Extractor

Told = dict[str, Any]
Record = dict[str, Any]

EXCHANGE_EVERY = 50
"""Lines between exchanges with a store in Redis."""


class SiteLines:
    """Documents of records with "html" and "url", by what is known of their sites.

    `limits` are the budgets of each page. Raises StoreError, MissingExtraError where the store
    cannot be opened.
    """

    def __init__(self, store: str, extractor: Extractor, limits: Limits) -> None:
        from scrapy_boilerplate.site.sites import Sites
        from scrapy_boilerplate.site.stores import open_store
        from scrapy_boilerplate.site_extraction import SiteExtraction

        self._extraction: SiteExtraction = SiteExtraction(Sites(open_store(store)), limits=limits)
        self._extraction.sites.on_error = self._complain
        self._extractor = extractor
        self._lines = 0
        self._told = False

    def document(self, record: Record) -> Document:
        """Read, learn and label one page."""
        return self.finish(self.read(record))

    def read(self, record: Record) -> ReadPage:
        """Read and learn one page."""
        read = self._extraction.read(record["html"], record.get("url"), self._extractor)
        self._lines += 1
        if self._extraction.sites.store.remote and self._lines % EXCHANGE_EVERY in (0, 1):
            self._exchange()
        return read

    def finish(self, read: ReadPage) -> Document:
        """Label a page that was read, by what is known now."""
        return self._extraction.finish(read, self._extractor)

    def close(self) -> None:
        """Write what was learnt. Raises StoreError."""
        self._extraction.sites.close()

    def exchange(self) -> None:
        """Take in what others have learnt, where others can."""
        if self._extraction.sites.store.remote:
            self._exchange()

    def keep_all(self) -> None:
        """Forget no site, however many there are: pages of all are answered only later."""
        self._extraction.sites.max_sites = sys.maxsize

    def _exchange(self) -> None:
        from scrapy_boilerplate.site.stores import StoreError

        try:
            self._extraction.sites.synchronise()
        except StoreError as error:
            self._complain(error)

    def _complain(self, error: StoreError) -> None:
        if not self._told:
            complain(f"{error}; what is learnt stays in memory until it is back")
        self._told = True


def held(
    lines: Iterable[tuple[Told | None, Record]],
    site: SiteLines,
    answer: Callable[[Record, Callable[[Record], Document]], Told],
) -> Iterator[Told]:
    """Read all lines first, then answer them in their order.

    A line is either its answer (it could not be read) or a record. What was read of a page is let
    go and read again later: all pages of a file at once would not fit into memory.
    """
    site.keep_all()
    kept: list[tuple[Told | None, Record]] = []
    for told, record in lines:
        bad = told
        if bad is None:
            try:
                site.read(record)
            except Exception as error:  # noqa: BLE001 - the next line is served
                bad = {"id": record.get("id"), "error": f"{type(error).__name__}: {error}"}
        kept.append((bad, {} if bad is not None else record))
    site.exchange()
    for told, record in kept:
        yield answer(record, site.document) if told is None else told
