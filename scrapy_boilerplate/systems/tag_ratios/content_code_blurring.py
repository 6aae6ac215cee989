"""Content code blurring (CCB): regions that stay text when the page is blurred.

Gottron 2008 (docs/systems/content-code-blurring.md). The paper was not available. Of its variants
this is the variant by tokens (TCCB), because a `Page` has no characters of code.
"""

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.tokens import read_token_runs, select_blocks
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth

SIGMA = 5.0  # standard deviation of the blur in tokens (our sweep, docs/provenance.md)
CHANGE = 0.02  # blurring stops at a round that changes every entry by less (our sweep)
THRESHOLD = 0.75  # minimum share of text around a token (a public implementation)
# Rounds of blurring, so that time is linear; pages of the corpora need 6 to 13.
MAX_ROUNDS = 50


def _find_text_regions(page: Page) -> BoolArray:
    runs = read_token_runs(page)
    words = runs.words_among(blur(runs.is_word.astype(np.float64)) > THRESHOLD)
    return select_blocks(page, words, runs.words)


def blur(vector: FloatArray) -> FloatArray:
    """Return the vector after the last round."""
    for _ in range(MAX_ROUNDS):
        before, vector = vector, gaussian_smooth(vector, SIGMA)
        if np.abs(vector - before).max(initial=0.0) < CHANGE:
            break
    return vector


ROWS: tuple[Extractor, ...] = (
    build_extractor("ccb", "Gottron 2008",
        "regions that are text after blurring; several regions, any language, drops headlines",
        ContentRule("content-code-blurring", _find_text_regions)),
)  # fmt: skip
