"""The columns of a web page: elements and their XPaths, leaves (text nodes) and text blocks.

One Python object per DOM node would cost more than everything else together. The columns are
therefore parallel lists and arrays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import compress, filterfalse
from typing import Any, NamedTuple

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray

# the parent of the root
NO_ELEMENT = -1

# the tag of an entity reference that the parser has not resolved; it has no tag
ENTITY = "&"

# elements whose text is left out. The text of `noscript` and `template` is kept, because they
# contain the article on pages that load lazily
INVISIBLE = frozenset(
    (
        # never rendered as text of the page
        "title style script link meta base param "
        # (not `embed`: libxml2 puts the following nodes inside it)
        # images, and fallbacks for media and gauges that cannot be shown (as in boilerpipe)
        "svg canvas audio video object applet iframe meter progress "
        # choices, not text (boilerpipe ignores OPTION, jusText calls it bad)
        "select option optgroup datalist "
        # the source of a formula, whose letters are beside it
        "annotation annotation-xml "
        # pronunciation of the word beside it
        f"rt rp {ENTITY}"
    ).split()
)

# elements that end a line: those that the HTML Standard ("Rendering", "Non-replaced elements")
# displays as blocks, list items, tables and their parts, and obsolete ones of frames and forms. All
# other elements are inline, also unknown elements, as in browsers
BLOCK_LEVEL = frozenset(
    (
        "html head body frameset frame noframes isindex "
        "address blockquote center dialog div figure figcaption footer form header hr legend "
        "listing main p plaintext pre search xmp article aside h1 h2 h3 h4 h5 h6 hgroup nav "
        "section dir dd dl dt menu ol ul li table caption colgroup col thead tbody tfoot tr td th "
        "fieldset details summary"
    ).split()
)
# inline elements whose text is no part of the line around them, but can be a line of its own
HIDDEN_TAGS = frozenset(("noscript", "template", "noembed"))
# inline elements that are no part of a line unless they are between its words
CONTROLS = frozenset(("button", "textarea"))
# tags in the head of a page
METADATA = frozenset("base link meta script style title".split())
# elements whose white space is shown
PREFORMATTED = frozenset(("pre", "listing", "xmp"))

# attributes, besides class, id and role, for the type and the visibility of an element
ATTRIBUTES = frozenset("itemprop itemtype rel hidden aria-hidden aria-modal style".split())

# element to its attributes in ATTRIBUTES, as written, in document order; other elements are omitted
Attributes = dict[int, dict[str, str]]


class Break(IntEnum):
    """The break between a leaf and the leaf before it."""

    NONE = 0
    LINE = 1
    """One `br`: probably another line of the same paragraph."""
    PARAGRAPH = 2
    """A block-level boundary, or several `br` with nothing between them."""


class Names(NamedTuple):
    """The different tags, classes, ids and roles of a page, and their index (int[n]) per element.

    The columns are indices of `strings`; the first of these is "". `numbers` are the indices by
    string.
    """

    strings: list[str]
    numbers: dict[str, int]
    tags: IntArray
    classes: IntArray
    ids: IntArray
    roles: IntArray

    def list_used(self, *columns: IntArray) -> list[str]:
        """Return the different strings in some of the columns."""
        is_used = np.zeros(len(self.strings), np.bool_)
        for column in columns:
            is_used[column] = True
        return list(compress(self.strings, is_used.tolist()))


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements in document order, one entry each: parallel lists of one length.

    `tags` lower-case local names; `parents` index of the parent (`NO_ELEMENT` for the root);
    `ends` index after the last descendant: element e and its descendants are the elements
    ``e <= i < ends[e]``; `depths` 0 for the root; `classes`, `ids`, `roles` the attributes as
    written, "" where absent. `urls` are the URLs of links and images by their elements, in order.
    `path` is the XPath of a root that is part of a larger tree ("" for a whole tree). `namespaced`
    is True if the names of the tree have a namespace (XHTML read as XML).
    `find_attributes` and `find_sizes` read columns that few methods need from the tree, which they
    keep in memory.
    """

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    urls: dict[int, str] = field(default_factory=dict)
    path: str = ""
    namespaced: bool = False
    find_attributes: Callable[[Elements], Attributes] = field(default=lambda _: {}, repr=False)
    find_sizes: Callable[[Elements], list[int]] = field(default=lambda e: [0] * len(e), repr=False)

    def __len__(self) -> int:
        return len(self.tags)

    def __getstate__(self) -> dict[str, Any]:
        read = {"attributes": self.attributes, "attribute_sizes": self.attribute_sizes}
        return {**self.__dict__, **read, "find_attributes": None, "find_sizes": None}

    def detach(self) -> None:
        """Read the columns that need the tree, and drop the tree, to save memory."""
        self.__dict__.update(self.__getstate__())

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

    def with_attribute(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield (element, value as written) of the elements with `name`, one of ATTRIBUTES."""
        for element, values in self.attributes.items():
            if name in values:
                yield element, values[name]

    def ancestors(self, element: int) -> Iterator[int]:
        """Yield the element, its parent, and so on up to the root."""
        while element != NO_ELEMENT:
            yield element
            element = self.parents[element]

    def has_around(
        self, element: int, is_wanted: Callable[[int], object], known: dict[int, bool]
    ) -> bool:
        """Return whether an element, or one around it, is wanted.

        `known` holds the results of earlier calls, so that no element is visited twice.
        """
        visited, has = [], False
        for around in self.ancestors(element):
            has = known[around] if around in known else bool(is_wanted(around))
            visited.append(around)
            if has or around in known:
                break
        known.update(dict.fromkeys(visited, has))
        return has

    def upwards(self) -> Iterator[tuple[int, int]]:
        """Yield (element, its parent), descendants before their ancestors.

        Roots have no parent and are left out (an element after ``</html>`` is another root).
        """
        for element in range(len(self) - 1, 0, -1):
            if (parent := self.parents[element]) != NO_ELEMENT:
                yield element, parent

    def outermost(self, elements: Iterable[int]) -> Iterator[int]:
        """Yield the elements that are not inside another one of them; they are in order."""
        end = 0
        for element in elements:
            if element >= end:
                end = self.ends[element]
                yield element

    def inside(self, tags: frozenset[str]) -> BoolArray:
        """Return bool[n]: elements with one of `tags`, and their descendants."""
        return self.within(self.tagged(tags).nonzero()[0].tolist() if self.has_any(tags) else ())

    def within(self, chosen: Iterable[int]) -> BoolArray:
        """Return bool[n]: the elements `chosen`, which are in order, and their descendants."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for element in self.outermost(chosen):
            mask[element : self.ends[element]] = True
        return mask

    def has_any(self, tags: frozenset[str]) -> bool:
        """Return whether an element may have one of `tags`, without checking each element."""
        return not self.names.numbers.keys().isdisjoint(tags)

    def tagged(self, tags: frozenset[str]) -> BoolArray:
        """Return bool[n]: elements with one of `tags`."""
        names = self.names
        is_tag = bytearray(len(names.strings))
        for tag in tags & names.numbers.keys():
            is_tag[names.numbers[tag]] = 1
        return np.frombuffer(is_tag, np.bool_)[names.tags]

    def sum_subtrees(self, column: IntArray) -> IntArray:
        """Return for each element the sum of an element column over it and its descendants."""
        sums = np.zeros(len(column) + 1, dtype=np.int64)
        np.cumsum(column, out=sums[1:])
        totals: IntArray = sums[self.end_column] - sums[:-1]
        return totals

    def count_inside(self, places: IntArray | Sequence[int]) -> IntArray:
        """Return for each element how many of `places`, numbers of elements, are inside it."""
        return self.sum_subtrees(np.bincount(np.asarray(places, np.int64), minlength=len(self)))

    @cached_property
    def names(self) -> Names:
        """`tags`, `classes`, `ids` and `roles` with each different string stored once."""
        known = {"": 0}
        columns = (
            np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
            for names in (self.tags, self.classes, self.ids, self.roles)
        )
        tags, classes, ids, roles = columns
        return Names(list(known), known, tags, classes, ids, roles)

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


# the derived columns of `Leaves`
LEAF_COLUMNS = ("element_column", "owner_column", "opened_column", "break_column")


@dataclass(frozen=True, eq=False)
class Leaves:
    """The visible text nodes in document order, one entry each: parallel lists of one length.

    `texts` as in the tree; `elements` index of the containing element; `owners` index of the
    nearest block-level element; `opened` how many elements start before the leaf (`opened` and
    the depths give the tags between two leaves); `in_link` whether a hyperlink encloses the leaf;
    `breaks` the `Break` between this leaf and the previous one.
    """

    texts: list[str] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    in_link: list[bool] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    def find_inside(self, element: int, end: int) -> range:
        """Return the leaves inside an element, which ends at `end`; logarithmic time."""
        opened = self.opened
        first = bisect_left(opened, element + 1)
        if first == len(opened) or opened[first] > end:
            return range(first, first)
        last = bisect_right(opened, end, first)
        # the leaves after the last element inside, then those after the element itself
        after = bisect_left(opened, end, first, last)
        return range(first, bisect_left(self.elements, True, after, last, key=element.__gt__))

    @cached_property
    def element_column(self) -> IntArray:
        """int[n]: `elements`."""
        return np.array(self.elements, dtype=np.int64)

    @cached_property
    def owner_column(self) -> IntArray:
        """int[n]: `owners`."""
        return np.array(self.owners, dtype=np.int64)

    @cached_property
    def opened_column(self) -> IntArray:
        """int[n]: `opened`."""
        return np.array(self.opened, dtype=np.int64)

    @cached_property
    def break_column(self) -> IntArray:
        """int[n]: `breaks`."""
        return np.frombuffer(bytes(self.breaks), dtype=np.uint8).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The text blocks in document order: int[n] columns.

    Block i holds the leaves ``first_leaf[i] <= leaf < end_leaf[i]``; `elements` is its containing
    element. Together the blocks hold every leaf exactly once.
    """

    first_leaf: IntArray
    end_leaf: IntArray
    elements: IntArray

    def __len__(self) -> int:
        return len(self.first_leaf)


NO_BLOCKS = Blocks(*(np.zeros(0, dtype=np.int64) for _ in range(3)))


# --- XPaths ---

# maximum ancestors of an element with an XPath; news pages nest 10 to 40 deep
MAX_STEPS = 256

_is_name = re.compile("[A-Za-z][A-Za-z0-9-]*").fullmatch


def find_xpaths(elements: Elements, wanted: Iterable[int]) -> list[str]:
    """Return an absolute XPath for each of the elements `wanted`, which selects only that element.

    It is "" for elements deeper than `MAX_STEPS`: libxml2 refuses such paths, and the size of all
    paths of a page would grow with the square of its depth.
    """
    chosen = list(wanted)
    paths = dict.fromkeys(chosen, "")
    is_needed = (elements.count_inside(chosen) > 0) & (elements.depth_column <= MAX_STEPS)
    needed = is_needed.nonzero()[0]
    positions = _find_positions(elements)[needed].tolist()
    tags, parents, depths = elements.tags, elements.parents, elements.depths
    special = _find_special_steps(elements)
    around = [""] * (MAX_STEPS + 2)  # the path to the last element of each depth
    for element, position in zip(needed.tolist(), positions, strict=True):
        step = special.get(element) if special else None
        if step is None:
            step = f"{tags[element]}[{position}]"
        depth = depths[element]
        if parents[element] == NO_ELEMENT:
            path = elements.path or f"/{step}"
        else:
            path = f"{around[depth - 1]}/{step}"
        around[depth] = path
        if element in paths:
            paths[element] = path
    return [paths[element] for element in chosen]


def _find_positions(elements: Elements) -> IntArray:
    """Return int[n]: the place of each element among its siblings of the same name, from 1."""
    keys = elements.parent_column * len(elements.names.strings) + elements.names.tags
    order = np.argsort(keys, kind="stable")  # siblings of one name, one after another
    keys, numbers = keys[order], np.arange(len(elements))
    numbers[1:][keys[1:] == keys[:-1]] = 0
    positions = np.empty(len(elements), dtype=np.int64)
    positions[order] = np.arange(1, len(elements) + 1) - np.maximum.accumulate(numbers)
    return positions


def _find_special_steps(elements: Elements) -> dict[int, str]:
    """Return the steps to elements whose names XPath would read as prefixed or invalid.

    They are counted among all siblings. To XPath, entities are no elements.
    """
    tags = set(elements.tags)
    if not elements.namespaced:
        tags = set(filterfalse(_is_name, tags))
    steps: dict[int, str] = {}
    counts: dict[int, int] = {}
    for element, (parent, tag) in enumerate(
        zip(elements.parents, elements.tags, strict=True) if tags else ()
    ):
        if tag != ENTITY:
            counts[parent] = counts.get(parent, 0) + 1
        if tag in tags:
            steps[element] = "" if tag == ENTITY else f"*[{counts[parent]}]"
    return steps
