"""Gravity scores: stop words of paragraphs, boosted, passed up (Goose, Newspaper)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.counts import BlockCounts, share, tagged
from scrapy_boilerplate.systems.candidates.names import NAUGHTY, named
from scrapy_boilerplate.systems.candidates.paragraphs import NO_PARAGRAPH, Paragraphs, passed_up
from scrapy_boilerplate.systems.candidates.stop_counts import stop_counts

MIN_STOP_WORDS = 3
"""Stop words of the shortest text that counts (both programs)."""
HIGH_LINK = 1.0
"""Share of linked words times number of links at which a text is nothing but links (both)."""

MAX_STEPS = 3
"""Paragraphs before one that are looked at for its boost (both)."""
MIN_NEIGHBOUR_STOP_WORDS = 6
"""Stop words of a paragraph before that is text for sure (both: more than 5)."""
MANY_PARAGRAPHS = 15
"""Paragraphs above which the last of them are marked down (both)."""
TAIL = 0.25
"""Share of the paragraphs that counts as the last of them (both)."""
MAX_PENALTY = 40.0
"""Penalty above which there is `BEYOND_PENALTY` in its place (both)."""
BEYOND_PENALTY = 5.0

_WHOLE_PAGE = frozenset("html body".split())


@dataclass(frozen=True, eq=False)
class Prose:
    """The paragraphs of a page by what both programs look at."""

    paragraphs: Paragraphs
    stops: IntArray
    """int[n]: stop words of each block."""

    @classmethod
    def of(cls, paragraphs: Paragraphs) -> Prose:
        """The paragraphs with the stop words of the page's language."""
        return cls(paragraphs, stop_counts(paragraphs.page))

    @property
    def page(self) -> Page:
        """The page they stand on."""
        return self.paragraphs.page

    @cached_property
    def stop_words(self) -> IntArray:
        """int[m]: stop words of each paragraph."""
        return self.paragraphs.sums(self.stops)

    @cached_property
    def linky(self) -> BoolArray:
        """bool[m]: paragraphs that are nothing but links."""
        return _high_link(*(self.paragraphs.sums(column) for column in self._columns))

    @cached_property
    def linky_elements(self) -> BoolArray:
        """bool[n_elements]: elements that hold nothing but links."""
        kept = self.paragraphs.kept
        held = (self.page.held_by_elements(np.where(kept, c, 0)) for c in self._columns)
        return _high_link(*held)

    @cached_property
    def boostable(self) -> BoolArray:
        """bool[m]: one of the `MAX_STEPS` plain paragraphs before, in the same parent, is text."""
        before: dict[int, list[bool]] = {}
        found = []
        rich = self.stop_words >= MIN_NEIGHBOUR_STOP_WORDS
        columns = (self.paragraphs.parents, self.paragraphs.plain, rich)
        for parent, plain, enough in zip(*(c.tolist() for c in columns), strict=True):
            last = before.setdefault(parent, [])
            found.append(any(last))
            if plain:
                before[parent] = [*last[1 - MAX_STEPS :], enough]
        return np.array(found, dtype=np.bool_)

    @cached_property
    def few_words(self) -> BoolArray:
        """bool[n]: blocks of paragraphs, or blocks outside them, with too few stop words."""
        enough = np.append(self.stop_words >= MIN_STOP_WORDS, False)
        around = self.paragraphs.innermost()
        alone = (around == NO_PARAGRAPH) & (self.stops >= MIN_STOP_WORDS)
        few: BoolArray = ~(enough[around] | alone)
        return few

    @property
    def _columns(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.page.words, self.page.link_words, BlockCounts(self.page).links

    def gravity(
        self, order: IntArray, words: IntArray, boost: float, shares: tuple[float, ...]
    ) -> FloatArray:
        """float[n_elements]: the scores of the paragraphs `order`, in that order, passed up.

        `words` int[m] is what each paragraph weighs, `boost` what the first of the boostable ones
        gets beside, the k-th a k-th of it; `shares` is how much of it each ancestor gets.
        """
        boosts = np.zeros(len(order))
        boosted = np.flatnonzero(self.boostable[order])
        boosts[boosted] = boost / np.arange(1, len(boosted) + 1)
        scores = words[order] + _tail_marked_down(boosts)
        parents = self.paragraphs.parents[order]
        return passed_up(self.page.elements, parents, scores, shares)


def naughty_containers(page: Page) -> BoolArray:
    """bool[n_elements]: elements with a name that no article has, the page itself apart."""
    return named(page.elements, NAUGHTY) & ~tagged(page.elements, _WHOLE_PAGE)


def _high_link(words: IntArray, link_words: IntArray, links: IntArray) -> BoolArray:
    high: BoolArray = share(link_words, words) * links >= HIGH_LINK
    return high


def _tail_marked_down(boosts: FloatArray) -> FloatArray:
    count = len(boosts)
    if count <= MANY_PARAGRAPHS:
        return boosts
    depth = TAIL * count - (count - np.arange(count))
    penalties = np.where(depth**2 > MAX_PENALTY, BEYOND_PENALTY, -(depth**2))
    marked: FloatArray = np.where(depth >= 0, penalties, boosts)
    return marked
