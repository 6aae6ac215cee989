"""Characters, tags and links of each element: what text densities are made of."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.text import collapse

LINK_TAGS = frozenset(("a", "button", "select"))
"""Elements whose text is link text (FeiSun/ContentExtraction)."""
NOT_RENDERED = frozenset("head title style script link meta base param datalist rp area".split())
"""Elements a browser does not render ("display: none", HTML Standard, 15.3.1): no tags here. Those
whose text `segment.read` keeps all the same (`noscript`, `template`, ...) are not among them."""


class ElementCounts:
    """Characters, tags and links of each element of a page; columns are made on first use."""

    def __init__(self, page: Page) -> None:
        self.elements = page.elements
        self.leaf_elements: IntArray = np.array(page.leaves.elements, dtype=np.int64)
        self.in_link = self.elements.inside(LINK_TAGS)[self.leaf_elements]
        self._lengths = np.fromiter((len(collapse(text)) for text in page.leaves.texts), np.int64)
        self._opened = np.array(page.leaves.opened, dtype=np.int64)
        self._rendered = np.array([tag not in NOT_RENDERED for tag in self.elements.tags])

    @cached_property
    def body(self) -> int:
        """The element to look into: the body, or the root if there is text outside of it."""
        tags, ends = self.elements.tags, self.elements.ends
        body = tags.index("body") if "body" in tags else 0
        outside = (self.leaf_elements < body) | (self.leaf_elements >= ends[body])
        return 0 if outside.any() else body

    @cached_property
    def characters(self) -> IntArray:
        """int[n_elements]: C."""
        return self._total(self._lengths)

    @cached_property
    def link_characters(self) -> IntArray:
        """int[n_elements]: LC."""
        return self._total(np.where(self.in_link, self._lengths, 0))

    @cached_property
    def tags(self) -> IntArray:
        """int[n_elements]: T, the rendered elements inside."""
        rendered = self._rendered.astype(np.int64)
        return self.elements.subtree_sums(rendered) - rendered

    @cached_property
    def link_tags(self) -> IntArray:
        """int[n_elements]: LT. All elements in a link count, the link, and a child that is nothing
        but links."""
        elements, found = self.elements, [0] * len(self.elements)
        only_links = (self.characters == self.link_characters).tolist()
        tags = self.tags.tolist()
        for element, parent in elements.upwards():
            is_link = elements.tags[element] in LINK_TAGS
            if is_link:
                found[element] = tags[element]
            links = found[element]
            like_link = is_link or (links == tags[element] != 0 and only_links[element])
            found[parent] += links + like_link
        return np.array(found, dtype=np.int64)

    @cached_property
    def bare(self) -> IntArray:
        """int[leaves]: characters of a run of text between two tags, at its first leaf.

        0 for the other leaves of the run, and in elements without children: they have no runs.
        """
        first = np.ones(len(self.leaf_elements), dtype=np.bool_)
        first[1:] = (np.diff(self.leaf_elements) != 0) | (np.diff(self._opened) != 0)
        run = np.cumsum(first) - 1
        lengths = np.bincount(run, self._lengths).astype(np.int64)[run]
        return np.where(first & (self.tags[self.leaf_elements] > 0), lengths, 0)

    def _total(self, column: IntArray) -> IntArray:
        held = np.bincount(self.leaf_elements, column, len(self.elements))
        return self.elements.subtree_sums(held.astype(np.int64))
