"""A web page as columns: elements, leaves (text nodes) and text blocks.

One Python object per DOM node would cost more than everything else together, so the facts stand in
parallel lists and arrays. Nothing here is an opinion: labels live in `Labeling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.text import collapse, count_words, wrapped_lines

NO_ELEMENT = -1
"""The parent of the root."""


class Break(IntEnum):
    """What lies between a leaf and the leaf before it."""

    NONE = 0
    LINE = 1
    """One `br`: another line of the same paragraph, or so it looks."""
    PARAGRAPH = 2
    """A block-level boundary, or several `br` with nothing between them."""


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements in document order, one entry each: parallel lists of one length.

    `tags` lower-case local names; `parents` index of the parent (`NO_ELEMENT` for the root);
    `ends` index after the last descendant, so that element e and what is in it are the elements
    ``e <= i < ends[e]``; `depths` 0 for the root; `classes`, `ids`, `roles` the attributes as
    written, "" where absent.
    """

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tags)

    def ancestors(self, element: int) -> Iterator[int]:
        """The element, its parent, and so on up to the root."""
        while element != NO_ELEMENT:
            yield element
            element = self.parents[element]

    def inside(self, tags: frozenset[str]) -> BoolArray:
        """bool[n]: elements with one of `tags`, and everything in them."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for element, tag in enumerate(self.tags):
            if tag in tags:
                mask[element : self.ends[element]] = True
        return mask

    def subtree_sums(self, column: IntArray) -> IntArray:
        """For each element the sum of an element column over it and everything in it."""
        sums = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(column)))
        totals: IntArray = sums[np.array(self.ends, dtype=np.int64)] - sums[:-1]
        return totals

    @cached_property
    def steps(self) -> list[str]:
        """The last XPath step to each element, such as ``p[2]``.

        A name that XPath would take for a prefixed or broken one is counted among all siblings.
        """
        counts: dict[tuple[int, str], int] = {}
        steps = []
        for tag, parent in zip(self.tags, self.parents, strict=True):
            position = counts[parent, tag] = counts.get((parent, tag), 0) + 1
            among_all = counts[parent, "*"] = counts.get((parent, "*"), 0) + 1
            plain = tag.isascii() and tag.replace("-", "").isalnum() and tag[0].isalpha()
            steps.append(f"{tag}[{position}]" if plain else f"*[{among_all}]")
        return steps

    def xpath(self, element: int) -> str:
        """An absolute XPath that finds exactly this element in the page's tree."""
        return "/" + "/".join([self.steps[e] for e in self.ancestors(element)][::-1])


@dataclass(frozen=True, eq=False)
class Leaves:
    """The visible text nodes in document order, one entry each: parallel lists of one length.

    `texts` as in the tree; `elements` index of the containing element; `owners` index of the
    nearest block-level element; `opened` how many elements start before the leaf (with the depths
    that gives the tags between two leaves); `in_link` whether a hyperlink encloses the leaf;
    `breaks` what lies between this leaf and the one before it.
    """

    texts: list[str] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    in_link: list[bool] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The text blocks in document order: int[n] columns.

    Block i holds the leaves ``first_leaf[i] <= leaf < end_leaf[i]``; `elements` is the element it
    stands in. Together the blocks hold every leaf exactly once.
    """

    first_leaf: IntArray
    end_leaf: IntArray
    elements: IntArray

    def __len__(self) -> int:
        return len(self.first_leaf)


NO_BLOCKS = Blocks(*(np.zeros(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True, eq=False)
class Page:
    """The facts of one web page. Columns derived from them are computed once, on first use.

    `url` and `language` (ISO 639-1 as declared) are None and `title` is "" where unknown.
    """

    elements: Elements
    leaves: Leaves
    blocks: Blocks = NO_BLOCKS
    url: str | None = None
    language: str | None = None
    title: str = ""

    def __len__(self) -> int:
        return len(self.blocks)

    def with_blocks(self, blocks: Blocks) -> Page:
        """The same leaves in other blocks; every derived column is computed anew."""
        return replace(self, blocks=blocks)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each block, white space collapsed."""
        leaves, spans = self.leaves.texts, self._spans
        return [collapse("".join(leaves[first:end])) for first, end in spans]

    @cached_property
    def words(self) -> IntArray:
        """int[n]: number of words of each block."""
        return np.fromiter((count_words(text) for text in self.texts), np.int64, len(self))

    @cached_property
    def link_words(self) -> IntArray:
        """int[n]: number of words of each block that a hyperlink encloses."""
        in_link = np.array(self.leaves.in_link, dtype=np.bool_)
        counts = np.zeros(len(in_link) + 1, dtype=np.int64)
        for leaf in np.flatnonzero(in_link).tolist():
            counts[leaf + 1] = count_words(self.leaves.texts[leaf])
        sums = np.cumsum(counts)
        linked: IntArray = sums[self.blocks.end_leaf] - sums[self.blocks.first_leaf]
        return np.minimum(linked, self.words)

    @cached_property
    def link_density(self) -> FloatArray:
        """float[n]: share of the words of each block that are in links; 0 without words."""
        density: FloatArray = self.link_words / np.maximum(self.words, 1)
        return density

    @cached_property
    def full_line_words(self) -> IntArray:
        """int[n]: words on full lines of each block, wrapped at 80 characters."""
        return self._wrapped[:, 0]

    @cached_property
    def full_lines(self) -> IntArray:
        """int[n]: full lines of each block, wrapped at 80 characters; at least 1."""
        return self._wrapped[:, 1]

    @cached_property
    def text_density(self) -> FloatArray:
        """float[n]: words to a full line (Kohlschuetter et al. 2010, section 3.3)."""
        density: FloatArray = self.full_line_words / self.full_lines
        return density

    @cached_property
    def tags(self) -> list[str]:
        """The tag of the element each block stands in."""
        return [self.elements.tags[element] for element in self.blocks.elements.tolist()]

    @cached_property
    def longest_leaves(self) -> IntArray:
        """int[n]: the leaf of each block with the most characters, the first of equals."""
        lengths = [len(text) for text in self.leaves.texts]
        found = [max(range(first, end), key=lengths.__getitem__) for first, end in self._spans]
        return np.array(found, dtype=np.int64)

    def xpath(self, block: int) -> str:
        """An absolute XPath to the element the block stands in."""
        return self.elements.xpath(int(self.blocks.elements[block]))

    def joined(self, blocks: Sequence[int]) -> str:
        """The text of the blocks `blocks` (in order): lines of one paragraph on lines of their own,
        paragraphs with a blank line between them."""
        parts: list[str] = []
        before = -1
        for block in blocks:
            if parts:
                line_of_same = block == before + 1 and self._breaks[block] == Break.LINE
                parts.append("\n" if line_of_same else "\n\n")
            parts.append(self.texts[block])
            before = block
        return "".join(parts)

    def in_tags(self, tags: frozenset[str]) -> BoolArray:
        """bool[n]: blocks that stand in an element with one of `tags`, or deeper in one."""
        within: BoolArray = self.elements.inside(tags)[self.blocks.elements]
        return within

    def held_by_elements(self, column: IntArray) -> IntArray:
        """int[n_elements]: for each element the sum of a block column over the blocks in it."""
        of_elements = np.bincount(self.blocks.elements, column, len(self.elements))
        return self.elements.subtree_sums(of_elements.astype(np.int64))

    @cached_property
    def _breaks(self) -> list[Break]:
        return [self.leaves.breaks[leaf] for leaf in self.blocks.first_leaf.tolist()]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        first, end = self.blocks.first_leaf.tolist(), self.blocks.end_leaf.tolist()
        return list(zip(first, end, strict=True))

    @cached_property
    def _wrapped(self) -> IntArray:
        rows = [wrapped_lines(text) for text in self.texts]
        return np.array(rows, dtype=np.int64).reshape(len(self), 2)
