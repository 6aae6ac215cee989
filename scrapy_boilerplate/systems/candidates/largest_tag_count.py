"""Largest tag count: the element with most children of one tag, ancestors and descendants weighed.

Buttler, Liu, Pu 2001 (OMINI), as the survey of Rangarajan has it. Elements are ranked by the number
of tags in them. Down that ranking, the first is compared with each element that stands in it or
around it: of the two the one with more children of one tag goes on. Parameters: none.

Meant for lists of records, not for articles. Known failures: long menus beat short articles;
articles cut into containers lose all but one; no text is looked at, so nothing inside is cleaned.
No released program is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.children import tag_counts
from scrapy_boilerplate.systems.candidates.counts import covered


@dataclass(frozen=True, kw_only=True)
class LargestTagCount:
    """The blocks in the element with the largest tag count are content; n log n in elements."""

    name: str = "largest-tag-count"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        chosen = np.zeros(len(page.elements), dtype=np.bool_)
        chosen[_largest(page.elements)] = True
        return labeling.classify(covered(page.elements, chosen)[page.blocks.elements], self.name)


def _largest(elements: Elements) -> list[int]:
    """The chosen element; none of a page without elements."""
    counts = tag_counts(elements).tolist()
    ends = elements.ends
    sizes = np.array(ends, dtype=np.int64) - np.arange(len(elements))
    ranked = np.argsort(-sizes, kind="stable").tolist()
    best: list[int] = ranked[:1]
    for element in ranked[1:]:
        (first,) = best
        related = first <= element < ends[first] or element <= first < ends[element]
        if related and counts[element] > counts[first]:
            best = [element]
    return best
