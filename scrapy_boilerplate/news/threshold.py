"""Decide what is content by the F1 that the scores promise; the confidence is that F1.

Lewis 1995 (Evaluating and optimizing autonomous text classification systems) chooses a threshold
by expected F1; the clips and its use as confidence are of LEARNING.md (the recipe, 5 and 6).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

LOWEST, HIGHEST = 0.3, 0.6
"""A block under LOWEST is never content, one over HIGHEST always is."""


@dataclass(frozen=True, kw_only=True)
class ExpectedF1Threshold:
    """Blocks over a threshold become full text: the one with the highest expected F1 of words."""

    lowest: float = LOWEST
    highest: float = HIGHEST
    name: str = "expected-f1"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.scores[:, Label.FULL_TEXT]
        threshold = min(max(_best_threshold(content, _weights(page)), self.lowest), self.highest)
        return labeling.choose(content >= threshold, Label.FULL_TEXT, self.name)


def expected_f1(page: Page, labeling: Labeling) -> float:
    """The F1 of the words of the content that the scores let expect, 0 to 1; 0 without content."""
    if not (labeling.content & (page.words > 0)).any():
        return 0.0
    weights, scores = _weights(page), labeling.scores[:, Label.FULL_TEXT]
    right = float((scores * weights)[labeling.content].sum())
    found, wanted = float(weights[labeling.content].sum()), float((scores * weights).sum())
    return min(1.0, 2 * right / max(found + wanted, 1e-9))


def _weights(page: Page) -> FloatArray:
    """float[n]: a block without words counts as one."""
    return np.maximum(page.words, 1).astype(np.float64)


def _best_threshold(scores: FloatArray, weights: FloatArray) -> float:
    """The score of the last block to keep, if those with the highest scores are kept first."""
    if not len(scores):
        return HIGHEST
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum((scores * weights)[order])
    f1 = 2 * right / (np.cumsum(weights[order]) + right[-1] + 1e-9)
    return float(scores[order[int(np.argmax(f1))]])
