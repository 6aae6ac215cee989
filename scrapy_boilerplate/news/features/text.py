"""Features of text: `SHALLOW`, lengths and kinds of characters in any script, and `LIKENESS`.

The latter compares a block with the title and the description of the page, and its other blocks.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.features.block_columns import BlockColumns, FeatureTable
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.text import PLANE, load_reader, split_portions, to_code_points
from scrapy_boilerplate.steps.titles import START_LENGTH

SPACE, LETTER, UPPER, DIGIT, STOP, COMMA, QUOTE, SEPARATOR, SYMBOL = range(9)
"""Kinds of characters."""
N_KINDS = 9

OF_KIND = {
    STOP: ".!?\u2026\u3002\uff01\uff1f\uff0e\u0964\u06d4\u061f\u037e",
    COMMA: ",;\u060c\u3001\uff0c\uff1b\u061b",
    QUOTE: "\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a"
    "\u300c\u300d\u300e\u300f",
    SEPARATOR: "|\u2022\u00b7\u2192\u2190\u25ba\u25b6/\\>:<\u2013\u2014-_\uff1a\uff5c",
}
"""Punctuation of the scripts that news is written in."""

MIN_START = 24
"""Characters of a text at least that is compared with the description (our choice)."""


@cache
def build_kind_table() -> NDArray[np.uint8]:
    """Return uint8[PLANE]: the kind of each character."""
    kinds = np.full(PLANE, SYMBOL, dtype=np.uint8)
    for code in range(PLANE):
        category = unicodedata.category(chr(code))
        if category[0] == "L" or category[0] == "M":
            kinds[code] = UPPER if category in ("Lu", "Lt") else LETTER
        elif category[0] == "N":
            kinds[code] = DIGIT
        elif category[0] in "ZC":
            kinds[code] = SPACE
    for kind, characters in OF_KIND.items():
        kinds[[ord(character) for character in characters]] = kind
    return kinds


def count_character_kinds(texts: Sequence[str]) -> tuple[FloatArray, IntArray, IntArray]:
    """Return float[n, N_KINDS], characters of each kind, and int[n] twice, kind of first and last.

    An empty text starts and ends with a space. Linear in the characters.
    """
    reader = load_reader()
    return _count_in_portions(texts) if reader is None else _count_natively(reader, texts)


def _count_natively(reader: Any, texts: Sequence[str]) -> tuple[FloatArray, IntArray, IntArray]:
    counts = np.empty((len(texts), N_KINDS))
    first, last = np.empty((2, len(texts)), dtype=np.int64)
    reader.count_kinds(texts, build_kind_table(), SPACE, counts, first, last)
    return counts, first, last


def _count_in_portions(texts: Sequence[str]) -> tuple[FloatArray, IntArray, IntArray]:
    n = len(texts)
    counts, ends = np.zeros((n, N_KINDS)), np.zeros((2, n), dtype=np.int64)
    rows = slice(0, 0)
    for portion in split_portions(texts) if n else ():
        rows = slice(rows.stop, rows.stop + len(portion))
        codes = to_code_points("\n".join(portion))
        kinds = build_kind_table()[np.minimum(codes, PLANE - 1)]  # those beyond: as its last one
        lengths = np.fromiter(map(len, portion), np.int64, len(portion))
        starts = np.concatenate(([0], np.cumsum(lengths[:-1] + 1)))
        block = np.repeat(np.arange(len(portion)) * N_KINDS, lengths + 1)[:-1]
        of_block = np.bincount(block + kinds, minlength=len(portion) * N_KINDS)
        counts[rows] = of_block.reshape(-1, N_KINDS)
        counts[rows][:-1, SPACE] -= 1  # the line breaks between the texts
        ended = np.append(kinds, SPACE)
        ends[0, rows] = ended[starts]
        ends[1, rows] = ended[np.maximum(starts + lengths - 1, 0)]
    return counts, ends[0], ends[1]


def _compute_shallow(blocks: BlockColumns) -> Sequence[FloatArray]:
    counts, first, last = count_character_kinds(blocks.page.texts)
    lengths = counts.sum(axis=1)
    visible = np.maximum(lengths - counts[:, SPACE], 1.0)
    words = np.maximum(blocks.words, 1.0)
    return (
        np.log1p(blocks.words),
        np.log1p(blocks.words - blocks.link_words),
        blocks.link_density,
        np.log1p(lengths),
        visible / words / 10.0,
        counts[:, UPPER] / visible,
        counts[:, DIGIT] / visible,
        counts[:, STOP] / words,
        counts[:, COMMA] / words,
        counts[:, QUOTE] / words,
        counts[:, SEPARATOR] / words,
        counts[:, SYMBOL] / visible,
        np.log1p(counts[:, STOP]),
        np.log1p(counts[:, COMMA]),
        (last == STOP).astype(np.float64),
        (last == SEPARATOR).astype(np.float64),
        (first == UPPER).astype(np.float64),
        (first == DIGIT).astype(np.float64),
        (first == QUOTE).astype(np.float64),
        blocks.good.astype(np.float64),
    )


SHALLOW = FeatureTable(
    {
        "words": "log of 1 + the number of words",
        "unlinked_words": "log of 1 + the number of words outside links",
        "link_density": "share of the words that is in links",
        "characters": "log of 1 + the number of characters",
        "word_length": "mean length of a word, in tens of characters",
        "upper": "share of the characters that is upper case",
        "digits": "share of the characters that is digits",
        "stops": "full stops, question and exclamation marks a word",
        "commas": "commas and semicolons a word",
        "quotes": "quotation marks a word",
        "separators": "bars, dashes, bullets, colons and slashes a word",
        "symbols": "share of the characters that is other punctuation or symbols",
        "n_stops": "log of 1 + the number of full stops and the like",
        "n_commas": "log of 1 + the number of commas and semicolons",
        "ends_sentence": "whether the last character ends a sentence",
        "ends_separator": "whether the last character is a separator",
        "starts_upper": "whether the first character is upper case",
        "starts_digit": "whether the first character is a digit",
        "starts_quote": "whether the first character is a quotation mark",
        "good": "whether it reads like a paragraph: many words, few of them in links",
    },
    _compute_shallow,
)


def _compute_likeness(blocks: BlockColumns) -> Sequence[FloatArray]:
    page = blocks.page
    title, description = page.title.lower(), page.description.lower()
    opening = description[:START_LENGTH] if len(description) >= MIN_START else ""
    texts, columns = page.texts, np.zeros((6, blocks.n))
    starts = [text[:START_LENGTH].lower() for text in texts]
    columns[0] = [
        min(len(start) / len(title), 1.0) if len(start) > 3 and start in title else 0.0
        for start in starts
    ]
    if opening:
        columns[1] = [len(start) >= MIN_START and start in description for start in starts]
        if opening in "\n".join(texts).lower():  # on few pages
            columns[2] = [len(text) > len(opening) and opening in text.lower() for text in texts]
    counts, first = Counter(starts), dict[str, int]()
    columns[3] = np.log1p([counts[start] - 1 for start in starts])
    columns[4] = [first.setdefault(start, block) != block for block, start in enumerate(starts)]
    columns[5] = blocks.order == blocks.title
    return list(columns)


LIKENESS = FeatureTable(
    {
        "in_title": "length of its start, of the title's, if the title holds it",
        "in_description": "whether the page's description holds its start",
        "holds_description": "whether it holds the start of the page's description",
        "same_start": "log of 1 + the other blocks that start alike",
        "repeated": "whether a block before it starts alike",
        "is_title": "whether it is the block of the title",
    },
    _compute_likeness,
)
