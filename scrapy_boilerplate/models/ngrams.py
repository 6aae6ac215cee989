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


def trigrams(numbers: IntArray, size: int) -> IntArray:
    """The number of each three characters in a row, less than ``size ** 3``."""
    found: IntArray = (numbers[:-2] * size + numbers[1:-1]) * size + numbers[2:]
    return found


def trigram_counts(texts: Iterable[str], alphabet: Alphabet) -> IntArray:
    """int[A ** 3]: how often each three characters stand in a row, with spaces around texts."""
    size = len(alphabet)
    found = [trigrams(alphabet.numbers(text), size) for text in texts]
    return np.bincount(np.concatenate(found), minlength=size**ORDER)


class TrigramModel:
    """What `counts` (int[A ** 3], of an alphabet of `size` A) tell; `q` is above 0 and at most 1.

    Only what is asked for is computed, so that loading a model takes no time.
    """

    def __init__(self, counts: IntArray, size: int, q: float) -> None:
        self._size, self._q = size, q
        self._threes = counts
        self._after_two = counts.reshape(-1, size).sum(axis=1)
        self._twos = counts.reshape(size, -1).sum(axis=0)
        self._after_one = self._twos.reshape(size, size).sum(axis=1)
        self._ones = self._twos.reshape(size, size).sum(axis=0) + 1

    def __call__(self, found: IntArray) -> FloatArray:
        """float[m]: log2 of the probability of the last of each three characters `found`."""
        twos, ones = found % self._size**2, found % self._size
        levels = (
            (1.0, self._threes[found], self._after_two[found // self._size]),
            (self._q, self._twos[twos], self._after_one[twos // self._size]),
            (self._q**2, self._ones[ones], np.int64(self._ones.sum())),
        )
        total = sum(weight * count / np.maximum(all_, 1) for weight, count, all_ in levels)
        weights = sum(weight * (all_ > 0) for weight, _, all_ in levels)
        logs: FloatArray = np.log2(total / weights)
        return logs
