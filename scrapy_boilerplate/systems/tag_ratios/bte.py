"""The one best stretch of a page's tokens: `bte`, body text extraction, and `mss`.

A page is a sequence of words and tags (`common.tokens`). A word adds 1, a tag takes away a fixed
weight, and the text is the contiguous stretch with the largest sum: it has most of the words and
leaves most of the tags outside.

- `bte` (Finn, Kushmerick and Smyth 2001, "Fact or Fiction: Content Classification for Digital
  Libraries"): a tag takes 1; no parameters. Followed: Pomikalek's ``bte.py`` (as in
  dalab/web2text), the program that ran at CleanEval. It tries every pair of breakpoints, O(n^2);
  Kadane's scan finds the same stretch in O(n). ``bte.py`` reads the source instead of a tree, so
  comments, end tags left out and words without letter or digit count differently.
- `mss` (Pasternack and Roth 2009, "Extracting Article Text from the Web with Maximum Subsequence
  Segmentation"): the paper's simple scores without training, a tag takes 3.25. The paper's other
  versions score tokens by trained naive Bayes; the ``Pasternack`` rows of Kohlschuetter et al. 2010
  are those and not to be compared with this.

Known failures: exactly one stretch, so whatever boilerplate interrupts the text stays in; long
comments or teasers beside the text are swallowed; text in many short, marked-up pieces (tables,
lists, lines in `br`) is lost. With the heavier tags of `mss` the stretch rarely crosses a gap of
links, but short paragraphs and marked-up text break it.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.tokens import read_token_runs, select_blocks


@dataclass(frozen=True, kw_only=True)
class BodyText:
    """The blocks in the stretch with most words less tags are content; linear time.

    `tag_weight` is the number of words that a tag subtracts (Finn et al. 2001: 1).
    """

    tag_weight: float = 1.0
    name: str = "body-text"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = read_token_runs(page)
        selected = runs.words_between(*runs.best_interval(self.tag_weight))
        return labeling.classify(select_blocks(page, selected, runs.words), self.name)


@dataclass(frozen=True, kw_only=True)
class MaximumSubsequence(BodyText):
    """The same with the weight of Pasternack and Roth 2009."""

    tag_weight: float = 3.25
    name: str = "maximum-subsequence"


ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "bte",
        "Finn, Kushmerick, Smyth 2001",
        "the one stretch of most words and fewest tags; any language, keeps what interrupts it",
        BodyText(),
    ),
    build_extractor(
        "mss",
        "Pasternack, Roth 2009, simple weights",
        "bte with heavier tags; high precision, loses the rest of articles in pieces",
        MaximumSubsequence(),
    ),
)
