"""Statistics of text blocks before a model is trained (Kohlschuetter et al. 2010, sections 4.3, 5).

The statistics are the information gain of every feature, words and text density by class, and
block lengths under a random writer (section 5.2). After each word the writer adds another or ends
the block: lengths follow the geometric distribution ``P(x) = p (1 - p)^(x - 1)``. With two kinds
of text, short and long, they follow a mixture of two. As in the paper, the shares of the lengths
are fitted by least squares, and adjusted R2 measures the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.systems.shallow.classifiers import add_text_frequency, count_repeated_texts
from scrapy_boilerplate.training.examples import (
    Examples,
    Progress,
    choose_two_classes,
    collect_block_examples,
)
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics import Classes

# number of values into which a feature is cut at quantiles (with more, each looks informative)
MAX_VALUES = 256
# start of the fit: logits of the chance to end a block
START_LOGITS = (-4.0, -2.0, -1.0, 0.0, 2.0)


@dataclass(frozen=True)
class GeometricFit:
    """A fitted mixture of geometric distributions.

    weights   of the parts; they sum to 1
    ends      chance of each part to end a block after a word, short text first
    r2        adjusted for the number of parameters
    rmse      of the shares of the lengths
    """

    weights: tuple[float, ...]
    ends: tuple[float, ...]
    r2: float
    rmse: float

    def shares(self, longest: int) -> FloatArray:
        """Return float[longest]: the expected share of blocks with 1, 2, ... words."""
        return _compute_shares(np.arange(longest), np.array(self.weights), np.array(self.ends))


@dataclass(frozen=True, eq=False)
class BlockAnalysis:
    """The statistics of the blocks of labelled pages.

    examples      blocks of known label
    names         columns of their rows
    classes       the classes of the gains
    gains         name to information gain in bits, highest first
    lengths       int[m]: how many blocks have 1, 2, ... words
    single, mixed the random writer of one kind of text, and of two
    """

    examples: Examples
    names: tuple[str, ...]
    classes: Classes
    gains: dict[str, float]
    lengths: IntArray
    single: GeometricFit
    mixed: GeometricFit

    def column(self, name: str) -> FloatArray:
        return self.examples.rows[:, self.names.index(name)]

    def count_by_label(self, column: IntArray, *, words: bool) -> dict[Label, IntArray]:
        """Return for each label that occurs how many blocks (or words) have the value 0, 1, ..."""
        weights = self.examples.words if words else np.ones(len(self.examples))
        size = int(column.max(initial=0)) + 1
        return {
            label: np.bincount(column[of_label], weights[of_label], size).astype(np.int64)
            for label in Label
            if (of_label := self.examples.labels == label).any()
        }


def analyse_blocks(pages: Sequence[Gold], progress: Progress = iter) -> BlockAnalysis:
    """Return the statistics of blocks. Raises CorpusError without labels, and MissingExtraError."""
    segmenter = AtomicBlocks()
    group = add_text_frequency(count_repeated_texts(segmenter(gold.page) for gold in pages))
    examples = collect_block_examples(pages, segmenter, group, progress)
    names, classes = group.names, choose_two_classes(pages)
    codes = examples.classes(classes)
    gains = {
        name: compute_information_gain(column, codes, examples.words)
        for name, column in zip(names, examples.rows.T, strict=True)
    }
    lengths = np.bincount(examples.words.astype(np.int64))[1:].astype(np.int64)
    return BlockAnalysis(
        examples=examples,
        names=names,
        classes=classes,
        gains=dict(sorted(gains.items(), key=lambda item: -item[1])),
        lengths=lengths,
        single=fit_geometric(lengths, parts=1),
        mixed=fit_geometric(lengths, parts=2),
    )


def compute_information_gain(column: FloatArray, classes: IntArray, weights: FloatArray) -> float:
    """Return the information gain of a feature in bits: H(class) - H(class | feature).

    The feature is cut into values of about 1 / MAX_VALUES of the weight each: uncut, a feature with
    another value in every block would have the highest gain.
    """
    values = _cut_values(column, weights)
    n_values, n_classes = int(values.max()) + 1, int(classes.max()) + 1
    keys = values * n_classes + classes
    table = np.bincount(keys, weights, n_values * n_classes).astype(np.float64)
    table = table.reshape(n_values, n_classes)
    whole = table.sum()
    within = sum(row.sum() / whole * _compute_entropy(row) for row in table if row.sum())
    gain = _compute_entropy(table.sum(axis=0)) - within
    return max(0.0, float(gain))


def _cut_values(column: FloatArray, weights: FloatArray) -> IntArray:
    order = np.argsort(column, kind="stable")
    reached = np.cumsum(weights[order]) / max(weights.sum(), 1e-12)
    values, inverse = np.unique(column, return_inverse=True)
    end = np.searchsorted(column[order], values, side="right") - 1
    bins = np.minimum((reached[end] * MAX_VALUES).astype(np.int64), MAX_VALUES - 1)
    return np.unique(bins, return_inverse=True)[1][inverse].astype(np.int64)


def _compute_entropy(weights: FloatArray) -> float:
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def fit_geometric(lengths: IntArray, *, parts: int) -> GeometricFit:
    """Fit one or two parts to int[m] `lengths`, the numbers of blocks of 1, 2, ... words.

    Raises MissingExtraError without scipy.
    """
    optimize = import_optional("scipy.optimize", "fitting the lengths of blocks", "evaluate")
    observed = lengths / max(int(lengths.sum()), 1)
    words = np.arange(len(lengths))

    def compute_residuals(point: FloatArray) -> FloatArray:
        # the solver needs a non-empty array
        return np.append(_compute_shares(words, *_read_point(point)) - observed, 0.0)

    # the share of the first of two parts is a logit, too
    starts = [
        np.array([0.0] * (parts - 1) + list(ends)) for ends in combinations(START_LOGITS, parts)
    ]
    fits = [optimize.least_squares(compute_residuals, start) for start in starts]
    best: FloatArray = min(fits, key=lambda fit: fit.cost).x
    weights, ends = _read_point(best)
    order = np.argsort(-ends)
    residual = float(((observed - _compute_shares(words, weights, ends)) ** 2).sum())
    spread = float(((observed - observed.mean()) ** 2).sum()) if len(observed) else 0.0
    free = max(len(observed) - 2 * parts, 1)  # less 2 * parts - 1 parameters, less one
    return GeometricFit(
        weights=tuple(weights[order].tolist()),
        ends=tuple(ends[order].tolist()),
        r2=1 - residual / spread * (len(observed) - 1) / free if spread else 1.0,
        rmse=float(np.sqrt(residual / max(len(observed), 1))),
    )


def _read_point(point: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights of one or two parts, and their chances to end, from their logits."""
    shares = 1 / (1 + np.exp(-point))
    return (np.ones(1) if len(point) == 1 else np.array([shares[0], 1 - shares[0]])), shares[-2:]


def _compute_shares(words: IntArray, weights: FloatArray, ends: FloatArray) -> FloatArray:
    parts = ends[:, np.newaxis] * (1 - ends[:, np.newaxis]) ** words
    return weights @ parts
