"""The labels beside full text, and what to do where the model finds no text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.news.features.facts import title_block
from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.container_names import (
    COMMENT_FURNITURE,
    COMMENTS,
    RELATED,
    SUPPLEMENTAL,
)
from scrapy_boilerplate.steps.other_labels import LabelsByContainer

KINDS = (COMMENT_FURNITURE, COMMENTS, RELATED)
"""Containers whose names are believed."""
MIN_WORDS = {Label.SUPPLEMENTAL: 3, Label.RELATED: 2, Label.COMMENTS: 3}
"""Words from which a block can have the label; buttons ("Reply") have fewer."""
MIN_SCORE = 0.1
"""Score from which a block can be the headline."""
LEFT_OUT = "left-out"
"""The mark of blocks that are no part of the article at all: copies of it, other articles."""


@dataclass(frozen=True, kw_only=True)
class BestOtherLabels:
    """Every block that is not content gets the best of the other labels; one is the headline.

    A heading that leads the content and says the page's title is it; else the block that scores
    best as one, if any does. Blocks marked LEFT_OUT stay what they are.
    """

    name: str = "best-other-labels"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if not len(page):
            return labeling
        labeling = _without_title(page, labeling, self.name)
        rest, scores = ~labeling.content & ~labeling.marked(LEFT_OUT), labeling.scores.copy()
        headline = np.where(rest, scores[:, Label.HEADLINE], 0.0)
        known = (labeling.labels == Label.HEADLINE).any()
        scores[:, [Label.FULL_TEXT, Label.HEADLINE]] = 0.0
        best = scores.argmax(axis=1)
        rest &= labeling.labels != Label.HEADLINE
        for label, least in MIN_WORDS.items():
            fits = rest & (best == label) & (page.words >= least)
            labeling = labeling.choose(fits, label, self.name)
        if headline.max() >= MIN_SCORE and not known:
            where = np.array([int(headline.argmax())])
            labeling = labeling.choose(where, Label.HEADLINE, self.name)
        return labeling


def _without_title(page: Page, labeling: Labeling, by: str) -> Labeling:
    """The first content block is the headline if it is a heading that says the page's title."""
    content = np.flatnonzero(labeling.content)
    if len(content) < 2 or page.tags[content[0]] not in ("h1", "h2"):
        return labeling
    if title_block(page) != content[0]:
        return labeling
    return labeling.choose(content[:1], Label.HEADLINE, by)


@dataclass(frozen=True, kw_only=True)
class NamedContainers:
    """Boilerplate in a container that says it holds comments, or links to other articles, is that.

    Few corpora teach these labels, in English alone, and L3S-GN1 calls the same lists of links
    boilerplate elsewhere (LEARNING.md, six classes); names of containers serve every language.
    """

    named: LabelsByContainer = field(default_factory=lambda: LabelsByContainer(kinds=KINDS))
    name: str = "named-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        found = self.named(page, labeling).labels
        free = (labeling.labels == Label.BOILERPLATE) & ~labeling.marked(LEFT_OUT)
        for label in (Label.RELATED, Label.COMMENTS):
            labeling = labeling.choose(free & (found == label), label, self.name)
        return labeling


MAX_COMMENT_SHARE = 0.6
"""Share of the content words in containers named like comments up to which they are comments; with
more, the article itself may stand in one. Our sweep of 2026-11-21 over .3, .5, .6, .7 (two folds by
site): fundus +.002, waddle +.002, dragnet +.005, l3s-gn1 +.001, wcxb -.0003."""


MIN_ARTICLE = 20
"""Words of a text that comments can outweigh: a short item (our choice)."""


@dataclass(frozen=True, kw_only=True)
class NamedComments:
    """Content in a container that says it holds comments is no content.

    Well-written comments read like the article; a page that names them should be believed. More
    than `max_share` of the content is believed only under a text of `min_words` that ends before.
    """

    max_share: float = MAX_COMMENT_SHARE
    min_words: int = MIN_ARTICLE
    named: LabelsByContainer = field(default_factory=lambda: LabelsByContainer(kinds=KINDS))
    name: str = "named-comments"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        comments = content & (self.named(page, labeling).labels == Label.COMMENTS)
        most = self.max_share * page.words[content].sum()
        if page.words[comments].sum() > most and not self._is_under_text(page, content, comments):
            return labeling
        return labeling.choose(comments, Label.COMMENTS, self.name)

    def _is_under_text(self, page: Page, content: BoolArray, comments: BoolArray) -> bool:
        """Whether a text ends before the first comment, and none begins after it."""
        text = content & ~comments
        if page.words[text].sum() < self.min_words:
            return False
        return bool(np.flatnonzero(text)[-1] < np.flatnonzero(comments)[0])


MAX_CAPTION_SHARE = 0.3
"""Share of the content words in captions from which they may be the article. Our sweep of
2026-11-21 over .15 and .3, with and without blocks the model is sure of (three folds by site):
fundus +.002, article-extraction +.001, no other corpus moved by .001."""


@dataclass(frozen=True, kw_only=True)
class NamedCaptions:
    """Content in a caption, or in a box of facts, that says what it is is supplemental.

    A caption reads like a sentence of the article, and stands between its paragraphs.
    """

    max_share: float = MAX_CAPTION_SHARE
    named: LabelsByContainer = field(
        default_factory=lambda: LabelsByContainer(kinds=(SUPPLEMENTAL,))
    )
    name: str = "named-captions"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        captions = content & (self.named(page, labeling).labels == Label.SUPPLEMENTAL)
        if page.words[captions].sum() > self.max_share * page.words[content].sum():
            return labeling
        return labeling.choose(captions, Label.SUPPLEMENTAL, self.name)


@dataclass(frozen=True, kw_only=True)
class OtherwiseBy:
    """Where nothing is content yet, other steps decide."""

    steps: tuple[Callable[[Page, Labeling], Labeling], ...]
    name: str = "otherwise-by-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if labeling.content.any() or not len(page):
            return labeling
        decided = Labeling.blank(len(page))
        for step in self.steps:
            decided = step(page, decided)
        return labeling.choose(decided.content, Label.FULL_TEXT, self.name)
