"""Text blocks as section 3.3 of Kohlschuetter et al. 2010 has them, to explain differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT, Blocks, Elements
from scrapy_boilerplate.page import Page


@dataclass(frozen=True)
class PaperBlocks:
    """A block is text that no tag but `a` interrupts: ``<b>`` and ``<span>`` end one too."""

    name: str = "paper-blocks"

    def __call__(self, page: Page) -> Page:
        """The page cut at every tag but `a`; linear time."""
        tags, leaves = page.elements.tags, page.leaves
        first: list[int] = []
        holder, opened = NO_ELEMENT, 0
        for leaf, (element, started) in enumerate(zip(leaves.elements, leaves.opened, strict=True)):
            held_by = _without_links(page.elements, element)
            if held_by != holder or any(tag != "a" for tag in tags[opened:started]):
                first.append(leaf)
            holder, opened = held_by, started
        starts = np.array(first, dtype=np.int64)
        ends = np.append(starts[1:], len(leaves)) if first else starts
        owners = np.array(leaves.owners, dtype=np.int64)[starts]
        return page.with_blocks(Blocks(starts, ends, owners))


def _without_links(elements: Elements, element: int) -> int:
    while elements.tags[element] == "a" and elements.parents[element] != NO_ELEMENT:
        element = elements.parents[element]
    return element
