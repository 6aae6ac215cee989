"""`extract --format jsonl`: a record for each line, with or without site knowledge."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.output import print_error

if TYPE_CHECKING:
    from scrapy_boilerplate.document import Document
    from scrapy_boilerplate.extraction import ObservedPage, SiteExtraction
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.site.stores import StoreError
    from scrapy_boilerplate.steps.extractor import Extractor

JsonPage = dict[str, Any]
OutputRecord = dict[str, Any]
"""The values of one page that are printed: of its document (`build_record`), or of its error."""

STANDARD_INPUT = "-"
NO_HTML_FILES = '--format jsonl reads JSON lines {"id", "url", "html"}; for HTML use --format json'
# lines between exchanges with the store
SYNC_LINES = 50


def read_lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, or of standard input as they come. Raises OSError."""
    if name == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield from file


def build_records(
    lines: Iterable[bytes], build: Callable[[JsonPage], OutputRecord]
) -> Iterator[OutputRecord]:
    """Yield a record for each line that is not blank: `build` of its page, or an error."""
    for error, page in (parse_line(line) for line in lines if line.strip()):
        yield build(page) if error is None else error


def parse_line(line: bytes) -> tuple[OutputRecord | None, JsonPage]:
    """Return the error record of a line that is no page, or None; and the page."""
    from scrapy_boilerplate.batch.json_lines import parse_json_page
    from scrapy_boilerplate.batch.pages import check_page_values

    if line.lstrip().startswith(b"<"):
        return {"id": None, "error": f"not JSON: {NO_HTML_FILES}"}, {}
    try:
        page = parse_json_page(line)
    except ValueError as error:
        return {"id": None, "error": str(error)}, {}
    if (fault := check_page_values(page)) is not None:
        return {"id": page.get("id"), "error": fault}, {}
    return None, page


def build_error_record(page: JsonPage, error: Exception) -> OutputRecord:
    """Return the record of a page that failed."""
    return {"id": page.get("id"), "error": f"{type(error).__name__}: {error}"}


class SiteSession:
    """Reads pages with site knowledge, from opening a store to closing it.

    `limits` are the budgets of each page. Raises StoreError if the store cannot be opened, and
    MissingExtraError.
    """

    def __init__(self, store: str, extractor: Extractor, limits: Limits) -> None:
        from scrapy_boilerplate.extraction import SiteExtraction
        from scrapy_boilerplate.site.registry import SiteRegistry
        from scrapy_boilerplate.site.stores import open_store

        self._registry = SiteRegistry(open_store(store))
        self._registry.on_error = self._warn
        self._extraction: SiteExtraction = SiteExtraction(self._registry, limits=limits)
        self._extractor = extractor
        self._n_read = 0
        self._has_warned = False

    def extract(self, page: JsonPage) -> Document:
        """Read, learn and label one page."""
        return self._extraction.build_document(self._read(page), self._extractor)

    def _read(self, page: JsonPage) -> ObservedPage:
        observed = self._extraction.read_and_learn(page["html"], page.get("url"), self._extractor)
        self._n_read += 1
        if self._n_read % SYNC_LINES in (0, 1):
            self.synchronise()
        return observed

    def synchronise(self) -> None:
        """Exchange records with the store."""
        from scrapy_boilerplate.site.stores import StoreError

        try:
            self._registry.synchronise()
        except StoreError as error:
            self._warn(error)

    def close(self) -> int:
        """Write the site knowledge; return 1 if the store fails."""
        try:
            self._registry.close()
        except OSError as error:
            return print_error(error)
        return 0

    def _warn(self, error: StoreError) -> None:
        if not self._has_warned:
            print_error(f"{error}; site knowledge stays in memory until the store is available")
        self._has_warned = True
