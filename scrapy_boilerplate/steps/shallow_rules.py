"""The two simplified decision trees of Kohlschuetter et al. 2010, section 4.3.1.

They read the current (c), previous (p) and next (n) block. Thresholds: the paper's Algorithms 1
and 2, which the released boilerpipe repeats. Known failures: short paragraphs and captions between
boilerplate are lost, long teasers and cookie notes are kept; CleanEval's comments count as text.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.features import take_next, take_previous
from scrapy_boilerplate.steps.runs import Runs

MAX_LINK_DENSITY = 0.333333
"""Share of linked words above which a block is boilerplate (both algorithms)."""
MAX_LINK_DENSITY_BEFORE = 0.555556
"""Share of linked words of the previous block that tells the two branches apart (both)."""


@dataclass(frozen=True, kw_only=True)
class NumberOfWordsRules:
    """Algorithm 2: number of words and link density; numbers are words to a block."""

    name: str = "number-of-words-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        words, before, after = runs.words, take_previous(runs.words), take_next(runs.words)
        linked_before = take_previous(runs.link_density) > MAX_LINK_DENSITY_BEFORE
        after_text = (words > 16) | (after > 15) | (before > 4)
        after_links = (words > 40) | (after > 17)
        content = (runs.link_density <= MAX_LINK_DENSITY) & (
            (~linked_before & after_text) | (linked_before & after_links)
        )
        return labeling.classify(runs.blocks(content), self.name)


@dataclass(frozen=True, kw_only=True)
class DensityRules:
    """Algorithm 1: text density and link density; numbers are words to a line."""

    name: str = "density-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        density = runs.text_density
        before, after = take_previous(density), take_next(density)
        linked_before = take_previous(runs.link_density) > MAX_LINK_DENSITY_BEFORE
        sparse_after_text = (after > 10) | (before > 4)
        after_text = ((density <= 9) & sparse_after_text) | ((density > 9) & (after > 0))
        content = (runs.link_density <= MAX_LINK_DENSITY) & (
            (~linked_before & after_text) | (linked_before & (after > 11))
        )
        return labeling.classify(runs.blocks(content), self.name)
