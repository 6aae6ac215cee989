"""Methods that count children: `largest-tag-count`, `fan-out`, `libextract`.

The first two are OMINI's (Buttler, Liu, Pu 2001), as the survey of Rangarajan describes them; no
released program is followed. The third is datalib/libextract 2015. See docs/systems/omini.md.
Script and style elements have no text here, so they are never chosen. They count as children, as in
libextract.
"""

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.columns import find_blocks_inside
from scrapy_boilerplate.systems.common.rules import ContentRule

# elements that libextract chooses
LIBEXTRACT_ELEMENTS = 5


def _count_like_children(elements: Elements) -> IntArray:
    of_tag: dict[tuple[int, str], int] = {}
    counts = [0] * len(elements)
    for parent, tag in zip(elements.parents, elements.tags, strict=True):
        if parent != NO_ELEMENT:
            count = of_tag[parent, tag] = of_tag.get((parent, tag), 0) + 1
            counts[parent] = max(counts[parent], count)
    return np.array(counts, dtype=np.int64)


def find_largest_tag_count(page: Page) -> BoolArray:
    """bool[n]: the blocks in the element with the largest tag count; n log n in elements.

    Elements are ranked by the number of tags in them. Going down the ranking, an element inside or
    around the best one so far replaces it if it has more children of one tag.
    """
    ends = page.elements.ends
    counts = _count_like_children(page.elements).tolist()
    sizes = page.elements.end_column - np.arange(len(ends))
    ranked = np.argsort(-sizes, kind="stable").tolist()
    best = ranked[:1]  # empty on a page without elements
    for element in ranked[1:]:
        (first,) = best
        related = first <= element < ends[first] or element <= first < ends[element]
        if related and counts[element] > counts[first]:
            best = [element]
    return _keep_inside(page, best)


def _find_most_children(page: Page) -> BoolArray:
    parents = page.elements.parent_column
    counts = np.bincount(parents[parents != NO_ELEMENT], minlength=len(parents))
    ranked = np.argsort(-counts, kind="stable")
    return _keep_inside(page, ranked[:1].tolist())


def _find_most_like_children(page: Page) -> BoolArray:
    counts = _count_like_children(page.elements)
    ranked = np.argsort(-counts, kind="stable")[:LIBEXTRACT_ELEMENTS]
    return _keep_inside(page, ranked[counts[ranked] > 0].tolist())


def _keep_inside(page: Page, elements: list[int]) -> BoolArray:
    chosen = np.zeros(len(page.elements), dtype=np.bool_)
    chosen[elements] = True
    return find_blocks_inside(page, chosen)


OMINI = "Buttler, Liu, Pu 2001 (OMINI)"

ROWS: tuple[Extractor, ...] = (
    build_extractor("largest-tag-count", OMINI,
        "the element with most children of one tag; finds lists, a baseline",
        ContentRule("largest-tag-count", find_largest_tag_count)),
    build_extractor("fan-out", OMINI,
        "the element with most children; finds lists, a baseline",
        ContentRule("fan-out", _find_most_children)),
    build_extractor("libextract", "libextract (datalib) 2015",
        "the five elements with most children of one tag; a baseline",
        ContentRule("libextract", _find_most_like_children)),
)  # fmt: skip
