"""The filters that boilerpipe's article extractor gained after 1.2: tag levels, lists, headlines.

Reference: kohlschutter/boilerpipe at 2c78035 (version 1.3, never released), ``ArticleExtractor``
and its filters. The tag level of a block is the number of elements around its first text, those
apart that boilerpipe calls inline (LEVEL_KEEPING_TAGS); a fused block has the smallest level of its
parts.
Known failures: the same level is the same depth, not the same place: a long comment at the depth of
the text is text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT
from scrapy_boilerplate.label import IntArray, Labeling
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.rules.boilerpipe.marks import MIGHT_BE_CONTENT, TITLE
from scrapy_boilerplate.rules.boilerpipe.runs import DELETED, Runs

VERY_LIKELY_CONTENT = "very likely content"

LEVEL_KEEPING_TAGS = frozenset(
    "abbr acronym b code em font i span strike strong sub sup tt u var".split()
)
"""Elements that do not count for the tag level (``DefaultTagActionMap``); `a` does."""
HEADING_TAGS = frozenset({"h1", "h2", "h3"})
"""What boilerpipe labels HEADING."""
LIST_TAGS = frozenset({"li"})
LIST_ENTRY = "list entry"
"""Mark of blocks in one of LIST_TAGS."""

LARGE_WORDS = 100
"""Words from which a block at the level of the main content is content (boilerpipe)."""


@dataclass(frozen=True, kw_only=True)
class TrailingHeadlines:
    """Headings after the last other content are boilerplate."""

    name: str = "trailing-headlines"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        text = np.flatnonzero(labeling.content & ~page.in_tags(HEADING_TAGS))
        after = np.arange(len(page)) > (text[-1] if len(text) else -1)
        return labeling.revise(labeling.content & ~after, self.name)


@dataclass(frozen=True, kw_only=True)
class DropUntitledBoilerplate:
    """Take blocks out of the runs that are neither content nor the title."""

    name: str = "drop-untitled-boilerplate"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        kept = runs.blocks(runs.content | runs.marked(TITLE))
        return labeling.fuse(np.where(kept, labeling.fused, DELETED))


@dataclass(frozen=True, kw_only=True)
class SameLevelFusion:
    """Fuse a content run with the content run before it, if near and of the same tag level."""

    distance: int = 1
    name: str = "same-level-fusion"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        levels = levels_of_runs(page, labeling)
        starts = np.ones(len(runs), dtype=np.bool_)
        starts[1:] = ~(runs.content[1:] & runs.content[:-1])
        starts[1:] |= runs.first[1:] - runs.last[:-1] - 1 > self.distance
        starts[1:] |= levels[1:] != levels[:-1]
        return runs.fuse(np.maximum.accumulate(np.where(starts, np.arange(len(runs)), 0)))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRunAndLevel:
    """Keep the largest content run, and the runs of its level around it of `words` words or more.

    Around it means as far as the first run of a smaller level, on either side. The others are
    marked as possible content; a page with a single run is left as it is.
    """

    words: int = 150
    name: str = "keep-largest-run-and-level"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if len(runs) < 2 or not runs.content.any():
            return labeling
        levels, order = levels_of_runs(page, labeling), np.arange(len(runs))
        largest = int(np.argmax(np.where(runs.content, runs.words, -1)))
        smaller = np.flatnonzero(levels < levels[largest])
        first, end = np.searchsorted(smaller, largest), len(smaller)
        around = order > (smaller[first - 1] if first else -1)
        around &= order < (smaller[first] if first < end else len(runs))
        kept = around & (levels == levels[largest]) & (runs.words >= self.words)
        kept[largest] = True
        others = runs.blocks(order != largest)
        labeling = labeling.mark(MIGHT_BE_CONTENT, others)
        labeling = labeling.mark(VERY_LIKELY_CONTENT, runs.blocks(order == largest))
        return labeling.revise(runs.blocks(kept), self.name)


@dataclass(frozen=True, kw_only=True)
class LargeBlocksOfLevel:
    """Runs of at least `words` words at the level of the largest run are content."""

    words: int = LARGE_WORDS
    name: str = "large-blocks-of-level"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
        if not len(likely):
            return labeling
        levels = levels_of_runs(page, labeling)
        large = (levels == levels[likely[0]]) & (runs.words >= self.words)
        return labeling.revise(runs.blocks(runs.content | large), self.name)


@dataclass(frozen=True, kw_only=True)
class ListAtEnd:
    """Deeper list entries without links, right after the largest run, are content."""

    name: str = "list-at-end"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
        if not len(likely):
            return labeling
        largest = likely[-1]
        levels, in_list = levels_of_runs(page, labeling), np.zeros(len(runs), dtype=np.bool_)
        listed = labeling.mark(LIST_ENTRY, page.in_tags(LIST_TAGS))
        entries = (levels > levels[largest]) & runs.marked(MIGHT_BE_CONTENT)
        entries &= Runs(page, listed).marked(LIST_ENTRY) & (runs.link_density == 0)
        in_list[largest + 1 :] = np.logical_and.accumulate(entries[largest + 1 :])
        return labeling.revise(runs.blocks(runs.content | in_list), self.name)


def levels_of_runs(page: Page, labeling: Labeling) -> IntArray:
    """int[m]: the tag level of each run, the smallest of its blocks."""
    live = labeling.fused != DELETED
    runs, run_of = np.unique(labeling.fused[live], return_inverse=True)
    levels = np.full(len(runs), len(page.elements), dtype=np.int64)
    np.minimum.at(levels, run_of, tag_levels(page)[live])
    return levels


def tag_levels(page: Page) -> IntArray:
    """int[n]: the tag level of each block, at its first text that is not blank."""
    levels: list[int] = []
    for tag, parent in zip(page.elements.tags, page.elements.parents, strict=True):
        around = 0 if parent == NO_ELEMENT else levels[parent]
        levels.append(around + (tag not in LEVEL_KEEPING_TAGS))
    texts, elements = page.leaves.texts, page.leaves.elements
    spans = zip(page.blocks.first_leaf.tolist(), page.blocks.end_leaf.tolist(), strict=True)
    first_texts = (
        next((leaf for leaf in range(first, end) if not texts[leaf].isspace()), first)
        for first, end in spans
    )
    return np.array([levels[elements[leaf]] for leaf in first_texts], dtype=np.int64)
