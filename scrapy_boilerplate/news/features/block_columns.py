"""Columns of the blocks and elements of a page that several feature tables of `news` read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.titles import find_title_block

GOOD_WORDS = 12
"""Words from which an unlinked block reads like a paragraph (our choice: between the 10 and 16 of
Kohlschuetter et al. 2010)."""
GOOD_LINK_DENSITY = 1 / 3
"""Link density up to which a block reads like a paragraph (Kohlschuetter et al. 2010)."""

NEVER_CONTAINERS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol li dl dd dt blockquote pre address".split())
"""Elements that are never a container: paragraphs, lists and quotations."""
LEVELS = 4
"""Elements whose classes describe a block: its own and three ancestors."""
MAX_CONTAINER_HOPS = 6
"""Elements between a block and its container at most; news pages need 0 to 3."""


class BlockColumns:
    """Block columns (length n) and element columns (length m) of one page.

    words, link_words, link_density, order
                      float[n], as in the page; `order` is the number of the block
    good, good_words  bool[n], float[n]: blocks that read like a paragraph, and the words in them
    own, levels       int[n]: the element of each block; and for each of LEVELS that, its parent,
                      and so on
    around            the elements of all levels, ascending
    container         int[n]: the innermost element around each block that holds other blocks too
    best              the container with the most good words; the root of a page without any
    title             the block that says the title (`steps.titles.find_title_block`)
    parents, ends     int[m]
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n = len(page)
        self.words = page.words.astype(np.float64)
        self.link_words = page.link_words.astype(np.float64)
        self.link_density = page.link_density
        self.order: FloatArray = np.arange(self.n, dtype=np.float64)
        self.good: BoolArray = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
        self.good_words: FloatArray = np.where(self.good, self.words, 0.0)
        self.parents = page.elements.parent_column
        self.ends = page.elements.end_column
        self.own: IntArray = page.blocks.elements
        self.title = find_title_block(page)

        self.levels = [self.own]
        around = np.zeros(len(self.parents), dtype=np.bool_)
        around[self.own] = True
        for _ in range(LEVELS - 1):
            self.levels.append(self.find_parents(self.levels[-1]))
            around[self.levels[-1]] = True
        self.around: list[int] = np.flatnonzero(around).tolist()

        starts = np.bincount(self.own, minlength=len(self.parents))
        passed = page.elements.tagged(NEVER_CONTAINERS) | (page.elements.subtree_sums(starts) <= 1)
        passed[self.parents == NO_ELEMENT] = False
        self.container = self.own
        for _ in range(MAX_CONTAINER_HOPS):
            outside = passed[self.container]
            self.container = np.where(outside, self.parents[self.container], self.container)
        direct = self.sum_by_element(self.good_words, self.container)
        self.best = int(np.argmax(direct)) if self.n else 0

    def find_parents(self, elements: IntArray) -> IntArray:
        """Return the parent of each element; that of a root is the first element."""
        return np.maximum(self.parents[elements], 0)

    def sum_by_element(self, column: FloatArray, elements: IntArray) -> FloatArray:
        """Return float[m]: the sum of a block column by element, `elements` being that of each."""
        sums: FloatArray = np.bincount(elements, column, len(self.parents)).astype(np.float64)
        return sums

    def sum_within(self, column: FloatArray) -> FloatArray:
        """Return float[m]: the sum of a block column over the blocks inside each element."""
        sums = np.concatenate(([0.0], np.cumsum(self.sum_by_element(column, self.own))))
        inside: FloatArray = sums[self.ends] - sums[:-1]
        return inside


@dataclass(frozen=True)
class FeatureTable:
    """Named feature columns that are computed together.

    `columns` name to what it is, in the order in which `compute` gives the columns, float[n] each.
    """

    columns: Mapping[str, str]
    compute: Callable[[BlockColumns], Sequence[FloatArray]]


def divide(parts: FloatArray, whole: float) -> FloatArray:
    """Return `parts` of `whole`; 0 where the whole is nothing."""
    shares: FloatArray = parts / max(whole, 1e-9)
    return shares
