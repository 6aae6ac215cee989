"""Segmenters, which cut the leaves of a page into text blocks, and functions that they share."""

from dataclasses import dataclass, replace

import numpy as np

from scrapy_boilerplate.native.text import cut_blocks
from scrapy_boilerplate.page.columns import NO_ELEMENT, Blocks, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import is_blank


@dataclass(frozen=True)
class AtomicBlocks:
    """A block is a sequence of text that no block-level tag and no `br` interrupts.

    Kohlschuetter et al. 2010, section 3.3, allow only `a` inside a block. Like the released
    boilerpipe, this class allows every inline element (all but `page.columns.BLOCK_LEVEL`) except
    `br`. Some pages only separate paragraphs by `br`; with lines as blocks, F1 of num-words on
    L3S-GN1 rises by 0.5 points (docs/provenance.md). `Page.join_blocks` joins the lines of one
    paragraph. The lines of an `h1` are one block: a headline is read as a whole.
    """

    def __call__(self, page: Page) -> Page:
        """Return the page cut at every break between leaves; linear time."""
        names, leaves = page.elements.names, page.leaves
        headline = names.numbers.get("h1", -1)
        columns = cut_blocks(leaves.break_column, leaves.owner_column, names.tags, headline)
        return page.with_blocks(Blocks(*(np.frombuffer(column, np.int64) for column in columns)))


@dataclass(frozen=True)
class TextNodes:
    """A block is a text node. A blank text node belongs to the block before it.

    Inline tags cut a sentence into several blocks; `Page.join_blocks` joins the blocks of one line.
    References: Vogels et al. 2018 (Web2Text), section 3.1; Spousta et al. 2008 (Victor).
    Web2Text ignores the text of `noscript` and `textarea`; here it is in blocks, like every text
    node. Victor reads the `alt` of images as text; here only text nodes count.
    """

    def __call__(self, page: Page) -> Page:
        """Return the page with a block for each text node; linear time."""
        starts = np.fromiter((not is_blank(text) for text in page.leaves.texts), np.bool_)
        starts[:1] = True
        first = starts.nonzero()[0]
        elements = np.array(page.leaves.elements, dtype=np.int64)[first]
        return page.with_blocks(Blocks(first, _find_ends(first, len(starts)), elements))


def _find_ends(first: IntArray, n_leaves: int) -> IntArray:
    end = np.empty_like(first)  # np.append takes three times as long on a short page
    end[:-1], end[-1:] = first[1:], n_leaves
    return end


def find_boundaries(page: Page, tags: frozenset[str]) -> BoolArray:
    """Return bool[leaves]: an element of `tags` starts or ends between a leaf and the leaf before.

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
    mask = np.ones(len(leaves), dtype=np.bool_)
    mask[1:] = (of_leaves[1:] != of_leaves[:-1]) | (started[1:] != started[:-1])
    return mask


def regroup_leaves(page: Page, first_leaf: IntArray) -> Page:
    """Return the same leaves in blocks that start at `first_leaf` (the first of them with leaf 0).

    The element of a block is the nearest common ancestor of the block-level elements that own its
    leaves. The text of a block is the text of its leaves in order, with a space where a line or a
    paragraph ends inside the block. Linear time.
    """
    owners = page.leaves.owner_column
    end_leaf = _find_ends(first_leaf, len(owners))
    inner = page.leaves.break_column.astype(np.bool_)
    inner[first_leaf] = False
    texts = list(page.leaves.texts)
    for leaf in np.flatnonzero(inner).tolist():
        texts[leaf] = f" {texts[leaf]}"
    blocks = Blocks(first_leaf, end_leaf, _find_common_owners(page.elements, owners, first_leaf))
    return replace(page, leaves=replace(page.leaves, texts=texts), blocks=blocks)


def _find_common_owners(elements: Elements, owners: IntArray, first_leaf: IntArray) -> IntArray:
    if not len(first_leaf):
        return first_leaf
    # the first and the last owner have the same nearest common ancestor as all owners
    lowest = np.minimum.reduceat(owners, first_leaf).tolist()
    highest = np.maximum.reduceat(owners, first_leaf).tolist()
    common = []
    for low, high in zip(lowest, highest, strict=True):
        element = low  # climbs through elements that end inside the block: linear in total
        while elements.ends[element] <= high:
            element = elements.parents[element]
        common.append(element)
    return np.array(common, dtype=np.int64)
