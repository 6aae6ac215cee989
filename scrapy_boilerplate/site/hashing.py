"""Numbers for texts: the same on every machine and in every process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_SEPARATOR = "\0"
"""Stands in no text: libxml2's strings end with it."""


def normalised(texts: Sequence[str]) -> list[str]:
    """`texts` as they are compared with other pages: case folded, every digit a zero.

    Dates, counters and prices change from page to page; what stands around them does not.
    """
    if not texts:
        return []
    joined = _SEPARATOR.join(texts).casefold()
    for digit in "123456789":  # nine passes in C over the whole page cost less than one a text
        joined = joined.replace(digit, "0")
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
        [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in distinct]
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
