"""Snippets that must and must not be in the text (trafilatura's evaluation, Barbaresi 2021)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.training.metrics.tokens import precision_recall_f1


def segment_counts(
    text: str, wanted: Collection[str], unwanted: Collection[str]
) -> tuple[int, int, int, int]:
    """(wanted and there, unwanted and there, wanted and missing, unwanted and missing).

    A snippet is there if it is part of the text; white space counts as one space on both sides.
    """
    flat = collapse(text)
    there = sum(collapse(snippet) in flat for snippet in wanted)
    too_much = sum(collapse(snippet) in flat for snippet in unwanted)
    return there, too_much, len(wanted) - there, len(unwanted) - too_much


def segment_figures(counts: FloatArray) -> dict[str, float]:
    """F1, precision, recall and accuracy over all snippets; `counts` float[pages, 4]."""
    there, too_much, missing, left_out = (float(number) for number in counts.sum(axis=0))
    precision, recall, f1 = precision_recall_f1(there, there + too_much, there + missing)
    accuracy = (there + left_out) / float(np.maximum(counts.sum(), 1))
    return {"f1": f1, "precision": precision, "recall": recall, "accuracy": accuracy}
