"""Text that other pages of the site say as well (the text frequency of Kohlschuetter et al.
2010)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import BoolArray, Label, Labeling
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.site.view import SiteView

FEW_PAGES = 9
"""Known pages up to which one page that says the same is enough (LEARNING.md)."""
MIN_PAGES = 2
"""Other pages that say the same from then on, and the share of pages they are at least
(LEARNING.md: three pages with this one, 5 %)."""
MIN_SHARE = 0.05


def repeated(view: SiteView) -> BoolArray:
    """bool[n]: the blocks that the site repeats."""
    few = view.pages + 1 <= FEW_PAGES
    least = 1.0 if few else max(MIN_PAGES, MIN_SHARE * view.pages)
    found: BoolArray = view.text_pages >= least
    return found


@dataclass(frozen=True, kw_only=True)
class SiteFrequency:
    """Content that other pages of the site repeat becomes boilerplate."""

    view: SiteView
    name: str = "site-frequency"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:  # noqa: ARG002 - a step
        lost = labeling.content & repeated(self.view)
        return labeling.relabel(np.flatnonzero(lost), Label.BOILERPLATE, self.name)
