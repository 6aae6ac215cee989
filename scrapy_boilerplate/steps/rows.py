"""What the rows of the catalog share."""

from __future__ import annotations

import math

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, Segmenter, Step
from scrapy_boilerplate.steps.other_labels import HeadlineByTitle, LabelsByContainer

FINISH: tuple[Step, ...] = (
    HeadlineByTitle(),
    LabelsByContainer(),
)
"""The shared last steps: the labels beside full text and boilerplate."""


def by_steps(
    name: str,
    source: str,
    summary: str,
    *steps: Step,
    segmenter: Segmenter = AtomicBlocks(),  # noqa: B008 - a frozen value
    finish: tuple[Step, ...] = FINISH,
) -> Extractor:
    """A row: an extractor of `steps`, in the order they run."""
    return Extractor(
        name=name,
        source=source,
        summary=summary,
        segmenter=segmenter,
        steps=steps,
        finish=finish,
        confidence=coverage_confidence,
    )


by_rules = by_steps
"""A row without learnt weights."""


# ---- rules/confidence: How far to trust a rule, by what it kept; fitted for `container`. `news`
# has its own.

SURE_WORDS = 100
"""From this many content words on, their number says nothing about the quality of the text: below,
page-mean F1 falls off steeply (our sweep of 2026-11-21, 540 pages of fundus, article-extraction
and wcxb articles)."""
COVERAGE_WEIGHT, COVERAGE_OFFSET = 4.5, -0.85
"""Logistic fit of 4-word-shingle F1 of `container` on coverage (same sweep; by sixths predicted
.75 .89 .92 .94 .96 .97, true .76 .88 .92 .94 .96 .96; Spearman .44)."""


def coverage_confidence(page: Page, labeling: Labeling) -> float:
    """Expected F1 of the content, 0 to 1, from how much of the page's unlinked text it covers.

    A page with much other running text is one where a rule may have picked the wrong part. Fitted
    for `container`; for the other rules it is a rough guide, for `keep-everything` none.
    """
    content = labeling.content
    words = int(page.words[content].sum())
    if not words:
        return 0.0
    coverage = words / max(words, int((page.words - page.link_words).sum()))
    likely = 1 / (1 + math.exp(-(COVERAGE_WEIGHT * coverage + COVERAGE_OFFSET)))
    return min(1.0, words / SURE_WORDS) * likely
