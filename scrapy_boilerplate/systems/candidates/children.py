"""Methods that only use the number of children: `largest-tag-count`, `fan-out`, `libextract`.

- `fan-out` (Buttler, Liu, Pu 2001, OMINI, as the survey of Rangarajan describes it): the element
  with most children. The larger the fan-out, the more likely an element is the immediate parent of
  all data objects.
- `largest-tag-count` (as above): elements are ranked by the number of tags in them. The first is
  compared, down that ranking, with each element that is in it or around it; the one with more
  children of one tag takes its place.
- `libextract` (datalib/libextract 2015; content F1 .27 in the survey of Rangarajan): for every
  parent the tags of its children are counted. The five elements with the highest count of one tag
  are content. Script and style elements hold no text here and are never chosen for theirs; they
  count as children, as in libextract.

The only parameter is the number of elements of libextract. No released program of OMINI is
followed. Known failures: the methods are meant for lists of records. Long menus, link lists and
tables beat articles of few paragraphs; of an article in several containers one remains; many `br`
make their container win. Text is ignored, so nothing inside is cleaned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.elements import cover_subtrees


def count_children(elements: Elements) -> IntArray:
    """int[n_elements]: number of child elements (the fan-out)."""
    parents = elements.parent_column
    counts: IntArray = np.bincount(parents[parents != NO_ELEMENT], minlength=len(elements))
    return counts


def count_like_children(elements: Elements) -> IntArray:
    """int[n_elements]: number of children that have the commonest tag among them."""
    of_tag: dict[tuple[int, str], int] = {}
    counts = [0] * len(elements)
    for parent, tag in zip(elements.parents, elements.tags, strict=True):
        if parent != NO_ELEMENT:
            count = of_tag[parent, tag] = of_tag.get((parent, tag), 0) + 1
            counts[parent] = max(counts[parent], count)
    return np.array(counts, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class LargestTagCount:
    """The blocks in the element with the largest tag count are content; n log n in elements."""

    name: str = "largest-tag-count"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        ends = page.elements.ends
        counts = count_like_children(page.elements).tolist()
        sizes = page.elements.end_column - np.arange(len(ends))
        ranked = np.argsort(-sizes, kind="stable").tolist()
        best = ranked[:1]  # empty on a page without elements
        for element in ranked[1:]:
            (first,) = best
            related = first <= element < ends[first] or element <= first < ends[element]
            if related and counts[element] > counts[first]:
                best = [element]
        return _keep_elements(page, labeling, best, self.name)


@dataclass(frozen=True, kw_only=True)
class FanOut:
    """The blocks in the element with most children, the first of equals, are content."""

    name: str = "fan-out"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        ranked = np.argsort(-count_children(page.elements), kind="stable")
        return _keep_elements(page, labeling, ranked[:1].tolist(), self.name)


@dataclass(frozen=True, kw_only=True)
class LibExtract:
    """The blocks in the first `elements` elements of the ranking are content (libextract: 5)."""

    elements: int = 5
    name: str = "libextract"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        counts = count_like_children(page.elements)
        ranked = np.argsort(-counts, kind="stable")[: self.elements]
        return _keep_elements(page, labeling, ranked[counts[ranked] > 0].tolist(), self.name)


def _keep_elements(page: Page, labeling: Labeling, elements: list[int], by: str) -> Labeling:
    chosen = np.zeros(len(page.elements), dtype=np.bool_)
    chosen[elements] = True
    return labeling.classify(cover_subtrees(page.elements, chosen)[page.blocks.elements], by)


OMINI = "Buttler, Liu, Pu 2001 (OMINI)"

ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "largest-tag-count",
        OMINI,
        "the element with most children of one tag; finds lists, a baseline",
        LargestTagCount(),
    ),
    build_extractor(
        "fan-out",
        OMINI,
        "the element with most children; finds lists, a baseline",
        FanOut(),
    ),
    build_extractor(
        "libextract",
        "libextract (datalib) 2015",
        "the five elements with most children of one tag; a baseline",
        LibExtract(),
    ),
)
