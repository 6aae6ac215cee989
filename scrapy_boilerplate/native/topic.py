# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""The words that a block shares with the title, the description and the main text.

Cython compiles this file with the C types of `topic.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import MutableSequence

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

if not cython.compiled:
    from math import log, log1p

COMPILED = cython.compiled

PLANE = 0x10000
"""Number of characters of the Basic Multilingual Plane. Other characters separate words."""
UNSPACED = 0x2E00
"""The first character of the scripts in which each character counts as a word."""
MIN_LENGTH = 4
"""Minimum characters of a word of another script."""
SLOTS = 8192
"""Number of hash values of words; a page has some hundred to two thousand different words."""
FACTOR = 31
"""The factor of the hash."""
TITLE, DESCRIPTION = 1, 2
"""Bits of a word that is in the title, or in the description."""
N_COLUMNS = 9
"""Columns that `write_topic` writes."""
WIDTH = 2
"""Blocks to either side over which two columns are averaged."""


def fold_characters() -> array[int]:
    """Return the lower case of each letter and digit of the plane, 0 for other characters."""
    folded = array("H", bytes(2 * PLANE))
    for code, category in enumerate(map(unicodedata.category, map(chr, range(PLANE)))):
        if category[0] in "LMN":
            folded[code] = ord(chr(code).lower()[0])
    return folded


FOLDED = fold_characters()


class WordSets:
    """The different words of texts, at most `words`, as slots of their hash.

    The words of the text that is read next start at `used` in `found`.
    """

    def __init__(self, words: int) -> None:
        self.found, self.used, self.readings = array("i", [0]) * words, 0, 0
        self.seen = array("i", bytes(4 * SLOTS))

    def read(self, text: str) -> None:
        """Add the different words of a text."""
        folded, code, length = FOLDED, 0, 0
        self.readings += 1
        for character in text:
            point = ord(character)
            letter = folded[point] if point < PLANE else 0
            if letter and letter < UNSPACED:
                code = (code * FACTOR + letter) & 0xFFFFFF
                length += 1
                continue
            if length >= MIN_LENGTH:
                self.add(code)
            if letter:
                self.add(letter)
            code = length = 0
        if length >= MIN_LENGTH:
            self.add(code)

    def add(self, code: int) -> None:
        """Add a word, unless it was added for this text."""
        slot = (code ^ code >> 11) & (SLOTS - 1)
        if self.seen[slot] != self.readings:
            self.seen[slot] = self.readings
            self.found[self.used] = slot
            self.used += 1


def limit_words(text: str) -> int:
    """Return the maximum number of words of a text."""
    return (len(text) + 1) // (MIN_LENGTH + 1) if text.isascii() else len(text)


class TopicColumns:
    """The topic columns of a page: float[N_COLUMNS * n], column after column, in `values`.

    The weight of a word is the log of n + 1 divided by the number of blocks that have it.
    """

    def __init__(self, values: MutableSequence[float], texts: list[str], others: int) -> None:
        self.values, self.n = values, len(texts)
        self.words = WordSets(sum(map(limit_words, texts)) + others)
        self.starts = array("q", bytes(8 * (self.n + 1)))
        self.frequency, self.main = array("q", bytes(8 * SLOTS)), array("q", bytes(8 * SLOTS))
        self.marks, self.title_words = array("q", bytes(8 * SLOTS)), 0

    def read_mark(self, text: str, mark: int) -> int:
        """Mark the words of the title or the description; return their number."""
        words = self.words
        words.read(text)
        n, words.used = words.used, 0
        for k in range(n):
            self.marks[words.found[k]] |= mark
        return n

    def read_blocks(self, texts: list[str], is_main: bytes) -> None:
        """Count the blocks, and the blocks of the main text, that have each word."""
        words, starts = self.words, self.starts
        for i in range(self.n):
            words.read(texts[i])
            starts[i + 1] = words.used
            for k in range(starts[i], words.used):
                self.frequency[words.found[k]] += 1
                self.main[words.found[k]] += is_main[i]

    def write_block(self, i: int, own: int) -> None:
        """Write the columns of block `i`; `own` is 1 if it is of the main text."""
        n, values, found = self.n, self.values, self.words.found
        total = of_title = of_description = of_main = common = 0.0
        in_title, first, end = 0, self.starts[i], self.starts[i + 1]
        for k in range(first, end):
            slot = found[k]
            weight, others = log((n + 1) / self.frequency[slot]), self.main[slot] - own
            total += weight
            if self.marks[slot] & TITLE:
                in_title += 1
                of_title += weight
            if self.marks[slot] & DESCRIPTION:
                of_description += weight
            if others:
                of_main += weight
                common += log1p(others)
        if end > first:
            values[i] = of_title / total
            values[i + n] = of_description / total
            values[i + 2 * n] = of_main / total
            values[i + 3 * n] = log1p(in_title)
            values[i + 4 * n] = in_title / max(self.title_words, 1)
            values[i + 5 * n] = common / (end - first)
            values[i + 6 * n] = log1p(total)

    def write_means(self, column: int, target: int) -> None:
        """Write the means of a column over neighbours into the column `target`."""
        n, values = self.n, self.values
        for i in range(n):
            total = 0.0
            for k in range(max(i - WIDTH, 0), min(i + WIDTH, n - 1) + 1):
                total += values[column * n + k]
            values[target * n + i] = total / (2 * WIDTH + 1)


def write_topic(
    values: MutableSequence[float], texts: list[str], is_main: bytes, title: str, description: str
) -> None:
    """Write the N_COLUMNS topic columns, column after column, into `values`.

    `is_main` has 1 for each block of the main text.
    """
    columns = TopicColumns(values, texts, len(title) + len(description))
    columns.read_mark(description, DESCRIPTION)
    columns.title_words = columns.read_mark(title, TITLE)
    columns.read_blocks(texts, is_main)
    for i in range(len(texts)):
        columns.write_block(i, is_main[i])
    columns.write_means(0, 7)
    columns.write_means(2, 8)
