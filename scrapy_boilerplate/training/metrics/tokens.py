"""Bags of tokens and of characters: what most papers score an extracted text with."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.text import HAN_KANA, SOUTH_EAST_ASIAN

_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_CHARACTERS = f"{HAN_KANA}{SOUTH_EAST_ASIAN}{_HANGUL}"
_find_tokens = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+").findall
_find_words = re.compile(r"\w+").findall

Bag = Counter[str]


def split_tokens(text: str) -> list[str]:
    r"""Runs of ``\w``, but one token for each CJK, kana, hangul, Thai, Lao, Khmer, Burmese
    character (``\w+`` would take a sentence for one token)."""
    return list(_find_words(text) if text.isascii() else _find_tokens(text))


def tokens(text: str) -> list[str]:
    """The tokens of `text` in lower case."""
    return split_tokens(text.lower())


def precision_recall_f1(shared: float, found: float, wanted: float) -> tuple[float, float, float]:
    """From the sizes of the overlap, of what was found and of what was wanted.

    All 1 if nothing was wanted and nothing found; a quotient of nothing is 0 otherwise.
    """
    if not found and not wanted:
        return 1.0, 1.0, 1.0
    return (
        shared / found if found else 0.0,
        shared / wanted if wanted else 0.0,
        2 * shared / (found + wanted),
    )


def token_scores(found: Bag, wanted: Bag) -> tuple[float, float, float]:
    """Precision, recall and F1 of bags of tokens (Kohlschuetter et al. 2010, section 4.3.2)."""
    return precision_recall_f1((found & wanted).total(), found.total(), wanted.total())


def token_f1(text: str, gold: str) -> float:
    """F1 of the bags of tokens; 1 if both are empty."""
    return token_scores(Counter(tokens(text)), Counter(tokens(gold)))[2]


def character_counts(found: Bag, wanted: Bag) -> tuple[int, int, int]:
    """Characters that are right, found, wanted (Viveros-Jimenez et al. 2018, section 5).

    The paper counts characters that belong to the gold text and does not say how they are matched;
    here they are matched as parts of tokens, so that two texts that share nothing but letters share
    nothing. White space and punctuation do not count.
    """
    return _characters(found & wanted), _characters(found), _characters(wanted)


def _characters(bag: Bag) -> int:
    return sum(len(token) * times for token, times in bag.items())


def character_figures(rows: FloatArray) -> dict[str, float]:
    """Precision, recall and F1 over the characters of all pages; `rows` are counts, one a page."""
    shared, found, wanted = (float(number) for number in rows.sum(axis=0))
    precision, recall, f1 = precision_recall_f1(shared, found, wanted)
    return {
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "page_mean_f1": float(character_f1(rows).mean()),
    }


def character_f1(rows: FloatArray) -> FloatArray:
    """float[n]: the F1 of each page."""
    shared, found, wanted = rows.T
    both = found + wanted
    f1: FloatArray = np.divide(2 * shared, both, out=np.ones(len(rows)), where=both > 0)
    return f1
