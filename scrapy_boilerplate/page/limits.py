"""Limits on bytes, elements and time of a page, against extreme pages."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic, thread_time
from typing import Self

# names of the budgets; `Document.exceeded` is the one that the page exceeds
BYTES, ELEMENTS, MILLISECONDS = "bytes", "elements", "milliseconds"

# value of `Document.partial` if pages of the article were not read
PAGES = "pages"
# value of `partial` in a row if the archive has only the beginning of the page
TRUNCATED = "truncated"
# value of `Document.partial` where the parser has cut the page
DEPTH = "depth"

# maximum ancestors of an element, from XML_MAX_HUGE_DEPTH of libxml2, which ignores the rest of an
# HTML page after a deeper element
PARSER_DEPTH = 2_047


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The budgets of one page; None is no limit.

    bytes         of the page as downloaded (characters if it is a str)
    elements      of its tree, in document order
    milliseconds  CPU time of the thread that reads it (`Clock`)
    """

    bytes: int | None = None
    elements: int | None = None
    milliseconds: float | None = None


NO_LIMITS = Limits()


class OutOfTimeError(Exception):
    """The CPU time of a page is used up."""


class Clock:
    """The CPU time that is left for a page.

    One rule: ``with clock`` is around the work for a page, which begins no stage, and computes no
    field, without `check`; so does each turn of a loop that can take long. A page then ends within
    twice its time, as long as no single stage takes longer.

    Only the CPU time of the current thread inside of ``with`` counts: a busy machine does not make
    documents partial. `with` can be nested; another thread may continue.
    """

    # steps of a loop between two checks: some milliseconds
    INTERVAL = 1_024

    def __init__(self, milliseconds: float | None = None) -> None:
        self._left = inf if milliseconds is None else milliseconds / 1000
        self._end = self._earliest_end = inf
        self._depth = 0

    def __enter__(self) -> Self:
        if not self._depth and self._left < inf:
            self._end = thread_time() + self._left
            self._earliest_end = monotonic() + self._left
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._left < inf:
            self._left = self._end - thread_time()

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        if self._left == inf:
            return False
        if not self._depth:
            return self._left <= 0
        # the time of a thread is a system call; it is never ahead of other clocks
        return monotonic() >= self._earliest_end and thread_time() >= self._end

    def check(self) -> None:
        """Raise OutOfTimeError if the time is used up."""
        if self.is_over:
            raise OutOfTimeError


NO_CLOCK = Clock()
