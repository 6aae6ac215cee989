"""What the text of a block looks like, in any script: lengths and kinds of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.text import PLANE, code_points, portions

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


def _shallow(facts: Facts) -> Sequence[FloatArray]:
    counts, first, last = character_kinds(facts.page.texts)
    lengths = counts.sum(axis=1)
    visible = np.maximum(lengths - counts[:, SPACE], 1.0)
    words = np.maximum(facts.words, 1.0)
    return (
        np.log1p(facts.words),
        np.log1p(facts.words - facts.link_words),
        facts.link_density,
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
        facts.good.astype(np.float64),
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
    _shallow,
)


def character_kinds(texts: Sequence[str]) -> tuple[FloatArray, IntArray, IntArray]:
    """(float[n, N_KINDS] characters of each kind, int[n] kind of the first, int[n] of the last).

    An empty text starts and ends with a space. Linear in the characters.
    """
    parts = [_character_kinds(portion) for portion in portions(texts)]
    counts, first, last = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return counts, first, last


def _character_kinds(texts: Sequence[str]) -> tuple[FloatArray, IntArray, IntArray]:
    if not texts:
        nothing = np.zeros(0, dtype=np.int64)
        return np.zeros((0, N_KINDS)), nothing, nothing
    joined = "\n".join(texts)
    codes = code_points(joined)
    kinds = kind_of_character()[np.minimum(codes, PLANE - 1)]  # those beyond: as its last one
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.concatenate(([0], np.cumsum(lengths[:-1] + 1)))
    block = np.repeat(np.arange(len(texts)) * N_KINDS, lengths + 1)[:-1]
    counts = np.bincount(block + kinds, minlength=len(texts) * N_KINDS).reshape(-1, N_KINDS)
    counts[:-1, SPACE] -= 1  # the line breaks between the texts
    ends = np.maximum(starts + lengths - 1, 0)
    ended = np.append(kinds, SPACE)
    first, last = ended[starts], ended[ends]
    return counts.astype(np.float64), first.astype(np.int64), last.astype(np.int64)


@cache
def kind_of_character() -> NDArray[np.uint8]:
    """uint8[PLANE]: the kind of each character."""
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
