"""Maximum subsequence segmentation (MSS), the simple weights.

Pasternack and Roth 2009, "Extracting Article Text from the Web with Maximum Subsequence
Segmentation". Every token of the page has a score, and the text is the contiguous stretch with the
largest sum of scores, found in O(n). Here the scores are the paper's simple ones, without training:
a word +1, a tag -3.25. (The paper's other versions score tokens by trained naive Bayes; the
``Pasternack`` rows of Kohlschuetter et al. 2010 are those and not to be compared with this.)

What is a tag and a word: `steps.tokens`. The paper selects tokens, we blocks: a block is content
if at least half of its words lie in the stretch (a block without words never is).

Known failures: those of `bte`, with another balance. A tag weighs more than three words, so
the stretch rarely crosses a gap of links, but short paragraphs and marked-up text break it.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.tokens import mostly_selected, token_runs


@dataclass(frozen=True, kw_only=True)
class MaximumSubsequence:
    """The blocks in the best-scoring stretch of tokens are content; linear time.

    `tag_weight` is what a tag takes away, in words (Pasternack and Roth 2009: 3.25).
    """

    tag_weight: float = 3.25
    name: str = "maximum-subsequence"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = token_runs(page)
        selected = runs.words_between(*runs.best_interval(self.tag_weight))
        return labeling.classify(mostly_selected(page, selected, runs.words), self.name)
