"""The step of `news` that decides tables, lists, listings, quotes, boxes and notes as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS, find_page_threshold
from scrapy_boilerplate.page.columns import CONTROLS, NO_ELEMENT, PREFORMATTED
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.notes import find_notes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.named_containers import NEWS_KINDS, LabelsByContainer


class Kind(IntEnum):
    """The kinds of units, in the order of NEEDED."""

    TABLE = 0
    LIST = 1
    CODE = 2
    QUOTE = 3
    BOX = 4
    DETAILS = 5


KINDS = {
    "table": Kind.TABLE,
    **dict.fromkeys(("ul", "ol", "dl", "menu"), Kind.LIST),
    **dict.fromkeys(PREFORMATTED, Kind.CODE),
    "blockquote": Kind.QUOTE,
    **dict.fromkeys(("div", "aside", "section"), Kind.BOX),
    "details": Kind.DETAILS,
}
# what contains one of these is no unit
NO_PARTS = frozenset("h1 article main form nav header footer".split())
CAPTION_TAGS = frozenset(("caption", "figcaption"))
# what contains one of these is no box
MEDIA = frozenset("img picture video audio iframe figure object input amp-img".split())
ENTRIES = frozenset(("li", "dt", "dd"))
ROW, CELLS = "tr", frozenset(("td", "th"))

# by kind, the minimum mean score of the words of a unit between two blocks of content, and beside
# one; elsewhere it is the threshold of the page (docs/provenance.md)
NEEDED = ((0.05, 0.4), (0.12, 0.4), (0.04, 0.2), (0.03, 0.35), (0.5, 1.0), (0.2, 0.3))
# the same for a box without links and media that ends with a sentence: a warning, a note
NEEDED_PLAIN = 0.08
# containers beside the text; one with a larger share of the blocks of a page is the text
NAMED, MAX_NAMED_SHARE = LabelsByContainer(kinds=NEWS_KINDS), 0.5
# minimum share of the words of a unit, beside boxes, that the scores of single blocks chose
MIN_SHARE = 0.34
# a table with fewer rows of several cells is a layout
MIN_ROWS = 2
# maximum words of the cells of a data table on average
MAX_CELL_WORDS = 30
# maximum words and blocks of a box
MAX_BOX_WORDS, MAX_BOX_BLOCKS = 150, 8
# maximum blocks of a quote, and of the entries of a list on average: longer ones are a layout
MAX_QUOTE_BLOCKS, MAX_ENTRY_BLOCKS = 10, 1.5
# maximum linked words of a unit that is not between two blocks of content, as a share
MAX_LINK_DENSITY = 0.45

SENTENCE_ENDS = (*".!?\u2026\u3002\uff01\uff1f\u061f\u0964",)


@dataclass(frozen=True, kw_only=True)
class WholeUnits:
    """Make units content or boilerplate as a whole, by the mean score of their words.

    A unit is a table of data, a list, preformatted text, a quote, a question with its answer, or a
    box of a few blocks between two blocks of content. A unit beside content needs a lower score, so
    that its fate does not depend on the length of the article. A box only becomes content. Notes to
    which a raised number in the content links are content.
    """

    name: str = "whole-units"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if page.words[content].sum() < MIN_TEXT_WORDS:
            return labeling
        outline = _Outline(page)
        scores = labeling.scores[:, int(Label.FULL_TEXT)]
        wanted = content.copy()
        threshold = find_page_threshold(page, scores)
        left_out = labeling.marked(LEFT_OUT)
        wanted &= ~outline.numbers
        for kind, first, end, n_beside in _find_units(page, outline, content):
            blocks = np.arange(first, end)
            blocks = blocks[~outline.aside[first:end]]
            words = np.maximum(page.words[blocks], 1)
            score, share, linked = (
                float((column[blocks] * words).sum() / words.sum())
                for column in (scores, content, page.link_density)
            )
            needed = NEEDED[kind][2 - n_beside] if n_beside else threshold
            if kind is Kind.BOX and _is_plain(page, blocks):
                needed = NEEDED_PLAIN
            is_mostly = share >= MIN_SHARE and linked <= MAX_LINK_DENSITY
            if score >= needed or (is_mostly and kind is not Kind.BOX):
                wanted[blocks[~left_out[blocks]]] = True
            elif kind != Kind.BOX:
                wanted[blocks] = False
        wanted[_list_note_blocks(page, content)] = True
        labeling = labeling.relabel(wanted & ~content, Label.FULL_TEXT, self.name, keep_scores=True)
        if page.words[wanted].sum() < MIN_TEXT_WORDS:
            return labeling
        return labeling.relabel(content & ~wanted, Label.BOILERPLATE, self.name, keep_scores=True)


def _is_plain(page: Page, blocks: IntArray) -> bool:
    """Return whether a box has no links and ends with a sentence."""
    return not page.link_words[blocks].any() and page.texts[int(blocks[-1])][-1:] in SENTENCE_ENDS


class _Outline:
    """The blocks inside each element.

    aside   bool[n]: blocks that are no part of a unit: controls, captions, numbers of lines
    numbers bool[n]: numbers of lines
    firsts  int[n_elements]: the first block inside, or the first after the element
    counts  int[n_elements]: the blocks inside
    own     int[n_elements]: the blocks inside that are not aside
    """

    def __init__(self, page: Page) -> None:
        elements, first_leaf = page.elements, page.blocks.first_leaf
        self.numbers = np.zeros(len(page), np.bool_)
        if elements.has_any(PREFORMATTED):
            in_code = page.in_tags(PREFORMATTED).nonzero()[0].tolist()
            texts = (page.texts[block].replace(" ", "") for block in in_code)
            self.numbers[in_code] = list(map(str.isdecimal, texts))
        self.aside = page.in_tags(CONTROLS | CAPTION_TAGS) | self.numbers
        holders = page.leaves.element_column[first_leaf]
        opened = np.array(page.leaves.opened, dtype=np.int64)[first_leaf]
        self.firsts: IntArray = np.searchsorted(opened, np.arange(1, len(elements) + 1))
        self.counts = elements.sum_subtrees(np.bincount(holders, minlength=len(elements)))
        own = np.bincount(holders, ~self.aside, len(elements)).astype(np.int64)
        self.own = elements.sum_subtrees(own)


def _find_units(
    page: Page, outline: _Outline, content: BoolArray
) -> Iterator[tuple[Kind, int, int, int]]:
    """Yield kind, first block, end and blocks of content beside each unit with some, or in it.

    In document order; none is inside another one.
    """
    elements = page.elements
    kinds = _find_kinds(page)
    barred = elements.sum_subtrees(elements.tagged(NO_PARTS).astype(np.int64))
    words, linked = (
        np.concatenate((np.zeros(1, np.int64), np.cumsum(column)))
        for column in (page.words, page.link_words)
    )
    firsts, ends = outline.firsts, outline.firsts + outline.counts
    n_words = words[ends] - words[firsts]
    chosen = (kinds >= 0) & (barred == 0) & (outline.own > 0)
    is_box, is_list = kinds == int(Kind.BOX), kinds == int(Kind.LIST)
    entries = elements.sum_subtrees(elements.tagged(ENTRIES).astype(np.int64))
    chosen &= ~is_list | (outline.own <= MAX_ENTRY_BLOCKS * entries + 1)
    chosen &= (kinds != int(Kind.QUOTE)) | (outline.own <= MAX_QUOTE_BLOCKS)
    is_linked = linked[ends] - linked[firsts] > MAX_LINK_DENSITY * n_words
    is_small = (outline.own > 1) & (outline.own <= MAX_BOX_BLOCKS) & (n_words <= MAX_BOX_WORDS)
    media = elements.sum_subtrees(elements.tagged(MEDIA).astype(np.int64))
    chosen &= ~is_box | (is_small & (media == 0))
    before, after = _find_neighbours(outline.aside)
    padded = np.concatenate((content, np.zeros(1, np.bool_)))
    near = padded[before[firsts]] | padded[after[ends]]
    inside = np.concatenate((np.zeros(1, np.int64), np.cumsum(content)))
    held = inside[ends] - inside[firsts]
    chosen &= near | (~is_box & (held > 0))
    named = _count_named(page, outline)
    # a box with nothing beside another unit is the wrapper of that unit
    others = (chosen & ~is_box).nonzero()[0]
    wrapped = set(zip(firsts[others].tolist(), outline.own[others].tolist(), strict=True))
    end_element = 0
    for element in chosen.nonzero()[0].tolist():
        if element < end_element:
            continue
        kind = Kind(int(kinds[element]))
        if kind is Kind.BOX and (int(firsts[element]), int(outline.own[element])) in wrapped:
            continue
        if kind is Kind.TABLE and not _is_data(page, outline, element, int(n_words[element])):
            continue
        around = _find_parent(page, outline, element)
        first, end = int(firsts[element]), int(ends[element])
        start = int(firsts[around]) if around != NO_ELEMENT else 0
        stop = int(ends[around]) if around != NO_ELEMENT else len(page)
        n_beside = int(start <= before[first] < first and content[before[first]])
        n_beside += int(end <= after[end] < stop and content[after[end]])
        if n_beside < 2 and (kind is Kind.BOX or is_linked[element]):
            continue  # units inside of it are looked at
        n_named = int(named[end] - named[first])
        if n_named and (kind is Kind.BOX or n_named >= outline.own[element]):
            continue
        end_element = elements.ends[element]
        yield kind, first, end, 0 if is_linked[element] else n_beside


def _count_named(page: Page, outline: _Outline) -> IntArray:
    """Return int[n + 1]: how many blocks before each are in named containers beside the text."""
    changes = np.zeros(len(page) + 1, dtype=np.int64)
    for element, _ in NAMED.find_containers(page):
        if 0 < outline.counts[element] <= MAX_NAMED_SHARE * len(page):
            first = outline.firsts[element]
            changes[first] += 1
            changes[first + outline.counts[element]] -= 1
    inside = np.cumsum(changes[:-1]) > 0
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(inside & ~outline.aside)))


def _find_kinds(page: Page) -> IntArray:
    """Return int[n_elements]: the kind of each element by its tag, -1 for others."""
    names = page.elements.names
    by_number = np.full(len(names.strings), -1)
    for tag, kind in KINDS.items():
        if tag in names.numbers:
            by_number[names.numbers[tag]] = int(kind)
    kinds: IntArray = by_number[names.tags]
    return kinds


def _find_neighbours(aside: BoolArray) -> tuple[IntArray, IntArray]:
    """Return int[n + 1] twice: the last block before each that is not aside, and the first from it.

    It is n without one.
    """
    n = len(aside)
    order = np.where(aside, -1, np.arange(n))
    before = np.concatenate((np.array([n]), np.maximum.accumulate(order)))
    after = np.where(aside, n, np.arange(n))
    after = np.concatenate((np.minimum.accumulate(after[::-1])[::-1], np.array([n])))
    return np.where(before < 0, n, before), after


def _find_parent(page: Page, outline: _Outline, element: int) -> int:
    """Return the innermost element around a unit that has other blocks, or NO_ELEMENT."""
    parents, own = page.elements.parents, outline.own
    count, element = own[element], parents[element]
    while element != NO_ELEMENT and own[element] <= count:
        element = parents[element]
    return element


def _is_data(page: Page, outline: _Outline, table: int, n_words: int) -> bool:
    """Return whether a table has no tables inside, several rows of several cells, and few words."""
    tags, counts = page.elements.tags, outline.counts
    rows, cells, filled = 0, 0, 0
    for element in range(table + 1, page.elements.ends[table]):
        tag = tags[element]
        if tag == "table":
            return False
        if tag == ROW:
            filled = 0
        elif tag in CELLS and counts[element]:
            cells, filled = cells + 1, filled + 1
            rows += filled == 2
    return rows >= MIN_ROWS and n_words <= MAX_CELL_WORDS * cells


def _list_note_blocks(page: Page, content: BoolArray) -> list[int]:
    """Return the blocks of the notes to which the content refers."""
    of_leaves = np.repeat(np.arange(len(page)), page.blocks.end_leaf - page.blocks.first_leaf)
    blocks: set[int] = set()
    for note in page.remember(find_notes):
        if content[of_leaves[note.reference]]:
            blocks.update(of_leaves[note.leaves.start : note.leaves.stop].tolist())
    return sorted(blocks)
