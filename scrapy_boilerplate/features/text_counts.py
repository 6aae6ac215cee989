"""What Web2Text counts in a text node, and adds up over the nodes above it.

Reference: Vogels et al. 2018, section 3.3; marks, patterns and details follow dalab/web2text
(``NodeProperties``), where words are runs of letters, digits and underscores. Ours: letters of
every script (there ASCII alone), the marks of other scripts beside Latin ones, and a link is one
with an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page import Page

PUNCTUATION = ".,?;:!" + "。、，？；：！" + "،؟؛।"
QUESTION_MARKS = "?？؟"

_words = re.compile(r"\w+").findall
_digits = re.compile(r"\d").findall
_marks = re.compile(f"[{PUNCTUATION}]").findall
_after_sentence = re.compile(r"[.?!;]\s+(\w)").findall

PATTERNS: dict[str, Callable[[str], object]] = {
    "ends_with_punctuation": lambda text: text[-1:] in PUNCTUATION and text,
    "ends_with_question_mark": lambda text: text[-1:] in QUESTION_MARKS and text,
    "contains_copyright": lambda text: "©" in text,
    "contains_email": re.compile(r"\w@[\w.]").search,
    "contains_url": re.compile(r"\b(?:https?|ftp)://[^\s/$.?#]\S*\b").search,
    "contains_year": re.compile(r"\b\d{4}\b").search,
}
"""Name to a test of a text. The first two hold for a node if they hold for its last text node."""

LAST_DECIDES = 2

COUNTS = (
    "characters",
    "words",
    "word_characters",
    "stop_words",
    "capitals",
    "sentences",
    "punctuation",
    "digits",
    "link_characters",
)


@dataclass(frozen=True, eq=False)
class TextCounts:
    """Counts of texts or of nodes: `counts` name to int[m], `has` name to bool[m], and where they
    stand, `starts` and `ends` float[m], in characters of text from the first one on."""

    counts: dict[str, IntArray]
    has: dict[str, BoolArray]
    starts: FloatArray
    ends: FloatArray

    @property
    def length(self) -> float:
        """Characters of the page; at least 1."""
        return float(max(self.ends.max(initial=1.0), 1.0))


def text_counts(page: Page, stop_words: Collection[str]) -> TextCounts:
    """The counts of every block; linear time."""
    rows = np.array([_count(text, stop_words) for text in page.texts], dtype=np.int64)
    rows = rows.reshape(len(page), len(COUNTS) - 1)
    in_link = np.array(page.leaves.in_link, dtype=np.bool_)[page.blocks.first_leaf]
    counts = dict(zip(COUNTS, rows.T, strict=False))
    counts["link_characters"] = counts["characters"] * in_link
    has = {
        name: np.fromiter((bool(holds(text)) for text in page.texts), np.bool_, len(page))
        for name, holds in PATTERNS.items()
    }
    ends = np.cumsum(counts["characters"]).astype(np.float64)
    return TextCounts(counts, has, ends - counts["characters"], ends)


def counts_of_nodes(of_blocks: TextCounts, first: IntArray, end: IntArray) -> TextCounts:
    """The counts of nodes that hold the blocks ``first <= block < end``, int[m] each, end > first.

    Counts are sums; what the last text decides is taken from it.
    """
    last = end - 1
    has = {
        name: column[last] if number < LAST_DECIDES else _sums(column, first, end) > 0
        for number, (name, column) in enumerate(of_blocks.has.items())
    }
    counts = {name: _sums(column, first, end) for name, column in of_blocks.counts.items()}
    return TextCounts(counts, has, of_blocks.starts[first], of_blocks.ends[last])


def _sums(column: IntArray | BoolArray, first: IntArray, end: IntArray) -> IntArray:
    sums: IntArray = np.concatenate(([0], np.cumsum(column, dtype=np.int64)))
    of_nodes: IntArray = sums[end] - sums[first]
    return of_nodes


def _count(text: str, stop_words: Collection[str]) -> tuple[int, ...]:
    """COUNTS without the last."""
    words = _words(text)
    return (
        max(len(text), 1),
        len(words),
        sum(map(len, words)),
        sum(word.lower() in stop_words for word in words),
        sum(word[0].isupper() for word in words),
        1 + sum(map(str.isupper, _after_sentence(text))),
        len(_marks(text)),
        len(_digits(text)),
    )
