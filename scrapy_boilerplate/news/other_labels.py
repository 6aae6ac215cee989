"""The steps of `news` for the labels beside full text: headline, comments, captions, related.

Three of them give `Label.COMMENTS`: `NamedComments` to content, by the names of containers;
`BestOtherLabels` to the rest, by the scores of the net; `RelabelledBoilerplate` to what is
boilerplate then, by names again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.news.content import LEFT_OUT
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Step, run_steps
from scrapy_boilerplate.steps.named_containers import (
    COMMENT_CONTROLS,
    COMMENTS,
    RELATED,
    SUPPLEMENTAL,
    LabelsByContainer,
)
from scrapy_boilerplate.steps.titles import HEADLINE_TAGS, find_title_block

CONTAINER_KINDS = (COMMENT_CONTROLS, COMMENTS, RELATED)
"""Kinds of containers; the first match wins, so COMMENT_CONTROLS come before COMMENTS."""

MAX_COMMENT_SHARE = 0.6
"""Share of the content words in containers named like comments up to which they are comments; with
more, one may hold the article (our sweep, docs/provenance.md)."""
MIN_TEXT_WORDS = 20
"""Words of a text at least before comments with more than that share (our choice)."""
MAX_CAPTION_SHARE = 0.3
"""Share of the content words in captions over which they may be the article (our sweep,
docs/provenance.md)."""
MIN_LABEL_WORDS = {Label.SUPPLEMENTAL: 3, Label.RELATED: 2, Label.COMMENTS: 3}
"""Words of a block with the label at least (our choice: buttons such as "Reply" have fewer)."""
MIN_HEADLINE_SCORE = 0.1
"""Score from which a block can be the headline (our choice)."""


@dataclass(frozen=True, kw_only=True)
class NamedComments:
    """Relabel as comments the content in containers named like comments.

    Well-written comments score like the article. Those with more than `max_share` of the content
    words must follow a text of at least `min_words`.
    """

    max_share: float = MAX_COMMENT_SHARE
    min_words: int = MIN_TEXT_WORDS
    container_labels: LabelsByContainer = field(
        default_factory=lambda: LabelsByContainer(kinds=CONTAINER_KINDS)
    )
    name: str = "named-comments"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        comments = content & (self.container_labels(page, labeling).labels == Label.COMMENTS)
        if page.words[comments].sum() > self.max_share * page.words[content].sum():
            text = content & ~comments
            if page.words[text].sum() < self.min_words:
                return labeling
            if np.flatnonzero(text)[-1] > np.flatnonzero(comments)[0]:
                return labeling
        return labeling.choose(comments, Label.COMMENTS, self.name)


@dataclass(frozen=True, kw_only=True)
class NamedCaptions:
    """Relabel as supplemental the content in containers named like captions or fact boxes.

    A caption scores like a sentence of the article.
    """

    max_share: float = MAX_CAPTION_SHARE
    container_labels: LabelsByContainer = field(
        default_factory=lambda: LabelsByContainer(kinds=(SUPPLEMENTAL,))
    )
    name: str = "named-captions"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        captions = content & (self.container_labels(page, labeling).labels == Label.SUPPLEMENTAL)
        if page.words[captions].sum() > self.max_share * page.words[content].sum():
            return labeling
        return labeling.choose(captions, Label.SUPPLEMENTAL, self.name)


@dataclass(frozen=True, kw_only=True)
class FallbackSteps:
    """Run other steps on a page without content."""

    steps: tuple[Step, ...]
    name: str = "otherwise-by-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if labeling.content.any() or not len(page):
            return labeling
        decided = run_steps(self.steps, page, Labeling.blank(len(page)))
        return labeling.choose(decided.content, Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class BestOtherLabels:
    """Give every block that is not full text the other label with the highest score.

    One is the headline: the first content block if it is the `h1` or `h2` that matches the title,
    or a first `h1` where none does (`find_title_block`); else the block with the highest score for
    it. Blocks marked LEFT_OUT keep their label.
    """

    name: str = "best-other-labels"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if not len(page):
            return labeling
        content = np.flatnonzero(labeling.content)
        is_leading = len(content) > 1 and page.tags[content[0]] in HEADLINE_TAGS
        if is_leading and find_title_block(page) == content[0]:
            labeling = labeling.choose(content[:1], Label.HEADLINE, self.name)
        rest, scores = ~labeling.content & ~labeling.marked(LEFT_OUT), labeling.scores.copy()
        headline = np.where(rest, scores[:, Label.HEADLINE], 0.0)
        known = (labeling.labels == Label.HEADLINE).any()
        scores[:, [Label.FULL_TEXT, Label.HEADLINE]] = 0.0
        best = scores.argmax(axis=1)
        rest &= labeling.labels != Label.HEADLINE
        for label, least in MIN_LABEL_WORDS.items():
            fits = rest & (best == label) & (page.words >= least)
            labeling = labeling.choose(fits, label, self.name)
        if headline.max() >= MIN_HEADLINE_SCORE and not known:
            where = np.array([int(headline.argmax())])
            labeling = labeling.choose(where, Label.HEADLINE, self.name)
        return labeling


@dataclass(frozen=True, kw_only=True)
class RelabelledBoilerplate:
    """Relabel boilerplate in containers named like comments or related links.

    Few corpora have these labels, all in English, and not consistently (docs/provenance.md).
    """

    container_labels: LabelsByContainer = field(
        default_factory=lambda: LabelsByContainer(kinds=CONTAINER_KINDS)
    )
    name: str = "named-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        by_container = self.container_labels(page, labeling).labels
        free = (labeling.labels == Label.BOILERPLATE) & ~labeling.marked(LEFT_OUT)
        for label in (Label.RELATED, Label.COMMENTS):
            labeling = labeling.choose(free & (by_container == label), label, self.name)
        return labeling
