"""The step of `news` that decides tables, lists, listings, quotes, boxes and notes as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.native.steps import UNIT_BITS, Units
from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.columns import CONTROLS, PREFORMATTED
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.notes import find_notes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.named_containers import NEWS_KINDS, LabelsByContainer

# kinds of units
CODE, BOX = (UNIT_BITS[tag] - 1 for tag in ("pre", "div"))
CAPTION_TAGS = frozenset(("caption", "figcaption"))

# minimum mean score of the words of a unit with so many blocks of content beside it; preformatted
# text needs less (docs/provenance.md)
NEEDED, NEEDED_CODE = (0.5, 0.3, 0.04), 0.02
# containers beside the text
NAMED = LabelsByContainer(kinds=NEWS_KINDS)

SENTENCE_ENDS = (*".!?\u2026\u3002\uff01\uff1f\u061f\u0964",)


@dataclass(frozen=True, kw_only=True)
class WholeUnits:
    """Make units content or boilerplate as a whole, by the mean score of their words.

    A unit is a table of data, a list, preformatted text, a quote, a question with its answer, or,
    between two blocks of content, a box of a few blocks without links and media that ends with a
    sentence: a warning, a note. A unit beside content needs a lower score, so that its fate does
    not depend on the length of the article. Boxes, and units without content beside them, only
    become content. Notes to which a raised number in the content links are content.
    """

    name: str = "whole-units"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if page.words[content].sum() < MIN_TEXT_WORDS:
            return labeling
        scores = labeling.scores[:, int(Label.FULL_TEXT)]
        numbers, wanted = _find_line_numbers(page), content.copy()
        wanted[numbers] = False
        aside = page.in_tags(CONTROLS | CAPTION_TAGS)
        aside[numbers] = True
        free = ~(aside | labeling.marked(LEFT_OUT))
        for kind, first, end, n_beside, score in _find_units(page, scores, content, aside):
            is_box = kind == BOX
            if score >= (NEEDED_CODE if kind == CODE else NEEDED[n_beside]):
                wanted[first:end] |= free[first:end]
            elif n_beside and not is_box:
                wanted[first:end] &= aside[first:end]
        wanted[_list_note_blocks(page, content)] = True
        changed = wanted != content
        if not changed.any():
            return labeling
        if page.words[wanted].sum() < MIN_TEXT_WORDS:
            changed &= wanted
        labels = np.where(wanted[changed], int(Label.FULL_TEXT), int(Label.BOILERPLATE))
        return labeling.relabel(changed, labels, self.name, keep_scores=True)


def _find_line_numbers(page: Page) -> list[int]:
    if not page.elements.has_any(PREFORMATTED):
        return []
    in_code = page.in_tags(PREFORMATTED).nonzero()[0].tolist()
    return [block for block in in_code if page.texts[block].replace(" ", "").isdecimal()]


def _find_units(
    page: Page, scores: np.ndarray, content: BoolArray, aside: BoolArray
) -> list[tuple[int, int, int, int, float]]:
    elements, leaves, first_leaf = page.elements, page.leaves, page.blocks.first_leaf
    names = elements.names
    bits: IntArray = np.zeros(len(names.strings), dtype=np.int64)
    for tag, of_tag in UNIT_BITS.items():
        if tag in names.numbers:
            bits[names.numbers[tag]] = of_tag
    closed = np.array([text[-1:] in SENTENCE_ENDS for text in page.texts], np.bool_)
    masks = (mask.view(np.uint8) for mask in (content, aside, closed))
    units = Units(elements.parent_column, elements.end_column, *masks)
    holders = leaves.element_column[first_leaf]
    units.read_blocks(holders, page.words, page.link_words, scores)
    units.read_elements(names.tags, bits, leaves.opened_column[first_leaf])
    units.read_named(NAMED.find_containers(page))
    return units.find()


def _list_note_blocks(page: Page, content: BoolArray) -> list[int]:
    """Return the blocks of the notes to which the content refers."""
    if not (notes := page.remember(find_notes)):
        return []
    of_leaves = page.leaf_blocks
    blocks: set[int] = set()
    for note in notes:
        if content[of_leaves[note.reference]]:
            blocks.update(of_leaves[note.leaves.start : note.leaves.stop].tolist())
    return sorted(blocks)
