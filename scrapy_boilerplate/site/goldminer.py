"""GoldMiner (Endredy and Novak 2013): where articles of a site start and end is learnt.

The original counts the tags before and after the good paragraphs of many pages and cuts every page
there; jusText runs on what is left. Here the places are class paths: the article reaches from the
first to the last block whose class path holds content on other pages. Inside, what the site
repeats, and what stands at paths that hold none, is boilerplate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.frequency import repeated
from scrapy_boilerplate.site.view import SiteView

MIN_PAGES = 3
"""Pages that must have a class path before it says where articles are."""
GOLD = 0.5
"""Share of the text at a class path that was content on other pages, from which articles are
there."""
DROSS = 0.1
"""Share up to which no article is there."""
MAX_LINK_DENSITY = 0.33
"""Link density up to which a block between start and end can become content."""


@dataclass(frozen=True, kw_only=True)
class GoldMiner:
    """Content lies between the first and the last place of articles, and is nothing repeated."""

    view: SiteView
    gold: float = GOLD
    dross: float = DROSS
    name: str = "goldminer"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        view, again = self.view, repeated(self.view)
        judged = view.path_pages >= MIN_PAGES
        share = view.path_content / view.path_pages.clip(min=1)
        gold = judged & (share >= self.gold) & ~again
        if not (gold & labeling.content).any():
            return labeling.relabel(labeling.content & again, Label.BOILERPLATE, self.name)
        inside = between(gold & (labeling.content | (page.link_density <= MAX_LINK_DENSITY)))
        dross = judged & (share <= self.dross)
        content = inside & ~again & ~dross
        content &= labeling.content | (gold & (page.link_density <= MAX_LINK_DENSITY))
        return labeling.revise(content, self.name)


def between(where: BoolArray) -> BoolArray:
    """bool[n]: from the first to the last place of a mask, both included."""
    found = np.zeros(len(where), dtype=np.bool_)
    at = np.flatnonzero(where)
    if len(at):
        found[at[0] : at[-1] + 1] = True
    return found
