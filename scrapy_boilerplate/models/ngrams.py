"""Character n-gram language models with geometric interpolation (Evert 2008), n = 3.

The probability of a character after two others is the weighted mean of what is known of it after
both, after the last one, and alone (plus one for every character of the alphabet): weights 1, q and
q * q, over their sum. A history that was never seen takes no part. q near 1 smooths most.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.label import FloatArray, IntArray
from scrapy_boilerplate.text import collapse

ORDER = 3
"""Characters of an n-gram: the one told and two before it (the paper's choice)."""

OTHER = 0
"""The number of every character outside the alphabet (released program, mode 1: of all that are
not ASCII)."""


@dataclass(frozen=True)
class Alphabet:
    """The characters that a model tells apart; a space is among them and stands around texts."""

    characters: str

    def __len__(self) -> int:
        return len(self.characters) + 1

    def numbers(self, text: str) -> IntArray:
        """The number of each character, a space more at the end, two at the start."""
        padded = f"{' ' * (ORDER - 1)}{collapse(text)} "
        codes = np.frombuffer(padded.encode("utf-32-le", "replace"), dtype=np.uint32)
        found: IntArray = self._table[np.minimum(codes, len(self._table) - 1)]
        return found

    @cached_property
    def _table(self) -> IntArray:
        """int[m]: code point to number; the last stands for all higher ones."""
        table = np.full(max(map(ord, self.characters), default=0) + 2, OTHER, dtype=np.int64)
        for number, character in enumerate(self.characters, start=1):
            table[ord(character)] = number
        return table


def trigram_counts(texts: Iterable[str], alphabet: Alphabet) -> NDArray[np.int64]:
    """int[A, A, A]: how often each three characters stand in a row, with spaces around texts."""
    size = len(alphabet)
    found = [trigrams(alphabet.numbers(text), size) for text in texts]
    counts = np.bincount(np.concatenate(found), minlength=size**ORDER)
    return counts.reshape((size,) * ORDER)


def trigrams(numbers: IntArray, size: int) -> IntArray:
    """The number of each three characters in a row."""
    found: IntArray = (numbers[:-2] * size + numbers[1:-1]) * size + numbers[2:]
    return found


def log_probabilities(counts: NDArray[np.int64], q: float) -> FloatArray:
    """float[A, A, A]: log2 of the probability of the last character after the two before it."""
    alone = counts.sum(axis=(0, 1)) + 1.0
    after_one = counts.sum(axis=0).astype(np.float64)
    levels = (counts.astype(np.float64), after_one[None], alone[None, None])
    total = np.zeros(counts.shape)
    weights = np.zeros((*counts.shape[:2], 1))
    for weight, level in zip((1.0, q, q * q), levels, strict=True):
        seen = level.sum(axis=2, keepdims=True)
        total += weight * level / np.maximum(seen, 1)
        weights = weights + weight * (seen > 0)
    logs: FloatArray = np.log2(total / weights)
    return logs
