"""Numbers for texts: the same on every machine and in every process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.text import PORTION, code_points, portions

Hashes = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_SEPARATOR = "\0"
"""Stands in no text: libxml2's strings end with it."""


def normalised(texts: Sequence[str]) -> list[str]:
    """`texts` as they are compared with other pages: case folded, every digit a zero.

    Dates, counters and prices change from page to page; what stands around them does not.
    """
    return _replaced([text.casefold() for text in texts], "123456789", "0")


def without_digits(texts: Sequence[str]) -> list[str]:
    """`texts` without the digits 0 to 9."""
    return _replaced(texts, "0123456789", "")


def _replaced(texts: Sequence[str], digits: str, by: str) -> list[str]:
    """Some passes in C over all texts cost less than one a text."""
    if not texts:
        return []
    joined = _SEPARATOR.join(texts)
    for digit in digits:
        joined = joined.replace(digit, by)
    return joined.split(_SEPARATOR)


def digest_of(parts: Iterable[NDArray[Any]]) -> bytes:
    """16 bytes over arrays in order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part.tobytes())
        digest.update(b"|")
    return digest.digest()


def hashes_of(texts: Sequence[str]) -> Hashes:
    """uint64[n]: 64 bits of each text; those of one without characters are 0. Linear time.

    A polynomial of the characters modulo 2^64, scrambled, over all texts at once: a cryptographic
    hash of each costs four times as much, and nobody gains by two blocks that pass for one.
    """
    return np.concatenate([_hashes_of(portion) for portion in portions(texts)])


def _hashes_of(texts: Sequence[str]) -> Hashes:
    codes = code_points("".join(texts))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * _powers(_BASE, len(codes) + 1)[1:], out=sums[1:])
    # every text's own polynomial begins with the base itself: what its place adds is divided out
    return scrambled((sums[ends] - sums[starts]) * _powers(_INVERSE, len(codes) + 1)[starts])


def _powers(base: int, size: int) -> Hashes:
    """uint64[size]: 1, `base`, its square and so on, modulo 2^64."""
    return (_usual_powers(base) if size <= PORTION else _computed(base, size))[:size]


@cache
def _usual_powers(base: int) -> Hashes:
    return _computed(base, PORTION)


def _computed(base: int, size: int) -> Hashes:
    powers = np.full(size, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers)


def scrambled(numbers: Hashes) -> Hashes:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = numbers ^ (numbers >> np.uint64(31))
    return mixed
