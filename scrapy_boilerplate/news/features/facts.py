"""What several feature groups of `news` need, computed once a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page

GOOD_WORDS = 12
"""Words from which an unlinked block reads like a paragraph (our choice: between the 10 and 16 of
Kohlschuetter et al. 2010)."""
GOOD_LINK_DENSITY = 1 / 3
"""Link density up to which a block reads like a paragraph (Kohlschuetter et al. 2010)."""

NEVER_CONTAINERS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol li dl dd dt blockquote pre address".split())
"""Paragraphs of several lines, lists and quotations belong to the container they stand in."""
LEVELS = 4
"""The block's own element and three above it: where its class path and its names are looked at."""
MAX_CONTAINER_HOPS = 6
"""Elements between a block and its container at most; news pages need 0 to 3."""


MIN_TITLE_SHARE = 0.4
"""A headline has at least this share of the title's characters (our choice, as in
`HeadlineByTitle`)."""


class Facts:
    """Block columns (length n) and element columns (length m) of one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n = len(page)
        self.words = page.words.astype(np.float64)
        self.link_words = page.link_words.astype(np.float64)
        self.link_density = page.link_density
        self.good: BoolArray = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
        self.good_words: FloatArray = np.where(self.good, self.words, 0.0)
        self.parents = page.elements.parent_column
        self.ends = page.elements.end_column
        self.own: IntArray = page.blocks.elements
        self.order: FloatArray = np.arange(self.n, dtype=np.float64)

    @cached_property
    def levels(self) -> tuple[IntArray, ...]:
        """int[n] for each of LEVELS: the element of each block, its parent, and so on."""
        found = [self.own]
        for _ in range(LEVELS - 1):
            found.append(self.above(found[-1]))
        return tuple(found)

    @cached_property
    def around(self) -> list[int]:
        """The elements of all levels, ascending."""
        mask = np.zeros(len(self.parents), dtype=np.bool_)
        for elements in self.levels:
            mask[elements] = True
        found: list[int] = np.flatnonzero(mask).tolist()
        return found

    @cached_property
    def title(self) -> int:
        """The block that says the title, see `title_block`."""
        return title_block(self.page)

    @cached_property
    def container(self) -> IntArray:
        """int[n]: the innermost element around each block that holds other blocks too."""
        first = np.bincount(self.own, minlength=len(self.parents))
        alone = self.page.elements.subtree_sums(first) <= 1
        passed = alone | self.page.elements.tagged(NEVER_CONTAINERS)
        passed[self.parents == NO_ELEMENT] = False
        found = self.own
        for _ in range(MAX_CONTAINER_HOPS):
            found = np.where(passed[found], self.parents[found], found)
        return found

    def above(self, elements: IntArray) -> IntArray:
        """The parent of each element; that of a root is the first element."""
        return np.maximum(self.parents[elements], 0)

    def by_element(self, column: FloatArray, elements: IntArray) -> FloatArray:
        """float[m]: the sum of a block column over the blocks that `elements` assigns to each."""
        summed: FloatArray = np.bincount(elements, column, len(self.parents)).astype(np.float64)
        return summed

    def within(self, column: FloatArray) -> FloatArray:
        """float[m]: the sum of a block column over the blocks inside each element."""
        sums = np.concatenate(([0.0], np.cumsum(self.by_element(column, self.own))))
        held: FloatArray = sums[self.ends] - sums[:-1]
        return held

    @cached_property
    def direct(self) -> FloatArray:
        """float[m]: good words of the blocks whose container the element is."""
        return self.by_element(self.good_words, self.container)

    @cached_property
    def best(self) -> int:
        """The container with the most good words; the root of a page without any."""
        return int(np.argmax(self.direct)) if self.n else 0


@dataclass(frozen=True)
class FeatureTable:
    """Named feature columns that are computed together.

    `columns` name to what it is, in the order in which `compute` gives the columns, float[n] each.
    """

    columns: Mapping[str, str]
    compute: Callable[[Facts], Sequence[FloatArray]]


def share(parts: FloatArray, whole: float) -> FloatArray:
    """`parts` of `whole`, 0 where there is nothing to share."""
    quotient: FloatArray = parts / max(whole, 1e-9)
    return quotient


def title_block(page: Page) -> int:
    """The block that says the title: of those that match it a heading, then the longest, then the
    first; without a match the first `h1`; -1 without one."""
    title = page.title.lower()
    least, most = MIN_TITLE_SHARE * len(title), 2.0 * len(title)
    best, found = (False, 0), -1
    for block, text in enumerate(page.texts):
        if least <= len(text) <= most and len(text) > 3:
            lower = text.lower()
            if lower in title or title in lower:
                rank = (page.tags[block] in ("h1", "h2"), min(len(text), len(title)))
                if rank > best:
                    best, found = rank, block
    if found < 0 and "h1" in page.tags:
        return page.tags.index("h1")
    return found
