"""The collapsed DOM of Web2Text (Vogels et al. 2018, section 3.1) over a page in text nodes.

The collapsed DOM lacks the elements without text; an element with a single child becomes one node
with it. Text nodes and nodes with two children or more remain. A node has the tags of all its
elements.

No tree is built. An inner node is represented by its *fork*, an element with at least two children
that are or contain text. Elements between two forks belong to the lower fork, elements between a
fork and a text node to the text node.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.page import Page

NO_FORK = -1  # no fork, or a fork above several roots of a page


@dataclass(frozen=True, eq=False)
class CollapsedDom:
    """The collapsed DOM of a page whose blocks are text nodes.

    For each block, int[n]: `parents` its fork and `grandparents` the fork above that; `common` the
    fork that it shares with the block before; `distances` the steps from that block up to the
    common fork and down again; `tags` the tags of its node, one bit each in the requested order.
    NO_FORK without a fork, 0 without a block before.

    For each element, and once more for NO_FORK at the end, int[n_elements + 1]: `fork_tags` the
    tags of its node, a bit each; `first_block` and `end_block`, the blocks in it.
    """

    parents: IntArray
    grandparents: IntArray
    common: IntArray
    distances: IntArray
    tags: IntArray
    fork_tags: IntArray
    first_block: IntArray
    end_block: IntArray


def collapse_dom(page: Page, tags: Sequence[str]) -> CollapsedDom:
    """Return the collapsed DOM of `page`, with notes on `tags` (at most 63); linear time."""
    first, end = _find_block_spans(page)
    is_fork = _find_forks(page, end > first)
    above, depths, masks = _trace_chains(page, is_fork.tolist(), tags)
    own = page.blocks.elements
    parents = np.where(is_fork[own], own, np.array(above, dtype=np.int64)[own])
    common = _find_common_forks(page, end.tolist())
    levels = np.array(depths, dtype=np.int64)
    distances = levels[parents] - 2 * levels[common] + 2
    distances[1:] += levels[parents][:-1]
    distances[:1] = 0
    fork_tags = np.array(masks, dtype=np.int64)
    return CollapsedDom(
        parents=parents,
        grandparents=np.array(above, dtype=np.int64)[parents],
        common=common,
        distances=distances,
        tags=np.where(is_fork[own], 0, fork_tags[own]),
        fork_tags=fork_tags,
        first_block=first,
        end_block=end,
    )


def _find_block_spans(page: Page) -> tuple[IntArray, IntArray]:
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    first = np.searchsorted(opened, np.arange(len(page.elements)), side="right")
    end = first + page.sum_by_element(np.ones(len(page), dtype=np.int64))
    return np.append(first, 0), np.append(end, len(page))


def _find_forks(page: Page, holds_text: BoolArray) -> BoolArray:
    size = len(page.elements) + 1
    parents = np.array([*page.elements.parents, NO_ELEMENT], dtype=np.int64)
    holds_text = holds_text.copy()
    holds_text[-1] = False
    children = np.bincount(parents[holds_text] % size, minlength=size)  # NO_ELEMENT is the last
    children += np.bincount(page.blocks.elements, minlength=size)
    children[-1] = 0
    return children > 1


def _trace_chains(page: Page, is_fork: list[bool], tags: Sequence[str]) -> list[list[int]]:
    """Find the fork above each element, its depth in forks, and the tags up to that fork."""
    bits = {tag: 1 << number for number, tag in enumerate(tags)}
    above, depths, masks = [NO_FORK], [-1], [0]  # NO_FORK is turned to the end below
    for tag, parent in zip(page.elements.tags, page.elements.parents, strict=True):
        bit = bits.get(tag, 0)
        if is_fork[parent]:
            above.append(parent)
            masks.append(bit)
        else:
            above.append(above[parent + 1])
            masks.append(bit | masks[parent + 1])
        depths.append(depths[above[-1] + 1] + 1)
    return [column[1:] + column[:1] for column in (above, depths, masks)]


def _find_common_forks(page: Page, end_block: list[int]) -> IntArray:
    parents = page.elements.parents
    common = [NO_FORK] * len(page)
    element = NO_ELEMENT
    for block, own in enumerate(page.blocks.elements.tolist()):
        # only through elements that end between the two blocks: linear in total
        while element != NO_ELEMENT and end_block[element] <= block:
            element = parents[element]
        common[block] = element
        element = own
    return np.array(common, dtype=np.int64)
