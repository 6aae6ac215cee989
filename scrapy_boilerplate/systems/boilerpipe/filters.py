"""The steps of Kohlschuetter et al. 2010 and of boilerpipe 1.2: classifiers, marks and filters.

Classifiers select content, marks are notes for later steps, filters revise the result of a
classifier. The two decision trees of the paper are in `steps.shallow_rules`.

``CanolaFilter`` (boilerpipe 1.2) is a tree learned on the KrdWrd Canola corpus (Steger, Stemle
2009, KrdWrd: Architecture for Unified Processing of Web Content), whose annotators kept all running
text, comments and lists of teasers too. With c, p, n the current, previous and next block,
NW words and LD link density, a block is content if one of

- ``LD(c) > 0 and NW(n) > 11``
- ``NW(c) > 19``
- ``NW(n) > 6 and LD(n) == 0 and LD(p) == 0 and (NW(c) > 6 or NW(p) > 7 or NW(n) > 19)``

holds. Known failures: a block with a link before any long block is kept, such as a menu before the
first paragraph; links have no limit, so lists of linked headlines are kept.

``ArticleSentencesExtractor`` (boilerpipe 1.2) keeps only those blocks of an article that hold a
clause (``SplitParagraphBlocksFilter``, ``MinClauseWordsFilter``). boilerpipe splits a fused block
at line ends. Only fusing makes them, so that splitting restores the atomic blocks.
`SplitParagraphs` ends the runs instead. No block is cut at sentences. Known failures: headings and
captions are lost, and text whose marks are all before a closing quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.systems.common.features import take_next, take_previous
from scrapy_boilerplate.systems.common.runs import DELETED, Runs
from scrapy_boilerplate.systems.common.sentences import MIN_CLAUSE_WORDS, has_clause

# Classifiers


@dataclass(frozen=True, kw_only=True)
class KeepEverything:
    """Every block is content (the paper's "Keep everything"): recall 1, precision the page's."""

    name: str = "keep-everything"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(np.ones(len(page), dtype=np.bool_), self.name)


@dataclass(frozen=True, kw_only=True)
class MinWords:
    """Blocks, or runs of fused ones, of at least `words` words are content (the paper: 10)."""

    words: int = 10
    name: str = "min-words"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.classify(runs.blocks(runs.words >= self.words), self.name)


@dataclass(frozen=True, kw_only=True)
class DensityThreshold:
    """Blocks of at least this text density, in words per line, are content.

    10.5 is the split Weka's 1R learner found on L3S-GN1 (the paper, section 4.3.1 and Table 2).
    """

    density: float = 10.5
    name: str = "density-threshold"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(page.text_density >= self.density, self.name)


@dataclass(frozen=True, kw_only=True)
class CanolaRules:
    """The three rules of ``CanolaFilter``; numbers are words to a block.

    A block of more than `long_words` is content; one with a link is, if more than
    `words_after_link` follow.
    """

    long_words: int = 19
    words_after_link: int = 11
    name: str = "canola-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        words, linked = runs.words, runs.link_density > 0
        before, after = take_previous(words), take_next(words)
        unlinked_around = (take_previous(runs.link_density) == 0) & (
            take_next(runs.link_density) == 0
        )
        some_text = (words > 6) | (before > 7) | (after > 19)
        content = (
            (linked & (after > self.words_after_link))
            | (words > self.long_words)
            | ((after > 6) & unlinked_around & some_text)
        )
        return labeling.classify(runs.blocks(content), self.name)


# Marks

TITLE = "title"
END_OF_TEXT = "end of text"
MIGHT_BE_CONTENT = "might be content"

MAX_WORDS_OF_END = 15
"""A block with this many words or more does not announce the end of the text (boilerpipe)."""

_ends_text = re.compile(
    # boilerpipe 1.2, TerminatingBlocksFinder: English and one Swedish phrase
    r"comments|\d+ (?:comments|users responded in)|© reuters|please rate this|post a comment"
    r"|.*(?:what you think\.\.\.|add (?:your )?comment|reader views|have your say"
    r"|reader comments|rätta artikeln)"
    r"|thanks for your comments - this feedback is now closed$",
    re.IGNORECASE,
).match

_separators = tuple(
    # growing sets, as boilerpipe 1.2 tries them on the document title
    re.compile(rf"(?:(?<!\s)\s+)?[{marks}]\s*")
    for marks in ("|»:", "|»:()", "|»:()-", "|»,:()-")
)


@dataclass(frozen=True, kw_only=True)
class TerminatingBlocks:
    """Mark short blocks that announce comments or another end of the text.

    The phrases are boilerpipe's, so this is a filter for English pages; the comments of other
    languages are found by `steps.named_containers`.
    """

    name: str = "terminating-blocks"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        short = page.words < MAX_WORDS_OF_END
        ends = np.zeros(len(page), dtype=np.bool_)
        for block in np.flatnonzero(short).tolist():
            ends[block] = _ends_text(page.texts[block]) is not None
        return labeling.mark(END_OF_TEXT, ends)


@dataclass(frozen=True, kw_only=True)
class TitleMatch:
    """Mark blocks whose whole text is the page's title, or the title's longest part."""

    name: str = "title-match"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        titles = list_possible_titles(page.title)
        matches = (text.lower() in titles for text in page.texts)
        return labeling.mark(TITLE, np.fromiter(matches, np.bool_, len(page)))


def list_possible_titles(title: str) -> frozenset[str]:
    """Return the title and its longest part under each set of separators, in lower case.

    Parts with ".com" are site names (boilerpipe 1.2, DocumentTitleMatchClassifier).
    """
    if not title:
        return frozenset()
    longest = (find_longest(each.split(title), count_words) for each in _separators)
    titles = {title.lower(), *(part.strip().lower() for part in longest)}
    return frozenset(titles - {""})


def find_longest(parts: Sequence[str], count: Callable[[str], int]) -> str:
    """Return the last part that has more words or more characters than the longest before it.

    `count` counts words.
    """
    longest, most_words = "", 0
    for part in parts:
        words = count(part)
        if ".com" not in part and (words > most_words or len(part) > len(longest)):
            longest, most_words = part, words
    return longest


# Filters

FULL_TEXT_DENSITY = 9
"""Words to a line from which the words of a block count as full text (boilerpipe)."""


@dataclass(frozen=True, kw_only=True)
class IgnoreBlocksAfterContent:
    """Nothing is content from the first end-of-text mark on, once `words` words came before.

    Words of full text count (FULL_TEXT_DENSITY). 60 are boilerpipe's default.
    """

    words: int = 60
    name: str = "ignore-blocks-after-content"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        full_text = runs.content & (runs.text_density >= FULL_TEXT_DENSITY)
        seen = np.cumsum(np.where(full_text, runs.words, 0))
        ended = np.logical_or.accumulate(runs.marked(END_OF_TEXT) & (seen >= self.words))
        return labeling.revise(runs.blocks(runs.content & ~ended), self.name)


@dataclass(frozen=True, kw_only=True)
class IgnoreBlocksBeforeTitle:
    """Nothing is content above the last title mark before the largest run.

    This half of the paper's main content filter is not in boilerpipe 1.2.
    """

    name: str = "ignore-blocks-before-title"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = find_largest_run(runs)
        titles = np.flatnonzero(runs.marked(TITLE)[: largest + 1])
        above = np.arange(len(runs)) < (titles[-1] if len(titles) else 0)
        return labeling.revise(runs.blocks(runs.content & ~above), self.name)


@dataclass(frozen=True, kw_only=True)
class EqualDensityFusion:
    """Fuse neighbours of exactly the same text density (``SimpleBlockFusionProcessor``)."""

    name: str = "equal-density-fusion"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        starts = np.ones(len(runs), dtype=np.bool_)
        starts[1:] = runs.text_density[1:] != runs.text_density[:-1]
        return runs.fuse(find_run_starts(starts))


@dataclass(frozen=True, kw_only=True)
class BlockProximityFusion:
    """Fuse a content run with the run before it, at most `distance` blocks away (boilerpipe: 1).

    Unless `content_only`, the run before may be boilerplate; fused, it becomes content. Before any
    block is content, as in ``DefaultExtractor``, nothing is fused.
    """

    distance: int = 1
    content_only: bool = False
    name: str = "block-proximity-fusion"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        joins = np.zeros(len(runs), dtype=np.bool_)
        near = runs.first[1:] - runs.last[:-1] - 1 <= self.distance
        joins[1:] = runs.content[1:] & near
        if self.content_only:
            joins[1:] &= runs.content[:-1]
        return runs.fuse(find_run_starts(~joins))


@dataclass(frozen=True, kw_only=True)
class DropBoilerplate:
    """Take blocks that are not content out of the runs (``BoilerplateBlockFilter``)."""

    name: str = "drop-boilerplate"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.fuse(np.where(runs.blocks(runs.content), labeling.fused, DELETED))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRun:
    """Only the content run with most words stays; the others are marked as possible content."""

    name: str = "keep-largest-run"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = np.arange(len(runs)) == find_largest_run(runs)
        rest = runs.blocks(~largest)
        return labeling.mark(MIGHT_BE_CONTENT, rest).revise(runs.blocks(largest), self.name)


@dataclass(frozen=True, kw_only=True)
class ExpandTitleToContent:
    """Possible content between the title and the first content becomes content."""

    name: str = "expand-title-to-content"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        start = int(np.argmax(runs.content)) if runs.content.any() else 0
        titles = np.flatnonzero(runs.marked(TITLE)[: start + 1])
        if not len(titles) or titles[-1] >= start:
            return labeling
        order = np.arange(len(runs))
        between = (order >= titles[-1]) & (order < start) & runs.marked(MIGHT_BE_CONTENT)
        return labeling.revise(runs.blocks(runs.content | between), self.name)


def find_run_starts(starts: BoolArray) -> IntArray:
    """int[m]: for each run the nearest one, at or before it, where `starts` holds."""
    into: IntArray = np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
    return into


def find_largest_run(runs: Runs) -> int:
    """Return the first content run with the most words."""
    return int(np.argmax(np.where(runs.content, runs.words, -1)))


@dataclass(frozen=True, kw_only=True)
class SplitParagraphs:
    """Every block is a run of its own again, deleted ones too (they are no content)."""

    name: str = "split-paragraphs"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.fuse(np.arange(len(page)))


@dataclass(frozen=True, kw_only=True)
class MinClauseWords:
    """Content stays if it holds a clause of at least `words` words (see `has_clause`)."""

    words: int = MIN_CLAUSE_WORDS
    name: str = "min-clause-words"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kept = labeling.content.copy()
        for block in np.flatnonzero(kept).tolist():
            kept[block] = has_clause(page.texts[block], self.words)
        return labeling.revise(kept, self.name)
