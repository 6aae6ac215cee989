"""Counts of blocks and masks of elements, in the units of candidate scoring."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.systems.common.tokens import sum_by_block

_find_commas = re.compile(
    # Latin, Arabic, small, vertical (two), two- and three-dot, Chinese and fullwidth comma:
    # the scripts that Readability.js 0.6.0 knows
    "[,\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c\u3001]"
).findall


@dataclass(frozen=True, eq=False)
class BlockCounts:
    """Block columns (int[n]) of one page, each computed once, on first use."""

    page: Page

    @cached_property
    def characters(self) -> IntArray:
        """Characters of each block, white space collapsed."""
        return np.fromiter(map(len, self.page.texts), np.int64, len(self.page))

    @cached_property
    def link_characters(self) -> IntArray:
        """Characters of each block that a hyperlink encloses."""
        linked = self._sum_over_links(lambda text: len(collapse(text)))
        return np.minimum(linked, self.characters)

    @cached_property
    def links(self) -> IntArray:
        """Text nodes of each block that a hyperlink encloses: about its links with a text."""
        return self._sum_over_links(lambda text: int(not text.isspace()))

    @cached_property
    def commas(self) -> IntArray:
        """Commas of each block, of any script."""
        counts = (len(_find_commas(text)) for text in self.page.texts)
        return np.fromiter(counts, np.int64, len(self.page))

    def _sum_over_links(self, measure: Callable[[str], int]) -> IntArray:
        leaves = self.page.leaves
        values = np.zeros(len(leaves), dtype=np.int64)
        for leaf in np.flatnonzero(leaves.in_link).tolist():
            values[leaf] = measure(leaves.texts[leaf])
        return sum_by_block(self.page, values)


def divide_counts(part: IntArray, whole: IntArray) -> FloatArray:
    """Return the quotient of two counts, 0 where the whole is 0."""
    quotient: FloatArray = part / np.maximum(whole, 1)
    return quotient


def cover_subtrees(elements: Elements, roots: BoolArray) -> BoolArray:
    """bool[n_elements]: the elements of the mask `roots`, and everything in them."""
    level = np.zeros(len(elements) + 1, dtype=np.int64)
    level[:-1] += roots
    np.add.at(level, elements.end_column[roots], -1)
    inside: BoolArray = np.cumsum(level)[:-1] > 0
    return inside


def find_ancestors(elements: Elements, mask: BoolArray) -> BoolArray:
    """bool[n_elements]: the elements with an element of `mask` in them, themselves apart."""
    ancestors: BoolArray = elements.subtree_sums(mask.astype(np.int64)) > mask
    return ancestors


def list_children(elements: Elements, element: int) -> list[int]:
    """Return the child elements of `element`, in order."""
    children, child, end = [], element + 1, elements.ends[element]
    while child < end:
        children.append(child)
        child = elements.ends[child]
    return children
