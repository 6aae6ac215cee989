"""What a block of a page is compared by on other pages: its text, its class path, its links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT
from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.site.hashing import Hashes, hash_of, hashes_of, normalised

LEVELS = 4
"""Elements of a class path: the block's own and three above it."""
TOP = frozenset(("html", "body"))
"""Their classes change from page to page (``postid-17``) and tell nothing of a place."""

_DIGITS = dict.fromkeys(map(ord, "0123456789"))
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
        texts=hashes_of(map(normalised, page.texts)),
        paths=_paths(page),
        links=links,
        link_blocks=blocks,
    )


def _paths(page: Page) -> Hashes:
    """uint64[n]: the tags and classes of the elements around each block."""
    parents, tags, classes = page.elements.parents, page.elements.tags, page.elements.classes
    known: dict[int, int] = {}
    names: dict[str, int] = {}
    owners = page.blocks.elements.tolist()
    for owner in dict.fromkeys(owners):
        parts, element = [], owner
        for _ in range(LEVELS):
            if element == NO_ELEMENT or tags[element] in TOP:
                break
            kind = classes[element]
            parts.append(f"{tags[element]}.{kind.translate(_DIGITS) if kind else ''}")
            element = parents[element]
        path = "/".join(parts)
        if path not in names:
            names[path] = hash_of(path) & 0xFFFFFFFF
        known[owner] = names[path]
    return np.fromiter((known[owner] for owner in owners), np.uint64, len(owners))


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
