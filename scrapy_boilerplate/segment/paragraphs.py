"""The segmenter `paragraphs`: jusText's paragraphs; and what segmenters of larger blocks share.

Reference: Pomikalek, Removing Boilerplate and Duplicate Content from Web Corpora (dissertation,
2011), section 3.2; tags and details follow jusText 3.0.2 (``core.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT, Blocks, Elements
from scrapy_boilerplate.label import BoolArray, IntArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.tags import INVISIBLE

REMOVED_TAGS = frozenset("button textarea".split())
"""Elements whose text jusText removes before it looks at paragraphs (`option` and `select` show no
text here anyway). Their text must stand in a block: one of its own."""

PARAGRAPH_TAGS = REMOVED_TAGS | frozenset(
    (
        "body blockquote caption center col colgroup dd div dl dt fieldset legend p pre table td "
        "tfoot th thead tr ul li h1 h2 h3 h4 h5 h6"
    ).split()
)
"""Elements that end a paragraph where they start and where they end. jusText's list names `form`
too, but its cleaner takes that tag away first. The sectioning elements of HTML 5 are not in it."""


@dataclass(frozen=True)
class ParagraphBlocks:
    """A block is what lies between tags of PARAGRAPH_TAGS or between two `br` in a row.

    One `br` is a space, and so is an element jusText does not know (`section`, `figcaption`, `hr`).
    Atomic blocks would not serve: they end at every `br`, which makes *short* paragraphs of the
    lines of old pages, and at every unknown element.
    """

    name: str = "paragraphs"

    def __call__(self, page: Page) -> Page:
        """The page in paragraphs; linear time."""
        starts = boundaries(page, PARAGRAPH_TAGS)
        starts[_after_two_line_breaks(page)] = True
        return regrouped(page, np.flatnonzero(starts))


def boundaries(page: Page, tags: frozenset[str]) -> BoolArray:
    """bool[leaves]: an element of `tags` starts or ends between the leaf and the one before it.

    True for the first leaf, and where another root starts.
    """
    elements, leaves = page.elements, page.leaves
    ends_block = [
        tag in tags or parent == NO_ELEMENT
        for tag, parent in zip(elements.tags, elements.parents, strict=True)
    ]
    nearest: list[int] = []
    for element, parent in enumerate(elements.parents):
        nearest.append(element if ends_block[element] else nearest[parent])
    of_leaves = np.array(nearest, dtype=np.int64)[np.array(leaves.elements, dtype=np.int64)]
    started = np.concatenate(([0], np.cumsum(ends_block)))[np.array(leaves.opened, dtype=np.int64)]
    found = np.ones(len(leaves), dtype=np.bool_)
    found[1:] = (of_leaves[1:] != of_leaves[:-1]) | (started[1:] != started[:-1])
    return found


def regrouped(page: Page, first_leaf: IntArray) -> Page:
    """The same leaves in the blocks that start at `first_leaf` (the first of them with leaf 0).

    A block stands in the nearest common ancestor of the block-level elements that own its leaves.
    Where a line or a paragraph ends inside a block, the text after it gets a space before it: the
    text of a block is that of its leaves, one after the other. Linear time.
    """
    owners = np.array(page.leaves.owners, dtype=np.int64)
    end_leaf = np.append(first_leaf[1:], len(owners)) if len(first_leaf) else first_leaf
    inner = np.array(page.leaves.breaks, dtype=np.bool_)
    inner[first_leaf] = False
    texts = list(page.leaves.texts)
    for leaf in np.flatnonzero(inner).tolist():
        texts[leaf] = f" {texts[leaf]}"
    blocks = Blocks(first_leaf, end_leaf, _common_owners(page.elements, owners, first_leaf))
    return replace(page, leaves=replace(page.leaves, texts=texts), blocks=blocks)


def _common_owners(elements: Elements, owners: IntArray, first_leaf: IntArray) -> IntArray:
    """int[n]: the nearest element that is an owner of a block's leaves, or around them all.

    In document order the first and the last owner of a block have the same nearest common ancestor
    as all of them. A climb passes only elements that end inside the block: linear in all.
    """
    if not len(first_leaf):
        return first_leaf
    lowest = np.minimum.reduceat(owners, first_leaf).tolist()
    highest = np.maximum.reduceat(owners, first_leaf).tolist()
    found = []
    for low, high in zip(lowest, highest, strict=True):
        element = low
        while elements.ends[element] <= high:
            element = elements.parents[element]
        found.append(element)
    return np.array(found, dtype=np.int64)


def _after_two_line_breaks(page: Page) -> IntArray:
    """int[k]: leaves with two `br` in a row before them, invisible elements apart."""
    tags = page.elements.tags
    shown = [element for element, tag in enumerate(tags) if tag not in INVISIBLE]
    twice = [
        (before, element)
        for before, element in pairwise(shown)
        if tags[before] == tags[element] == "br"
    ]
    opened = np.array(page.leaves.opened, dtype=np.int64)
    following = np.searchsorted(opened, np.array(twice, dtype=np.int64).reshape(-1, 2), "right")
    together = following[following[:, 0] == following[:, 1], 1]
    leaves: IntArray = together[together < len(opened)]
    return leaves
