"""The steps of `news` that choose which blocks are full text, in the order they run.

`news.left_out` takes parts of the page out of it again.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.left_out import MIN_TEXT_WORDS, SOURCE_TAGS
from scrapy_boilerplate.news.page_kinds import is_modern, is_news
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Step, run_steps

# The threshold, and the confidence that comes with it

MIN_THRESHOLD, MAX_THRESHOLD = 0.3, 0.6
"""Scores between which the threshold is (our sweep, docs/provenance.md)."""
LENIENT_SHARE = 0.8
"""Share of the threshold on pages of today that declare no news article: blogs, guides, pages of
firms have lists, boxes and notes in their texts (our sweep, docs/provenance.md)."""


@dataclass(frozen=True, kw_only=True)
class ExpectedF1Threshold:
    """Make the blocks full text that reach the threshold with the highest expected F1 of words.

    Lewis 1995 (Evaluating and optimizing autonomous text classification systems). It is
    `lenient_share` of that on pages of today that declare no news article (`news.page_kinds`).
    """

    lowest: float = MIN_THRESHOLD
    highest: float = MAX_THRESHOLD
    lenient_share: float = LENIENT_SHARE
    name: str = "expected-f1"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        scores = labeling.scores[:, int(Label.FULL_TEXT)]
        threshold = find_threshold(scores, page.words, self.lowest, self.highest)
        if is_modern(page) and not is_news(page):
            threshold = max(self.lenient_share * threshold, self.lowest)
        return labeling.choose(scores >= threshold, Label.FULL_TEXT, self.name)


def find_threshold(scores: FloatArray, words: IntArray, lowest: float, highest: float) -> float:
    """Return the threshold between two bounds with the highest expected F1 of float[n] scores."""
    if not len(scores):
        return highest
    weights, order = np.maximum(words, 1), np.argsort(-scores, kind="stable")
    right = np.cumsum((scores * weights)[order])
    f1 = 2 * right / (np.cumsum(weights[order]) + right[-1] + 1e-9)
    last = order[int(np.argmax(f1))]  # the last one that is kept
    return min(max(float(scores[last]), lowest), highest)


ODDS_POWER, ODDS_FACTOR = 0.75, 2.5
"""Odds of the confidence by those of the expected F1: on corpora that the net has not seen, scores
are too sure of both, good and bad (our sweep, docs/provenance.md)."""


def compute_confidence(page: Page, labeling: Labeling) -> float:
    """Return the confidence of `news`, 0 to 1: the expected F1 as it is on unseen corpora."""
    expected = compute_expected_f1(page, labeling)
    if expected >= 1:
        return 1.0
    odds = ODDS_FACTOR * math.pow(expected / (1 - expected), ODDS_POWER)
    return odds / (1 + odds)


def compute_expected_f1(page: Page, labeling: Labeling) -> float:
    """Return the expected F1 of the words of the content, 0 to 1."""
    if not (labeling.content & (page.words > 0)).any():
        return 0.0
    weights, scores = np.maximum(page.words, 1.0), labeling.scores[:, Label.FULL_TEXT]
    right = float((scores * weights)[labeling.content].sum())
    kept, wanted = float(weights[labeling.content].sum()), float((scores * weights).sum())
    return min(1.0, 2 * right / max(kept + wanted, 1e-9))


# A page without content

_find_source = re.compile(
    r"\{\{|\}\}|<%|%>|\$\{|</\w|function\s*\w*\(|[;{]\s*\}|=\\?[\"'][^\"']*\\?[\"']\s*/?>"
).search
"""Find what templates and scripts have and no article (our choice)."""


@dataclass(frozen=True, kw_only=True)
class FallbackSteps:
    """Run other steps on a page without content.

    Texts of a `textarea` and source code are no content. If the steps find none, captions of at
    least `min_words` are it.
    """

    steps: tuple[Step, ...]
    min_words: int = MIN_TEXT_WORDS
    name: str = "otherwise-by-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if labeling.content.any() or not len(page):
            return labeling
        decided = run_steps(self.steps, page, Labeling.blank(len(page)))
        source = page.in_tags(SOURCE_TAGS)
        source |= np.fromiter(map(bool, map(_find_source, page.texts)), np.bool_, len(page))
        content = decided.content & ~source
        if not content.any():
            captions = decided.having(Label.SUPPLEMENTAL) & ~source
            if page.words[captions].sum() >= self.min_words:
                content = captions
        return labeling.choose(content, Label.FULL_TEXT, self.name)
