"""Additions to boilerpipe's article extractor after 1.2: titles, tag levels, lists, headlines.

Reference: kohlschutter/boilerpipe at 2c78035 (version 1.3, never released), ``ArticleExtractor``
and its filters, ``DocumentTitleMatchClassifier``, ``TerminatingBlocksFinder``.

Compared with 1.2 (`boilerpipe.filters`), more parts of the document title count, without
apostrophes. Only the first block that equals one of them, with or without its punctuation, gets the
mark. The tag level of a block is the number of elements around its first text, without
LEVEL_KEEPING_TAGS. A fused block has the smallest level of its parts.
"""

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.boilerpipe.filters import (
    END_OF_TEXT,
    MIGHT_BE_CONTENT,
    TITLE,
    MarkBlocks,
    find_largest_run,
    find_longest,
    is_near,
)
from scrapy_boilerplate.systems.common.columns import match_texts, sum_around
from scrapy_boilerplate.systems.common.rules import (
    Runs,
    RunStep,
    delete_others,
    fuse_with_previous,
    update_content,
)

# Titles and ends of text

# Words of a part of the title between bars or dashes that can be the headline.
MIN_PART_WORDS = 4

_separators = tuple(
    # separators, as boilerpipe tries them on the document title
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


def find_first_title(page: Page) -> BoolArray:
    """bool[n]: the first block whose whole text is the page's title or a part of it."""
    titles = list_title_parts(_normalize(page.title))
    matching = np.zeros(len(page), dtype=np.bool_)
    for block, text in enumerate(map(_normalize, page.texts) if titles else ()):
        if text in titles or _without_marks("", text).strip() in titles:
            matching[block] = True
            break
    return matching


def _find_comment_links(page: Page) -> BoolArray:
    links: BoolArray = match_texts(page.texts, "Comment".__eq__) & (page.link_density == 1)
    return links


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

# Elements that do not count for the tag level (``DefaultTagActionMap``); `a` does.
LEVEL_KEEPING_TAGS = frozenset(
    "abbr acronym b code em font i span strike strong sub sup tt u var".split()
)
HEADING_TAGS = frozenset({"h1", "h2", "h3"})  # tags that boilerpipe labels HEADING
LIST_TAGS = frozenset({"li"})

# Minimum words of a run at the level of the largest run: anywhere, and around the largest.
LARGE_WORDS, LARGE_WORDS_AROUND = 100, 150


def _cut_last_headings(runs: Runs) -> BoolArray:
    text = np.flatnonzero(runs.content & ~runs.having(runs.page.in_tags(HEADING_TAGS)))
    after = np.arange(len(runs)) > (text[-1] if len(text) else -1)
    return runs.content & ~after


def _is_content_or_title(runs: Runs) -> BoolArray:
    return runs.content | runs.marked(TITLE)


def _is_near_on_level(runs: Runs) -> BoolArray:
    levels, near = _compute_run_levels(runs), is_near(runs, content_only=True)
    near[1:] &= levels[1:] == levels[:-1]
    return near


@dataclass(frozen=True, kw_only=True)
class KeepLargestRunAndLevel:
    """Keep the largest content run, and runs of its level and LARGE_WORDS_AROUND around it.

    Around it means up to the first run of a smaller level on either side. The other runs are marked
    as possible content. A page with a single run is not changed.
    """

    name: str = "keep-largest-run-and-level"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if len(runs) < 2 or not runs.content.any():
            return labeling
        levels, order = _compute_run_levels(runs), np.arange(len(runs))
        largest = find_largest_run(runs)
        smaller = np.flatnonzero(levels < levels[largest])
        first, end = np.searchsorted(smaller, largest), len(smaller)
        around = order > (smaller[first - 1] if first else -1)
        around &= order < (smaller[first] if first < end else len(runs))
        kept = around & (levels == levels[largest]) & (runs.words >= LARGE_WORDS_AROUND)
        kept[largest] = True
        labeling = labeling.mark(MIGHT_BE_CONTENT, runs.blocks(order != largest))
        labeling = labeling.mark(VERY_LIKELY_CONTENT, runs.blocks(order == largest))
        return labeling.update_content(runs.blocks(kept), self.name)


def add_large_runs(runs: Runs) -> BoolArray:
    """bool[m]: content, and runs of LARGE_WORDS or more at the level of the largest run."""
    likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
    levels = _compute_run_levels(runs)
    at_level = levels == levels[likely[0]] if len(likely) else np.zeros_like(runs.content)
    return runs.content | at_level & (runs.words >= LARGE_WORDS)


def add_list_at_end(runs: Runs) -> BoolArray:
    """bool[m]: content, and deeper list entries without links right after the largest run."""
    likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
    in_list = np.zeros(len(runs), dtype=np.bool_)
    if len(likely):
        levels, following = _compute_run_levels(runs), slice(likely[-1] + 1, None)
        entries = (levels > levels[likely[-1]]) & runs.marked(MIGHT_BE_CONTENT)
        entries &= runs.having(runs.page.in_tags(LIST_TAGS)) & (runs.link_density == 0)
        in_list[following] = np.logical_and.accumulate(entries[following])
    return runs.content | in_list


def _compute_run_levels(runs: Runs) -> IntArray:
    return runs.least(compute_tag_levels(runs.page))


def compute_tag_levels(page: Page) -> IntArray:
    """int[n]: the tag level of each block, at its first text that is not blank."""
    counted = ~page.elements.tagged(LEVEL_KEEPING_TAGS)
    levels = sum_around(page.elements, counted.astype(np.int64))
    texts, elements = page.leaves.texts, page.leaves.elements
    spans = zip(page.blocks.first_leaf.tolist(), page.blocks.end_leaf.tolist(), strict=True)
    first_texts = (
        next((leaf for leaf in range(first, end) if not texts[leaf].isspace()), first)
        for first, end in spans
    )
    return levels[[elements[leaf] for leaf in first_texts]]


FIRST_TITLE_MATCH = MarkBlocks("first-title-match", TITLE, find_first_title)
COMMENT_LINKS = MarkBlocks("comment-links", END_OF_TEXT, _find_comment_links)
TRAILING_HEADLINES = RunStep("trailing-headlines", _cut_last_headings, update_content)
DROP_UNTITLED_BOILERPLATE = RunStep(
    "drop-untitled-boilerplate", _is_content_or_title, delete_others
)
SAME_LEVEL_FUSION = RunStep("same-level-fusion", _is_near_on_level, fuse_with_previous)
LARGE_RUNS_OF_LEVEL = RunStep("large-blocks-of-level", add_large_runs, update_content)
LIST_AT_END = RunStep("list-at-end", add_list_at_end, update_content)
