"""Counts of blocks, in the units of candidate scoring."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.systems.common.tokens import count_characters, sum_over_links

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
        return count_characters(self.page)

    @cached_property
    def link_characters(self) -> IntArray:
        """Characters of each block that a hyperlink encloses."""
        linked = sum_over_links(self.page, lambda text: len(collapse(text)))
        return np.minimum(linked, self.characters)

    @cached_property
    def links(self) -> IntArray:
        """Text nodes of each block that a hyperlink encloses: about its links with a text."""
        return sum_over_links(self.page, lambda text: int(not text.isspace()))

    @cached_property
    def commas(self) -> IntArray:
        """Commas of each block, of any script."""
        counts = (len(_find_commas(text)) for text in self.page.texts)
        return np.fromiter(counts, np.int64, len(self.page))


def divide_counts(part: IntArray, whole: IntArray) -> FloatArray:
    """Return the quotient of two counts, 0 where the whole is 0."""
    quotient: FloatArray = part / np.maximum(whole, 1)
    return quotient
