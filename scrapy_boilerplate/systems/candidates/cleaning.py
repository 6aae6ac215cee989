"""Conditional cleaning (Readability.js 0.6.0): boxes in the article that do not look like text."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.counts import BlockCounts, covered, holders, tagged
from scrapy_boilerplate.systems.candidates.names import NAME_WEIGHT
from scrapy_boilerplate.systems.candidates.paragraphs import Paragraphs

JUDGED_TAGS = frozenset("form fieldset table ul div".split())

MIN_COMMAS = 10
"""Commas from which a box is text."""
SHORT = 25
"""Characters below which a box without picture is too short."""
MIN_EMBED_CHARACTERS = 75
"""Characters below which one embedded thing outweighs the text."""
MAX_LINK_DENSITY = 0.2
MAX_LINK_DENSITY_OF_GOOD_NAME = 0.5
MAX_HEADING_SHARE = 0.9
"""Share of characters in headings from which a short box may stay."""
LIST_ITEMS_ALLOWED = 100
"""List items beyond the paragraphs that a box may hold."""
LIST_SHARE = 0.9
"""Share of characters in lists from which a box is a list."""
DATA_CELLS = 10
"""Cells above which a table holds data."""

_COUNTED = tuple(
    frozenset(tags.split()) for tags in ("img picture", "li", "input", "object embed iframe")
)
_LISTS = frozenset("ul ol".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_TABLE_MARKS = frozenset("caption col colgroup tfoot thead th".split())


def junk_boxes(paragraphs: Paragraphs, weights: IntArray) -> BoolArray:
    """bool[n_elements]: the boxes to remove; inner boxes are judged, and gone, before outer ones.

    `weights` int[n_elements] is what the name of an element says. Unlike Readability.js, which goes
    through the page tag by tag, all tags are judged in one pass. Linear time.
    """
    elements = paragraphs.page.elements
    tables = _data_tables(elements)
    judged = tagged(elements, JUDGED_TAGS) & ~elements.inside(frozenset({"code"}))
    judged &= ~(covered(elements, tables) | holders(elements, tables))
    totals = _directly_in(paragraphs).tolist()
    pictures_fit = elements.inside(frozenset({"figure"})).tolist()
    gone = np.zeros(len(elements), dtype=np.bool_)
    known = weights.tolist()
    to_judge = judged.tolist()
    for element in range(len(elements) - 1, -1, -1):
        row, parent = totals[element], elements.parents[element]
        if to_judge[element] and _is_junk(
            elements.tags[element], known[element], row, pictures_fit[element]
        ):
            gone[element] = True
        elif parent != NO_ELEMENT:
            totals[parent] = [a + b for a, b in zip(totals[parent], row, strict=True)]
    return gone


def _is_junk(tag: str, weight: int, row: list[int], in_figure: bool) -> bool:
    characters, linked, commas, headings, listed, paragraphs, images, items, inputs, embeds = row
    if weight < 0:
        return True
    if commas >= MIN_COMMAS:
        return False
    is_list = tag in _LISTS or listed > LIST_SHARE * characters
    density = linked / max(characters, 1)
    of_headings = headings / max(characters, 1)
    most = MAX_LINK_DENSITY if weight < NAME_WEIGHT else MAX_LINK_DENSITY_OF_GOOD_NAME
    short = characters < SHORT and images not in (1, 2) and density > 0
    return (
        (not in_figure and images > 1 and paragraphs < images / 2)
        or (not is_list and items - LIST_ITEMS_ALLOWED > paragraphs)
        or inputs > paragraphs // 3
        or (not (is_list or in_figure) and short and of_headings < MAX_HEADING_SHARE)
        or (density > most and not (is_list and weight < NAME_WEIGHT))
        or (embeds == 1 and characters < MIN_EMBED_CHARACTERS)
        or embeds > 1
    )


def _directly_in(paragraphs: Paragraphs) -> IntArray:
    """int[n_elements, 10]: what `_is_junk` looks at, what inner elements hold left out."""
    page, counts = paragraphs.page, BlockCounts(paragraphs.page)
    headings, lists = (
        np.where(page.in_tags(tags), counts.characters, 0) for tags in (_HEADINGS, _LISTS)
    )
    columns = (counts.characters, counts.link_characters, counts.commas, headings, lists)
    of_blocks = [_by_element(page, np.where(paragraphs.kept, c, 0)) for c in columns]
    plain = paragraphs.plain
    places = np.where(
        paragraphs.elements[plain] == NO_ELEMENT,
        paragraphs.parents[plain],
        paragraphs.elements[plain],
    )
    of_blocks.append(np.bincount(places, minlength=len(page.elements)))
    tags = [tagged(page.elements, tags).astype(np.int64) for tags in _COUNTED]
    return np.stack((*of_blocks, *tags), axis=1)


def _by_element(page: Page, column: IntArray) -> IntArray:
    sums = np.bincount(page.blocks.elements, column, len(page.elements))
    return sums.astype(np.int64)


def _data_tables(elements: Elements) -> BoolArray:
    """bool[n_elements]: tables of data, not of layout: by their marks, or by number of cells."""
    tables = tagged(elements, frozenset({"table"}))
    cells = elements.subtree_sums(tagged(elements, frozenset({"td", "th"})).astype(np.int64))
    marked = holders(elements, tagged(elements, _TABLE_MARKS))
    data: BoolArray = tables & ~holders(elements, tables) & (marked | (cells > DATA_CELLS))
    return data
