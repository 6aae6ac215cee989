"""The paragraphs of a page as candidate scoring sees them, and counts of its blocks."""

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.systems.common.features import measure_texts
from scrapy_boilerplate.systems.common.tokens import count_characters, sum_over_links
from scrapy_boilerplate.systems.common.trees import find_ancestors, find_innermost

_find_commas = re.compile(
    # Latin, Arabic, small, vertical (two), two- and three-dot, Chinese and fullwidth comma:
    # the scripts that Readability.js 0.6.0 knows
    "[,\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c\u3001]"
).findall


def count_link_characters(page: Page) -> IntArray:
    """int[n]: characters of each block that a hyperlink encloses."""
    linked = sum_over_links(page, lambda text: len(collapse(text)))
    return np.minimum(linked, page.remember(count_characters))


def count_links(page: Page) -> IntArray:
    """int[n]: text nodes of each block inside hyperlinks, about the number of its links."""
    return sum_over_links(page, lambda text: int(not text.isspace()))


def count_commas(page: Page) -> IntArray:
    """int[n]: commas of each block, of any script."""
    return measure_texts(page.texts, lambda text: len(_find_commas(text)))


def divide_counts(part: IntArray, whole: IntArray) -> FloatArray:
    """Return the quotient of two counts, 0 where the whole is 0."""
    return part / np.maximum(whole, 1)


NO_PARAGRAPH = -1

# A `div` without any of these counts as a `p` (Readability, Goose).
NOT_IN_A_PARAGRAPH = frozenset("blockquote dl div img ol p pre table ul".split())

_DIV = frozenset({"div"})
_P = frozenset({"p"})


@dataclass(frozen=True, eq=False)
class Paragraphs:
    """Paragraphs in document order, one entry each; all with text.

    A paragraph is an element with a requested tag, a `div` that contains only running text, or a
    loose block between the children of another `div`.

    kept      bool[n]: the blocks that are not dropped
    elements  int[m], NO_ELEMENT for a loose block
    blocks    int[m]: the loose block, 0 for an element
    parents   int[m]: the element that the paragraph is in
    plain     bool[m]: whether the paragraph counts as a `p`
    """

    page: Page
    kept: BoolArray
    elements: IntArray
    blocks: IntArray
    parents: IntArray
    plain: BoolArray

    def __len__(self) -> int:
        return len(self.elements)

    def sums(self, column: IntArray) -> IntArray:
        """int[m]: for each paragraph the sum of a block column over the kept blocks in it."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        of_elements = self.sum_by_element(column)[self.elements]
        of_blocks = np.where(self.kept, column, 0)[self.blocks]
        return np.where(self.elements == NO_ELEMENT, of_blocks, of_elements)

    def sum_by_element(self, column: IntArray) -> IntArray:
        """int[n_elements]: the sum of a block column over the kept blocks in each element."""
        return self.page.sum_by_element(np.where(self.kept, column, 0))

    def innermost(self) -> IntArray:
        """int[n]: the innermost paragraph around each block, NO_PARAGRAPH without one."""
        elements, loose = self.page.elements, np.flatnonzero(self.elements == NO_ELEMENT)
        numbers = np.full(len(elements) + 1, NO_PARAGRAPH)  # the last is for NO_ELEMENT
        numbers[self.elements] = np.arange(len(self))
        numbers[-1] = NO_PARAGRAPH
        around = find_innermost(elements, numbers[:-1] != NO_PARAGRAPH)
        paragraphs: IntArray = numbers[around[self.page.blocks.elements]]
        paragraphs[self.blocks[loose]] = loose
        return paragraphs


def find_paragraphs(page: Page, asked: BoolArray, dropped: BoolArray) -> Paragraphs:
    """Return the elements `asked` and the other paragraphs, without the elements `dropped`."""
    elements = page.elements
    holds_others = find_ancestors(elements, elements.tagged(NOT_IN_A_PARAGRAPH) & ~dropped)
    plain = elements.tagged(_P) & asked | elements.tagged(_DIV) & ~holds_others
    chosen, plain = (asked | plain) & ~dropped, plain & ~dropped
    kept = ~dropped[page.blocks.elements]
    with_text = page.sum_by_element(kept.astype(np.int64)) > 0
    tagged = np.flatnonzero(chosen & with_text)
    loose_in = elements.tagged(_DIV) & ~chosen
    loose = np.flatnonzero(kept & loose_in[page.blocks.elements])
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf[loose]]
    # a loose block is before the element that is opened next
    order = np.argsort(np.concatenate((2 * tagged, 2 * opened - 1)), kind="stable")
    none = np.full(len(loose), NO_ELEMENT)
    parents = elements.parent_column[tagged]
    return Paragraphs(
        page=page,
        kept=kept,
        elements=np.concatenate((tagged, none))[order],
        blocks=np.concatenate((np.zeros(len(tagged), dtype=np.int64), loose))[order],
        parents=np.concatenate((parents, page.blocks.elements[loose]))[order],
        plain=np.concatenate((plain[tagged], none == NO_ELEMENT))[order],
    )


def pass_up_scores(
    elements: Elements, parents: IntArray, scores: FloatArray, shares: tuple[float, ...]
) -> FloatArray:
    """float[n_elements]: the scores that elements get from the paragraphs in them.

    `shares` are the parts of a score for the parent of a paragraph, its grandparent and so on.
    """
    totals = np.zeros(len(elements))
    for part in shares:
        reached = parents != NO_ELEMENT
        parents, scores = parents[reached], scores[reached]
        totals += np.bincount(parents, part * scores, len(elements))
        parents = elements.parent_column[parents]
    return totals
