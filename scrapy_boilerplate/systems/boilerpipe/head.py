"""What boilerpipe's article extractor gained after 1.2: titles, tag levels, lists, headlines.

Reference: kohlschutter/boilerpipe at 2c78035 (version 1.3, never released), ``ArticleExtractor``
and its filters, ``DocumentTitleMatchClassifier``, ``TerminatingBlocksFinder``.

- Titles: against 1.2 (`boilerpipe.filters`), more parts of the document title count, without
  apostrophes; only the first block that is one of them gets the mark, with or without its
  punctuation. A link "Comment" ends the text.
- The tag level of a block is the number of elements around its first text, without those that
  boilerpipe calls inline (LEVEL_KEEPING_TAGS). A fused block has the smallest level of its parts.

Known failures: a level is a depth, not a place, so a long comment at the depth of the text is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.boilerpipe.filters import (
    END_OF_TEXT,
    MIGHT_BE_CONTENT,
    TITLE,
    find_largest_run,
    find_longest,
    find_run_starts,
)
from scrapy_boilerplate.systems.common.runs import DELETED, Runs

# Titles and ends of text

MIN_PART_WORDS = 4
"""Words from which a part of the title between bars or dashes can be the headline (boilerpipe)."""

_separators = tuple(
    # as boilerpipe tries them on the document title
    re.compile(pattern)
    for pattern in (
        r"(?:(?<! ) +)?[|»-] *",
        r"(?:(?<! ) +)?[|»:] *",
        r"(?:(?<! ) +)?[|»:()] *",
        r"(?:(?<! ) +)?[|»:()-] *",
        r"(?:(?<! ) +)?[|»,:()-] *",
    )
)
_spaced_separators = (re.compile(r"(?<! ) +\| +"), re.compile(r"(?<! ) +- +"))
_first_part, _last_part = re.compile(r"^[^-]+ - "), re.compile(r" - [^-]+$")
_without_marks = re.compile(r"[?!.:-]+").sub


@dataclass(frozen=True, kw_only=True)
class FirstTitleMatch:
    """Mark the first block whose whole text is the page's title or a part of it."""

    name: str = "first-title-match"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        titles = list_title_parts(_normalize(page.title))
        matching = np.zeros(len(page), dtype=np.bool_)
        for block, text in enumerate(map(_normalize, page.texts) if titles else ()):
            if text in titles or _without_marks("", text).strip() in titles:
                matching[block] = True
                break
        return labeling.mark(TITLE, matching)


@dataclass(frozen=True, kw_only=True)
class CommentLinks:
    """Mark blocks that are nothing but a link "Comment" as an end of the text."""

    name: str = "comment-links"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        is_comment = np.array([text == "Comment" for text in page.texts], dtype=np.bool_)
        return labeling.mark(END_OF_TEXT, is_comment & (page.link_density == 1))


def list_title_parts(title: str) -> frozenset[str]:
    """Return the title, its longest part for each set of separators, its long and outer parts.

    Parts with ".com" are names of sites, and left out.
    """
    if not title:
        return frozenset()
    titles = {title, _last_part.sub("", title), _first_part.sub("", title)}
    for separator in _separators:
        parts = separator.split(title)
        titles.add(find_longest(parts, lambda part: len(part.split(" "))).strip())
    for separator in _spaced_separators:
        parts = separator.split(title)
        long = (part for part in parts if len(part.split()) >= MIN_PART_WORDS)
        titles.update(part for part in long if ".com" not in part and len(parts) > 1)
    return frozenset(titles - {""})


def _normalize(text: str) -> str:
    return text.replace("\xa0", " ").replace("'", "").strip().lower()


# Tag levels, lists and headlines

VERY_LIKELY_CONTENT = "very likely content"
LIST_ENTRY = "list entry"
"""Mark of blocks in one of LIST_TAGS."""

LEVEL_KEEPING_TAGS = frozenset(
    "abbr acronym b code em font i span strike strong sub sup tt u var".split()
)
"""Elements that do not count for the tag level (``DefaultTagActionMap``); `a` does."""
HEADING_TAGS = frozenset({"h1", "h2", "h3"})
"""What boilerpipe labels HEADING."""
LIST_TAGS = frozenset({"li"})

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
        levels = compute_run_levels(page, labeling)
        starts = np.ones(len(runs), dtype=np.bool_)
        starts[1:] = ~(runs.content[1:] & runs.content[:-1])
        starts[1:] |= runs.first[1:] - runs.last[:-1] - 1 > self.distance
        starts[1:] |= levels[1:] != levels[:-1]
        return runs.fuse(find_run_starts(starts))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRunAndLevel:
    """Keep the largest content run, and the runs of its level around it of `words` words or more.

    Around it means as far as the first run of a smaller level, on either side. The others are
    marked as possible content. A page with a single run is not changed.
    """

    words: int = 150
    name: str = "keep-largest-run-and-level"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if len(runs) < 2 or not runs.content.any():
            return labeling
        levels, order = compute_run_levels(page, labeling), np.arange(len(runs))
        largest = find_largest_run(runs)
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
        levels = compute_run_levels(page, labeling)
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
        levels, in_list = compute_run_levels(page, labeling), np.zeros(len(runs), dtype=np.bool_)
        listed = labeling.mark(LIST_ENTRY, page.in_tags(LIST_TAGS))
        entries = (levels > levels[largest]) & runs.marked(MIGHT_BE_CONTENT)
        entries &= Runs(page, listed).marked(LIST_ENTRY) & (runs.link_density == 0)
        in_list[largest + 1 :] = np.logical_and.accumulate(entries[largest + 1 :])
        return labeling.revise(runs.blocks(runs.content | in_list), self.name)


def compute_run_levels(page: Page, labeling: Labeling) -> IntArray:
    """int[m]: the tag level of each run, the smallest of its blocks."""
    live = labeling.fused != DELETED
    runs, run_of = np.unique(labeling.fused[live], return_inverse=True)
    levels = np.full(len(runs), len(page.elements), dtype=np.int64)
    np.minimum.at(levels, run_of, compute_tag_levels(page)[live])
    return levels


def compute_tag_levels(page: Page) -> IntArray:
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
