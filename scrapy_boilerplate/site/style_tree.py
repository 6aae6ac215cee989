"""The Site Style Tree (Yi, Liu and Li 2003), over class paths instead of a merged tree.

The paper merges the DOM trees of a site and weighs each node by the entropy of what stands in it on
different pages: places that always say the same are noise. A class path with what pages say there
is such a node here; deeper structure is not followed. A place where most pages had content, but
this page's rules found none, is content too: the paper's important nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.frequency import repeated
from scrapy_boilerplate.site.view import SiteView

MIN_PAGES = 3
"""Pages that must have a class path before it is judged."""
NOISE = 0.3
"""Importance below which a class path is noise."""
MOSTLY_CONTENT = 0.7
MOSTLY_NOT = 0.3
"""Share of the text at a class path that was content on other pages: from MOSTLY_CONTENT on what
stands there is content, up to MOSTLY_NOT it is none."""
MAX_LINK_DENSITY = 0.33
"""Link density up to which a block can become content (Kohlschuetter et al. 2010)."""


@dataclass(frozen=True, kw_only=True)
class SiteStyleTree:
    """Content at class paths that never vary becomes boilerplate, text at paths of content
    content."""

    view: SiteView
    noise: float = NOISE
    mostly_content: float = MOSTLY_CONTENT
    mostly_not: float = MOSTLY_NOT
    name: str = "site-style-tree"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        view = self.view
        judged = view.path_pages >= MIN_PAGES
        share = view.path_content / view.path_pages.clip(min=1)
        noise = judged & ((view.path_importance < self.noise) | (share <= self.mostly_not))
        lost = labeling.content & noise
        gained = judged & ~noise & (share >= self.mostly_content) & ~repeated(view)
        gained &= ~labeling.content & (page.link_density <= MAX_LINK_DENSITY)
        changed = labeling.relabel(lost, Label.BOILERPLATE, self.name)
        return changed.relabel(gained, Label.FULL_TEXT, self.name)
