"""Columns of blocks, elements and tokens, and functions that compute them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words

# Name to a column of n_blocks numbers.
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class FeatureGroup:
    """Columns about the blocks of a page, in the order of `names`.

    `compute` returns the columns of a page by name, perhaps with others; it is pure and total.
    """

    names: tuple[str, ...]
    compute: Callable[[Page], Columns]

    def build_matrix(self, page: Page) -> FloatArray:
        """Return float[n_blocks, n_columns]: the columns side by side."""
        columns = self.compute(page)
        rows = np.empty((len(page), len(self.names)))
        for index, name in enumerate(self.names):
            rows[:, index] = columns[name]
        return rows


Number = TypeVar("Number", np.int64, np.float64, np.bool_)


def shift_column(column: NDArray[Number], offset: int) -> NDArray[Number]:
    """Return for each block the value of the block `offset` places after it; 0 beyond the ends."""
    moved = np.zeros_like(column)
    kept = max(len(column) - abs(offset), 0)
    if offset < 0:
        moved[len(column) - kept :] = column[:kept]
    else:
        moved[:kept] = column[len(column) - kept :]
    return moved


def to_column(numbers: Iterable[float]) -> FloatArray:
    """Return float[n] of some numbers."""
    return np.fromiter(numbers, np.float64)


def cumulate(column: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the first 0 to n entries; integers unless `column` is float."""
    whole = np.float64 if column.dtype.kind == "f" else np.int64
    return np.concatenate((np.zeros(1, dtype=whole), np.cumsum(column, dtype=whole)))


def sum_spans(column: NDArray[Any], first: IntArray, end: IntArray) -> NDArray[Any]:
    """Return the sums of the entries ``first <= i < end`` of each span; integers unless float."""
    sums = cumulate(column)
    spans: NDArray[Any] = sums[end] - sums[first]
    return spans


def measure_texts(texts: Sequence[str], measure: Callable[[str], int]) -> IntArray:
    """Return int[n]: a number for each text."""
    return np.fromiter(map(measure, texts), np.int64, len(texts))


def match_texts(texts: Sequence[str], test: Callable[[str], object]) -> BoolArray:
    """Return bool[n]: the texts for which `test` returns something true."""
    return np.fromiter((bool(test(text)) for text in texts), np.bool_, len(texts))


def take_previous(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the previous block; 0 before the first."""
    return shift_column(column, -1)


def take_next(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the next block; 0 after the last."""
    return shift_column(column, 1)


# Masks and columns of the elements around an element, and of the elements in it.


def sum_around(elements: Elements, column: IntArray) -> IntArray:
    """int[n_elements]: the sum of a column over each element and the elements around it."""
    change = np.zeros(len(elements) + 1, dtype=np.int64)
    change[:-1] += column
    np.subtract.at(change, elements.end_column, column)
    return np.cumsum(change)[:-1]


def cover_subtrees(elements: Elements, roots: BoolArray) -> BoolArray:
    """bool[n_elements]: the elements of the mask `roots`, and everything in them."""
    return sum_around(elements, roots.astype(np.int64)) > 0


def find_blocks_inside(page: Page, roots: BoolArray) -> BoolArray:
    """bool[n]: the blocks in the elements of the mask `roots`, at any depth."""
    return cover_subtrees(page.elements, roots)[page.blocks.elements]


def find_ancestors(elements: Elements, mask: BoolArray) -> BoolArray:
    """bool[n_elements]: the elements with a descendant of `mask`."""
    return elements.sum_subtrees(mask.astype(np.int64)) > mask


def find_innermost(elements: Elements, mask: BoolArray) -> IntArray:
    """int[n_elements]: the nearest element of `mask` at or above each element, or NO_ELEMENT."""
    innermost: list[int] = []
    for element, (chosen, parent) in enumerate(zip(mask.tolist(), elements.parents, strict=True)):
        above = NO_ELEMENT if parent == NO_ELEMENT else innermost[parent]
        innermost.append(element if chosen else above)
    return np.array(innermost, dtype=np.int64)


def list_children(elements: Elements, element: int) -> list[int]:
    """Return the child elements of `element`, in order."""
    children, child, end = [], element + 1, elements.ends[element]
    while child < end:
        children.append(child)
        child = elements.ends[child]
    return children


# A page as a sequence of runs of tags and words, for the token-sequence methods. A *tag* is the
# start or the end of an element, also of an inline element. Elements that never have content
# (`br`, `img`, ...: VOID_TAGS) have no end tag. An invisible element (`script`, `style`, ...:
# `page.columns.INVISIBLE`) counts as two tags, as scripts do in Pomikalek's ``bte.py``. Comments
# are not tags. Tags come from the parsed tree: end tags that the source omits (``<p>``, ``<li>``)
# count, stray end tags do not. A *word* is a word of `text.split_words`.

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
    """Return bool[n]: blocks with at least half of their `words` selected, counted by leaf."""
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
