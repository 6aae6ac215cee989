"""The steps of `news` that choose which blocks are full text, in the order they run.

`news.left_out` takes parts of the page out of it again.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.news.left_out import MIN_TEXT_WORDS, SOURCE_TAGS
from scrapy_boilerplate.news.page_kinds import is_modern, is_news
from scrapy_boilerplate.page.columns import NO_ELEMENT, Blocks, Break, Elements, Leaves
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Step, run_steps

# The threshold, and the confidence that comes with it

MIN_THRESHOLD, MAX_THRESHOLD = 0.3, 0.6
"""Scores between which the threshold is (our sweep, docs/provenance.md)."""
LENIENT_SHARE = 0.8
"""Share of the threshold on pages of today that declare no news article: blogs, guides, pages of
firms have lists, boxes and notes in their texts (our sweep, docs/provenance.md)."""


@dataclass(frozen=True, kw_only=True)
class ExpectedF1Threshold:
    """Make the blocks full text that reach the threshold with the highest expected F1 of words.

    Lewis 1995 (Evaluating and optimizing autonomous text classification systems). It is
    `lenient_share` of that on pages of today that declare no news article (`news.page_kinds`).
    """

    lowest: float = MIN_THRESHOLD
    highest: float = MAX_THRESHOLD
    lenient_share: float = LENIENT_SHARE
    name: str = "expected-f1"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        scores, native = labeling.scores[:, int(Label.FULL_TEXT)], _load_native()
        find = find_threshold_in_numpy if native is None else native.find_threshold
        threshold = find(scores, page.words, self.lowest, self.highest)
        if is_modern(page) and not is_news(page):
            threshold = max(self.lenient_share * threshold, self.lowest)
        return labeling.choose(scores >= threshold, Label.FULL_TEXT, self.name)


def find_threshold_in_numpy(
    scores: FloatArray, words: IntArray, lowest: float, highest: float
) -> float:
    """Return the threshold between two bounds with the highest expected F1 of float[n] scores."""
    if not len(scores):
        return highest
    weights, order = np.maximum(words, 1), np.argsort(-scores, kind="stable")
    right = np.cumsum((scores * weights)[order])
    f1 = 2 * right / (np.cumsum(weights[order]) + right[-1] + 1e-9)
    last = order[int(np.argmax(f1))]  # the last one that is kept
    return min(max(float(scores[last]), lowest), highest)


ODDS_POWER, ODDS_FACTOR = 0.75, 2.5
"""Odds of the confidence by those of the expected F1: on corpora that the net has not seen, scores
are too sure of both, good and bad (our sweep, docs/provenance.md)."""


def compute_confidence(page: Page, labeling: Labeling) -> float:
    """Return the confidence of `news`, 0 to 1: the expected F1 as it is on unseen corpora."""
    expected = compute_expected_f1(page, labeling)
    if expected >= 1:
        return 1.0
    odds = ODDS_FACTOR * math.pow(expected / (1 - expected), ODDS_POWER)
    return odds / (1 + odds)


def compute_expected_f1(page: Page, labeling: Labeling) -> float:
    """Return the expected F1 of the words of the content, 0 to 1."""
    if not (labeling.content & (page.words > 0)).any():
        return 0.0
    weights, scores = np.maximum(page.words, 1.0), labeling.scores[:, Label.FULL_TEXT]
    right = float((scores * weights)[labeling.content].sum())
    kept, wanted = float(weights[labeling.content].sum()), float((scores * weights).sum())
    return min(1.0, 2 * right / max(kept + wanted, 1e-9))


# Gaps

MAX_GAP = 3
"""Blocks of a gap at most (our sweep, docs/provenance.md)."""
MIN_GAP_SCORE = 0.1
"""Score up to which a block is no part of a gap (our choice)."""
MAX_LINK_DENSITY = 0.5
"""Link density over which a block in a gap links to another article (our choice)."""
SUB_HEADING_TAGS = frozenset("h2 h3 h4 h5 h6".split())
MIN_HEADING_SCORE = 0.2
"""Score from which a heading between two content blocks is content (our choice)."""
MIN_TABLE_SCORE = 0.2
"""Mean score of the words of a table from which it belongs to the text around it (our sweep,
docs/provenance.md: wcxb +.001)."""
MAX_WRAPPERS = 3
"""Ancestors of a table among which one is the parent of a content block (our choice)."""


@dataclass(frozen=True, kw_only=True)
class FillHoles:
    """Make up to `longest` blocks between two content blocks of the same parent content too."""

    longest: int = MAX_GAP
    min_score: float = MIN_GAP_SCORE
    name: str = "fill-holes"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        native = _load_native()
        find = find_holes_in_numpy if native is None else partial(_find_holes, native=native)
        holes = find(page, labeling, self.longest, self.min_score)
        return labeling.choose(np.array(holes, dtype=np.int64), Label.FULL_TEXT, self.name)


def find_holes_in_numpy(
    page: Page, labeling: Labeling, longest: int, min_score: float
) -> list[int]:
    """Return the blocks between two content blocks that fit, as `FillHoles` has them."""
    kept = np.flatnonzero(labeling.content)
    sizes = np.diff(kept) - 1
    gaps = np.flatnonzero((sizes > 0) & (sizes <= longest))
    if not len(gaps):
        return []
    before, after, sizes = kept[gaps], kept[gaps + 1], sizes[gaps]
    parents = page.elements.parent_column[page.blocks.elements]
    scored = labeling.scores[:, Label.FULL_TEXT] > min_score
    fits = scored & (page.link_density <= MAX_LINK_DENSITY)
    is_hole = parents[after] == parents[before]
    inside = [(before + step, sizes >= step) for step in range(1, longest + 1)]
    for blocks, counts in inside:
        within = np.where(counts, blocks, before)
        is_hole &= ~counts | (fits[within] & (parents[within] == parents[before]))
    holes: list[int] = np.concatenate(
        [blocks[counts & is_hole] for blocks, counts in inside]
    ).tolist()
    return sorted(holes)


def _find_holes(
    page: Page, labeling: Labeling, longest: int, min_score: float, *, native: Any
) -> list[int]:
    holes: list[int] = native.find_holes(
        *(labeling.labels, labeling.scores[:, int(Label.FULL_TEXT)], page.words, page.link_words),
        *(page.blocks.elements, page.elements.parent_column, int(Label.FULL_TEXT)),
        *(longest, min_score, MAX_LINK_DENSITY),
    )
    return holes


@dataclass(frozen=True, kw_only=True)
class SubHeadings:
    """Make a heading between two content blocks content, if its score is at least `min_score`."""

    min_score: float = MIN_HEADING_SCORE
    name: str = "sub-headings"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content, scores = labeling.content, labeling.scores[:, int(Label.FULL_TEXT)]
        between = (content[:-2] & content[2:] & ~content[1:-1]).nonzero()[0] + 1
        headings = [
            block
            for block in between.tolist()
            if page.tags[block] in SUB_HEADING_TAGS and scores[block] >= self.min_score
        ]
        return labeling.choose(np.array(headings, dtype=np.int64), Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class FillTables:
    """Make all cells of a data table between content blocks content.

    The model scores each cell, and a number alone scores like boilerplate.
    """

    min_score: float = MIN_TABLE_SCORE
    name: str = "fill-tables"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if "table" not in page.elements.tags:  # most pages
            return labeling
        content, tables = np.flatnonzero(labeling.content), _find_tables(page)
        parents = page.elements.parents
        around_text = {parents[element] for element in page.blocks.elements[content].tolist()}
        filled = np.zeros(len(page), dtype=np.bool_)
        for table, first, end in tables:
            before, after = np.searchsorted(content, (first, end))
            if before == 0 or after == len(content):
                continue
            near = first - content[before - 1] - 1 <= MAX_GAP and content[after] - end <= MAX_GAP
            wrappers = islice(page.elements.ancestors(parents[table]), MAX_WRAPPERS)
            if near and not around_text.isdisjoint(wrappers):
                filled[first:end] = self._is_data(page, labeling, slice(first, end))
        return labeling.choose(filled & ~labeling.content, Label.FULL_TEXT, self.name)

    def _is_data(self, page: Page, labeling: Labeling, cells: slice) -> bool:
        words = np.maximum(page.words[cells], 1)
        score = labeling.scores[cells, Label.FULL_TEXT] @ words
        linked = page.link_words[cells].sum()
        total = words.sum()
        return bool(score >= self.min_score * total and linked <= MAX_LINK_DENSITY * total)


def _find_tables(page: Page) -> list[tuple[int, int, int]]:
    """Return (element, first block, end) of each outermost table that holds blocks."""
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


# A page without content

_find_source = re.compile(
    r"\{\{|\}\}|<%|%>|\$\{|</\w|function\s*\w*\(|[;{]\s*\}|=\\?[\"'][^\"']*\\?[\"']\s*/?>"
).search
"""Find what templates and scripts have and no article (our choice)."""


@dataclass(frozen=True, kw_only=True)
class FallbackSteps:
    """Run other steps on a page without content.

    Texts of a `textarea` and source code are no content. If the steps find none, captions of at
    least `min_words` are it.
    """

    steps: tuple[Step, ...]
    min_words: int = MIN_TEXT_WORDS
    name: str = "otherwise-by-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if labeling.content.any() or not len(page):
            return labeling
        decided = run_steps(self.steps, page, Labeling.blank(len(page)))
        source = page.in_tags(SOURCE_TAGS)
        source |= np.fromiter(map(bool, map(_find_source, page.texts)), np.bool_, len(page))
        content = decided.content & ~source
        if not content.any():
            captions = decided.having(Label.SUPPLEMENTAL) & ~source
            if page.words[captions].sum() >= self.min_words:
                content = captions
        return labeling.choose(content, Label.FULL_TEXT, self.name)


# The native twin

MAX_DIFFERENCE = 1e-9
"""By which a threshold of the native twin may differ: sums in another order."""


@cache
def _load_native() -> Any | None:
    return load_twin("steps", _agrees)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module finds the threshold and the holes of eight paragraphs."""
    n, scores = 8, np.zeros((8, len(Label)))
    scores[:, int(Label.FULL_TEXT)] = 0.9, 0.2, 0.9, 0.05, 0.7, 0.4, 0.3, 0.9
    texts, first, own = ["one two", "three"] * 4, np.arange(n), np.array([1, 2, 3, 4, 5, 7, 8, 9])
    leaves = Leaves(
        texts, first.tolist(), own.tolist(), own.tolist(), [False] * n, [Break.LINE] * n
    )
    elements = Elements(
        ["p"] * 10, [NO_ELEMENT, *[0] * 6, *[6] * 3], [10, *range(2, 7), 10, 8, 9, 10]
    )
    page = Page(elements, leaves, Blocks(first, first + 1, own))
    labels = np.where(scores[:, int(Label.FULL_TEXT)] > 0.6, int(Label.FULL_TEXT), 0)
    labeling = Labeling.blank(n).predict(labels.astype(np.int64), scores, "")
    inputs = scores[:, int(Label.FULL_TEXT)], page.words, 0.1, 0.95
    thresholds = native.find_threshold(*inputs), find_threshold_in_numpy(*inputs)
    options = (page, labeling, MAX_GAP, MIN_GAP_SCORE)
    same_holes = _find_holes(*options, native=native) == find_holes_in_numpy(*options)
    return same_holes and bool(np.isclose(*thresholds, rtol=0, atol=MAX_DIFFERENCE))
