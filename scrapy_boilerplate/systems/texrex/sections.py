"""The segmenter `sections`: the text divisions of texrex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.blocks import boundaries, regrouped
from scrapy_boilerplate.page.page import Page

SECTION_TAGS = frozenset("article section blockquote div p li td h1 h2 h3 h4 h5 h6".split())
"""Elements that end a division where they start and where they end (Schaefer 2017, note 9, and
texrex's source; the note's "l" is `li`)."""


@dataclass(frozen=True)
class SectionBlocks:
    """A block is what lies between two tags of SECTION_TAGS, opening or closing; `br` is a space.

    texrex drops what stands in `form` and `code`; here every text stays in a block.
    """

    name: str = "sections"

    def __call__(self, page: Page) -> Page:
        """The page in divisions; linear time."""
        return regrouped(page, np.flatnonzero(boundaries(page, SECTION_TAGS)))
