"""Recognising a text: exactly (`fingerprint`) and nearly (`simhash`).

Charikar 2002 (Similarity estimation techniques from rounding algorithms); Manku, Jain and Das Sarma
2007 use 64 bits and a distance of 3 for whole pages. An article with one paragraph edited differs
by more, so there are 128 bits here: texts that share nothing are 64 +- 5.7 bits apart.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.text import words_of
from scrapy_boilerplate.site.hashing import Hashes, hashes_of, scrambled

BITS = 128
SHINGLE = 3
"""Words to a shingle."""
MIN_SHINGLES = 20
"""Shingles from which a text is long enough to be recognised by likeness."""
MIN_LINE_WORDS = 8
"""Words from which a line counts for the fingerprint: dates, bylines and counters have fewer."""
MAX_DISTANCE = 30
"""Bits by which near-duplicates differ at most: six standard deviations below the mean of texts
that share nothing (1e-9 of the pairs), and what about a quarter of the shingles changed gives."""

_MIX = tuple(np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
_SET_BITS: NDArray[np.uint8] = np.unpackbits(
    np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1
).sum(axis=1, dtype=np.uint8)
"""Number of set bits of every 16-bit number (numpy counts them itself from version 2.0 only)."""


def fingerprint(text: str) -> str:
    """32 hexadecimal digits; "" for a text without words.

    Equal for texts whose lines of at least MIN_LINE_WORDS words have the same letters and digits
    (of all lines, where none is that long).
    """
    lines = [words_of(line.casefold()) for line in text.splitlines()]
    long = [line for line in lines if len(line) >= MIN_LINE_WORDS] or lines
    said = "".join(character for line in long for word in line for character in word
                   if character.isalnum())  # fmt: skip
    encoded = said.encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=BITS // 8).hexdigest() if said else ""


def simhash(text: str) -> str:
    """32 hexadecimal digits that differ in few bits for texts with few differences; "" for a text
    of fewer than MIN_SHINGLES shingles."""
    bits = simhash_words(text)
    return "" if bits is None else bits.astype("<u8").tobytes().hex()


def simhash_words(text: str) -> Hashes | None:
    """uint64[2]: the bits of `simhash`; None for a short text."""
    words = words_of(text.casefold())
    if len(words) < MIN_SHINGLES + SHINGLE - 1:
        return None
    numbers = hashes_of(words)
    size = len(numbers) - SHINGLE + 1
    mixed = np.zeros(size, dtype=np.uint64)
    for shift in range(SHINGLE):
        mixed = scrambled(mixed * _MIX[2] + numbers[shift : shift + size])
    mixed.sort()
    distinct = mixed[np.concatenate(([True], mixed[1:] != mixed[:-1]))]
    halves = np.stack((scrambled(distinct), scrambled(distinct ^ _MIX[1])), axis=1)
    bits = np.unpackbits(halves.view(np.uint8), axis=1)
    voted = bits.sum(axis=0, dtype=np.int32) * 2 > len(distinct)
    packed: Hashes = np.packbits(voted).view(np.uint64)
    return packed


def simhash_from_hex(text: str) -> Hashes | None:
    """The bits of a hexadecimal simhash; None for ""."""
    return np.frombuffer(bytes.fromhex(text), dtype="<u8").astype(np.uint64) if text else None


def distances(one: Hashes, others: Hashes) -> IntArray:
    """int[n]: bits in which uint64[2] differs from each row of uint64[n, 2]."""
    parts = np.ascontiguousarray(others ^ one).view(np.uint16).reshape(len(others), -1)
    counts: IntArray = _SET_BITS[parts].sum(axis=1, dtype=np.int64)
    return counts


def near(one: Hashes, others: Hashes) -> BoolArray:
    """bool[n]: which of uint64[n, 2] are near-duplicates of uint64[2]."""
    found: BoolArray = distances(one, others) <= MAX_DISTANCE
    return found
