"""How many letters, numbers and marks of punctuation texts hold, as Unicode's categories say."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.label import FloatArray
from scrapy_boilerplate.text import PLANE, code_points

LETTERS, NUMBERS, PUNCTUATION = 1, 2, 3
r"""The classes ``\p{L}``, ``\p{N}`` and ``\p{P}``; 0 are all others: marks, symbols, spaces."""
CLASSES = {"L": LETTERS, "N": NUMBERS, "P": PUNCTUATION}


def class_counts(texts: Sequence[str]) -> FloatArray:
    """float[n, 4]: the characters of each class in each text. Linear in the characters."""
    size = len(CLASSES) + 1
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    joined = "".join(texts)
    codes = code_points(joined)
    classes = _class_of_character()[np.minimum(codes, PLANE - 1)]
    for place in np.flatnonzero(codes >= PLANE).tolist():
        classes[place] = _class(joined[place])
    cells = np.repeat(np.arange(len(texts)) * size, lengths) + classes
    counts = np.bincount(cells, minlength=len(texts) * size)
    return counts.reshape(-1, size).astype(np.float64)


@cache
def _class_of_character() -> NDArray[np.uint8]:
    """uint8[PLANE]: the class of each character."""
    return np.fromiter((_class(chr(code)) for code in range(PLANE)), np.uint8, PLANE)


def _class(character: str) -> int:
    return CLASSES.get(unicodedata.category(character)[0], 0)
