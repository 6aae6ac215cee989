"""Counts by hash in sorted arrays: what a dict of numbers would take twenty times the memory
for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.site.hashing import Hashes

Counts = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tally:
    """`keys` uint64[n], sorted, distinct; `counts` int32[n, columns], the first one never 0.

    Every change gives a new tally.
    """

    keys: Hashes
    counts: Counts

    @classmethod
    def empty(cls, columns: int = 1) -> Tally:
        """Nothing counted yet."""
        return cls(np.zeros(0, dtype=np.uint64), np.zeros((0, columns), dtype=np.int32))

    def changed(self, keys: Hashes, counts: Counts) -> Tally:
        """`counts` int32[k, columns] added at the sorted distinct `keys`; keys at 0 are dropped."""
        at, known = self._places(keys)
        summed = self.counts.copy()
        summed[at[known]] += counts[known]
        new = np.flatnonzero(~known)
        merged = np.insert(self.keys, at[new], keys[new])
        summed = np.insert(summed, at[new], counts[new], axis=0)
        if (counts[:, 0] >= 0).all():
            return Tally(merged, summed)
        kept = summed[:, 0] != 0
        return Tally(merged[kept], summed[kept])

    def at(self, keys: Hashes) -> FloatArray:
        """float[k, columns]: the counts at any `keys`; 0 for unknown ones."""
        at, known = self._places(keys)
        found = np.zeros((len(keys), self.counts.shape[1]))
        found[known] = self.counts[at[known]]
        return found

    def _places(self, keys: Hashes) -> tuple[IntArray, BoolArray]:
        at = np.searchsorted(self.keys, keys)
        known = at < len(self.keys)
        known[known] = self.keys[at[known]] == keys[known]
        return at.astype(np.int64), known
