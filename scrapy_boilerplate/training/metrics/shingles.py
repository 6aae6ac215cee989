"""Shingles of four words, and exact accuracy (scrapinghub/article-extraction-benchmark, 2020).

The benchmark's ``evaluate.py`` is followed (commit 11b407d): upper and lower case differ, a page's
counts add up to 1, precision and recall are page means, F1 is of those means. One token for each
CJK, kana, hangul and Thai character is ours.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.metrics.tokens import split_tokens

SIZE = 4
"""Tokens to a shingle."""

Shingles = Counter[tuple[str, ...]]


def shingles(text: str) -> Shingles:
    """The bag of shingles; a text shorter than one is a shingle itself, an empty one has none."""
    found = split_tokens(text)
    if len(found) <= SIZE:
        return Counter([tuple(found)] if found else [])
    return Counter(zip(*(found[start:] for start in range(SIZE)), strict=False))


def shingle_counts(found: Shingles, wanted: Shingles) -> tuple[float, float, float]:
    """(right, too much, missing) as shares of all three; all 0 if both bags are empty."""
    right = (found & wanted).total()
    too_much, missing = found.total() - right, wanted.total() - right
    total = right + too_much + missing or 1
    return right / total, too_much / total, missing / total


def shingle_figures(counts: FloatArray) -> dict[str, float]:
    """F1, precision, recall and exact accuracy over pages; `counts` float[pages, 3].

    Pages without a found shingle do not count for precision, pages without a wanted one not for
    recall, as in the benchmark. `accuracy` is the share of pages with nothing wrong.
    """
    right, too_much, missing = counts.T
    precision = _mean_quotient(right, right + too_much)
    recall = _mean_quotient(right, right + missing)
    both = precision + recall
    return {
        "f1": 2 * precision * recall / both if both else 0.0,
        "precision": precision,
        "recall": recall,
        "accuracy": float(np.mean((too_much == 0) & (missing == 0))),
    }


def _mean_quotient(parts: FloatArray, wholes: FloatArray) -> float:
    defined = wholes > 0
    return float(np.mean(parts[defined] / wholes[defined])) if defined.any() else 0.0


def shingle_f1(rows: FloatArray) -> FloatArray:
    """float[n]: the F1 of each page."""
    right, too_much, missing = rows.T
    whole = 2 * right + too_much + missing
    f1: FloatArray = np.divide(2 * right, whole, out=np.ones(len(rows)), where=whole > 0)
    return f1
