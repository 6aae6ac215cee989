"""jusText: grades of paragraphs by length, links and stop words, then by their neighbours.

Reference: Pomikalek, Removing Boilerplate and Duplicate Content from Web Corpora (dissertation,
Masaryk University 2011), chapter 3; numbers, order and details follow jusText 3.0.2 (``core.py``).

Context-free, the first that fits, for a paragraph of `length` characters:

1. *bad*: more than .2 of its characters in links; or a copyright sign; or text of a form control
2. shorter than 70: *bad* with any link, else *short*
3. stop words at least .32 of the words: *good* if longer than 200, else *near good*
4. stop words at least .30: *near good*; else *bad*

With context, in this order (*short* and *near good* paragraphs are no neighbours, page ends are
*bad*):

1. a *short* heading becomes *near good* if a *good* paragraph starts within 200 characters below it
2. *short* takes the grade both neighbours agree on; if they do not, it is *good* if a *near good*
   paragraph is between it and the *bad* one, else *bad*
3. *near good* becomes *bad* between two *bad*, else *good*
4. a *short* or *near good* heading that became *bad* is *good* with a *good* paragraph within 200
   characters below

The first of these is in the dissertation and the manual, but jusText 3.0.2 never does it: its loop
reads grades that it has not copied yet (miso-belica/jusText at 02cce15 does). This module follows
the release. `early_headings` does as the dissertation says (docs/provenance.md has what that
changes).

Without a list of stop words (`common.stop_words`: Chinese, Japanese, Thai; pages that declare no
language; the package not installed) rules 3 and 4 ask for a clause instead, part of a sentence of
five words or more that ends in a mark (`has_clause`): it separates running text from lists of names
and labels in any script. On English pages it is as good as the list (docs/provenance.md). jusText
itself lets every long text pass then. Characters of scripts without spaces count for more
(`WORD_CHARACTERS`).

Known failures: lists, tables and captions inside the text are lost, and short paragraphs beside
links; comments are text; a wrongly declared language loses everything, and languages that join
their small words to others (Korean) lose much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scrapy_boilerplate.page.blocks import find_boundaries, regroup_leaves
from scrapy_boilerplate.page.columns import INVISIBLE
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import CHARACTERS_PER_WORD
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.features import cumulate
from scrapy_boilerplate.systems.common.sentences import has_clause
from scrapy_boilerplate.systems.common.stop_words import get_stop_words
from scrapy_boilerplate.systems.common.tokens import sum_by_block

REMOVED_TAGS = frozenset("button textarea".split())
"""Elements whose text jusText removes before it reads paragraphs; here it is a block of its own
(`option` and `select` show no text)."""

PARAGRAPH_TAGS = REMOVED_TAGS | frozenset(
    (
        "body blockquote caption center col colgroup dd div dl dt fieldset legend p pre table td "
        "tfoot th thead tr ul li h1 h2 h3 h4 h5 h6"
    ).split()
)
"""Elements that end a paragraph where they start and where they end. jusText's list names `form`
too, but its cleaner takes that tag away first. The sectioning elements of HTML 5 are not in it."""


@dataclass(frozen=True)
class ParagraphBlocks:
    """A block is what lies between tags of PARAGRAPH_TAGS or between two `br` in a row.

    One `br` is a space, and so is an element jusText does not know (`section`, `figcaption`, `hr`).
    Atomic blocks end at every `br` and at every unknown element: the lines of old pages would be
    *short* paragraphs.
    """

    name: str = "paragraphs"

    def __call__(self, page: Page) -> Page:
        """Return the page in paragraphs; linear time."""
        starts = find_boundaries(page, PARAGRAPH_TAGS)
        starts[_find_double_breaks(page)] = True
        return regroup_leaves(page, np.flatnonzero(starts))


def _find_double_breaks(page: Page) -> IntArray:
    """int[k]: leaves with two `br` in a row before them, invisible elements apart."""
    tags = page.elements.tags
    shown = [element for element, tag in enumerate(tags) if tag not in INVISIBLE]
    twice = [
        (before, element)
        for before, element in pairwise(shown)
        if tags[before] == tags[element] == "br"
    ]
    opened = np.array(page.leaves.opened, dtype=np.int64)
    following = np.searchsorted(opened, np.array(twice, dtype=np.int64).reshape(-1, 2), "right")
    together = following[following[:, 0] == following[:, 1], 1]
    leaves: IntArray = together[together < len(opened)]
    return leaves


GOOD, NEAR_GOOD, SHORT = "good", "near good", "short"
"""Marks: the context-free grades; a paragraph without one is bad."""

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6 h7 h8 h9".split())
WORD_CHARACTERS = 6
"""Characters that a word of a script without spaces counts as: about a word of English or French
with the space after it (the rules were made for European languages)."""

_find_copyright = re.compile(r"\xa9|&copy").search
_replace_spaces = re.compile(r"\s+").sub
_unspaced = [
    (re.compile(f"[{script}]").findall, WORD_CHARACTERS / size - 1)
    for script, size in CHARACTERS_PER_WORD.items()
]


@dataclass(frozen=True, kw_only=True)
class ContextFreeGrades:
    """The grade of each paragraph on its own; the *good* ones are content, the others marked.

    Lengths are in characters. Densities are shares of characters (links) and of words (stop words).
    `language` (ISO 639-1) overrides the language of the page.
    """

    max_link_density: float = 0.2
    short_length: int = 70
    long_length: int = 200
    low_stop_words: float = 0.30
    high_stop_words: float = 0.32
    language: str | None = None
    name: str = "context-free-grades"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        lengths, linked = count_characters(page), count_linked_characters(page)
        listed = get_stop_words(self.language or page.language)
        bad = linked > self.max_link_density * lengths
        copyright_signs = (_find_copyright(text) is not None for text in page.texts)
        bad |= np.fromiter(copyright_signs, np.bool_, len(page)) | page.in_tags(REMOVED_TAGS)
        long_enough = ~bad & (lengths >= self.short_length)
        density = self._compute_stop_word_density(page, listed, long_enough)
        high = long_enough & (density >= self.high_stop_words)
        good = high & (lengths > self.long_length)
        near_good = long_enough & (density >= self.low_stop_words) & ~good
        short = ~bad & (lengths < self.short_length) & (linked == 0)
        graded = labeling.mark(GOOD, good).mark(NEAR_GOOD, near_good).mark(SHORT, short)
        return graded.classify(good, self.name)

    def _compute_stop_word_density(
        self, page: Page, listed: frozenset[str] | None, where: BoolArray
    ) -> FloatArray:
        """float[n]: share of stop words; without a list 1 with a clause, else 0."""
        density = np.zeros(len(page))
        for block in np.flatnonzero(where).tolist():
            if listed is None:
                density[block] = has_clause(page.texts[block])
            else:
                words = page.texts[block].lower().split()
                density[block] = sum(word in listed for word in words) / max(1, len(words))
        return density


@dataclass(frozen=True, kw_only=True)
class ContextSensitiveGrades:
    """*Short* and *near good* paragraphs become good or bad by their neighbours; linear time.

    At most `heading_distance` characters are between a heading and its text. `early_headings`
    applies rule 1 of the module's docstring.
    """

    heading_distance: int = 200
    early_headings: bool = False
    name: str = "context-sensitive-grades"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        good, near, short = (labeling.marked(grade) for grade in (GOOD, NEAR_GOOD, SHORT))
        lengths, headings = count_characters(page), page.in_tags(HEADING_TAGS)
        may_be_good = near | short
        if self.early_headings:
            raised = headings & short & self._has_good_below(good, lengths)
            near, short = near | raised, short & ~raised
        # a short paragraph between two good ones, or saved by a near good one
        bad = ~(good | near | short)
        above, below = _find_previous(good | bad), _find_next(good | bad)
        near_above, near_below = _find_previous(~short), _find_next(~short)
        good_above, good_below = _look_up(good, above), _look_up(good, below)
        saved = ~good_above & _look_up(near, near_above) | ~good_below & _look_up(near, near_below)
        good = good | short & (good_above & good_below | (good_above | good_below) & saved)
        above, below = _find_previous(~near), _find_next(~near)
        good = good | (near & (_look_up(good, above) | _look_up(good, below)))
        good = good | (headings & may_be_good & self._has_good_below(good, lengths))
        return labeling.revise(good, self.name)

    def _has_good_below(self, good: BoolArray, lengths: IntArray) -> BoolArray:
        """bool[n]: a good paragraph starts at most `heading_distance` characters after this one."""
        starts = cumulate(lengths)
        following = _find_next(good)
        between = starts[following] - starts[1:]
        near: BoolArray = (following < len(good)) & (between <= self.heading_distance)
        return near


def count_characters(page: Page) -> IntArray:
    """int[n]: characters of each block; in scripts without spaces they count for more."""
    return np.array([round(_measure_text(text)) for text in page.texts], dtype=np.int64)


def count_linked_characters(page: Page) -> IntArray:
    """int[n]: the characters of each block in links."""
    counts = np.zeros(len(page.leaves), dtype=np.int64)
    for leaf in np.flatnonzero(page.leaves.in_link).tolist():
        text = page.leaves.texts[leaf]
        counts[leaf] = 0 if text.isspace() else round(_measure_text(_replace_spaces(" ", text)))
    return sum_by_block(page, counts)


def _measure_text(text: str) -> float:
    if text.isascii():
        return len(text)
    return len(text) + sum(extra * len(find(text)) for find, extra in _unspaced)


def _look_up(mask: BoolArray, indices: IntArray) -> BoolArray:
    """bool[n]: the mask at `indices`; False at -1 and n, beyond the ends of the page."""
    values: BoolArray = np.append(mask, [False])[indices]
    return values


def _find_previous(mask: BoolArray) -> IntArray:
    """int[n]: the nearest place before this one where `mask` holds, or -1."""
    at = np.where(mask, np.arange(len(mask)), -1)
    before = np.concatenate((np.full(1, -1, dtype=np.int64), np.maximum.accumulate(at)))
    return before[:-1]


def _find_next(mask: BoolArray) -> IntArray:
    """int[n]: the nearest place after this one where `mask` holds, or n."""
    size = len(mask)
    return size - 1 - _find_previous(mask[::-1])[::-1]


ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "justext",
        "Pomikalek 2011, jusText 3.0.2",
        "paragraphs by length, links, stop words and neighbours; running text of any kind of page",
        ContextFreeGrades(),
        ContextSensitiveGrades(),
        segmenter=ParagraphBlocks(),
    ),
)
