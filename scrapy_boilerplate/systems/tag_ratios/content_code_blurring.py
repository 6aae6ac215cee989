"""Content code blurring (CCB): regions that stay text when the page is blurred.

Gottron 2008, "Content Code Blurring: A New Approach to Content Extraction". The page is a vector of
1 (content) and 0 (code). Each entry becomes the Gaussian-weighted mean of its neighbours, again and
again, until no entry changes by `change` or more; entries above `threshold` are content. The paper
has the vector by characters (CCB) or by tokens (TCCB), and a variant blind to `a` (ACCB).

Followed: TCCB, because a `Page` has no characters of code. The paper was not available. The
threshold comes from a public implementation; `sigma` and `change` come from our sweep
(docs/provenance.md). Both together set how far text and code reach into each other: about 15
tokens. Blurring without end would level everything.

Known failures: headlines, short paragraphs and both ends of the text fade into the code around
them; text rich in links (encyclopedias) is taken for code, as the paper says; long teasers stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.tokens import read_token_runs, select_blocks
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth

MAX_ROUNDS = 50
"""Rounds of blurring at most, so that time is linear; pages of the corpora need 6 to 13."""


@dataclass(frozen=True, kw_only=True)
class ContentCodeBlurring:
    """The blocks whose words stay above the threshold when blurred are content; linear time.

    `sigma` is the width of the blur in tokens; it stops at a round that changes every entry by less
    than `change`; `threshold` is the share of text around a token above which it is content.
    """

    sigma: float = 5.0
    change: float = 0.02
    threshold: float = 0.75
    name: str = "content-code-blurring"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = read_token_runs(page)
        content = self.blurred(runs.is_word.astype(np.float64)) > self.threshold
        words = runs.words_among(content)
        return labeling.classify(select_blocks(page, words, runs.words), self.name)

    def blurred(self, vector: FloatArray) -> FloatArray:
        """Return the vector after the last round."""
        for _ in range(MAX_ROUNDS):
            before, vector = vector, gaussian_smooth(vector, self.sigma)
            if np.abs(vector - before).max(initial=0.0) < self.change:
                break
        return vector


ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "ccb",
        "Gottron 2008",
        "regions that stay text when blurred; several regions, any language, drops headlines",
        ContentCodeBlurring(),
    ),
)
