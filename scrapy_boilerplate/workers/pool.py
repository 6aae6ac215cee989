"""A bounded pool of worker processes; each is served by a thread that waits for its answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from weakref import ReferenceType, ref

from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.workers.process import (
    WorkerDiedError,
    WorkerProcess,
    WorkerTooSlowError,
)

ATTEMPTS = 2
"""A page whose worker dies is tried once more, in a fresh one: the page may not be to blame."""
PATIENCE = 60.0
"""Seconds of wall time that an answer may take where pages have no budget of time."""
PATIENCE_FACTOR = 4
"""With one: so many times the budget and `PATIENCE_START` more. A stage cannot be left in the
middle, the budget counts CPU time, and a fresh worker imports for a second first."""
PATIENCE_START = 20.0
WATCH_EVERY = 0.5
"""Seconds between two looks for workers that take too long. One thread looks after all: a timer for
each page, which is a thread of its own, made crawls a tenth slower (benchmarks.crawl_once, 600
pages, two runs each: 1,541 and 1,767 pages a minute, without 1,737 and 1,918; 2026-11-22)."""


@dataclass(frozen=True, kw_only=True)
class SentPage:
    """A page for a worker, and how to read it; `late` names what to build of `plain.LATE`."""

    url: str | None
    body: bytes = field(repr=False)
    encoding: str
    extractor: str
    favor: str
    limits: Limits = NO_LIMITS
    late: Sequence[str] = ()

    @property
    def told(self) -> dict[str, Any]:
        """All but the body, as JSON can hold it."""
        told = {name: value for name, value in vars(self).items() if name != "body"}
        return {**told, "limits": asdict(self.limits), "late": list(self.late)}

    @property
    def patience(self) -> float:
        """Seconds of wall time after which its worker is ended."""
        budget = self.limits.milliseconds
        if budget is None:
            return PATIENCE
        return PATIENCE_START + PATIENCE_FACTOR * budget / 1000


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a page: the values of its document (`plain`), or an error.

    `kind` is "page" or "meta" (no such extractor) for errors that the worker told, "worker" where
    there was none to tell; `deaths` counts the workers that ended over it.
    """

    document: dict[str, Any] | None = None
    error: str | None = None
    kind: str = "worker"
    deaths: int = 0


class WorkerPool:
    """Answers pages with up to `n_workers` processes, each started when it is first needed.

    A dead worker takes only its own page down, and is replaced when the next page comes. `submit`
    from any thread; the futures never raise but for CancelledError after `close`.
    """

    def __init__(self, n_workers: int) -> None:
        self._threads = ThreadPoolExecutor(n_workers, "boilerplate-worker")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: set[WorkerProcess] = set()
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    def submit(self, page: SentPage) -> Future[Answer]:
        """Put a page into the queue. Raises RuntimeError after `close`."""
        return self._threads.submit(self._answer, page)

    @property
    def pids(self) -> list[int]:
        """The processes that are alive now."""
        with self._lock:
            return [worker.pid for worker in self._alive]

    def close(self) -> None:
        """End every worker now; pages under way are answered with an error, others cancelled."""
        with self._lock:
            self._closed.set()
            workers = list(self._alive)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()

    def _answer(self, page: SentPage) -> Answer:
        deaths, told = 0, ""
        while deaths < ATTEMPTS and not self._closed.is_set():
            try:
                return Answer(
                    **self._worker().ask(page.told, page.body, page.patience), deaths=deaths
                )
            except (WorkerDiedError, OSError) as error:
                self._bury()
                deaths, told = deaths + 1, f"{type(error).__name__}: {error}"
                if isinstance(error, WorkerTooSlowError):
                    break
            except Exception as error:  # noqa: BLE001 - a page that cannot be sent
                self._bury()  # half of it may be in the pipe
                return Answer(error=f"{type(error).__name__}: {error}", deaths=deaths)
        return Answer(error=told or "the pool is closed", deaths=deaths)

    def _worker(self) -> WorkerProcess:
        """The worker of this thread."""
        worker: WorkerProcess | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = WorkerProcess()
            with self._lock:
                self._alive.add(worker)
                if self._watch is None or not self._watch.is_alive():
                    self._watch = _started_watch(self, self._closed)
            if self._closed.is_set():  # meanwhile; `close` may not have seen it
                worker.kill()
        return worker

    def end_late(self) -> None:
        """End the workers that take too long."""
        with self._lock:
            workers = list(self._alive)
        for worker in workers:
            with suppress(OSError):  # told by the pipe, if it is dead
                worker.end_if_late()

    def _bury(self) -> None:
        worker: WorkerProcess | None = getattr(self._own, "worker", None)
        self._own.worker = None
        if worker is not None:
            worker.kill()
            with self._lock:
                self._alive.discard(worker)


def _started_watch(pool: WorkerPool, closed: threading.Event) -> threading.Thread:
    """A thread that looks after the workers of `pool` until it is `closed`, or forgotten."""
    watch = threading.Thread(target=_watch, args=(ref(pool), closed), daemon=True)
    watch.start()
    return watch


def _watch(pool: ReferenceType[WorkerPool], closed: threading.Event) -> None:
    while not closed.wait(WATCH_EVERY):
        watched = pool()
        if watched is None:
            return
        watched.end_late()
        del watched
