"""Counts by hash in sorted arrays: what a dict of numbers would take twenty times the memory
for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
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
        new = np.flatnonzero(~known)
        places = at[new] + np.arange(len(new))  # of the new keys, between the old ones
        old = np.ones(len(self.keys) + len(new), dtype=np.bool_)
        old[places] = False
        merged = np.empty(len(old), dtype=np.uint64)
        summed = np.empty((len(old), counts.shape[1]), dtype=np.int32)
        merged[old], merged[places] = self.keys, keys[new]
        summed[old], summed[places] = self.counts, counts[new]
        summed[np.flatnonzero(old)[at[known]]] += counts[known]
        if len(counts) == 0 or counts[:, 0].min() >= 0:
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
        return places_of(keys, self.keys)


def places_of(keys: Hashes, among: Hashes) -> tuple[IntArray, BoolArray]:
    """For each of `keys` its place in the sorted `among`, and whether it is there."""
    at: IntArray = np.searchsorted(among, keys)
    if not len(among):
        return at, np.zeros(len(keys), dtype=np.bool_)
    return at, among[np.minimum(at, len(among) - 1)] == keys
