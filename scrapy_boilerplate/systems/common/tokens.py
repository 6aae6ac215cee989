"""A page as a sequence of runs of tags and words, for the token-sequence methods.

A *tag* is the start or the end of an element, also of an inline element. Elements that never have
content (`br`, `img`, ...: VOID_TAGS) have no end tag. An invisible element (`script`, `style`, ...:
`page.columns.INVISIBLE`) counts as two tags, as scripts do in Pomikalek's ``bte.py``. Comments are
not tags. Tags come from the parsed tree: end tags that the source omits (``<p>``, ``<li>``) count,
stray end tags do not. A *word* is a word of `text.split_words`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.systems.common.features import cumulate, measure_texts, sum_spans

# Elements without an end tag (HTML Standard, "Void elements", and older elements of HTML 4).
VOID_TAGS = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr".split()
)


@dataclass(frozen=True, eq=False)
class TokenRuns:
    """Tags, then the words of the first leaf, then tags, ..., and the tags after the last leaf.

    `starts` and `ends` are int[leaves + 1], the start and end tags before each leaf and after the
    last one; `words` is int[leaves]. A run may be empty.
    """

    starts: IntArray
    ends: IntArray
    words: IntArray

    @property
    def tag_counts(self) -> IntArray:
        """int[leaves + 1]: the tags before each leaf and after the last one."""
        return self.starts + self.ends

    @cached_property
    def is_word(self) -> BoolArray:
        """bool[tokens]: the sequence token by token, True for a word."""
        counts = np.zeros(len(self.starts) + len(self.words), dtype=np.int64)
        counts[::2], counts[1::2] = self.tag_counts, self.words
        return np.repeat(np.arange(len(counts)) % 2 == 1, counts)

    def words_among(self, tokens: BoolArray) -> IntArray:
        """Return int[leaves]: the number of words of each leaf in the mask of tokens."""
        ends = np.cumsum(self.tag_counts[:-1] + self.words)
        return sum_spans(tokens & self.is_word, ends - self.words, ends)

    def best_interval(self, tag_weight: float) -> tuple[int, int]:
        """Return (first, end): the leaves of the stretch of tokens with the largest sum.

        A word adds 1, a tag subtracts `tag_weight`. The best stretch starts and ends with words. If
        several are equal, the first to start wins, then the first to end. Without words it is
        empty. Linear time (Kadane's maximum subarray, written with prefix sums).
        """
        if not self.words.any():
            return 0, 0
        after: FloatArray = np.cumsum(self.words - tag_weight * self.tag_counts[:-1])
        before = after - self.words
        last = int(np.argmax(after - np.minimum.accumulate(before)))
        return int(np.argmin(before[: last + 1])), last + 1


def read_token_runs(page: Page) -> TokenRuns:
    """Return the tags and words of the page, in document order; linear time."""
    leaves, elements = page.leaves, page.elements
    opened = np.array([0, *leaves.opened, len(elements)], dtype=np.int64)
    open_after = np.array([0, *(elements.depths[e] + 1 for e in leaves.elements), 0])
    void = np.fromiter((tag in VOID_TAGS for tag in elements.tags), np.int64, len(elements))
    starts = np.diff(opened)
    ends = starts - np.diff(open_after) - np.diff(cumulate(void)[opened])
    words = measure_texts(leaves.texts, count_words)
    # an XML tree may have text in a void element, whose end tag would count twice, as -1 and 1
    return TokenRuns(starts, np.maximum(ends, 0), words)


def select_blocks(page: Page, selected: IntArray, words: IntArray) -> BoolArray:
    """Return bool[n]: the blocks with at least half of their words selected.

    `selected` and `words` are counts for each leaf. A block without words is never selected.
    """
    chosen, total = sum_by_block(page, selected), sum_by_block(page, words)
    return (total > 0) & (2 * chosen >= total)


def sum_by_block(page: Page, column: IntArray | BoolArray) -> IntArray:
    """Return int[n]: the sum of a leaf column over the leaves of each block."""
    return sum_spans(column, page.blocks.first_leaf, page.blocks.end_leaf)


def sum_over_links(page: Page, measure: Callable[[str], int]) -> IntArray:
    """Return int[n]: the sum of `measure` over the linked leaves of each block."""
    values = np.zeros(len(page.leaves), dtype=np.int64)
    for leaf in np.flatnonzero(page.leaves.in_link).tolist():
        values[leaf] = measure(page.leaves.texts[leaf])
    return sum_by_block(page, values)


def count_characters(page: Page) -> IntArray:
    """Return int[n]: the characters of each block, white space collapsed."""
    return measure_texts(page.texts, len)
