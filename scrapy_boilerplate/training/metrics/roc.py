"""The area under the ROC curve of scores that should tell two classes apart."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray


def roc_auc(scores: FloatArray, positive: BoolArray) -> float:
    """The share of pairs of a positive and a negative that `scores` (float[n]) put in order; ties
    count half (Hanley and McNeil 1982). 0.5 says nothing, 1 is perfect; NaN if a class is empty.
    """
    negatives = np.sort(scores[~positive])
    found = scores[positive]
    if not len(negatives) or not len(found):
        return float("nan")
    below = np.searchsorted(negatives, found, "left") + np.searchsorted(negatives, found, "right")
    return float(below.mean()) / (2 * len(negatives))
