"""Trains `c48`, `c48-4` and `c48-6`: C4.5-style trees over the shallow features of 2010."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.classifier import CLASSES
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.shallow.c48 import DecisionTree
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import (
    Progress,
    block_examples,
    class_names,
    two_classes,
)
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.blocks import FOUR_CLASSES, SIX_CLASSES, Classes
from scrapy_boilerplate.training.trees import Growth, grow_tree

MIN_LEAF_SHARE = 1000 / 520_483
"""Least share of the training words in a leaf: the paper's 1000 "instances", which can only be
words, of its 520,483 (sections 4.3.1 and Table 1). A share serves smaller and larger corpora."""


def train(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, classes: int = 2
) -> StoredModel:
    """A tree that tells 2, 4 or 6 classes apart; words weigh, as in the paper.

    Nothing is drawn at random: every `seed` gives the same tree.
    """
    usable, chosen = pages_and_classes(pages, classes)
    examples = block_examples(usable, AtomicBlocks(), LOCAL, progress)
    tree = grown(examples.rows, examples.classes(chosen), examples.words, len(chosen))
    facts = {CLASSES: class_names(chosen), "seed": seed, "leaves": tree.leaves}
    return StoredModel(kind="c48", columns=tuple(LOCAL.about), facts=facts, arrays=tree.arrays())


def grown(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int, *, pruned: bool = False
) -> DecisionTree:
    """The tree of blocks with `words` (float[n]); leaves have the paper's least share of them.

    Not pruned: the size of the leaves alone keeps the tree small, as in the paper (its tree has 105
    leaves; ours 40 if pruned, and its ROC AUC is lower: docs/learned.md).
    """
    min_leaf = MIN_LEAF_SHARE * float(np.sum(words))
    growth = Growth(n_classes=n_classes, min_leaf=min_leaf, pruned=pruned)
    return grow_tree(rows, classes, words, growth)


def pages_and_classes(pages: Sequence[Gold], classes: int) -> tuple[Sequence[Gold], Classes]:
    """The pages that can teach so many classes, and what these are.

    Raises CorpusError if there are none: more than two need pages with ``annotated_html``.
    """
    if classes == 2:
        return pages, two_classes(pages)
    annotated = [gold for gold in pages if gold.labelled.has_classes]
    if not annotated:
        raise CorpusError(
            f"{classes} classes need pages with 'annotated_html', and none has it: give L3S-GN1, "
            "pages annotated like it, or train the two-class model"
        )
    return annotated, {4: FOUR_CLASSES, 6: SIX_CLASSES}[classes]
