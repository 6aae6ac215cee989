"""The steps of Kohlschuetter et al. 2010 and of boilerpipe 1.2: classifiers, marks and filters.

Classifiers select content, marks are notes for later steps, and filters revise the selection. The
two decision trees of the paper are in `steps.shallow_rules` and
`systems.common.rules`; docs/systems/boilerpipe.md and shallow-rules.md have all rules.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.systems.common.columns import match_texts, take_next, take_previous
from scrapy_boilerplate.systems.common.rules import (
    ContentRule,
    Runs,
    RunStep,
    classify,
    delete_others,
    fuse_with_previous,
    update_content,
)
from scrapy_boilerplate.systems.common.running_text import has_clause

# Classifiers

MIN_WORDS = 10  # words of a block of `min-10-words` (the paper)
# Words per line, the split that Weka's 1R learner found on L3S-GN1 (the paper, 4.3.1).
MIN_DENSITY = 10.5
# Words that a block, or a block after a block with a link, must exceed (``CanolaFilter``).
CANOLA_LONG_WORDS, CANOLA_WORDS_AFTER_LINK = 19, 11


def find_all(page: Page) -> BoolArray:
    """bool[n]: every block (the paper's "Keep everything")."""
    return np.ones(len(page), dtype=np.bool_)


def _find_dense(page: Page) -> BoolArray:
    return page.text_density >= MIN_DENSITY


def _find_wordy(runs: Runs) -> BoolArray:
    return runs.words >= MIN_WORDS


def apply_canola_rules(runs: Runs) -> BoolArray:
    """bool[m]: ``CanolaFilter``, a tree learned on the KrdWrd corpus (Steger, Stemle 2009)."""
    words, linked = runs.words, runs.link_density > 0
    before, after = take_previous(words), take_next(words)
    unlinked_around = ~take_previous(linked) & ~take_next(linked)
    some_text = (words > 6) | (before > 7) | (after > 19)
    return (
        (linked & (after > CANOLA_WORDS_AFTER_LINK))
        | (words > CANOLA_LONG_WORDS)
        | ((after > 6) & unlinked_around & some_text)
    )


KEEP_EVERYTHING = ContentRule("keep-everything", find_all)
DENSITY_THRESHOLD = ContentRule("density-threshold", _find_dense)
MIN_WORDS_OF_RUNS = RunStep("min-words", _find_wordy, classify)
CANOLA_RULES = RunStep("canola-rules", apply_canola_rules, classify)

# Marks

TITLE = "title"
END_OF_TEXT = "end of text"
MIGHT_BE_CONTENT = "might be content"

# A block with this many words or more does not announce the end of the text (boilerpipe).
MAX_WORDS_OF_END = 15

_ends_text = re.compile(
    # boilerpipe 1.2, TerminatingBlocksFinder: English and one Swedish phrase
    r"comments|\d+ (?:comments|users responded in)|© reuters|please rate this|post a comment"
    r"|.*(?:what you think\.\.\.|add (?:your )?comment|reader views|have your say"
    r"|reader comments|rätta artikeln)"
    r"|thanks for your comments - this feedback is now closed$",
    re.IGNORECASE,
).match

_separators = tuple(
    # growing sets of separators, as boilerpipe 1.2 tries them on the document title
    re.compile(rf"(?:(?<!\s)\s+)?[{marks}]\s*")
    for marks in ("|»:", "|»:()", "|»:()-", "|»,:()-")
)


@dataclass(frozen=True)
class MarkBlocks:
    """Mark the blocks that `rule` selects with `mark`."""

    name: str
    mark: str
    rule: Callable[[Page], BoolArray]

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.mark(self.mark, self.rule(page))


def find_ends(page: Page) -> BoolArray:
    """bool[n]: short blocks that announce comments or another end of the text, in English."""
    ends = page.words < MAX_WORDS_OF_END
    for block in np.flatnonzero(ends).tolist():
        ends[block] = _ends_text(page.texts[block]) is not None
    return ends


def find_titles(page: Page) -> BoolArray:
    """bool[n]: blocks whose whole text is the page's title, or the title's longest part."""
    titles = list_possible_titles(page.title)
    return match_texts(page.texts, lambda text: text.lower() in titles)


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
    """Return the last part with more words or more characters than all parts before it.

    `count` counts words.
    """
    longest, most_words = "", 0
    for part in parts:
        words = count(part)
        if ".com" not in part and (words > most_words or len(part) > len(longest)):
            longest, most_words = part, words
    return longest


TERMINATING_BLOCKS = MarkBlocks("terminating-blocks", END_OF_TEXT, find_ends)
TITLE_MATCH = MarkBlocks("title-match", TITLE, find_titles)

# Filters

# Words per line above which the words of a block count as full text (boilerpipe).
FULL_TEXT_DENSITY = 9
MIN_WORDS_BEFORE_END = 60  # words of full text before an end-of-text mark that counts (boilerpipe)
MAX_DISTANCE = 1  # blocks between a run and a near run before it (boilerpipe)


def end_text(runs: Runs) -> BoolArray:
    """bool[m]: the content before the first end-of-text mark after MIN_WORDS_BEFORE_END."""
    full_text = runs.content & (runs.text_density >= FULL_TEXT_DENSITY)
    seen = np.cumsum(np.where(full_text, runs.words, 0))
    is_end = runs.marked(END_OF_TEXT) & (seen >= MIN_WORDS_BEFORE_END)
    return runs.content & ~np.logical_or.accumulate(is_end)


def start_at_title(runs: Runs) -> BoolArray:
    """bool[m]: the content after the last title mark above the largest run (not in 1.2)."""
    if not runs.content.any():
        return runs.content
    titles = np.flatnonzero(runs.marked(TITLE)[: find_largest_run(runs) + 1])
    above = np.arange(len(runs)) < (titles[-1] if len(titles) else 0)
    return runs.content & ~above


def _has_equal_density(runs: Runs) -> BoolArray:
    equal = np.zeros(len(runs), dtype=np.bool_)
    equal[1:] = runs.text_density[1:] == runs.text_density[:-1]
    return equal


def is_near(runs: Runs, *, content_only: bool) -> BoolArray:
    """bool[m]: content runs at most MAX_DISTANCE after the run before.

    Unless `content_only`, the run before may be boilerplate, and becomes content when it is fused.
    If no block is content yet, as in ``DefaultExtractor``, nothing is fused.
    """
    near = np.zeros(len(runs), dtype=np.bool_)
    near[1:] = runs.content[1:] & (runs.first[1:] - runs.last[:-1] - 1 <= MAX_DISTANCE)
    if content_only:
        near[1:] &= runs.content[:-1]
    return near


def is_content(runs: Runs) -> BoolArray:
    """bool[m]: the content runs."""
    return runs.content


def extend_to_title(runs: Runs) -> BoolArray:
    """bool[m]: content, and possible content between the title and the first content."""
    start = int(np.argmax(runs.content)) if runs.content.any() else 0
    titles = np.flatnonzero(runs.marked(TITLE)[: start + 1])
    order = np.arange(len(runs))
    between = (order >= (titles[-1] if len(titles) else start)) & (order < start)
    return runs.content | between & runs.marked(MIGHT_BE_CONTENT)


def _find_runs_with_clause(runs: Runs) -> BoolArray:
    holding = runs.labeling.content.copy()
    for block in np.flatnonzero(holding).tolist():
        holding[block] = has_clause(runs.page.texts[block])
    return runs.having(holding)


def find_largest_run(runs: Runs) -> int:
    """Return the first content run with the most words."""
    return int(np.argmax(np.where(runs.content, runs.words, -1)))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRun:
    """Keep only the content run with the most words; mark the others as possible content."""

    name: str = "keep-largest-run"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = np.arange(len(runs)) == find_largest_run(runs)
        rest = runs.blocks(~largest)
        return labeling.mark(MIGHT_BE_CONTENT, rest).update_content(runs.blocks(largest), self.name)


def split(runs: Runs, _selected: BoolArray, _by: str) -> Labeling:
    """Make every block a run of its own again, also deleted blocks (which are not content).

    boilerpipe splits a fused block at line ends, which come only from fusing.
    """
    return runs.labeling.fuse(np.arange(len(runs.page)))


IGNORE_AFTER_CONTENT = RunStep("ignore-blocks-after-content", end_text, update_content)
IGNORE_BEFORE_TITLE = RunStep("ignore-blocks-before-title", start_at_title, update_content)
EQUAL_DENSITY_FUSION = RunStep("equal-density-fusion", _has_equal_density, fuse_with_previous)
PROXIMITY_FUSION, CONTENT_FUSION = (
    RunStep(
        "block-proximity-fusion", partial(is_near, content_only=content_only), fuse_with_previous
    )
    for content_only in (False, True)
)
DROP_BOILERPLATE = RunStep("drop-boilerplate", is_content, delete_others)
EXPAND_TITLE = RunStep("expand-title-to-content", extend_to_title, update_content)
MIN_CLAUSE = RunStep("min-clause-words", _find_runs_with_clause, update_content)
SPLIT_PARAGRAPHS = RunStep("split-paragraphs", is_content, split)
