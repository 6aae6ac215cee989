"""Small gaps in the content, tables and sub-headings between its paragraphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

MAX_GAP = 3
"""Blocks to a gap (LEARNING.md, the recipe, 5)."""
MIN_SCORE = 0.1
"""Score under which a block is no part of a gap: the model is sure (our sweep of 2026-11-21)."""
MAX_LINK_DENSITY = 0.5
"""Link density from which a block in a gap is a pointer to another article (our choice)."""
MIN_TABLE_SCORE = 0.2
"""Mean score of the words of a table from which it belongs to the text around it: our sweep of
2026-11-21 over 0, .02, .1, .2, .3 (three folds by site): wcxb +.001, readability +.001, fundus and
article-extraction -.0002."""
MAX_WRAPPERS = 3
"""Elements around a table up to one that holds paragraphs of the text too (our choice)."""
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


@dataclass(frozen=True, kw_only=True)
class FillTables:
    """A table of data between paragraphs of the text belongs to it, whole.

    The learnt step looks at one cell after the other, and a number alone reads like boilerplate.
    """

    min_score: float = MIN_TABLE_SCORE
    name: str = "fill-tables"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content, tables = np.flatnonzero(labeling.content), _outermost_tables(page)
        parents = page.elements.parents
        around_text = {parents[element] for element in page.blocks.elements[content].tolist()}
        found = np.zeros(len(page), dtype=np.bool_)
        for table, first, end in tables:
            before, after = np.searchsorted(content, (first, end))
            if before == 0 or after == len(content):
                continue
            near = first - content[before - 1] - 1 <= MAX_GAP and content[after] - end <= MAX_GAP
            wrappers = islice(page.elements.ancestors(parents[table]), MAX_WRAPPERS)
            if near and not around_text.isdisjoint(wrappers):
                found[first:end] = self._is_data(page, labeling, slice(first, end))
        return labeling.choose(found & ~labeling.content, Label.FULL_TEXT, self.name)

    def _is_data(self, page: Page, labeling: Labeling, cells: slice) -> bool:
        words = np.maximum(page.words[cells], 1)
        score = labeling.scores[cells, Label.FULL_TEXT] @ words
        linked = page.link_words[cells].sum()
        total = words.sum()
        return bool(score >= self.min_score * total and linked <= MAX_LINK_DENSITY * total)


def _outermost_tables(page: Page) -> list[tuple[int, int, int]]:
    """(element, first block, end) of each table that holds blocks and stands in no other one."""
    elements = page.elements
    table_of, end = np.full(len(elements), NO_ELEMENT), 0
    for element in np.flatnonzero(elements.tagged(frozenset({"table"}))).tolist():
        if element >= end:
            end = elements.ends[element]
            table_of[element:end] = element
    of_block = table_of[page.blocks.elements]
    first = np.flatnonzero(np.diff(of_block, prepend=NO_ELEMENT))
    ends = [*first[1:].tolist(), len(page)]
    spans = zip(of_block[first].tolist(), first.tolist(), ends, strict=False)
    return [(table, start, end) for table, start, end in spans if table != NO_ELEMENT]
