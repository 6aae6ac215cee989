"""Body text extraction (BTE): the stretch of a page with many words and few tags.

Finn, Kushmerick and Smyth 2001, "Fact or Fiction: Content Classification for Digital Libraries".
The page is a sequence of tokens; a word counts +1, a tag -1, and the text is the contiguous stretch
with the largest sum: it has most of the words and leaves most of the tags outside. No parameters.

Followed: Pomikalek's ``bte.py`` (as in dalab/web2text), the program that ran at CleanEval. It tries
every pair of breakpoints, O(n^2); Kadane's scan finds the same stretch in O(n). What is a tag and a
word: `steps.tokens`; ``bte.py`` reads the source instead of a tree, so comments, end tags left
out and words without letter or digit count differently. It selects tokens, we blocks: a block is
content if at least half of its words lie in the stretch (a block without words never is).

Known failures: exactly one stretch, so whatever boilerplate interrupts the text stays in; long
comments or teasers beside the text are swallowed; text in many short, marked-up pieces (tables,
lists, lines in `br`) is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.tokens import mostly_selected, token_runs

TAG_WEIGHT = 1.0
"""What a tag takes away, in words (Finn et al. 2001)."""


@dataclass(frozen=True, kw_only=True)
class BodyText:
    """The blocks in the stretch with most words less tags are content; linear time."""

    name: str = "body-text"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = token_runs(page)
        selected = runs.words_between(*runs.best_interval(TAG_WEIGHT))
        return labeling.classify(mostly_selected(page, selected, runs.words), self.name)
