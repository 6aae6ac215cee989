"""The columns of a web page: elements, leaves (text nodes) and text blocks.

One Python object per DOM node would cost more than everything else together, so the facts stand in
parallel lists and arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray

# the parent of the root
NO_ELEMENT = -1

# the tag that stands for an entity reference the parser left alone: it has no name
ENTITY = "&"

# attributes beside class, id and role that say what an element is, or whether it is shown
ATTRIBUTES = frozenset("itemprop itemtype rel hidden aria-hidden aria-modal style".split())

# element to its attributes of ATTRIBUTES as written, in order; without elements that have none
Attributes = dict[int, dict[str, str]]


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
    written, "" where absent. `addresses` are those of links and images, each with its element.
    `path` is the XPath of a root that is part of a larger tree ("" for a whole tree), `namespaced`
    whether the tree's names have a namespace (XHTML read as XML).
    `find_attributes` and `find_sizes` read what few methods ask for from the tree,
    and keep it alive.
    """

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    addresses: list[tuple[int, str]] = field(default_factory=list)
    path: str = ""
    namespaced: bool = False
    find_attributes: Callable[[Elements], Attributes] = field(default=lambda _: {}, repr=False)
    find_sizes: Callable[[Elements], list[int]] = field(default=lambda e: [0] * len(e), repr=False)

    def __len__(self) -> int:
        return len(self.tags)

    def __getstate__(self) -> dict[str, Any]:
        read = {"attributes": self.attributes, "attribute_sizes": self.attribute_sizes}
        return {**self.__dict__, **read, "find_attributes": None, "find_sizes": None}

    @cached_property
    def attributes(self) -> Attributes:
        """The attributes of ATTRIBUTES, read from the tree on first use."""
        return self.find_attributes(self)

    @cached_property
    def attribute_sizes(self) -> list[int]:
        """Characters of all attributes of each element, read from the tree on first use.

        As in ``<a href="x">``: with the space, the equals sign and the quotes.
        """
        return self.find_sizes(self)

    @cached_property
    def targets(self) -> dict[int, str]:
        """Element to the address of a link or an image, in order.

        As written, without query and fragment.
        """
        return {
            element: address.partition("?")[0].partition("#")[0]
            for element, address in self.addresses
            if address
        }

    def with_attribute(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield (element, value as written) where there is the attribute `name` of ATTRIBUTES."""
        for element, values in self.attributes.items():
            if name in values:
                yield element, values[name]

    def ancestors(self, element: int) -> Iterator[int]:
        """Yield the element, its parent, and so on up to the root."""
        while element != NO_ELEMENT:
            yield element
            element = self.parents[element]

    def upwards(self) -> Iterator[tuple[int, int]]:
        """Yield (element, its parent), what is inside before what is around it.

        Roots have no parent and are left out (what stands after ``</html>`` is a root of its own).
        """
        for element in range(len(self) - 1, 0, -1):
            if (parent := self.parents[element]) != NO_ELEMENT:
                yield element, parent

    def inside(self, tags: frozenset[str]) -> BoolArray:
        """Return bool[n]: elements with one of `tags`, and everything in them."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for element, tag in enumerate(self.tags):
            if tag in tags:
                mask[element : self.ends[element]] = True
        return mask

    def tagged(self, tags: frozenset[str]) -> BoolArray:
        """Return bool[n]: elements with one of `tags`."""
        return np.fromiter(map(tags.__contains__, self.tags), np.bool_, len(self))

    def subtree_sums(self, column: IntArray) -> IntArray:
        """Return for each element the sum of an element column over it and everything in it."""
        sums = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(column)))
        totals: IntArray = sums[self.end_column] - sums[:-1]
        return totals

    @cached_property
    def parent_column(self) -> IntArray:
        """int[n]: `parents`."""
        return np.array(self.parents, dtype=np.int64)

    @cached_property
    def end_column(self) -> IntArray:
        """int[n]: `ends`."""
        return np.array(self.ends, dtype=np.int64)

    @cached_property
    def depth_column(self) -> IntArray:
        """int[n]: `depths`."""
        return np.array(self.depths, dtype=np.int64)


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
