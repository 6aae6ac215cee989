"""Several guarded workers over a stream of pages: rows come out in the order of the pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from multiprocessing.connection import wait

from scrapy_boilerplate.batch.guarded import WORKER, GuardedWorker, Settings
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import NO_ERROR, error_line

AHEAD = 500
"""Pages that may be done before an earlier one that takes long: what is held in memory (about
35 MB, our choice)."""
LOOK = 0.1
"""Seconds between two looks at time and memory."""


@dataclass(frozen=True)
class Row:
    """The line of a page, and the page without its HTML."""

    line: bytes
    page: StoredPage

    @property
    def failed(self) -> bool:
        """Whether it tells of an error."""
        return not self.line.endswith(NO_ERROR)


@dataclass(frozen=True)
class Crew:
    """`workers` processes, each with `settings`; `command` is what the interpreter runs."""

    settings: Settings
    workers: int = 1
    command: Sequence[str] = WORKER

    def rows(self, pages: Iterable[StoredPage]) -> Iterator[Row]:
        """The row of every page, in order. Raises WorkerError if workers do not start."""
        stream = iter(pages)
        first = next(stream, None)
        if first is None:
            return
        with ExitStack() as stack:
            hands = []
            for _ in range(self.workers):
                hands.append(GuardedWorker(self.settings, self.command))
                stack.callback(hands[-1].stop)
            yield from _Shift(hands, chain([first], stream)).rows()


class _Shift:
    """One stream of pages through the workers."""

    def __init__(self, workers: Sequence[GuardedWorker], pages: Iterator[StoredPage]) -> None:
        self._workers = workers
        self._pages = pages
        self._given = 0
        self._ended = False
        self._out: dict[int, StoredPage] = {}
        self._done: dict[int, Row] = {}

    def rows(self) -> Iterator[Row]:
        next_out = 0
        while True:
            self._give(next_out)
            while next_out in self._done:
                yield self._done.pop(next_out)
                next_out += 1
                self._give(next_out)
            if self._ended and next_out == self._given:
                return
            self._look()

    def _give(self, next_out: int) -> None:
        idle = (one for one in self._workers if one.idle)
        worker = next(idle, None)
        while worker and not self._ended and self._given - next_out < AHEAD:
            page = next(self._pages, None)
            if page is None:
                self._ended = True
                return
            number, self._given = self._given, self._given + 1
            self._out[number] = replace(page, html="")
            if page.error is not None:
                self._note(number, page.error)
            else:
                worker.give(number, page.packed())
                worker = next(idle, None)

    def _look(self) -> None:
        """Wait for answers, and see to those that take too much."""
        by_connection = {one.connection: one for one in self._workers if not one.idle}
        found = wait(list(by_connection), LOOK)
        for connection, worker in by_connection.items():
            number = worker.number
            answer = (worker.answer if connection in found else worker.overdue)()
            if number is not None and answer is not None:
                self._note(number, answer)

    def _note(self, number: int, answer: bytes | str) -> None:
        page = self._out.pop(number)
        line = answer if isinstance(answer, bytes) else error_line(page, answer)
        self._done[number] = Row(line, page)
