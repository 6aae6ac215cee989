"""A simplified decision tree of Kohlschuetter et al. 2010, section 4.3.1: words and links.

It reads the current, previous and next block, with the thresholds of the paper's Algorithm 2, which
the released boilerpipe repeats. Known failures: short paragraphs and captions between boilerplate
are lost, long teasers and cookie notes are kept; CleanEval's comments count as text.
`systems.common.rules` is Algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page

# shares of linked words (Algorithms 1 and 2): a block above the first is boilerplate; a previous
# block above the second selects the branch
MAX_LINK_DENSITY, MAX_LINK_DENSITY_BEFORE = 0.333333, 0.555556


@dataclass(frozen=True, kw_only=True)
class NumberOfWordsRules:
    """Algorithm 2: number of words and link density; numbers are words per block."""

    name: str = "number-of-words-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        words, link_density = page.words, page.link_density
        before, after = np.zeros_like(words), np.zeros_like(words)
        before[1:], after[:-1] = words[:-1], words[1:]
        linked_before = np.zeros(len(page), dtype=np.bool_)
        linked_before[1:] = link_density[:-1] > MAX_LINK_DENSITY_BEFORE
        after_text = (words > 16) | (after > 15) | (before > 4)
        after_links = (words > 40) | (after > 17)
        content = (link_density <= MAX_LINK_DENSITY) & (
            (~linked_before & after_text) | (linked_before & after_links)
        )
        return labeling.classify(content, self.name)
