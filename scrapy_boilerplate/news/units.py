"""The step of `news` that decides tables, lists, listings, quotes, boxes and notes as a whole."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native.features import MEDIA, PARTS
from scrapy_boilerplate.native.steps import ANNOUNCED, LINKS, NUMBER, UNIT_BITS, Units, find_ends
from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.columns import BLOCK_LEVEL, CONTROLS, HIDDEN_TAGS, PREFORMATTED
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Label, Labeling
from scrapy_boilerplate.page.notes import find_notes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.named_containers import NEWS_KINDS, SUPPLEMENTAL, LabelsByContainer

# kinds of units
LIST, CODE, QUOTE, BOX = (UNIT_BITS[tag] - 1 for tag in ("ul", "pre", "blockquote", "div"))
CAPTION_TAGS = frozenset(("caption", "figcaption"))
ASIDE, HEADERS = CONTROLS | CAPTION_TAGS, frozenset(("th",))
QUOTED, PICTURES = frozenset(("blockquote",)), frozenset("img picture video amp-img".split())
# bits of tags; other elements are boxes
TAG_BITS = dict.fromkeys(BLOCK_LEVEL | HIDDEN_TAGS | MEDIA | PARTS, 0) | UNIT_BITS

# minimum mean score of the words of a unit with so many blocks of content beside it; preformatted
# text and announced links need less (docs/provenance.md)
NEEDED = (0.5, 0.3, 0.04)
NEEDED_OF_KINDS = {CODE: 0.02, ANNOUNCED: 0.15, LINKS: 0.3}
# containers beside the text
NAMED = LabelsByContainer(kinds=NEWS_KINDS)

# a picture of a gallery: 1/44, (3 / 12), Bild 3 von 12
_OF = "/|of|von|van|de|sur|di|af|av|z|\u0438\u0437"
_read_counter = re.compile(
    rf"\(?(?:[^\W\d]{{3,12}}\.? )?(\d{{1,3}}) ?(?:{_OF}) ?(\d{{1,3}})\)?"
).fullmatch
# maximum characters of a counter; a single one with a smaller number is a rating
MAX_COUNTER, MIN_PICTURES = 24, 11
# elements around a counter that can hold its picture
MAX_LEVELS = 4


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
        ends, wanted = np.frombuffer(find_ends(page.texts), np.uint8), content.copy()
        numbers = _find_line_numbers(page) + _find_counters(page, ends)
        wanted[numbers] = False
        # the header of a table that can be sorted is a button
        aside = page.in_tags(ASIDE) & ~page.in_tags(HEADERS)
        aside[numbers] = True
        left_out, comments = labeling.marked(LEFT_OUT), labeling.having(Label.COMMENTS)
        for kind, first, end, n_beside, score in _find_units(page, scores, content, aside, ends):
            if comments[first:end].any():
                continue
            own = ~aside[first:end]
            # parts of a list can be copies of other parts of the text
            free = own if kind == LIST and content[first:end].any() else own & ~left_out[first:end]
            if score >= NEEDED_OF_KINDS.get(kind, NEEDED[n_beside]):
                wanted[first:end] |= free
            elif (n_beside or kind == LINKS) and kind != BOX:
                wanted[first:end] &= ~own
        for quote, caption in _find_quote_captions(page):
            wanted[caption] |= wanted[quote].any()
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
    page: Page,
    scores: FloatArray,
    content: BoolArray,
    aside: BoolArray,
    ends: NDArray[np.uint8],
) -> list[tuple[int, int, int, int, float]]:
    elements, leaves, first_leaf = page.elements, page.leaves, page.blocks.first_leaf
    names = elements.names
    bits = array("q", bytes(8 * len(names.strings)))
    for number in np.bincount(names.tags).nonzero()[0].tolist():
        bits[number] = TAG_BITS.get(names.strings[number], BOX + 1)
    masks = (content.view(np.uint8), aside.view(np.uint8), ends)
    units = Units(elements.parent_column, elements.end_column, *masks)
    holders = leaves.element_column[first_leaf]
    units.read_blocks(holders, page.words, page.link_words, scores)
    units.read_elements(names.tags, bits, leaves.opened_column[first_leaf])
    named, facts = NAMED.find_containers(page), NAMED.kinds.index(SUPPLEMENTAL)
    units.read_named([(e, k == facts and "box" in elements.classes[e].lower()) for e, k in named])
    return units.find()


def _find_counters(page: Page, ends: NDArray[np.uint8]) -> list[int]:
    """Return the numbers of pictures, each in an element with its picture."""
    counters = {
        block: counter
        for block in (ends == NUMBER).nonzero()[0].tolist()
        if len(text := page.texts[block]) <= MAX_COUNTER and (counter := _read_counter(text))
    }
    if not counters:
        return []
    totals = Counter(counter[2] for counter in counters.values())
    elements = page.elements
    pictures = elements.sum_subtrees(elements.tagged(PICTURES).astype(np.int64))
    numbers = []
    for block, counter in counters.items():
        is_listed = totals[counter[2]] > 1 or int(counter[2]) >= MIN_PICTURES
        around = islice(elements.ancestors(int(page.blocks.elements[block])), MAX_LEVELS)
        if int(counter[1]) <= int(counter[2]) and is_listed and any(pictures[e] for e in around):
            numbers.append(block)
    return numbers


def _find_quote_captions(page: Page) -> Iterator[tuple[slice, slice]]:
    """Yield the blocks of each figure with a quotation, and of its caption."""
    elements = page.elements
    if not (elements.has_any(QUOTED) and elements.has_any(CAPTION_TAGS)):
        return
    pictures, quotes = (
        elements.sum_subtrees(elements.tagged(tags).astype(np.int64)) for tags in (PICTURES, QUOTED)
    )
    for caption in elements.tagged(CAPTION_TAGS).nonzero()[0].tolist():
        figure = elements.parents[caption]
        if quotes[figure] and not pictures[figure] and elements.tags[figure] == "figure":
            yield _find_blocks(page, figure), _find_blocks(page, caption)


def _find_blocks(page: Page, element: int) -> slice:
    blocks = page.leaf_blocks[page.leaves_in(element)]
    return slice(blocks[0], blocks[-1] + 1) if len(blocks) else slice(0)


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
