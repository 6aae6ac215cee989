"""Which elements of a page are called by a name that says what they hold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.columns import Elements
from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.rules.lexicon import ContainerKind, says_state

KNOWN_NAMES = 20_000
"""Names whose kinds are remembered at most; all are forgotten then (our choice: some 2 MB)."""

NamedElement = tuple[int, int]
"""An element, and a bit for each kind that it is called by: bit 0 for the first."""


class ContainerNames:
    """Finds the containers of `kinds` by their class, id, tag and role.

    Steps that share one look at the elements of a page once, and remember what a class or an id
    means: pages of a site are called alike. Only `kinds` is pickled.
    """

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag = self._bits(kind.tags for kind in self.kinds)
        self._by_role = self._bits(kind.roles for kind in self.kinds)
        self._known: dict[str, int] = {}
        self._looked_at: WeakKeyDictionary[Elements, list[NamedElement]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kinds,)

    def among(self, elements: Elements) -> list[NamedElement]:
        """The elements that are called by any of the kinds, in document order."""
        found = self._looked_at.get(elements)
        if found is None:
            found = self._looked_at[elements] = self._named(elements)
        return found

    def _named(self, elements: Elements) -> list[NamedElement]:
        bits = self._of_names(elements.classes) | self._of_names(elements.ids)
        for names, by_word in ((elements.tags, self._by_tag), (elements.roles, self._by_role)):
            if by_word:
                bits |= np.fromiter(map(by_word.get, names, repeat(0)), np.int64, len(names))
        named = np.flatnonzero(bits)
        return list(zip(named.tolist(), bits[named].tolist(), strict=True))

    def _of_names(self, names: Sequence[str]) -> IntArray:
        """int[names]: for each class or id the kinds that its words speak of."""
        if len(self._known) > KNOWN_NAMES:
            self._known.clear()
        words = {name: name.lower().split() for name in set(names).difference(self._known)}
        by_word = self._of_words(set().union(*words.values()))
        for name, spelt in words.items():
            bits = 0
            for word in spelt:
                bits |= by_word.get(word, 0)
            self._known[name] = bits
        return np.fromiter(map(self._known.__getitem__, names), np.int64, len(names))

    def _of_words(self, words: Iterable[str]) -> dict[str, int]:
        """Word to the kinds it speaks of; other words are left out.

        One search over all words is faster than a search in each.
        """
        listed = list(words)
        joined = "\n".join(listed)
        starts = list(accumulate((len(word) + 1 for word in listed), initial=0))
        found: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for match in kind.words.finditer(joined) if kind.words else ():
                word = listed[bisect_right(starts, match.start()) - 1]
                if not says_state(word):
                    found[word] = found.get(word, 0) | 1 << number
        return found

    @staticmethod
    def _bits(words: Iterable[Iterable[str]]) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, of_kind in enumerate(words):
            for word in of_kind:
                found[word] = found.get(word, 0) | 1 << number
        return found
