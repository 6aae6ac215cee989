"""How much of a page is read at most, so that no page can hurt a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import thread_time

BYTES, ELEMENTS, MILLISECONDS = "bytes", "elements", "milliseconds"
"""The budgets by name, as `Document.partial` tells which one ended the reading."""
DEPTH = "depth"
"""What `Document.partial` tells where the parser itself has ended it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The budgets of one page; None is none.

    bytes         of the page as it came (characters where it comes as text)
    elements      of its tree, in document order
    milliseconds  CPU time of the thread that reads it; looked at between stages and steps, so that
                  one of them can go on past it
    """

    bytes: int | None = None
    elements: int | None = None
    milliseconds: float | None = None


NO_LIMITS = Limits()


class Clock:
    """Runs from its making. CPU time: a busy machine does not make documents partial."""

    def __init__(self, milliseconds: float | None) -> None:
        self._end = inf if milliseconds is None else thread_time() + milliseconds / 1000

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return thread_time() >= self._end
