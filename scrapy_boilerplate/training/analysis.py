"""What text blocks tell before a model is trained (Kohlschuetter et al. 2010, sections 4.3, 5).

Information gain of every feature, words and text density by class, and the model of a random
writer: lengths of blocks follow one geometric distribution, or better a mixture of two, short and
long texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.systems.shallow.features import text_counts, with_frequency
from scrapy_boilerplate.training.examples import Examples, Progress, block_examples, two_classes
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.blocks import Classes
from scrapy_boilerplate.training.mixture import GeometricFit, fit_geometric

MAX_VALUES = 256
"""Values that a feature is cut into at quantiles: more make every feature look informative."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the blocks of labelled pages say.

    examples      blocks of known label
    names         columns of their rows
    classes       the classes that gains are about
    gains         name to information gain in bits, highest first
    naive_gains   the same with every value of a feature told apart, however few blocks have it
    lengths       int[m]: how many blocks have 1, 2, ... words
    single, mixed the random writer of one kind of text, and of two
    """

    examples: Examples
    names: tuple[str, ...]
    classes: Classes
    gains: dict[str, float]
    naive_gains: dict[str, float]
    lengths: IntArray
    single: GeometricFit
    mixed: GeometricFit

    def column(self, name: str) -> FloatArray:
        """A column of all blocks."""
        column: FloatArray = self.examples.rows[:, self.names.index(name)]
        return column

    def by_label(self, column: IntArray, *, words: bool) -> dict[Label, IntArray]:
        """For each label that occurs, how many blocks (or words) have the value 0, 1, ..."""
        weights = self.examples.words if words else np.ones(len(self.examples))
        size = int(column.max(initial=0)) + 1
        found = {}
        for label in Label:
            here = self.examples.labels == label
            if here.any():
                found[label] = np.bincount(column[here], weights[here], size).astype(np.int64)
        return found


def analyse(pages: Sequence[Gold], progress: Progress = iter) -> Analysis:
    """Look at the blocks of labelled pages. Raises CorpusError if none has a label."""
    segmenter = AtomicBlocks()
    group = with_frequency(text_counts(segmenter(gold.page) for gold in pages))
    examples = block_examples(pages, segmenter, group, progress)
    names, classes = tuple(group.about), two_classes(pages)
    coded = examples.classes(classes)
    columns = dict(zip(names, examples.rows.T, strict=True))
    gains, naive_gains = (
        {
            name: information_gain(column, coded, examples.words, naive=naive)
            for name, column in columns.items()
        }
        for naive in (False, True)
    )
    lengths = np.bincount(examples.words.astype(np.int64))[1:].astype(np.int64)
    return Analysis(
        examples=examples,
        names=names,
        classes=classes,
        gains=dict(sorted(gains.items(), key=lambda one: -one[1])),
        naive_gains=naive_gains,
        lengths=lengths,
        single=fit_geometric(lengths, parts=1),
        mixed=fit_geometric(lengths, parts=2),
    )


def information_gain(
    column: FloatArray, classes: IntArray, weights: FloatArray, *, naive: bool = False
) -> float:
    """Bits that a feature tells about the class: H(class) - H(class | feature).

    The feature is cut into values of about 1 / MAX_VALUES of the weight each. If `naive`, every
    value is told apart: then a feature that is another in every block seems to tell all.
    """
    values = np.unique(column, return_inverse=True)[1] if naive else _binned(column, weights)
    n_values, n_classes = int(values.max()) + 1, int(classes.max()) + 1
    keys = values * n_classes + classes
    table = np.bincount(keys, weights, n_values * n_classes).astype(np.float64)
    table = table.reshape(n_values, n_classes)
    whole = table.sum()
    within = sum(row.sum() / whole * _entropy(row) for row in table if row.sum())
    gain = _entropy(table.sum(axis=0)) - within
    return max(0.0, float(gain))


def _binned(column: FloatArray, weights: FloatArray) -> IntArray:
    """int[n]: the value of each block, cut by weight."""
    order = np.argsort(column, kind="stable")
    reached = np.cumsum(weights[order]) / max(weights.sum(), 1e-12)
    values, inverse = np.unique(column, return_inverse=True)
    end = np.searchsorted(column[order], values, side="right") - 1
    bins = np.minimum((reached[end] * MAX_VALUES).astype(np.int64), MAX_VALUES - 1)
    found: IntArray = np.unique(bins, return_inverse=True)[1][inverse].astype(np.int64)
    return found


def _entropy(weights: FloatArray) -> float:
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())
