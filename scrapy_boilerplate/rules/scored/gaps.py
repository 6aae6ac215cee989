"""Small gaps in the content, and sub-headings between its paragraphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import FloatArray, Label, Labeling
from scrapy_boilerplate.page import Page

MAX_GAP = 3
"""Blocks to a gap (LEARNING.md, the recipe, 5)."""
MIN_SCORE = 0.1
"""Score under which a block is no part of a gap: the model is sure (our sweep of 2026-11-21)."""
MAX_LINK_DENSITY = 0.5
"""Link density from which a block in a gap is a pointer to another article (our choice)."""
HEADINGS = frozenset("h2 h3 h4 h5 h6".split())
MIN_HEADING_SCORE = 0.2
"""Score from which a heading between two kept blocks is kept (our sweep of 2026-11-21)."""


@dataclass(frozen=True, kw_only=True)
class FillHoles:
    """Up to `longest` blocks between two content blocks, all under one parent, become content."""

    longest: int = MAX_GAP
    min_score: float = MIN_SCORE
    name: str = "fill-holes"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kept = np.flatnonzero(labeling.content)
        parents = page.elements.parent_column[page.blocks.elements]
        scores = labeling.scores[:, Label.FULL_TEXT]
        found: list[int] = []
        for before, after in zip(kept[:-1].tolist(), kept[1:].tolist(), strict=True):
            if not 1 < after - before <= self.longest + 1:
                continue
            gap = slice(before + 1, after)
            together = (parents[before : after + 1] == parents[before]).all()
            unlinked = page.link_density[gap] <= MAX_LINK_DENSITY
            if together and ((scores[gap] > self.min_score) & unlinked).all():
                found += range(before + 1, after)
        return labeling.choose(np.array(found, dtype=np.int64), Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class SubHeadings:
    """A heading whose neighbours are both content is content, unless the model is sure."""

    min_score: float = MIN_HEADING_SCORE
    name: str = "sub-headings"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        scores: FloatArray = labeling.scores[:, Label.FULL_TEXT]
        between = np.zeros(len(page), dtype=np.bool_)
        between[1:-1] = content[:-2] & content[2:]
        headings = np.array([tag in HEADINGS for tag in page.tags], dtype=np.bool_)
        where = between & headings & ~content & (scores >= self.min_score)
        return labeling.choose(where, Label.FULL_TEXT, self.name)
