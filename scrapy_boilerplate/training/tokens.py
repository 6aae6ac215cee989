"""Scores of an extracted text by its tokens, characters, shingles and snippets.

Precision and recall compare bags: the overlap over the extracted bag, and over the gold bag.
"""

import re
from collections import Counter
from collections.abc import Collection

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.text import HAN_KANA, SOUTH_EAST_ASIAN, collapse

_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_CHARACTERS = f"{HAN_KANA}{SOUTH_EAST_ASIAN}{_HANGUL}"
_find_tokens = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+").findall
_find_words = re.compile(r"\w+").findall

# tokens of a shingle (scrapinghub/article-extraction-benchmark)
SHINGLE_SIZE = 4
# a character that does not split a word
SOFT_HYPHEN = "\xad"
# a page below this token F1 counts as failed
POOR = 0.5

Bag = Counter[str]
Shingles = Counter[tuple[str, ...]]


def split_tokens(text: str) -> list[str]:
    r"""Return runs of ``\w``, and one token per character in scripts without spaces.

    In CJK, kana, hangul, Thai, Lao, Khmer and Burmese, ``\w+`` would match whole sentences.
    """
    if text.isascii():
        return list(_find_words(text))
    return list(_find_tokens(text.replace(SOFT_HYPHEN, "")))


def tokenize(text: str) -> list[str]:
    """Return the tokens of `text` in lower case."""
    return split_tokens(text.lower())


def compute_precision_recall_f1(
    shared: float, size: float, gold_size: float
) -> tuple[float, float, float]:
    """Return precision, recall and F1 from the sizes of the overlap, the extract and the gold.

    All are 1 if both sides are empty. Otherwise a quotient with a divisor of 0 is 0.
    """
    if not size and not gold_size:
        return 1.0, 1.0, 1.0
    return (
        shared / size if size else 0.0,
        shared / gold_size if gold_size else 0.0,
        2 * shared / (size + gold_size),
    )


# Tokens (Kohlschuetter et al. 2010, section 4.3.2)


def score_tokens(bag: Bag, gold: Bag) -> tuple[float, float, float]:
    """Return precision, recall and F1 of bags of tokens."""
    return compute_precision_recall_f1((bag & gold).total(), bag.total(), gold.total())


def compute_token_f1(text: str, gold: str) -> float:
    """Return the F1 of the bags of tokens; 1 if both are empty."""
    return score_tokens(Counter(tokenize(text)), Counter(tokenize(gold)))[2]


def summarize_tokens(rows: FloatArray) -> dict[str, float]:
    """Return the page means; `rows` float[pages, 3] are `score_tokens`."""
    precision, recall, f1 = rows.T
    return {
        "f1": float(f1.mean()),
        "median": float(np.median(f1)),
        "precision": float(precision.mean()),
        "recall": float(recall.mean()),
        "below_half": float((f1 < POOR).mean()),
    }


# Characters (Viveros-Jimenez et al. 2018, section 5), matched as parts of tokens: the paper does
# not define it. White space and punctuation do not count.


def count_shared_characters(bag: Bag, gold: Bag) -> tuple[int, int, int]:
    """Return the characters that are shared, extracted, and in the gold text."""
    shared, extracted, wanted = (
        sum(len(token) * times for token, times in side.items()) for side in (bag & gold, bag, gold)
    )
    return shared, extracted, wanted


def summarize_characters(rows: FloatArray) -> dict[str, float]:
    """Return the figures over the characters of all pages; `rows` float[pages, 3] are counts."""
    precision, recall, f1 = compute_precision_recall_f1(
        *(float(number) for number in rows.sum(axis=0))
    )
    return {"f1": f1, "precision": precision, "recall": recall}


def compute_character_f1(rows: FloatArray) -> FloatArray:
    """Return float[n]: the F1 of each page."""
    shared, extracted, wanted = rows.T
    return _divide_or_one(2 * shared, extracted + wanted)


# Shingles of four words, and exact accuracy, as in ``evaluate.py`` of
# scrapinghub/article-extraction-benchmark (11b407d): upper and lower case differ, precision and
# recall are page means, and F1 is computed from these means.


def build_shingles(text: str) -> Shingles:
    """Return the bag of shingles; a shorter text is one shingle, an empty text has no shingles."""
    words = split_tokens(text)
    if len(words) <= SHINGLE_SIZE:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(*(words[start:] for start in range(SHINGLE_SIZE)), strict=False))


def count_shingles(bag: Shingles, gold: Shingles) -> tuple[float, float, float]:
    """Return (right, too much, missing) as shares of all three; all 0 if both bags are empty."""
    right = (bag & gold).total()
    too_much, missing = bag.total() - right, gold.total() - right
    total = right + too_much + missing or 1
    return right / total, too_much / total, missing / total


def summarize_shingles(counts: FloatArray) -> dict[str, float]:
    """Return F1, precision, recall and exact accuracy over pages; `counts` float[pages, 3].

    Pages without an extracted shingle do not count for precision, and pages without a gold shingle
    do not count for recall. `accuracy` is the share of pages without an error.
    """
    right, too_much, missing = counts.T
    precision = _average_quotients(right, right + too_much)
    recall = _average_quotients(right, right + missing)
    both = precision + recall
    return {
        "f1": 2 * precision * recall / both if both else 0.0,
        "precision": precision,
        "recall": recall,
        "accuracy": float(np.mean((too_much == 0) & (missing == 0))),
    }


def _average_quotients(parts: FloatArray, wholes: FloatArray) -> float:
    defined = wholes > 0
    return float(np.mean(parts[defined] / wholes[defined])) if defined.any() else 0.0


def compute_shingle_f1(rows: FloatArray) -> FloatArray:
    """Return float[n]: the F1 of each page."""
    right, too_much, missing = rows.T
    return _divide_or_one(2 * right, 2 * right + too_much + missing)


def _divide_or_one(parts: FloatArray, wholes: FloatArray) -> FloatArray:
    return np.divide(parts, wholes, out=np.ones(len(parts)), where=wholes > 0)


# Snippets that must and must not be in the text (trafilatura's evaluation, Barbaresi 2021)


def count_segments(
    text: str, wanted: Collection[str], unwanted: Collection[str]
) -> tuple[int, int, int, int]:
    """Return (wanted and there, unwanted and there, wanted and missing, unwanted and missing).

    A snippet is there if it is part of the text; white space counts as one space on both sides.
    """
    flat = collapse(text)
    there = sum(collapse(snippet) in flat for snippet in wanted)
    too_much = sum(collapse(snippet) in flat for snippet in unwanted)
    return there, too_much, len(wanted) - there, len(unwanted) - too_much


def summarize_segments(counts: FloatArray) -> dict[str, float]:
    """Return F1, precision, recall and accuracy over all snippets; `counts` float[pages, 4]."""
    there, too_much, missing, left_out = (float(number) for number in counts.sum(axis=0))
    precision, recall, f1 = compute_precision_recall_f1(there, there + too_much, there + missing)
    accuracy = (there + left_out) / float(np.maximum(counts.sum(), 1))
    return {"f1": f1, "precision": precision, "recall": recall, "accuracy": accuracy}
