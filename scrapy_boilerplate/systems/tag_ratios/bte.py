"""The best stretch of the tokens of a page: `bte`, body text extraction, and `mss`.

A word adds 1, a tag subtracts a fixed weight, and the text is the contiguous stretch with the
largest sum (docs/systems/bte.md, docs/systems/mss.md).

- `bte`: Finn, Kushmerick and Smyth 2001. It follows Pomikalek's ``bte.py`` (as in dalab/web2text),
  the program that took part in CleanEval, which reads the source instead of a tree.
- `mss`: Pasternack and Roth 2009, the simple scores without training. The ``Pasternack`` rows of
  Kohlschuetter et al. 2010 are trained versions and cannot be compared with it.
"""

from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.tokens import read_token_runs, select_blocks

# words that a tag subtracts: Finn et al. 2001, and Pasternack and Roth 2009
TAG_WEIGHT, HEAVY_TAG_WEIGHT = 1.0, 3.25


def find_best_stretch(page: Page, tag_weight: float) -> BoolArray:
    """bool[n]: the blocks in the stretch with the largest sum, in linear time."""
    runs = read_token_runs(page)
    first, end = runs.best_interval(tag_weight)
    leaves = np.arange(len(runs.words))
    inside = (leaves >= first) & (leaves < end)
    return select_blocks(page, runs.words * inside, runs.words)


ROWS: tuple[Extractor, ...] = (
    build_extractor("bte", "Finn, Kushmerick, Smyth 2001",
        "the stretch with most words and fewest tags; any language, keeps interruptions",
        ContentRule("body-text", partial(find_best_stretch, tag_weight=TAG_WEIGHT))),
    build_extractor("mss", "Pasternack, Roth 2009, simple weights",
        "bte with heavier tags; high precision, loses the rest of articles in pieces",
        ContentRule("maximum-subsequence",
            partial(find_best_stretch, tag_weight=HEAVY_TAG_WEIGHT))),
)  # fmt: skip
