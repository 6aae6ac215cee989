"""XPaths that find the elements of a page again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import filterfalse

from scrapy_boilerplate.page.columns import ENTITY, NO_ELEMENT, Elements

# elements above one that has an XPath; news pages nest 10 to 40 deep
MAX_STEPS = 256

_is_name = re.compile("[A-Za-z][A-Za-z0-9-]*").fullmatch


def find_xpaths(elements: Elements, wanted: Iterable[int]) -> list[str]:
    """Return an absolute XPath of each of the elements `wanted` that finds exactly it in the tree.

    "" for one deeper than `MAX_STEPS`: libxml2 refuses such paths, and all of a page's together
    would grow with the square of its depth.
    """
    steps = _steps(elements)
    known: dict[int, str] = {}
    paths = []
    for element in wanted:
        too_deep = elements.depths[element] > MAX_STEPS
        paths.append("" if too_deep else _path(elements, steps, known, element))
    return paths


def _path(elements: Elements, steps: list[str], known: dict[int, str], element: int) -> str:
    """Return the path of `element`, from the nearest one around it that is known.

    Roots and what was asked for are `known` then, and nothing between: the paths of 250 nested
    elements around one block would hold 125 times the characters of that block's.
    """
    top, below = element, []
    while top not in known:
        parent = elements.parents[top]
        if parent == NO_ELEMENT:
            known[top] = elements.path or f"/{steps[top]}"
            break
        below.append(steps[top])
        top = parent
    if below:
        known[element] = "/".join((known[top], *reversed(below)))
    return known[element]


def _steps(elements: Elements) -> list[str]:
    """Return the last XPath step to each element, such as ``p[2]``.

    A name that XPath would take for a prefixed or broken one is counted among all siblings.
    """
    counts: dict[tuple[int, str], int] = {}
    steps = []
    for parent_and_tag in zip(elements.parents, elements.tags, strict=True):
        position = counts[parent_and_tag] = counts.get(parent_and_tag, 0) + 1
        steps.append(f"{parent_and_tag[1]}[{position}]")
    without_name = set(elements.tags)
    if not elements.namespaced:
        without_name = set(filterfalse(_is_name, without_name))
    if without_name:
        _count_among_all(elements, without_name, steps)
    return steps


def _count_among_all(elements: Elements, tags: set[str], steps: list[str]) -> None:
    """Write the `steps` of elements with one of `tags` anew; entities are no elements to XPath."""
    counts: dict[int, int] = {}
    for element, (parent, tag) in enumerate(zip(elements.parents, elements.tags, strict=True)):
        if tag != ENTITY:
            counts[parent] = counts.get(parent, 0) + 1
        if tag in tags:
            steps[element] = "" if tag == ENTITY else f"*[{counts[parent]}]"
