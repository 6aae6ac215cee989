"""JSON lines of pages for `extract --format jsonl`, and the knowledge of their sites."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.batch.json_lines import check_json_page, parse_json_page
from scrapy_boilerplate.cli.output import print_error

if TYPE_CHECKING:
    from scrapy_boilerplate.document import Document
    from scrapy_boilerplate.extraction import ObservedPage, SiteExtraction
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.site.stores import StoreError
    from scrapy_boilerplate.steps.extractor import Extractor

JsonPage = dict[str, Any]
Answer = dict[str, Any]

STANDARD_INPUT = "-"
NO_HTML_FILES = '--format jsonl reads lines {"id", "url", "html"}; for HTML files use --format json'
# Lines between synchronisations with a store in Redis.
SYNC_LINES = 50


def read_lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, or of standard input as they come. Raises OSError."""
    if name == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield from file


def answer_lines(
    lines: Iterable[bytes],
    answer: Callable[[JsonPage], Answer],
    hold_for: JsonLineSites | None = None,
) -> Iterator[Answer]:
    """Yield the answer to each line that is not blank; `answer` gives that to a page.

    Lines that are no page are answered with an error. With `hold_for` all lines are read and
    learned first, then answered in their order. Parsed pages are dropped and parsed again later:
    all pages of a file at once would not fit into memory.
    """
    parsed: Iterable[tuple[Answer | None, JsonPage]]
    parsed = (parse_line(line) for line in lines if line.strip())
    if hold_for is not None:
        hold_for.keep_all_sites()
        parsed = [
            (error, page) if error is not None else (hold_for.learn(page), page)
            for error, page in parsed
        ]
        hold_for.synchronise()
    for error, page in parsed:
        yield answer(page) if error is None else error


def parse_line(line: bytes) -> tuple[Answer | None, JsonPage]:
    """Return (the answer to a line that is no page, or None, the page)."""
    if line.lstrip().startswith(b"<"):
        return {"id": None, "error": f"no JSON: {NO_HTML_FILES}"}, {}
    try:
        page = parse_json_page(line)
    except ValueError as error:
        return {"id": None, "error": str(error)}, {}
    if (fault := check_json_page(page)) is not None:
        return {"id": page.get("id"), "error": fault}, {}
    return None, page


def answer_error(page: JsonPage, error: Exception) -> Answer:
    """Return the answer to a page that failed."""
    return {"id": page.get("id"), "error": f"{type(error).__name__}: {error}"}


class JsonLineSites:
    """Documents of pages with "html" and "url", by what is known of their sites.

    `limits` are the budgets of each page. Raises StoreError, MissingExtraError where the store
    cannot be opened.
    """

    def __init__(self, store: str, extractor: Extractor, limits: Limits) -> None:
        from scrapy_boilerplate.extraction import SiteExtraction
        from scrapy_boilerplate.site.sites import Sites
        from scrapy_boilerplate.site.stores import open_store

        self._sites = Sites(open_store(store))
        self._sites.on_error = self._warn
        self._extraction: SiteExtraction = SiteExtraction(self._sites, limits=limits)
        self._extractor = extractor
        self._n_read = 0
        self._has_warned = False

    def extract(self, page: JsonPage) -> Document:
        """Read, learn and label one page."""
        return self._extraction.build_document(self._read(page), self._extractor)

    def learn(self, page: JsonPage) -> Answer | None:
        """Read and learn one page; return the answer if it failed."""
        try:
            self._read(page)
        except Exception as error:  # noqa: BLE001 - the next line is served
            return answer_error(page, error)
        return None

    def _read(self, page: JsonPage) -> ObservedPage:
        observed = self._extraction.read_and_learn(page["html"], page.get("url"), self._extractor)
        self._n_read += 1
        if self._n_read % SYNC_LINES in (0, 1):
            self.synchronise()
        return observed

    def keep_all_sites(self) -> None:
        """Forget no site, however many there are: pages of all are answered only later."""
        self._sites.max_sites = sys.maxsize

    def synchronise(self) -> None:
        """Read the records of other processes if the store is remote."""
        from scrapy_boilerplate.site.stores import StoreError

        if not self._sites.store.remote:
            return
        try:
            self._sites.synchronise()
        except StoreError as error:
            self._warn(error)

    def close(self) -> int:
        """Write what was learned; return 1 if that cannot be done."""
        try:
            self._sites.close()
        except OSError as error:
            return print_error(error)
        return 0

    def _warn(self, error: StoreError) -> None:
        if not self._has_warned:
            print_error(f"{error}; what is learnt stays in memory until it is back")
        self._has_warned = True
