"""Recognise an article by its text: exactly (`fingerprint`) and nearly (`simhash`).

Simhash: Charikar 2002, "Similarity estimation techniques from rounding algorithms". Manku, Jain and
Das Sarma 2007 use 64 bits and a distance of 3 for whole pages. An article with one edited paragraph
differs by more. This module uses 128 bits: unrelated texts differ by 64 +- 5.7 bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.text import split_words
from scrapy_boilerplate.site.hashing import Hashes, hash_texts, scramble

BITS = 128
# Words of a shingle.
SHINGLE = 3
# Minimum shingles of a text that has a simhash.
MIN_SHINGLES = 20
# Minimum words of a line in the fingerprint: dates, bylines and counters have fewer.
MIN_LINE_WORDS = 8
# Maximum bits by which near-duplicates differ: six standard deviations below the mean of unrelated
# texts (1e-9 of the pairs). A change of about a quarter of the shingles reaches it.
MAX_DISTANCE = 30
# Maximum articles of an index: each takes 16 bytes to search, and a key.
MAX_ARTICLES = 100_000

EXACT, NEAR = "exact", "near"

_MIX = tuple(np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
# Set bits of every 16-bit number (`numpy.bitwise_count` needs numpy 2.0).
_SET_BITS: NDArray[np.uint8] = np.unpackbits(
    np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1
).sum(axis=1, dtype=np.uint8)


def fingerprint(text: str) -> str:
    """Return 32 hexadecimal digits; "" for a text without words.

    Texts have the same fingerprint if their lines of at least MIN_LINE_WORDS words have the same
    letters and digits. Where no line is that long, all lines count.
    """
    lines = [split_words(line.casefold()) for line in text.splitlines()]
    long_lines = [line for line in lines if len(line) >= MIN_LINE_WORDS] or lines
    characters = "".join(
        character for line in long_lines for word in line for character in word
        if character.isalnum()
    )  # fmt: skip
    encoded = characters.encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=BITS // 8).hexdigest() if characters else ""


def simhash(text: str) -> str:
    """Return 32 hexadecimal digits that differ in few bits for texts with few differences.

    "" for a text of fewer than MIN_SHINGLES shingles.
    """
    bits = compute_simhash(text)
    return "" if bits is None else bits.astype("<u8").tobytes().hex()


def compute_simhash(text: str) -> Hashes | None:
    """Return uint64[2]: the bits of `simhash`; None for a short text."""
    words = split_words(text.casefold())
    if len(words) < MIN_SHINGLES + SHINGLE - 1:
        return None
    hashes = hash_texts(words)
    size = len(hashes) - SHINGLE + 1
    shingles = np.zeros(size, dtype=np.uint64)
    for shift in range(SHINGLE):
        shingles = scramble(shingles * _MIX[2] + hashes[shift : shift + size])
    shingles.sort()
    distinct = shingles[np.concatenate(([True], shingles[1:] != shingles[:-1]))]
    halves = np.stack((scramble(distinct), scramble(distinct ^ _MIX[1])), axis=1)
    votes = np.unpackbits(halves.view(np.uint8), axis=1).sum(axis=0, dtype=np.int32)
    packed: Hashes = np.packbits(votes * 2 > len(distinct)).view(np.uint64)
    return packed


def match_simhashes(bits: Hashes, others: Hashes) -> BoolArray:
    """Return bool[n]: which rows of uint64[n, 2] are near-duplicates of uint64[2]."""
    parts = np.ascontiguousarray(others ^ bits).view(np.uint16).reshape(len(others), -1)
    matches: BoolArray = _SET_BITS[parts].sum(axis=1, dtype=np.int64) <= MAX_DISTANCE
    return matches


class ArticleIndex:
    """Fingerprints and simhashes of the newest `max_articles` articles."""

    def __init__(self, max_articles: int = MAX_ARTICLES) -> None:
        self._max_articles = max_articles
        self._rows: dict[str, int] = {}
        self._simhashes: Hashes = np.zeros((1024, 2), dtype=np.uint64)
        self._has_simhash = np.zeros(1024, dtype=np.bool_)
        self._times = np.zeros(1024, dtype=np.int64)
        self._size = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def fingerprints(self) -> Iterable[str]:
        """The fingerprints, oldest first."""
        return self._rows.keys()

    def find(self, fingerprint: str, simhash: str) -> str | None:
        """Return EXACT or NEAR if such an article is known, else None; "" matches no article."""
        if fingerprint and fingerprint in self._rows:
            return EXACT
        if not simhash or not self._rows:
            return None
        matches = match_simhashes(_parse_simhash(simhash), self._simhashes[: self._size])
        return NEAR if (matches & self._has_simhash[: self._size]).any() else None

    def entry(self, fingerprint: str) -> tuple[int, str] | None:
        """Return when the article was seen and its simhash; None if it is not known."""
        row = self._rows.get(fingerprint)
        if row is None:
            return None
        simhash = self._simhashes[row].astype("<u8").tobytes().hex()
        return int(self._times[row]), simhash if self._has_simhash[row] else ""

    def add(self, fingerprint: str, simhash: str, at: int = 0) -> None:
        """Remember an article, seen `at` milliseconds since 1970, unless it has no fingerprint."""
        if not fingerprint or fingerprint in self._rows:
            return
        if len(self._rows) >= self._max_articles:
            row = self._rows.pop(next(iter(self._rows)))  # drop the oldest article
        else:
            if self._size == len(self._simhashes):
                self._simhashes = np.concatenate((self._simhashes, np.zeros_like(self._simhashes)))
                self._has_simhash = np.concatenate(
                    (self._has_simhash, np.zeros_like(self._has_simhash))
                )
                self._times = np.concatenate((self._times, np.zeros_like(self._times)))
            row, self._size = self._size, self._size + 1
        self._rows[fingerprint] = row
        self._times[row] = at
        self._has_simhash[row] = bool(simhash)
        if simhash:
            self._simhashes[row] = _parse_simhash(simhash)


def _parse_simhash(text: str) -> Hashes:
    return np.frombuffer(bytes.fromhex(text), dtype="<u8").astype(np.uint64)
