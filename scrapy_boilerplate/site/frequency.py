"""Text that other pages of the site say as well (the text frequency of Kohlschuetter et al.
2010)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from scrapy_boilerplate.page.columns import Blocks, Leaves
from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.view import SiteView

FEW_PAGES = 9
"""Known pages up to which one page that says the same is enough (LEARNING.md)."""
MIN_PAGES = 2
"""Other pages that say the same from then on, and the share of pages they are at least
(LEARNING.md: three pages with this one, 5 %)."""
MIN_SHARE = 0.05
MOSTLY = 0.8
"""Share of the words found that the site repeats, from which the rest is read again (.2 to .8
were not told apart on the pages of docs/site.md)."""


def repeated(view: SiteView) -> BoolArray:
    """bool[n]: the blocks that the site repeats."""
    few = view.pages + 1 <= FEW_PAGES
    least = 1.0 if few else max(MIN_PAGES, MIN_SHARE * view.pages)
    found: BoolArray = view.text_pages >= least
    return found


@dataclass(frozen=True, kw_only=True)
class SiteFrequency:
    """Content that other pages of the site repeat becomes boilerplate.

    Where that is nearly all that was found, a long notice has won over a short article: the steps
    `again` then label what is left of the page, as if the repeated blocks were not there.
    """

    view: SiteView
    again: Sequence[Callable[[Page, Labeling], Labeling]] = ()
    mostly: float = MOSTLY
    name: str = "site-frequency"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        known = repeated(self.view)
        lost = labeling.content & known
        found = int(page.words[labeling.content].sum())
        if not self.again or not lost.any() or page.words[lost].sum() < self.mostly * found:
            return labeling.relabel(np.flatnonzero(lost), Label.BOILERPLATE, self.name)
        kept = np.flatnonzero(~known)
        rest = without_blocks(page, known)
        second = Labeling.blank(len(rest))
        for step in self.again:
            second = step(rest, second)
        content = np.zeros(len(page), dtype=np.bool_)
        content[kept] = second.content
        return labeling.revise(content, self.name)


def without_blocks(page: Page, gone: BoolArray) -> Page:
    """The page with the leaves of the blocks that are not `gone` bool[n], and their blocks."""
    blocks, leaves = page.blocks, page.leaves
    sizes = blocks.end_leaf - blocks.first_leaf
    of_leaves = np.repeat(~gone, sizes).tolist()
    columns = {name: list(compress(column, of_leaves)) for name, column in vars(leaves).items()}
    ends = np.cumsum(sizes[~gone])
    kept = Blocks(ends - sizes[~gone], ends, blocks.elements[~gone])
    return replace(page, leaves=Leaves(**columns), blocks=kept)
