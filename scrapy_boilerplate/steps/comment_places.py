"""The places of comments on a page, by the names of containers.

A section named like comments contains comments and controls: forms, rules, notes, logins, "no
comments yet". A comment is an element named like a comment, or one of several siblings alike.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import names_comment, names_comment_form, names_head
from scrapy_boilerplate.steps.named_containers import (
    COMMENT_CONTROLS,
    COMMENTS,
    RELATED,
    LabelsByContainer,
)

# The first kind has precedence: COMMENT_CONTROLS come before COMMENTS.
COMMENT_CONTAINERS = LabelsByContainer(kinds=(COMMENT_CONTROLS, COMMENTS, RELATED))


class Place(IntEnum):
    """The place of a block."""

    OUTSIDE = 0
    """In no container named like comments."""
    SECTION = 1
    """In such a container, outside the comments."""
    CONTROLS = 2
    """In a form, or in a part named like rules, notes, logins and counters."""
    COMMENT = 3
    """In a comment."""


# Words of the longest comment: "Log in to comment" has 4 (docs/provenance.md).
MIN_COMMENT_WORDS = 5
CONTROL_TAGS = frozenset("form button label fieldset textarea summary dialog nav select".split())
LISTED_TAGS = frozenset({"li", "article"})
# Elements that can be comments: LISTED_TAGS always, others if several have the same class.
CONTAINER_TAGS = frozenset("div section tr dd dl table".split())
# Siblings with the same tag and class.
MIN_SIBLINGS = 2


def _classify(classes: str, identifier: str) -> tuple[bool, bool, bool]:
    names = f"{classes} {identifier}".lower()
    if names_comment_form(names):
        return True, False, False
    words = [*classes.lower().split(), identifier.lower()]
    is_comment = "comment" in words[:-1] or any(map(names_comment, words))
    return False, names_head(names) is not None, is_comment


def find_places(page: Page) -> IntArray:
    """Return int[n]: the `Place` of each block."""
    of_blocks: IntArray = page.remember(place_elements)[page.blocks.elements]
    return of_blocks


def place_elements(page: Page) -> IntArray:
    """Return the place of each element with text, and of the elements around it.

    Other elements of a section have the place of the section.
    """
    elements, end = page.elements, 0
    places = np.zeros(len(elements), dtype=np.int64)
    classify = cache(_classify)  # elements of a page share their names
    own: list[int] = []
    for element, number in COMMENT_CONTAINERS.find_containers(page):
        if element >= end and COMMENT_CONTAINERS.kinds[number] is not RELATED:
            end = elements.ends[element]
            places[element:end] = int(Place.SECTION)
            own = own or sorted(set(page.blocks.elements.tolist()))
            inside = own[bisect_left(own, element) : bisect_left(own, end)]
            if inside:
                of_section = _place_section(elements, element, inside, classify)
                places[list(of_section)] = list(of_section.values())
    return places


def _place_section(
    elements: Elements,
    first: int,
    inside: Sequence[int],
    classify: Callable[[str, str], tuple[bool, bool, bool]],
) -> dict[int, int]:
    _, in_section, in_controls, in_comment = map(int, Place)
    tags, parents, classes = elements.tags, elements.parents, elements.classes
    wanted = {first}
    for element in inside:
        around = element
        while around not in wanted:
            wanted.add(around)
            around = parents[around]
    alike: Counter[tuple[int, str, str]] = Counter()
    places: dict[int, int] = {}
    for element in sorted(wanted):
        place = places.get(parents[element], in_section)
        tag, name = tags[element], classes[element]
        is_control, is_head, is_comment = classify(name, elements.ids[element])
        if is_control or (is_head and place == in_section) or tag in CONTROL_TAGS:
            place = in_controls
        elif place == in_controls:
            # a section may be named like it, too: "comments no-reply-button"
            is_comment = tag in LISTED_TAGS and "comment" in name.lower().split()
            place = in_comment if is_comment else place
        elif is_comment or (place == in_section and tag in LISTED_TAGS):
            place = in_comment
        elif place == in_section and name and tag in CONTAINER_TAGS:
            if not alike:
                section = slice(first, elements.ends[first])
                parts = (column[section] for column in (parents, tags, classes))
                alike.update(zip(*parts, strict=True))
            several = alike[parents[element], tag, name] >= MIN_SIBLINGS
            place = in_comment if several else place
        places[element] = place
    return places
