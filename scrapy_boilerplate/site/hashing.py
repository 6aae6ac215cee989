"""Numbers for texts: the same on every machine and in every process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)
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


def hash_of(text: str) -> int:
    """64 bits of `text`."""
    encoded = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")


def hashes_of(texts: Iterable[str]) -> Hashes:
    """uint64[n]: `hash_of` each text; equal texts are hashed once."""
    listed = list(texts)
    distinct = dict.fromkeys(listed)
    digests = b"".join(
        [
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for text in distinct
        ]
    )
    hashes = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    if len(distinct) == len(listed):
        return hashes
    known = dict(zip(distinct, hashes.tolist(), strict=True))
    return np.fromiter(map(known.__getitem__, listed), np.uint64, len(listed))


def digest_of(parts: Iterable[NDArray[Any]]) -> bytes:
    """16 bytes over arrays in order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part.tobytes())
        digest.update(b"|")
    return digest.digest()


def word_hashes(words: Sequence[str]) -> Hashes:
    """uint64[n]: 64 bits of each word, of none in `words` empty; all words at once.

    A polynomial of the characters modulo 2^64, scrambled: for votes over many words, where a
    cryptographic hash of each costs four times as much and tells no more.
    """
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    if not len(codes):
        return np.zeros(len(words), dtype=np.uint64)
    starts = np.cumsum(lengths) - lengths
    powers = np.cumprod(np.full(int(lengths.max()), _BASE, dtype=np.uint64))
    places = np.arange(len(codes)) - np.repeat(starts, lengths)
    sums: Hashes = np.add.reduceat(powers[places] * codes, starts)
    return scrambled(sums)


def scrambled(numbers: Hashes) -> Hashes:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = numbers ^ (numbers >> np.uint64(31))
    return mixed
