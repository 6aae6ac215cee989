"""Trains decision trees and linear SVMs over the shallow features of Kohlschuetter et al. 2010.

The paper's trees come from C4.8, Weka's C4.5 (Quinlan 1993). Here scikit-learn grows them by
information gain: F1 and ROC AUC on L3S-GN1 differ from C4.5 by at most .001 (docs/learned.md).
Trees are not pruned; as in the paper, the minimum size of the leaves keeps them small.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.shallow.classifiers import DecisionTree, LinearClassifier
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.training.examples import (
    Progress,
    collect_block_examples,
    name_classes,
    select_classes,
)
from scrapy_boilerplate.training.gold import Gold

# minimum share of the training words in a leaf: the paper's 1000 "instances", which can only be
# words, of its 520,483 (section 4.3.1 and Table 1). A share serves smaller and larger corpora
MIN_LEAF_SHARE = 1000 / 520_483
# C of the SVM (the default of Weka's SMO and of liblinear)
COST = 1.0
# standard deviations at which columns are clipped (quotients have long tails)
LIMIT = 10.0
# maximum rounds of the solver of the SVM
MAX_ROUNDS = 10_000


def train_shallow(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, kind: str, classes: int
) -> StoredModel:
    """Return a model of the kind ``c48`` or ``svm`` for 2, 4 or 6 classes.

    Words weigh, as in the paper. `seed` decides between columns of a tree with the same gain.
    """
    usable, label_sets = select_classes(pages, classes)
    examples = collect_block_examples(usable, AtomicBlocks(), LOCAL, progress)
    codes, facts = examples.classes(label_sets), {CLASSES: name_classes(label_sets), "seed": seed}
    model: DecisionTree | LinearClassifier
    if kind == "c48":
        model = tree = fit_c48(examples.rows, codes, examples.words, len(label_sets), seed)
        facts["leaves"] = tree.leaves
    else:
        model = fit_svm(examples.rows, codes, examples.words, len(label_sets))
    return StoredModel(kind=kind, columns=LOCAL.names, facts=facts, arrays=model.arrays())


def fit_c48(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int, seed: int = 0
) -> DecisionTree:
    """Grow the tree of blocks with `words` (float[n]). Raises MissingExtraError."""
    trees = import_optional("sklearn.tree", "training a tree", "evaluate")
    classifier = trees.DecisionTreeClassifier(
        criterion="entropy", min_weight_fraction_leaf=MIN_LEAF_SHARE, random_state=seed
    )
    classifier.fit(rows, classes, sample_weight=words)
    tree: Any = classifier.tree_
    nodes = np.arange(tree.node_count)
    shares = np.zeros((len(nodes), n_classes))
    shares[:, classifier.classes_] = tree.value[:, 0]
    return DecisionTree(
        features=np.maximum(tree.feature, 0),
        thresholds=tree.threshold,
        left=np.where(tree.children_left < 0, nodes, tree.children_left),
        right=np.where(tree.children_right < 0, nodes, tree.children_right),
        shares=shares / shares.sum(axis=1, keepdims=True),
        depth=tree.max_depth,
    )


def fit_svm(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int
) -> LinearClassifier:
    """Fit the SVM to blocks with `words` (float[n]), without randomness in the primal problem."""
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
    return replace(
        start,
        weights=np.stack([part[0] for part in parts], axis=1),
        biases=np.array([part[1] for part in parts]),
        curves=np.stack([part[2] for part in parts]),
    )


def _fit_class(
    scaled: FloatArray, is_class: BoolArray, weights: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return weights, bias and logistic curve of the margin of one class against the rest."""
    if is_class.all() or not is_class.any():  # one class only: a constant margin
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
