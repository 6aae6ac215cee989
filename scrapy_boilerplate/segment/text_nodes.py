"""The segmenter `text-nodes`: every text node is a block, as in Web2Text and Victor.

These are the leaves of the collapsed DOM (`features.collapsed_dom`). Inline tags cut a sentence
into several blocks; `Page.joined` puts those of one line together again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.columns import Blocks
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.text import is_blank


@dataclass(frozen=True)
class TextNodes:
    """A block is a text node. One without anything to see goes with the block before it.

    References: Vogels et al. 2018, section 3.1; Spousta et al. 2008 (Victor). Web2Text takes no
    text from `noscript` and `textarea`; here they are blocks as others, since every text node
    stands in one. Victor takes the `alt` of images for text; it is no text node.
    """

    name: str = "text-nodes"

    def __call__(self, page: Page) -> Page:
        """The page with a block a text node; linear time."""
        starts = np.fromiter((not is_blank(text) for text in page.leaves.texts), np.bool_)
        starts[:1] = True
        first = np.flatnonzero(starts)
        end = np.append(first[1:], len(starts)) if len(first) else first
        elements = np.array(page.leaves.elements, dtype=np.int64)[first]
        return page.with_blocks(Blocks(first, end, elements))
