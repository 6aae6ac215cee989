"""LibExtract: the five elements with most children of one tag.

datalib/libextract (2015), of which the survey of Rangarajan measured a content F1 of .27: for every
parent the tags of its children are counted; the elements are ranked by the count of the commonest.
No text is scored, nothing is cleaned, so menus and link lists are among the five on most pages.
Parameter: how many elements. Script and style elements hold no text here and are never chosen for
theirs; they count as children, as in libextract.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.children import tag_counts
from scrapy_boilerplate.systems.candidates.counts import covered


@dataclass(frozen=True, kw_only=True)
class LibExtract:
    """The blocks in the first `elements` elements of the ranking are content (libextract: 5)."""

    elements: int = 5
    name: str = "libextract"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        counts = tag_counts(page.elements)
        ranked = np.argsort(-counts, kind="stable")[: self.elements]
        chosen = np.zeros(len(counts), dtype=np.bool_)
        chosen[ranked[counts[ranked] > 0]] = True
        return labeling.classify(covered(page.elements, chosen)[page.blocks.elements], self.name)
