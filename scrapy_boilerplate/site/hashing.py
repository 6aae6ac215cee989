"""Numbers for texts: the same on every machine and in every process."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_ZERO = {ord(digit): "0" for digit in "123456789"}


def normalised(text: str) -> str:
    """`text` as it is compared with other pages: case folded, every digit a zero.

    Dates, counters and prices change from page to page; what stands around them does not.
    """
    return text.casefold().translate(_ZERO)


def hash_of(text: str) -> int:
    """64 bits of `text`."""
    encoded = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")


def hashes_of(texts: Iterable[str]) -> Hashes:
    """uint64[n]: `hash_of` each text; equal texts are hashed once."""
    listed = list(texts)
    known = {text: hash_of(text) for text in dict.fromkeys(listed)}
    return np.fromiter((known[text] for text in listed), np.uint64, len(listed))


def digest_of(parts: Iterable[NDArray[Any]]) -> bytes:
    """16 bytes over arrays in order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part.tobytes())
        digest.update(b"|")
    return digest.digest()
