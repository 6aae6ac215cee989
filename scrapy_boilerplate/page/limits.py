"""Limits on bytes, elements and time of a page, which protect a crawl from extreme pages."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import thread_time

# names of the budgets; `Document.partial` is the one that the page exceeds
BYTES, ELEMENTS, MILLISECONDS = "bytes", "elements", "milliseconds"

# value of `Document.partial` where the parser has cut the page
DEPTH = "depth"

# ancestors of an element at most, from XML_MAX_HUGE_DEPTH of libxml2: it reads nothing of an HTML
# page after a deeper element
PARSER_DEPTH = 2_047


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The budgets of one page; None is no limit.

    bytes         of the page as downloaded (characters if it is a str)
    elements      of its tree, in document order
    milliseconds  CPU time of the thread that reads it; checked between stages and steps, so one of
                  them can exceed it
    """

    bytes: int | None = None
    elements: int | None = None
    milliseconds: float | None = None


NO_LIMITS = Limits()


class OutOfTimeError(Exception):
    """The CPU time of a page is used up."""


class Clock:
    """CPU time left for one page: a busy machine does not make documents partial.

    It measures the current thread. Time between `pause` and `resume` does not count, and another
    thread may resume. `was_exceeded` is set when work was given up.
    """

    # steps of a loop between two checks: some milliseconds
    INTERVAL = 1_024

    def __init__(self, milliseconds: float | None = None) -> None:
        self._left = inf if milliseconds is None else milliseconds / 1000
        self.was_exceeded = False
        self.resume()

    def pause(self) -> None:
        """Stop."""
        self._left = self._end - thread_time()

    def resume(self) -> None:
        """Continue with the time that was left at the last pause."""
        self._end = thread_time() + self._left

    @property
    def is_over(self) -> bool:
        """Return whether the time is used up."""
        return self._end < inf and thread_time() >= self._end

    def check(self) -> None:
        """Raise OutOfTimeError if the time is used up."""
        if self.is_over:
            raise OutOfTimeError


NO_CLOCK = Clock()
