"""XPaths that find the elements of a page again."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_boilerplate.page.columns import ENTITY, NO_ELEMENT, Elements

MAX_STEPS = 256
"""Elements above one whose XPath is told; news pages nest 10 to 40 deep."""


def xpaths(elements: Elements, wanted: Iterable[int]) -> list[str]:
    """For each of the elements `wanted` an absolute XPath that finds exactly it in the page's tree.

    "" for one deeper than `MAX_STEPS`: libxml2 refuses such paths, and all of a page's together
    would grow with the square of its depth.
    """
    steps = _steps(elements)
    known: dict[int, str] = {}
    return [
        "" if elements.depths[element] > MAX_STEPS else _path(elements, steps, known, element)
        for element in wanted
    ]


def _path(elements: Elements, steps: list[str], known: dict[int, str], element: int) -> str:
    """The path of `element`, from the nearest one around it that is known.

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
    """The last XPath step to each element, such as ``p[2]``.

    A name that XPath would take for a prefixed or broken one is counted among all siblings.
    """
    counts: dict[tuple[int, str], int] = {}
    steps = []
    for place in zip(elements.parents, elements.tags, strict=True):
        position = counts[place] = counts.get(place, 0) + 1
        steps.append(f"{place[1]}[{position}]")
    tags = set(elements.tags)
    without_name = tags if elements.namespaced else {tag for tag in tags if not _is_name(tag)}
    if without_name:
        _count_among_all(elements, without_name, steps)
    return steps


def _is_name(tag: str) -> bool:
    return tag.isascii() and tag.replace("-", "").isalnum() and tag[0].isalpha()


def _count_among_all(elements: Elements, tags: set[str], steps: list[str]) -> None:
    """Write the `steps` of elements with one of `tags` anew; entities are no elements to XPath."""
    counts: dict[int, int] = {}
    for element, (parent, tag) in enumerate(zip(elements.parents, elements.tags, strict=True)):
        if tag != ENTITY:
            counts[parent] = counts.get(parent, 0) + 1
        if tag in tags:
            steps[element] = "" if tag == ENTITY else f"*[{counts[parent]}]"
