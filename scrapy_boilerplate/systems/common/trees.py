"""Masks and columns of the elements around an element, and of the elements in it."""

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.page import Page


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
