"""What a block of a page is compared by on other pages: its text, its class path, its links."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT
from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.site.hashing import Hashes, hashes_of, normalised

LEVELS = 4
"""Elements of a class path: the block's own and three above it."""
TOP = frozenset(("html", "body"))
"""Their classes change from page to page (``postid-17``) and tell nothing of a place."""

_without_digits = re.compile("[0-9]+").sub
"""What is left out of class names: sites number their boxes."""


@dataclass(frozen=True, eq=False)
class Signatures:
    """Columns over the blocks of a page.

    texts          uint64[n], hashes of the normalised texts
    paths          uint64[n], hashes of the class paths (32 bits are used)
    links          uint64[l], hashes of link targets and image addresses, in order
    link_blocks    int[l], the block each stands in
    """

    texts: Hashes
    paths: Hashes
    links: Hashes
    link_blocks: IntArray


def signatures_of(page: Page) -> Signatures:
    """The signatures of a segmented page; linear time."""
    links, blocks = _links(page)
    return Signatures(
        texts=hashes_of(normalised(page.texts)),
        paths=_paths(page),
        links=links,
        link_blocks=blocks,
    )


def _paths(page: Page) -> Hashes:
    """uint64[n]: the tags and classes of the elements around each block."""
    parents, owners = page.elements.parents, page.blocks.elements.tolist()
    names: dict[tuple[str, str], str] = {}
    above: dict[int, str] = {}  # children of one element share it
    paths: dict[int, str] = {}
    for owner in owners:
        if owner not in paths:
            parent = NO_ELEMENT if owner == NO_ELEMENT else parents[owner]
            if parent not in above:
                above[parent] = _path(page, parent, LEVELS - 1, names)
            own = _path(page, owner, 1, names)
            paths[owner] = f"{own}/{above[parent]}" if own and above[parent] else own
    return hashes_of([paths[owner] for owner in owners]) & np.uint64(0xFFFFFFFF)


def _path(page: Page, element: int, levels: int, names: dict[tuple[str, str], str]) -> str:
    """Tag and classes of `element` and what is above it, up to `levels` or TOP; `names` are those
    of tags with classes, as far as they are known."""
    parents, tags, classes = page.elements.parents, page.elements.tags, page.elements.classes
    parts: list[str] = []
    while element != NO_ELEMENT and tags[element] not in TOP and len(parts) < levels:
        kind = tags[element], classes[element]
        name = names.get(kind)
        if name is None:
            name = names[kind] = f"{kind[0]}.{_without_digits('', kind[1])}"
        parts.append(name)
        element = parents[element]
    return "/".join(parts)


def _links(page: Page) -> tuple[Hashes, IntArray]:
    """Hashes of the targets, and the block that goes on or begins where each stands."""
    targets = page.elements.targets
    if not targets or not len(page):
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    last_leaves = page.blocks.end_leaf - 1
    opened = np.array(page.leaves.opened, dtype=np.int64)[last_leaves]
    elements = np.fromiter(targets, np.int64, len(targets))
    blocks = np.searchsorted(opened, elements + 1)
    inside = blocks < len(page)
    hashes = hashes_of(targets.values())
    return hashes[inside], blocks[inside].astype(np.int64)
