"""Find the comments of readers on a page, by the names of containers.

A section named like comments holds the comments and what belongs to a form: rules, notes, logins,
"no comments yet". Each comment is an item of its own: an element named so, or one of several alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from enum import IntEnum
from functools import cache

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import (
    names_comment,
    names_comment_form,
    names_head,
)
from scrapy_boilerplate.steps.named_containers import (
    COMMENT_CONTROLS,
    COMMENTS,
    RELATED,
    LabelsByContainer,
)
from scrapy_boilerplate.steps.titles import HEADING_TAGS

COMMENT_CONTAINERS = LabelsByContainer(kinds=(COMMENT_CONTROLS, COMMENTS, RELATED))
"""The first kind wins: COMMENT_CONTROLS come before COMMENTS."""


class Place(IntEnum):
    """The place of a block."""

    OUTSIDE = 0
    """In no container named like comments."""
    SECTION = 1
    """In such a container, and in no comment."""
    FURNITURE = 2
    """In a form, or in a part named like rules, notes, logins and counters."""
    ITEM = 3
    """In a comment."""


MIN_BEST_SCORES = {Place.OUTSIDE: 0.7, Place.SECTION: 0.7, Place.ITEM: 0.03}
"""Least score of the best comment of a place (docs/provenance.md)."""
MIN_COMMENT_WORDS = 5
"""Least words of the longest comment: "Log in to comment" has 4 (docs/provenance.md)."""
FURNITURE_TAGS = frozenset("form button label fieldset textarea summary dialog nav select".split())
LISTED_TAGS = frozenset({"li", "article"})
CONTAINER_TAGS = frozenset("div section tr dd dl table".split())
"""Elements that are items: LISTED_TAGS always, others if several have the same class."""
CELL_TAGS = frozenset({"td", "th"})
MIN_WORDS_ABOVE, MAX_HEADING_WORDS = 60, 8
"""Words of content above a heading of comments at least, and of the heading at most."""
MIN_ITEMS = 2
"""Elements of one tag and class under one parent from which they are a list."""

heads_comments = re.compile(
    r"[\W_]*(?:comments|kommentare|kommentarer|commentaires|coment[aá]rios|comentaris|commenti|"
    r"comentarii|reacties|yorumlar|komentarze|komentáře|σχόλια|комментарии|коментарі|评论|評論|留言|"
    r"コメント)(?![^\W\d_])",
    re.IGNORECASE,
).match
"""Match the text of a heading over comments: the plural, in the languages of the corpora."""


def _classify(classes: str, identifier: str) -> tuple[bool, ...]:
    """Return whether the names mean a comment, a form or rules, a heading."""
    names = f"{classes} {identifier}".lower()
    words = [*classes.lower().split(), identifier.lower()]
    is_item = "comment" in words[:-1] or any(map(names_comment, words))
    return is_item, names_comment_form(names) is not None, names_head(names) is not None


def can_be_comments(page: Page, places: IntArray) -> BoolArray:
    """Return bool[n]: the blocks that can be readers' comments, by their places.

    On pages that are declared, only items can be comments: their systems name them (our sweep,
    docs/provenance.md). On other modern pages a whole section can, except its forms and rules: a
    manual has lists and code that look like comments. A heading over comments cannot.
    """
    can_be: BoolArray = places == int(Place.ITEM)
    if not page.is_modern:
        can_be[:] = True
    elif not page.is_declared:
        can_be |= places == int(Place.SECTION)
    if can_be.any():
        for block in np.flatnonzero(can_be & page.in_tags(HEADING_TAGS)).tolist():
            can_be[block] = heads_comments(page.texts[block]) is None
    return can_be


def find_doubtful_comments(page: Page, labeling: Labeling) -> BoolArray:
    """Return bool[n]: the comments of places without one of MIN_BEST_SCORES.

    All comments are doubtful if the longest has fewer than MIN_COMMENT_WORDS. Forms, notes and
    rules (FURNITURE) follow the other comments.
    """
    comments = labeling.having(Label.COMMENTS)
    if not comments.any():
        return comments
    places, scores = find_places(page), labeling.scores[:, int(Label.COMMENTS)]
    certain = np.zeros(len(page), dtype=np.bool_)
    for place, least in MIN_BEST_SCORES.items():
        of_place = comments & (places == int(place))
        if scores[of_place].max(initial=0.0) >= least:
            certain |= of_place
    if page.words[certain].max(initial=0) < MIN_COMMENT_WORDS:
        return comments
    doubtful: BoolArray = comments & ~certain & (places != int(Place.FURNITURE))
    return doubtful


def find_comment_heading(page: Page, content: BoolArray) -> int | None:
    """Return the first heading of comments, with MIN_WORDS_ABOVE of content above and some below.

    Only on old pages: on others, names show the comments.
    """
    blocks = np.flatnonzero(content)
    enough = int(np.searchsorted(np.cumsum(page.words[blocks]), MIN_WORDS_ABOVE))
    if page.is_modern or enough + 1 >= len(blocks):
        return None
    first, end = int(blocks[enough]) + 1, int(blocks[-1])
    is_line = (page.words[first:end] <= MAX_HEADING_WORDS) & (page.link_words[first:end] == 0)
    for block in (np.flatnonzero(is_line) + first).tolist():
        if heads_comments(page.texts[block]) and not _is_among_cells(page, block):
            return int(block)
    return None


def _is_among_cells(page: Page, block: int) -> bool:
    """Return whether a block is a cell beside another one, such as the head of a column."""
    around = page.blocks.elements[block - 1 : block + 2].tolist()
    row = [page.elements.parents[element] for element in around]
    return page.tags[block] in CELL_TAGS and row.count(row[1]) > 1


def find_places(page: Page) -> IntArray:
    """Return int[n]: the `Place` of each block."""
    of_blocks: IntArray = page.remember(place_elements)[page.blocks.elements]
    return of_blocks


def place_elements(page: Page) -> IntArray:
    """Return the place of each element."""
    elements, end = page.elements, 0
    classify = cache(_classify)  # elements of a page share their names
    places = np.zeros(len(elements), dtype=np.int64)
    for element, number in COMMENT_CONTAINERS.find_containers(page):
        if element >= end and COMMENT_CONTAINERS.kinds[number] is not RELATED:
            end = elements.ends[element]
            places[element:end] = _place_section(elements, element, end, classify)
    return places


def _place_section(
    elements: Elements, first: int, end: int, classify: Callable[[str, str], tuple[bool, ...]]
) -> list[int]:
    """Return the place of each element of a section, the section itself first."""
    tags, parents, classes = elements.tags, elements.parents, elements.classes
    alike: Counter[tuple[int, str, str]] = Counter()
    places: list[int] = []
    for element in range(first, end):
        place = places[parents[element] - first] if places else Place.SECTION
        tag, name = tags[element], classes[element]
        is_item, is_furniture, is_head = classify(name, elements.ids[element])
        is_furniture |= is_head and place == Place.SECTION
        if is_furniture or tag in FURNITURE_TAGS:
            place = Place.FURNITURE
        elif place == Place.FURNITURE:
            # a section may be named like it, too: "comments no-reply-button"
            is_comment = tag in LISTED_TAGS and "comment" in name.lower().split()
            place = Place.ITEM if is_comment else place
        elif is_item or (place == Place.SECTION and tag in LISTED_TAGS):
            place = Place.ITEM
        elif place == Place.SECTION and name and tag in CONTAINER_TAGS:
            if not alike:
                parts = (column[first:end] for column in (parents, tags, classes))
                alike.update(zip(*parts, strict=True))
            several = alike[parents[element], tag, name] >= MIN_ITEMS
            place = Place.ITEM if several else place
        places.append(place)
    return places
