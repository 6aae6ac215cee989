"""A pool of workers that makes rows of stored pages, in the order of the pages."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, replace
from math import ceil

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import NO_ERROR, create_error_row
from scrapy_boilerplate.batch.settings import BatchSettings
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
# Rows that wait in memory for an earlier page that takes long (about 35 MB, our choice).
MAX_WAITING_ROWS = 500
# Bytes of such rows (our choice).
MAX_WAITING_BYTES = 100_000_000
# Seconds a worker may take to start (our choice; 2 s on an idle machine).
START_TIMEOUT = 300
# Megabytes that the advice adds to what this worker needs: others may need more (our choice).
SPARE_MEGABYTES = 100


class WorkerStartError(RuntimeError):
    """Workers cannot be started; the message says what to do."""


@dataclass(frozen=True)
class Row:
    """The row of a page as a line, or its packed site record; and the page without its HTML."""

    line: bytes
    page: StoredPage

    @property
    def failed(self) -> bool:
        """Whether the row holds an error."""
        return not self.line.endswith(NO_ERROR)


# A page, and its response if it went to a worker.
WaitingRow = tuple[StoredPage, Future[WorkerResponse] | None]


def _count_bytes(waiting: Iterable[WaitingRow]) -> int:
    """Return the bytes of the rows that are there."""
    responses = (future for _, future in waiting if future is not None and future.done())
    return sum(len(response.result().body) for response in responses)


@dataclass(frozen=True)
class RowPool:
    """Makes rows with `n_workers` processes that call `entry_point`, each with `settings`."""

    settings: BatchSettings
    n_workers: int = 1
    entry_point: str = ENTRY_POINT

    def create_rows(self, pages: Iterable[StoredPage]) -> Iterator[Row]:
        """Yield the row of every page, in order. Raises WorkerStartError if workers do not start.

        One page more than there are workers is read ahead, so that no worker waits for a page.
        """
        options = WorkerOptions(
            entry_point=self.entry_point,
            settings=asdict(self.settings),
            memory=self.settings.memory,
            start_timeout=START_TIMEOUT,
        )
        waiting: deque[WaitingRow] = deque()
        running: set[Future[WorkerResponse]] = set()
        with WorkerPool(self.n_workers, options) as pool:
            for page in pages:
                future = None
                if page.error is None:
                    request = WorkerRequest(
                        header={}, body=page.pack(), timeout=self.settings.seconds
                    )
                    future = pool.submit(request)
                    running.add(future)
                waiting.append((replace(page, html=""), future))
                is_full = True
                while is_full:
                    while waiting and ((future := waiting[0][1]) is None or future.done()):
                        yield self._create_row(*waiting.popleft())
                    is_full = (
                        len(running) > self.n_workers
                        or len(waiting) >= MAX_WAITING_ROWS
                        or (bool(waiting) and _count_bytes(waiting) > MAX_WAITING_BYTES)
                    )
                    if is_full:
                        running = wait(running, return_when=FIRST_COMPLETED).not_done
            while waiting:
                yield self._create_row(*waiting.popleft())

    def _create_row(self, page: StoredPage, future: Future[WorkerResponse] | None) -> Row:
        if future is None:
            return Row(create_error_row(page, page.error), page)
        response = future.result()
        if response.error is None:
            return Row(response.body, page)
        return Row(create_error_row(page, self._describe_failure(response.failure)), page)

    def _describe_failure(self, failure: Exception | None) -> str:
        """Return the error of a page. Raises WorkerStartError if its worker had not started."""
        if not isinstance(failure, WorkerDiedError):
            raise WorkerStartError(f"a worker cannot be started: {failure}") from failure
        timed_out = isinstance(failure, WorkerTooSlowError)
        too_large = isinstance(failure, WorkerTooLargeError)
        status = f"status {failure.status}"
        if failure.status < 0:
            status = signal.Signals(-failure.status).name
        if failure.is_started:
            if timed_out:
                return f"the page took more than {self.settings.seconds:g} s"
            if too_large:
                return f"the page took more than {self.settings.memory} MB of memory"
            return f"the worker died of the page ({status})"
        message = f"a worker ended before its first page (status {failure.status})"
        if timed_out:
            message = f"a worker was not ready after {START_TIMEOUT} s"
        elif too_large:
            needed = ceil(failure.megabytes / RECYCLE_AT) + SPARE_MEGABYTES
            message = (
                f"a worker has {failure.megabytes:.0f} MB before its first page, too much for a "
                f"limit of {self.settings.memory}: write --memory {needed} or more"
            )
        raise WorkerStartError(message)
