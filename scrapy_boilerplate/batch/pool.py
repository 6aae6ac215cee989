"""A pool of workers that makes rows of stored pages, in the order of the pages."""

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from scrapy_boilerplate.batch.json_lines import check_kind, decode_page
from scrapy_boilerplate.batch.pages import SECONDS, StoredPage
from scrapy_boilerplate.batch.rows import NO_ERROR, create_error_row
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.workers.pool import (
    RECYCLE_AT,
    WorkerDiedError,
    WorkerOptions,
    WorkerPool,
    WorkerRequest,
    WorkerResponse,
    WorkerTooLargeError,
    WorkerTooSlowError,
)

ENTRY_POINT = "scrapy_boilerplate.batch.worker:serve_rows"
# Rows that wait in memory for an earlier page that takes long (about 35 MB).
MAX_WAITING_ROWS = 500
# Seconds a worker may take to start (2 s on an idle machine).
START_TIMEOUT = 300
# Maximum megabytes of a worker.
MEMORY = 2_000
# Megabytes that an error message adds to the memory of this worker: others may need more.
SPARE_MEGABYTES = 100
DEFAULT_OPTIONS = Options()


class WorkerStartError(RuntimeError):
    """Workers cannot be started; the message says what to do."""


@dataclass(frozen=True)
class Row:
    """The row of a page as a line, or its packed site record; and the page without its HTML."""

    line: bytes
    page: StoredPage

    @property
    def failed(self) -> bool:
        """Whether the row has an error."""
        return not self.line.endswith(NO_ERROR)


@dataclass
class _Pending:
    """A page, and its row once that is there."""

    page: StoredPage
    row: Row | None = None


@dataclass(frozen=True)
class RowPool:
    """Makes rows with `n_workers` processes that call `entry_point`.

    options     how pages become rows; `fields` are the ADDED_FIELDS to add
    seconds     maximum wall-clock time of a page
    memory      maximum resident memory of a worker, in megabytes (where there is /proc)
    learn       make site records of pages instead of rows
    statistics  path of the file with site records to label by, "" for none
    """

    options: Options = DEFAULT_OPTIONS
    n_workers: int = 1
    seconds: float = SECONDS
    memory: int = MEMORY
    learn: bool = False
    statistics: str = ""
    entry_point: str = ENTRY_POINT

    @property
    def added(self) -> tuple[str, ...]:
        """The ADDED_FIELDS in the rows, sorted."""
        return tuple(sorted(self.options.fields))

    def describe_work(self) -> dict[str, Any]:
        """Return the settings of the workers as JSON values."""
        return {
            **self.options.dump(),
            "rules": self.options.rules.as_mapping(),
            "learn": self.learn,
            "statistics": self.statistics,
        }

    def create_rows(self, pages: Iterable[StoredPage]) -> Iterator[Row]:
        """Yield the row of every page, in order. Raises WorkerStartError if workers do not start.

        One page more than there are workers is read ahead, so that no worker waits for a page.
        """
        options = WorkerOptions(
            entry_point=self.entry_point,
            settings=self.describe_work(),
            memory=self.memory,
            start_timeout=START_TIMEOUT,
        )
        waiting: deque[_Pending] = deque()
        running: dict[Future[WorkerResponse], _Pending] = {}
        with WorkerPool(self.n_workers, options) as pool:
            for page in map(check_kind, pages):
                pending = _Pending(replace(page, html=""))
                waiting.append(pending)
                if page.error is None:
                    running[pool.submit(self._create_request(page))] = pending
                else:
                    pending.row = Row(create_error_row(page, page.error), page)
                while len(running) > self.n_workers or len(waiting) >= MAX_WAITING_ROWS:
                    self._collect(running)
                    yield from _take_rows(waiting)
            while waiting:
                yield from _take_rows(waiting)
                self._collect(running)

    def _create_request(self, page: StoredPage) -> WorkerRequest:
        html, kind = page.html, "bytes"
        if isinstance(html, str):
            # lone surrogates become "?", as in the parser
            html, kind = html.encode("utf-8", "replace"), "text"
        if page.line is not None:
            html, kind = page.line, "line"
        header = {name: getattr(page, name) for name in ("id", "url", "partial", "headers")}
        return WorkerRequest(header={**header, "kind": kind}, body=html, timeout=self.seconds)

    def _collect(self, running: dict[Future[WorkerResponse], _Pending]) -> None:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            pending = running.pop(future)
            pending.row = self._create_row(pending.page, future.result())

    def _create_row(self, page: StoredPage, response: WorkerResponse) -> Row:
        if response.error is None:
            return Row(response.body, replace(page, line=None, **response.page))
        page = replace(decode_page(page), html="", line=None)
        return Row(create_error_row(page, self._describe_failure(response.failure)), page)

    def _describe_failure(self, failure: Exception | None) -> str:
        if isinstance(failure, WorkerDiedError) and failure.is_started:
            if isinstance(failure, WorkerTooSlowError):
                return f"the page took more than {self.seconds:g} s"
            if isinstance(failure, WorkerTooLargeError):
                return f"the page took more than {self.memory} MB of memory"
            status = f"status {failure.status}"
            with suppress(ValueError):  # it is the number of no signal
                status = signal.Signals(-failure.status).name
            return f"the worker died on the page ({status})"
        if isinstance(failure, WorkerTooLargeError):
            needed = ceil(failure.megabytes / RECYCLE_AT) + SPARE_MEGABYTES
            raise WorkerStartError(
                f"a worker has {failure.megabytes:.0f} MB before its first page: raise --memory "
                f"from {self.memory} to {needed} or more"
            )
        raise WorkerStartError(f"a worker cannot be started: {failure}") from failure


def _take_rows(waiting: deque[_Pending]) -> Iterator[Row]:
    while waiting and (row := waiting[0].row) is not None:
        waiting.popleft()
        yield row
