"""jusText: grades of paragraphs by length, links and stop words, then by their neighbours.

Pomikalek, Removing Boilerplate and Duplicate Content from Web Corpora (dissertation, Masaryk
University 2011), chapter 3; numbers, order and details follow jusText 3.0.2 (``core.py``).
docs/systems/justext.md has the rule. The dissertation first raises *short* headings above text to
*near good*. jusText 3.0.2 does not, because its loop reads grades before it copies them
(docs/provenance.md has the effect).

Without a list of stop words (`common.running_text`: Chinese, Japanese, Thai; pages that declare no
language; the package not installed) paragraphs need a clause instead (`has_clause`). jusText itself
keeps every long text in this case. Characters of scripts without spaces count for more
(`WORD_CHARACTERS`).
"""

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
from scrapy_boilerplate.systems.common.columns import (
    cumulate,
    match_texts,
    measure_texts,
    sum_over_links,
)
from scrapy_boilerplate.systems.common.running_text import get_stop_words, has_clause

# Elements whose text jusText removes before it reads paragraphs; here it is a block of its own.
REMOVED_TAGS = frozenset("button textarea".split())
# Elements whose start and end break a paragraph. jusText also lists `form`, but its cleaner removes
# that tag first. It does not list the sectioning elements of HTML 5.
PARAGRAPH_TAGS = REMOVED_TAGS | frozenset(
    (
        "body blockquote caption center col colgroup dd div dl dt fieldset legend p pre table td "
        "tfoot th thead tr ul li h1 h2 h3 h4 h5 h6"
    ).split()
)


def cut_paragraphs(page: Page) -> Page:
    """Return the page cut at tags of PARAGRAPH_TAGS and at two `br` in a row; linear time.

    One `br` is a space, and so is an element that jusText does not know (`section`, `figcaption`,
    `hr`). With atomic blocks, which end at every `br` and unknown element, the lines of old pages
    would be *short* paragraphs.
    """
    starts = find_boundaries(page, PARAGRAPH_TAGS)
    starts[_find_double_breaks(page)] = True
    return regroup_leaves(page, np.flatnonzero(starts))


def _find_double_breaks(page: Page) -> IntArray:
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


# Marks for the context-free grades; a paragraph without a mark is bad.
GOOD, NEAR_GOOD, SHORT = "good", "near good", "short"

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6 h7 h8 h9".split())
# Characters that a word of a script without spaces counts for, about those of an English word.
WORD_CHARACTERS = 6

_find_copyright = re.compile(r"\xa9|&copy").search
_replace_spaces = re.compile(r"\s+").sub
_unspaced = [
    (re.compile(f"[{script}]").findall, WORD_CHARACTERS / size - 1)
    for script, size in CHARACTERS_PER_WORD.items()
]


# shares of characters, characters, and shares of words
MAX_LINK_DENSITY = 0.2
SHORT_LENGTH, LONG_LENGTH = 70, 200
LOW_STOP_WORDS, HIGH_STOP_WORDS = 0.30, 0.32

HEADING_DISTANCE = 200  # maximum characters between a heading and its text


@dataclass(frozen=True, kw_only=True)
class ContextFreeGrades:
    """Grade each paragraph separately; *good* paragraphs are content, other grades are marks."""

    name: str = "context-free-grades"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        lengths, linked = _measure_characters(page), _count_linked_characters(page)
        bad = linked > MAX_LINK_DENSITY * lengths
        bad |= match_texts(page.texts, _find_copyright) | page.in_tags(REMOVED_TAGS)
        long_enough = ~bad & (lengths >= SHORT_LENGTH)
        density = _compute_stop_word_density(page, long_enough)
        good = long_enough & (density >= HIGH_STOP_WORDS) & (lengths > LONG_LENGTH)
        near_good = long_enough & (density >= LOW_STOP_WORDS) & ~good
        short = ~bad & (lengths < SHORT_LENGTH) & (linked == 0)
        graded = labeling.mark(GOOD, good).mark(NEAR_GOOD, near_good).mark(SHORT, short)
        return graded.classify(good, self.name)


def _compute_stop_word_density(page: Page, where: BoolArray) -> FloatArray:
    listed, density = get_stop_words(page.language), np.zeros(len(page))
    for block in np.flatnonzero(where).tolist():
        if listed is None:
            density[block] = has_clause(page.texts[block])
        else:
            words = page.texts[block].lower().split()
            density[block] = sum(word in listed for word in words) / max(1, len(words))
    return density


@dataclass(frozen=True, kw_only=True)
class ContextSensitiveGrades:
    """Grade *short* and *near good* paragraphs as good or bad by their neighbours; linear time."""

    name: str = "context-sensitive-grades"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        good, near, short = (labeling.marked(grade) for grade in (GOOD, NEAR_GOOD, SHORT))
        bad = ~(good | near | short)
        # a short paragraph between two good ones, or saved by a near good one
        above, below = _find_previous(good | bad), _find_next(good | bad)
        near_above, near_below = _find_previous(~short), _find_next(~short)
        good_above, good_below = _look_up(good, above), _look_up(good, below)
        saved = ~good_above & _look_up(near, near_above) | ~good_below & _look_up(near, near_below)
        good = good | short & (good_above & good_below | (good_above | good_below) & saved)
        above, below = _find_previous(~near), _find_next(~near)
        good = good | (near & (_look_up(good, above) | _look_up(good, below)))
        headings = page.in_tags(HEADING_TAGS) & (near | short)
        return labeling.update_content(good | (headings & _has_good_below(page, good)), self.name)


def _has_good_below(page: Page, good: BoolArray) -> BoolArray:
    starts, following = cumulate(_measure_characters(page)), _find_next(good)
    near: BoolArray = starts[following] - starts[1:] <= HEADING_DISTANCE
    return near & (following < len(good))


def _measure_characters(page: Page) -> IntArray:
    return measure_texts(page.texts, lambda text: round(_measure_text(text)))


def _count_linked_characters(page: Page) -> IntArray:
    def measure(text: str) -> int:
        return 0 if text.isspace() else round(_measure_text(_replace_spaces(" ", text)))

    return sum_over_links(page, measure)


def _measure_text(text: str) -> float:
    if text.isascii():
        return len(text)
    return len(text) + sum(extra * len(find(text)) for find, extra in _unspaced)


def _look_up(mask: BoolArray, indices: IntArray) -> BoolArray:
    return np.append(mask, [False])[indices]


def _find_previous(mask: BoolArray) -> IntArray:
    at = np.where(mask, np.arange(len(mask)), -1)
    before = np.concatenate((np.full(1, -1, dtype=np.int64), np.maximum.accumulate(at)))
    return before[:-1]


def _find_next(mask: BoolArray) -> IntArray:
    size = len(mask)
    return size - 1 - _find_previous(mask[::-1])[::-1]


ROWS: tuple[Extractor, ...] = (
    build_extractor("justext", "Pomikalek 2011, jusText 3.0.2",
        "paragraphs by length, links, stop words and neighbours; running text of any kind of page",
        ContextFreeGrades(), ContextSensitiveGrades(), segmenter=cut_paragraphs),
)  # fmt: skip
