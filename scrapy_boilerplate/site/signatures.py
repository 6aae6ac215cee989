"""What a block of a page is compared by on other pages: its text, its class path, its links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.hashing import Hashes, hashes_of, normalised, without_digits

T = TypeVar("T")

LEVELS = 4
"""Elements of a class path: the block's own and three above it, with their tags and classes; digits
are left out, for sites number their boxes."""
TOP = frozenset(("html", "body"))
"""Their classes change from page to page (``postid-17``) and tell nothing of a place."""


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
    parents, tags = page.elements.parents, page.elements.tags
    classes = _each_once(page.elements.classes, without_digits)
    owners = page.blocks.elements.tolist()
    above: dict[int, str] = {}  # children of one element share it
    paths: dict[int, str] = {}
    for owner in owners:
        if owner in paths:
            continue
        if owner == NO_ELEMENT or tags[owner] in TOP:
            paths[owner] = ""
            continue
        parent = parents[owner]
        if parent not in above:
            above[parent] = "".join(_names(page, classes, parent))
        paths[owner] = f"{tags[owner]}.{classes[owner]}{above[parent]}"
    hashed = _each_once([paths[owner] for owner in owners], lambda one: hashes_of(one).tolist())
    return np.array(hashed, dtype=np.uint64) & np.uint64(0xFFFFFFFF)


def _each_once(texts: Sequence[str], task: Callable[[Sequence[str]], Sequence[T]]) -> list[T]:
    """What `task` makes of each text; equal ones are given to it once."""
    distinct = list(dict.fromkeys(texts))
    made = dict(zip(distinct, task(distinct), strict=True))
    return [made[text] for text in texts]


def _names(page: Page, classes: Sequence[str], element: int) -> Iterator[str]:
    """Of `element` and what is above it, as far as a class path goes, the lowest first."""
    parents, tags = page.elements.parents, page.elements.tags
    for _ in range(LEVELS - 1):
        if element == NO_ELEMENT or tags[element] in TOP:
            return
        yield f"/{tags[element]}.{classes[element]}"
        element = parents[element]


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
    hashes = hashes_of(list(targets.values()))
    return hashes[inside], blocks[inside].astype(np.int64)
