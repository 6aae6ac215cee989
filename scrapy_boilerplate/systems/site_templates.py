"""Templates of sites: the steps `site-frequency`, `site-style-tree` and `goldminer`.

They follow the own steps of an extractor, and read the view of the site from a page
(`site.page_records`). docs/usage/site.md has figures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import compress

import numpy as np

from scrapy_boilerplate.page.columns import Blocks, Leaves
from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.page_records import SiteView
from scrapy_boilerplate.site.visit import SiteSteps
from scrapy_boilerplate.steps.extractor import Extractor, Step, run_steps

# text frequency
FEW_PAGES = 9  # maximum pages of a site on which one other page with the text is enough
MIN_TEXT_PAGES = 2  # other pages with the text, on larger sites
MIN_TEXT_SHARE = 0.05  # of the known pages
MIN_REPEATED_SHARE = 0.8  # of the words of the content, to label the rest again

# Site Style Tree
MIN_PATH_PAGES = 3  # pages with a class path
MIN_IMPORTANCE = 0.3
MIN_CONTENT_SHARE = 0.7  # of the text at a class path on other pages
MAX_NOISE_SHARE = 0.3

# GoldMiner
MIN_ARTICLE_SHARE = 0.5
MAX_BOILERPLATE_SHARE = 0.1

MAX_LINK_DENSITY = 0.33  # of blocks that become content (Kohlschuetter et al. 2010)


def find_repeated_blocks(view: SiteView) -> BoolArray:
    """Return bool[n]: the blocks whose text also occurs on other pages of the site."""
    is_small = view.pages + 1 <= FEW_PAGES
    threshold = 1.0 if is_small else max(MIN_TEXT_PAGES, MIN_TEXT_SHARE * view.pages)
    return view.text_pages >= threshold


@dataclass(frozen=True, kw_only=True)
class SiteTextFrequency:
    """Label content that other pages repeat as boilerplate (Kohlschuetter et al. 2010).

    If nearly all content is repeated, the extractor chose a long notice over a short article. Then
    `extractor_steps` label the page without the repeated blocks.
    """

    view: SiteView
    extractor_steps: Sequence[Callable[[Page, Labeling], Labeling]] = ()
    name: str = "site-frequency"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        repeated = find_repeated_blocks(self.view)
        removed = labeling.content & repeated
        threshold = MIN_REPEATED_SHARE * int(page.words[labeling.content].sum())
        if not self.extractor_steps or not removed.any() or page.words[removed].sum() < threshold:
            return labeling.relabel(np.flatnonzero(removed), Label.BOILERPLATE, self.name)
        rest = remove_blocks(page, repeated)
        rest_labeling = run_steps(self.extractor_steps, rest, Labeling.blank(len(rest)))
        content = np.zeros(len(page), dtype=np.bool_)
        content[np.flatnonzero(~repeated)] = rest_labeling.content
        return labeling.update_content(content, self.name)


def remove_blocks(page: Page, removed: BoolArray) -> Page:
    """Return the page without the blocks `removed` bool[n] and their leaves."""
    blocks, leaves = page.blocks, page.leaves
    sizes = blocks.end_leaf - blocks.first_leaf
    kept_leaves = np.repeat(~removed, sizes).tolist()
    columns = {
        field.name: list(compress(getattr(leaves, field.name), kept_leaves))
        for field in fields(leaves)
    }
    ends = np.cumsum(sizes[~removed])
    kept = Blocks(ends - sizes[~removed], ends, blocks.elements[~removed])
    return replace(page, leaves=Leaves(**columns), blocks=kept)


@dataclass(frozen=True, kw_only=True)
class SiteStyleTree:
    """The Site Style Tree (Yi, Liu and Li 2003), over class paths instead of a merged tree.

    The paper weighs each node by the entropy of its texts on the pages of a site; here a class path
    is a node. Content at paths that never vary becomes boilerplate, text at paths of content
    becomes content.
    """

    view: SiteView
    name: str = "site-style-tree"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        view = self.view
        judged = view.path_pages >= MIN_PATH_PAGES
        varies_little = view.path_importance < MIN_IMPORTANCE
        noise = judged & (varies_little | (view.path_share <= MAX_NOISE_SHARE))
        removed = labeling.content & noise
        added = (
            judged & ~noise & (view.path_share >= MIN_CONTENT_SHARE) & ~find_repeated_blocks(view)
        )
        added &= ~labeling.content & (page.link_density <= MAX_LINK_DENSITY)
        without_noise = labeling.relabel(removed, Label.BOILERPLATE, self.name)
        return without_noise.relabel(added, Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class GoldMiner:
    """GoldMiner (Endredy and Novak 2013): learn where the articles of a site start and end.

    Here the places are class paths, not tags. The article is the range from the first to the last
    block whose class path holds content on other pages. Inside this range, repeated text and text
    at paths without content are boilerplate.
    """

    view: SiteView
    name: str = "goldminer"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        view, repeated = self.view, find_repeated_blocks(self.view)
        judged = view.path_pages >= MIN_PATH_PAGES
        in_article = judged & (view.path_share >= MIN_ARTICLE_SHARE) & ~repeated
        if not (in_article & labeling.content).any():
            return labeling.relabel(labeling.content & repeated, Label.BOILERPLATE, self.name)
        has_few_links = page.link_density <= MAX_LINK_DENSITY
        places = np.flatnonzero(in_article & (labeling.content | has_few_links))
        order = np.arange(len(page))
        inside = (order >= places[0]) & (order <= places[-1])
        boilerplate = judged & (view.path_share <= MAX_BOILERPLATE_SHARE)
        content = (
            inside & ~repeated & ~boilerplate & (labeling.content | (in_article & has_few_links))
        )
        return labeling.update_content(content, self.name)


# Name to a function that builds the step, from the view of the site and the extractor's steps
STEPS: Mapping[str, Callable[[SiteView, Sequence[Step]], Step]] = {
    "site-frequency": lambda view, steps: SiteTextFrequency(view=view, extractor_steps=steps),
    "site-style-tree": lambda view, _: SiteStyleTree(view=view),
    "goldminer": lambda view, _: GoldMiner(view=view),
}
DEFAULT_STEPS = ("site-style-tree", "site-frequency")
JUSTEXT_STEPS = ("goldminer", "site-style-tree")


def build_steps(extractor: Extractor, names: Sequence[str] = ()) -> SiteSteps:
    """Return the named steps, or the default steps of `extractor`."""
    chosen = names or (JUSTEXT_STEPS if extractor.name == "justext" else DEFAULT_STEPS)
    return lambda view: [STEPS[name](view, extractor.steps) for name in chosen]
