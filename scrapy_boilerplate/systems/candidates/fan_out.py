"""Fan-out: the element with most children.

Buttler, Liu, Pu 2001 (OMINI), as the survey of Rangarajan has it: the larger the fan-out, the more
likely an element is the immediate parent of all data objects. Parameters: none.

Meant for lists of records, not for articles. Known failures: link lists and tables beat articles of
few paragraphs; a page whose lines stand between many `br` gives whatever holds them. Nothing inside
the element is cleaned. No released program is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.children import child_counts
from scrapy_boilerplate.systems.candidates.counts import covered


@dataclass(frozen=True, kw_only=True)
class FanOut:
    """The blocks in the element with most children, the first of equals, are content."""

    name: str = "fan-out"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        counts = child_counts(page.elements)
        chosen = np.zeros(len(counts), dtype=np.bool_)
        chosen[np.argsort(-counts, kind="stable")[:1]] = True
        return labeling.classify(covered(page.elements, chosen)[page.blocks.elements], self.name)
