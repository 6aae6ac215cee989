"""The comments of readers on a page, each with its author and its date.

The item of a comment is the smallest element around its text that also names an author or a date.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence, Set
from itertools import islice

import numpy as np

from scrapy_boilerplate.items import Comment
from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.page.labels import IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, compose, count_words
from scrapy_boilerplate.steps.class_names import names_date
from scrapy_boilerplate.steps.named_containers import MIN_COMMENT_WORDS, Place, place_elements

MAX_AUTHOR_WORDS = 6
# Words of a line with author and date, and of the rest of such a line.
MAX_WORDS, MAX_BESIDE = 12, 4
# Maximum elements around a text whose class names are read.
LEVELS = 3

_names_author = re.compile(
    r"author|autor|auteur|user-?name|nick|(?<![a-z])fn(?![a-z])", re.IGNORECASE
).search
_is_by = re.compile(
    r"\s*(?:posted |written )?(?:by|von|par|por|di|door|av|af)\s*", re.IGNORECASE
).fullmatch
_has_letter = re.compile(r"[^\W\d_]").search


def list_comments(page: Page, labeling: Labeling) -> tuple[Comment, ...]:
    """Return the comments of readers, in the order of the page.

    Author and date are None where the markup does not name them.
    """
    blocks = np.flatnonzero(labeling.having(Label.COMMENTS)).tolist()
    if not blocks:
        return ()
    places = page.remember(place_elements)
    authors, dates = _find_marks(page, places)
    of_authors, of_dates = list(authors), list(dates)  # in order, like the elements
    marks = sorted(of_authors + of_dates)
    known = frozenset(marks)
    by_item: dict[int, list[int]] = {}
    items: dict[int, int] = {}
    for block in blocks:
        if not _is_mark(page, block, known):
            by_item.setdefault(_find_item(page, block, places, marks, items), []).append(block)
    return tuple(
        {
            "author": authors.get(_find_first(page, item, of_authors)),
            "date": dates.get(_find_first(page, item, of_dates)),
            "text": compose(page.join_blocks(of_item)),
        }
        for item, of_item in by_item.items()
        if page.words[of_item].sum() >= MIN_COMMENT_WORDS or _find_first(page, item, marks) >= 0
    )


def _is_mark(page: Page, block: int, marks: Set[int]) -> bool:
    first, end = page.blocks.first_leaf[block], page.blocks.end_leaf[block]
    leaves = range(int(first), int(end))
    is_inside = {
        leaf: not marks.isdisjoint(_list_around(page, page.leaves.elements[leaf]))
        for leaf in leaves
    }
    beside = " ".join(page.leaves.texts[leaf] for leaf in leaves if not is_inside[leaf])
    return any(is_inside.values()) and count_words(beside) <= MAX_BESIDE


def _list_around(page: Page, element: int) -> list[int]:
    return list(islice(page.elements.ancestors(element), LEVELS))


def _find_marks(page: Page, places: IntArray) -> tuple[dict[int, str], dict[int, str]]:
    elements, times = page.elements, dict(page.declared.times)
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for text, inner in zip(page.leaves.texts, page.leaves.elements, strict=True):
        for element in _list_around(page, inner) if places[inner] != Place.OUTSIDE else ():
            texts[element].append(text)
    authors, dates = dict[int, str](), dict[int, str]()
    for element in sorted(texts):
        name, parts = elements.classes[element], [collapse(text) for text in texts[element]]
        if count_words(" ".join(parts)) > MAX_WORDS or "comment" in name.lower().split():
            continue
        if element in times or names_date(name):
            date = parse_date(times.get(element) or " ".join(parts), page.language)
            if date is not None:
                dates[element] = date
        if _names_author(name) and element not in times:
            names = [part for part in parts if _has_letter(part) and not _is_by(part)]
            if names and count_words(names[0]) <= MAX_AUTHOR_WORDS:
                for around in _list_around(page, element):
                    authors.pop(around, None)  # the innermost element contains only the name
                authors[element] = compose(names[0].rstrip(" :,"))
    return authors, dates


def _find_item(
    page: Page, block: int, places: IntArray, marks: Sequence[int], items: dict[int, int]
) -> int:
    """Return the item of a comment, or the element of the block if no element around it is an item.

    `items` has the items of the elements that were visited, and keeps the search linear.
    """
    item = int(page.blocks.elements[block])
    visited = []
    for element in page.elements.ancestors(item):
        if element in items:
            item = items[element]
            break
        if places[element] in (Place.OUTSIDE, Place.SECTION):
            break
        visited.append(element)
        item = element
        if _find_first(page, item, marks) >= 0:
            break
    items.update(dict.fromkeys(visited, item))
    return item


def _find_first(page: Page, item: int, marks: Sequence[int]) -> int:
    """Return the first of the elements `marks`, which are in order, inside an element, or -1."""
    at = bisect_left(marks, item)
    return marks[at] if at < len(marks) and marks[at] < page.elements.ends[item] else -1
