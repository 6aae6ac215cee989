"""Trains `c48`, `c48-4` and `c48-6`: decision trees over the shallow features of 2010.

The paper uses C4.8, Weka's C4.5 (Quinlan 1993). Here scikit-learn grows the trees by information
gain: F1 and ROC AUC on L3S-GN1 differ from C4.5 by at most .001 (docs/learned.md). Trees are not
pruned; as in the paper, the minimum size of the leaves keeps them small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.shallow.classifiers import DecisionTree
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.training.examples import (
    Progress,
    collect_block_examples,
    name_classes,
    select_classes,
)
from scrapy_boilerplate.training.gold import Gold

# least share of the training words in a leaf: the paper's 1000 "instances", which can only be
# words, of its 520,483 (section 4.3.1 and Table 1). A share serves smaller and larger corpora
MIN_LEAF_SHARE = 1000 / 520_483


def train_c48(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, classes: int = 2
) -> StoredModel:
    """Return a tree for 2, 4 or 6 classes; words weigh, as in the paper.

    `seed` decides between columns of the same gain.
    """
    usable, groups = select_classes(pages, classes)
    examples = collect_block_examples(usable, AtomicBlocks(), LOCAL, progress)
    tree = fit_c48(examples.rows, examples.classes(groups), examples.words, len(groups), seed)
    facts = {CLASSES: name_classes(groups), "seed": seed, "leaves": tree.leaves}
    return StoredModel(kind="c48", columns=tuple(LOCAL.about), facts=facts, arrays=tree.arrays())


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
