"""Notes of an article, and the numbers in its text, raised or in brackets, that link to them."""

import re
from itertools import islice
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.page.page import Page

# maximum leaves of the link of a reference, and elements around the link that can raise it
MAX_REFERENCE_LEAVES, MAX_RAISED = 3, 3

_read_reference = re.compile(r"\[?\s*(\d{1,3}|[a-z*\u2020\u2021])\s*\]?", re.IGNORECASE).fullmatch


class Note(NamedTuple):
    """A note: its element, its leaves, and of its first reference the number and the leaf."""

    element: int
    leaves: range
    number: str
    reference: int
    links: tuple[int, ...]


def find_notes(page: Page) -> list[Note]:
    """Return the notes after the raised numbers that link to them, in document order."""
    references = _find_references(page)
    if not references:
        return []
    elements, leaves, notes = page.elements, page.leaves, []
    for element, name in enumerate(elements.ids):
        if name not in references:
            continue
        links = references.pop(name)
        inside = leaves.find_inside(element, elements.ends[element])
        if not inside:  # an anchor before the note
            start = int(np.searchsorted(leaves.opened, element + 1))
            stop = start + 1
            while stop < len(leaves) and not leaves.breaks[stop]:
                stop += 1
            inside = range(start, min(stop, len(leaves)))
        number, leaf, _ = links[0]
        if inside and inside.start > leaf:
            notes.append(Note(element, inside, number, leaf, tuple(link[2] for link in links)))
    return notes


def _find_references(page: Page) -> dict[str, list[tuple[str, int, int]]]:
    elements, leaves = page.elements, page.leaves
    ids = elements.names.numbers
    references: dict[str, list[tuple[str, int, int]]] = {}
    for link, url in elements.urls.items():
        if "#" not in url:
            continue
        target, _, name = url.partition("#")
        if not name or name not in ids or (target and target not in (page.url or "")):
            continue
        inside = leaves.find_inside(link, elements.ends[link])
        if not 0 < len(inside) <= MAX_REFERENCE_LEAVES:
            continue
        text = "".join(leaves.texts[inside.start : inside.stop]).strip()
        number = _read_reference(text)
        around = islice(elements.ancestors(leaves.elements[inside.start]), MAX_RAISED)
        if number and (text[0] == "[" or any(elements.tags[e] == "sup" for e in around)):
            references.setdefault(name, []).append((number[1], inside.start, link))
    return references
