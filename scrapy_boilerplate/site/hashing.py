"""64-bit hashes of texts, the same on every machine and in every process."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

# characters of a portion (more than most pages have; fits in the cache of a processor)
PORTION = 1 << 18

# 2^64 divided by the golden ratio, odd
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_SEPARATOR = "\0"  # ends the strings of libxml2, so no text contains it


def normalise_texts(texts: Sequence[str]) -> list[str]:
    """Return `texts` normalised for comparison between pages: case folded, every digit a zero.

    Dates, counters and prices differ between pages, the text around them does not.
    """
    return _replace_digits([text.casefold() for text in texts], "123456789", "0")


def remove_digits(texts: Sequence[str]) -> list[str]:
    """Return `texts` without the digits 0 to 9."""
    return _replace_digits(texts, "0123456789", "")


def _replace_digits(texts: Sequence[str], digits: str, replacement: str) -> list[str]:
    # all texts at once: `translate` on each text takes six times as long
    joined = _SEPARATOR.join(texts)
    for digit in digits:
        joined = joined.replace(digit, replacement)
    return joined.split(_SEPARATOR) if texts else []


def digest_arrays(arrays: Iterable[NDArray[Any]]) -> bytes:
    """Return a digest of 16 bytes over arrays in order."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(array.tobytes())
        digest.update(b"|")
    return digest.digest()


def hash_name(name: str) -> bytes:
    """Return 16 bytes of the name of a site, or of a URL."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def hash_texts(texts: Sequence[str]) -> Hashes:
    """Return uint64[n]: a hash of each text, 0 for the empty text. Linear time.

    The hash is a polynomial of the characters modulo 2^64, scrambled, over all texts at once. A
    cryptographic hash of each text costs four times as much, and collisions help no attacker.
    """
    return np.concatenate([_hash_portion(portion) for portion in _split_portions(texts)])


def _split_portions(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in one portion or more: a huge page would take many times its memory."""
    first, size = 0, 0
    for number, text in enumerate(texts):
        if size > PORTION:
            yield texts[first:number]
            first, size = number, 0
        size += len(text) + 1
    yield texts[first:]


def _hash_portion(texts: Sequence[str]) -> Hashes:
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    size = len(codes) + 1
    compute, length = (_cached_powers, PORTION) if size <= PORTION else (_compute_powers, size)
    sums = np.zeros(size, dtype=np.uint64)
    np.cumsum(codes * compute(_BASE, length)[1:size], out=sums[1:])
    # every polynomial starts at its own power of the base: divide by that power
    return scramble((sums[ends] - sums[starts]) * compute(_INVERSE, length)[starts])


def _compute_powers(base: int, size: int) -> Hashes:
    powers = np.full(size, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers)


_cached_powers = cache(_compute_powers)


def scramble(numbers: Hashes) -> Hashes:
    """Apply the finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit depends on all."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
