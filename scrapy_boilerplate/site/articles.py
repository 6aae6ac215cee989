"""Articles that were met before: exactly, or nearly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scrapy_boilerplate.site.fingerprints import near, simhash_from_hex
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.stores.records import Record

MAX_ARTICLES = 100_000
"""Articles that are remembered, the newest: 16 bytes each to look through, and a key."""
EXACT, NEAR = "exact", "near"


class Articles:
    """The fingerprints and simhashes of articles; the oldest are let go beyond `most`."""

    def __init__(self, most: int = MAX_ARTICLES) -> None:
        self._most = most
        self._fingerprints: dict[str, int] = {}
        self._rows: Hashes = np.zeros((1024, 2), dtype=np.uint64)
        self._known = np.zeros(1024, dtype=np.bool_)
        self._times = np.zeros(1024, dtype=np.int64)
        self._next = 0

    def __len__(self) -> int:
        return len(self._fingerprints)

    def __contains__(self, fingerprint: str) -> bool:
        return fingerprint in self._fingerprints

    @property
    def fingerprints(self) -> Iterable[str]:
        """The fingerprints, oldest first."""
        return self._fingerprints.keys()

    def duplicate(self, fingerprint: str, simhash: str) -> str | None:
        """EXACT or NEAR if such an article is known, else None; "" for neither is never known."""
        if fingerprint and fingerprint in self._fingerprints:
            return EXACT
        bits = simhash_from_hex(simhash)
        if bits is None or not len(self):
            return None
        found = near(bits, self._rows[: self._next]) & self._known[: self._next]
        return NEAR if found.any() else None

    def record(self, fingerprint: str) -> Record | None:
        """The article as stores keep it; None if it is not known."""
        place = self._fingerprints.get(fingerprint)
        if place is None:
            return None
        simhash = self._rows[place].astype("<u8").tobytes() if self._known[place] else b""
        return Record(bytes.fromhex(fingerprint), int(self._times[place]), simhash)

    def add(self, fingerprint: str, simhash: str, at: int = 0) -> None:
        """Remember an article, seen `at` milliseconds since 1970; one without a fingerprint is not
        remembered."""
        if not fingerprint or fingerprint in self._fingerprints:
            return
        place = self._place()
        bits = simhash_from_hex(simhash)
        self._known[place] = bits is not None
        self._times[place] = at
        if bits is not None:
            self._rows[place] = bits
        self._fingerprints[fingerprint] = place

    def _place(self) -> int:
        """A free row; the oldest article makes room."""
        if len(self) >= self._most:
            oldest = next(iter(self._fingerprints))
            return self._fingerprints.pop(oldest)
        if self._next == len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
            self._known = np.concatenate((self._known, np.zeros_like(self._known)))
            self._times = np.concatenate((self._times, np.zeros_like(self._times)))
        self._next += 1
        return self._next - 1
