"""Trains `svm`, `svm-4` and `svm-6`: linear SVMs over the shallow features of 2010."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.steps.classifier import CLASSES
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.systems.shallow.svm import LinearClassifier
from scrapy_boilerplate.training.examples import Progress, block_examples, class_names
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.trainers.c48 import pages_and_classes

COST = 1.0
"""C of the SVM (the default of Weka's SMO and of liblinear)."""
LIMIT = 10.0
"""Standard deviations at which columns are clipped (our choice: quotients have long tails)."""
MAX_ROUNDS = 10_000


def train(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, classes: int = 2
) -> StoredModel:
    """A linear SVM that tells 2, 4 or 6 classes apart (one against the rest); words weigh."""
    usable, chosen = pages_and_classes(pages, classes)
    examples = block_examples(usable, AtomicBlocks(), LOCAL, progress)
    svm = fitted(examples.rows, examples.classes(chosen), examples.words, len(chosen))
    facts = {CLASSES: class_names(chosen), "seed": seed}
    return StoredModel(kind="svm", columns=tuple(LOCAL.about), facts=facts, arrays=svm.arrays())


def fitted(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int
) -> LinearClassifier:
    """The SVM of blocks with `words` (float[n]). The primal problem: nothing is drawn at random."""
    scales = rows.std(axis=0)
    start = LinearClassifier(
        means=rows.mean(axis=0),
        scales=np.where(scales > 0, scales, 1),
        weights=np.zeros((rows.shape[1], 0)),
        biases=np.zeros(0),
        curves=np.zeros((0, 2)),
        limit=LIMIT,
    )
    scaled, weights = start.scaled(rows), words / words.mean()
    wanted = [1] if n_classes == 2 else range(n_classes)
    parts = [_one_class(scaled, classes == one, weights) for one in wanted]
    return LinearClassifier(
        means=start.means,
        scales=start.scales,
        weights=np.stack([part[0] for part in parts], axis=1),
        biases=np.array([part[1] for part in parts]),
        curves=np.stack([part[2] for part in parts]),
        limit=LIMIT,
    )


def _one_class(
    scaled: FloatArray, is_class: BoolArray, weights: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Weights, bias and logistic curve of the margin of one class against the rest."""
    if is_class.all() or not is_class.any():  # nothing to tell apart: always the same answer
        return np.zeros(scaled.shape[1]), 0.0, np.array([0.0, 4.0 if is_class.all() else -4.0])
    svm = optional("sklearn.svm", "training an SVM").LinearSVC(
        C=COST, dual=False, max_iter=MAX_ROUNDS
    )
    svm.fit(scaled, is_class, sample_weight=weights)
    margins = svm.decision_function(scaled)[:, np.newaxis]
    curve: Any = optional("sklearn.linear_model", "training an SVM").LogisticRegression()
    curve.fit(margins, is_class, sample_weight=weights)
    odds = np.array([curve.coef_[0, 0], curve.intercept_[0]])
    return svm.coef_[0], float(svm.intercept_[0]), odds
