"""Trains `svm`, `svm-4` and `svm-6`: linear SVMs over the shallow features of 2010."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.shallow.classifiers import LinearClassifier
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.training.examples import (
    Progress,
    collect_block_examples,
    name_classes,
    select_classes,
)
from scrapy_boilerplate.training.gold import Gold

# C of the SVM (the default of Weka's SMO and of liblinear)
COST = 1.0

# standard deviations at which columns are clipped (quotients have long tails)
LIMIT = 10.0

# rounds of the solver at most
MAX_ROUNDS = 10_000


def train_svm(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, classes: int = 2
) -> StoredModel:
    """Return a linear SVM for 2, 4 or 6 classes (one against the rest); words weigh."""
    usable, groups = select_classes(pages, classes)
    examples = collect_block_examples(usable, AtomicBlocks(), LOCAL, progress)
    svm = fit_svm(examples.rows, examples.classes(groups), examples.words, len(groups))
    facts = {CLASSES: name_classes(groups), "seed": seed}
    return StoredModel(kind="svm", columns=tuple(LOCAL.about), facts=facts, arrays=svm.arrays())


def fit_svm(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int
) -> LinearClassifier:
    """Fit the SVM to blocks with `words` (float[n]). The primal problem: nothing is drawn."""
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
    codes = [1] if n_classes == 2 else range(n_classes)
    parts = [_fit_class(scaled, classes == code, weights) for code in codes]
    return LinearClassifier(
        means=start.means,
        scales=start.scales,
        weights=np.stack([part[0] for part in parts], axis=1),
        biases=np.array([part[1] for part in parts]),
        curves=np.stack([part[2] for part in parts]),
        limit=LIMIT,
    )


def _fit_class(
    scaled: FloatArray, is_class: BoolArray, weights: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return weights, bias and logistic curve of the margin of one class against the rest."""
    if is_class.all() or not is_class.any():  # one class only: always the same answer
        return np.zeros(scaled.shape[1]), 0.0, np.array([0.0, 4.0 if is_class.all() else -4.0])
    svm = import_optional("sklearn.svm", "training an SVM", "evaluate").LinearSVC(
        C=COST, dual=False, max_iter=MAX_ROUNDS
    )
    svm.fit(scaled, is_class, sample_weight=weights)
    margins = svm.decision_function(scaled)[:, np.newaxis]
    curve: Any = import_optional(
        "sklearn.linear_model", "training an SVM", "evaluate"
    ).LogisticRegression()
    curve.fit(margins, is_class, sample_weight=weights)
    odds = np.array([curve.coef_[0, 0], curve.intercept_[0]])
    return svm.coef_[0], float(svm.intercept_[0]), odds
