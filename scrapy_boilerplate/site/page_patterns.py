"""How a site numbers the pages of its articles: what became of next pages that were fetched."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

# Characters of a pattern that is remembered, at most (our choice).
MAX_PATTERN = 40
# Articles of a site that are remembered, the newest (our choice: 5 kB).
MAX_OUTCOMES = 64
# Articles whose next page was joined from which a pattern is known (our choice).
MIN_JOINED = 2
# Articles whose next page was not theirs, from which a pattern that never led to one is refused.
MIN_REJECTED = 3
# Milliseconds for which an article counts (our choice, a month): then a refused pattern is tried.
MAX_AGE = 30 * 86_400_000

KEY_BYTES = 16
_FORMAT = 1
_HEAD = struct.Struct("<B?")
_is_pattern = re.compile(rf"[!-~]{{1,{MAX_PATTERN}}}").fullmatch


@dataclass(frozen=True)
class PageOutcome:
    """What became of the next page of an article.

    key        of the address of the article
    at         milliseconds since 1970
    pattern    `PageStep.pattern` of the next page
    is_joined  whether it was a page of the article
    """

    key: bytes
    at: int
    pattern: str
    is_joined: bool

    def pack(self) -> bytes:
        """Return what stores keep; `unpack` reads it."""
        return _HEAD.pack(_FORMAT, self.is_joined) + self.pattern.encode()

    @classmethod
    def unpack(cls, key: bytes, at: int, data: bytes) -> PageOutcome:
        """Return the outcome of a record. Raises ValueError for one that `pack` cannot write."""
        try:
            _, is_joined = _HEAD.unpack_from(data)
            outcome = cls(key, at, data[_HEAD.size :].decode("ascii"), is_joined)
        except (struct.error, UnicodeDecodeError) as error:
            raise ValueError("no outcome") from error
        if len(key) != KEY_BYTES or not is_pattern(outcome.pattern) or outcome.pack() != data:
            raise ValueError("no outcome")
        return outcome


def is_pattern(pattern: str) -> bool:
    """Return whether a pattern is one that is remembered."""
    return _is_pattern(pattern) is not None


def hash_article(url: str) -> bytes:
    """Return the key of an article by the address of its first page."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


class PagePatterns:
    """The patterns of one site: a function of the set of its outcomes, one of each article.

    `clock` returns milliseconds since 1970.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._outcomes: dict[bytes, PageOutcome] = {}

    @property
    def outcomes(self) -> Mapping[bytes, PageOutcome]:
        """The outcomes by their keys."""
        return self._outcomes

    def add(self, outcome: PageOutcome) -> None:
        """Add what became of an article; the newest of each article, and of the site, stay."""
        known = self._outcomes.get(outcome.key)
        if known is None or (known.at, known.pack()) < (outcome.at, outcome.pack()):
            self._outcomes[outcome.key] = outcome
        if len(self._outcomes) > MAX_OUTCOMES:
            oldest = min(self._outcomes.values(), key=lambda each: (each.at, each.key))
            del self._outcomes[oldest.key]

    def is_known(self, pattern: str) -> bool:
        """Return whether addresses of a pattern are pages of their article."""
        joined, rejected = self._count(pattern)
        return joined >= MIN_JOINED and joined > rejected

    def is_refused(self, pattern: str) -> bool:
        """Return whether addresses of a pattern never were pages of their article."""
        joined, rejected = self._count(pattern)
        return rejected >= MIN_REJECTED and not joined

    def _count(self, pattern: str) -> tuple[int, int]:
        since = self._clock() - MAX_AGE
        recent = [o for o in self._outcomes.values() if o.pattern == pattern and o.at >= since]
        joined = sum(outcome.is_joined for outcome in recent)
        return joined, len(recent) - joined
