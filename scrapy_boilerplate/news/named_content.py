"""The step of `news` that takes named containers out of the text: a table, a row for each kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.comments import (
    COMMENT_CONTAINERS,
    Place,
    can_be_comments,
    find_comment_heading,
    find_places,
)
from scrapy_boilerplate.news.left_out import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.named_containers import (
    CONSENT,
    DIALOGS,
    NOTES,
    SUPPLEMENTAL,
    TEXT_INPUTS,
    LabelsByContainer,
)


@dataclass(frozen=True, kw_only=True)
class ContainerRow:
    """Content in `containers` gets `label` while the rest of the content can be the article.

    The rest has at least MIN_TEXT_WORDS, and the containers have at most `max_share` of the words
    (our sweep, docs/provenance.md). With `may_follow` they can have more below a longer text.
    """

    containers: LabelsByContainer
    label: Label
    max_share: float = 1.0
    may_follow: bool = False


ROWS = (
    ContainerRow(containers=LabelsByContainer(kinds=(TEXT_INPUTS,)), label=Label.BOILERPLATE),
    ContainerRow(containers=LabelsByContainer(kinds=(CONSENT,)), label=Label.BOILERPLATE),
    ContainerRow(
        containers=LabelsByContainer(kinds=(DIALOGS,)), label=Label.BOILERPLATE, max_share=0.5
    ),
    ContainerRow(
        containers=COMMENT_CONTAINERS, label=Label.COMMENTS, max_share=0.6, may_follow=True
    ),
    ContainerRow(
        containers=LabelsByContainer(kinds=(SUPPLEMENTAL,)), label=Label.SUPPLEMENTAL, max_share=0.3
    ),
    ContainerRow(
        containers=LabelsByContainer(kinds=(NOTES,)), label=Label.BOILERPLATE, max_share=0.3
    ),
)


@dataclass(frozen=True, kw_only=True)
class NamedContainers:
    """Relabel the content in named containers: inputs, dialogs, comments, captions, notes.

    It is well written and scores like the article. In sections of comments, forms, rules and
    counters become boilerplate.
    """

    rows: tuple[ContainerRow, ...] = ROWS
    name: str = "named-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        for row in self.rows:
            if not row.containers.find_containers(page) and row.label is not Label.COMMENTS:
                continue
            named = row.containers.read_labels(page, labeling, of_content=True)
            inside = fits = labeling.content & (named == int(row.label))
            if row.label is Label.COMMENTS:
                inside, fits = _find_comments(page, labeling.content, named)
            if not inside.any() or not _is_beside_article(row, page, labeling, inside):
                continue
            labeling = labeling.choose(inside, Label.BOILERPLATE, self.name)
            if row.label is not Label.BOILERPLATE:
                labeling = labeling.choose(fits, row.label, self.name)
                inside &= ~fits
            labeling = labeling.mark(LEFT_OUT, inside)
        return labeling


def _find_comments(page: Page, content: BoolArray, named: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return bool[n] twice: the content in sections of comments, and the comments themselves."""
    is_named, places = named == int(Label.COMMENTS), find_places(page)
    inside = content & (is_named | (named == int(Label.BOILERPLATE)))
    inside &= places != int(Place.OUTSIDE)
    fits = inside & is_named & (places != int(Place.FURNITURE))
    if fits.any():
        fits &= can_be_comments(page, places)
    heading = find_comment_heading(page, content & ~inside)
    if heading is not None:
        fits[heading + 1 :] |= (content & ~inside)[heading + 1 :]
        inside[heading:] |= content[heading:]
    return inside, fits


def _is_beside_article(
    row: ContainerRow, page: Page, labeling: Labeling, inside: BoolArray
) -> bool:
    """Return whether the content that is not `inside` the containers can be the article."""
    text = np.where(labeling.content & ~inside, page.words, 0)
    n_words, n_text = page.words[inside].sum(), text.sum()
    if n_text < MIN_TEXT_WORDS:
        return False
    first = inside.argmax()
    above, below = text[:first].sum(), text[first:].sum()
    is_after_article = row.may_follow and above > below and above >= MIN_TEXT_WORDS
    return bool(n_words <= row.max_share * (n_words + n_text)) or bool(is_after_article)
