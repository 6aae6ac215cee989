"""The tags around each leaf of a page, division by division: what texrex counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.tags import INVISIBLE
from scrapy_boilerplate.steps.tokens import VOID_TAGS
from scrapy_boilerplate.systems.texrex.sections import SECTION_TAGS

BRACKETS, BRACKETS_AND_SLASH = 2, 3

START, END, LEAF = range(3)
Event = tuple[int, int]
"""START or END and an element, or LEAF and a leaf."""


@dataclass(frozen=True, eq=False)
class LeafMarkup:
    """int[leaves] columns about the tags of each leaf.

    A tag belongs to the leaf before it if no division starts in between, else to the leaf after it.
    The tag that starts a division belongs to it; tags of empty divisions belong to no leaf.

    starts, ends   start and end tags
    anchors        start tags whose name starts with "a"
    characters     of all these tags
    skipped        empty divisions before the one that starts with this leaf
    by_end         1 where an end tag starts the division that starts with this leaf
    """

    starts: IntArray
    ends: IntArray
    anchors: IntArray
    characters: IntArray
    skipped: IntArray
    by_end: IntArray
    page_characters: int = 0
    """Of all tags of the page."""


def leaf_markup(page: Page) -> LeafMarkup:
    """The tags of each leaf; linear time. Invisible elements are no tags (texrex drops them)."""
    tags = page.elements.tags
    starts, ends = _tag_characters(page.elements)
    rows: list[list[int]] = []
    row = [0, 0, 0, 0, -1, 0]  # of the division that is open now; the page starts with none
    empty, total = True, 0
    for event, index in _events(page):
        if event == LEAF:
            row = row if empty else [0] * 6
            rows.append(row)
            empty = False
            continue
        is_start, tag = event == START, tags[index]
        if tag in SECTION_TAGS:
            row = [0, 0, 0, 0, row[4] + 1 if empty else 0, int(not is_start)]
            empty = True
        size = starts[index] if is_start else ends[index]
        total += size
        row[event] += 1
        row[2] += is_start and tag.startswith("a")
        row[3] += size
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6)
    columns[:, 4] = np.maximum(columns[:, 4], 0)
    return replace(LeafMarkup(*columns.T), page_characters=total)


def _events(page: Page) -> Iterator[Event]:
    """Start tags, end tags and leaves in the order of the page."""
    elements, leaves = page.elements, page.leaves
    silent = elements.inside(INVISIBLE).tolist()
    void = [tag in VOID_TAGS for tag in elements.tags]
    opened: list[int] = []
    element = 0
    ahead = [*zip(leaves.opened, leaves.elements, strict=True), (len(elements), -1)]
    for leaf, (until, holder) in enumerate(ahead):
        while element < until:
            while opened and opened[-1] != elements.parents[element]:
                closed = opened.pop()
                if not (silent[closed] or void[closed]):
                    yield END, closed
            if not silent[element]:
                yield START, element
            opened.append(element)
            element += 1
        while opened and opened[-1] != holder:
            closed = opened.pop()
            if not (silent[closed] or void[closed]):
                yield END, closed
        if leaf < len(leaves):
            yield LEAF, leaf


def _tag_characters(elements: Elements) -> tuple[list[int], list[int]]:
    """The characters of the start tag and of the end tag of each element."""
    names = [len(tag) for tag in elements.tags]
    starts = [
        name + BRACKETS + attributes
        for name, attributes in zip(names, elements.attribute_sizes, strict=True)
    ]
    return starts, [name + BRACKETS_AND_SLASH for name in names]
