"""Trains `c48`, `c48-4` and `c48-6`: decision trees over the shallow features of 2010.

Trees are grown as C4.5 does (Quinlan 1993; J48, called C4.8, in Weka). All columns are numbers, so
every split has two sides. A split is the threshold of highest information gain in its column, less
the cost of naming the threshold (release 8); of the columns with at least the average gain the one
of the highest gain ratio is taken. Then, if wanted, pessimistic pruning: a subtree becomes a leaf
where the upper confidence limit of the leaf's error is not above that of the subtree (subtree
replacement; C4.5's subtree raising is left out). Instances have weights.

Values of a column are told apart up to `MAX_VALUES` quantiles, which makes growing linear in the
instances; C4.5 sorts all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.common.classifier import CLASSES
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

# values of a column that thresholds are chosen from
MAX_VALUES = 1024

# confidence factor of pruning (default of C4.5 and of J48)
CONFIDENCE = 0.25

# errors by which a subtree must beat a leaf (C4.5)
PRUNING_SLACK = 0.1


def train_c48(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, classes: int = 2
) -> StoredModel:
    """Return a tree for 2, 4 or 6 classes; words weigh, as in the paper.

    Nothing is drawn at random: every `seed` gives the same tree.
    """
    usable, groups = select_classes(pages, classes)
    examples = collect_block_examples(usable, AtomicBlocks(), LOCAL, progress)
    tree = fit_c48(examples.rows, examples.classes(groups), examples.words, len(groups))
    facts = {CLASSES: name_classes(groups), "seed": seed, "leaves": tree.leaves}
    return StoredModel(kind="c48", columns=tuple(LOCAL.about), facts=facts, arrays=tree.arrays())


def fit_c48(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int, *, pruned: bool = False
) -> DecisionTree:
    """Grow the tree of blocks with `words` (float[n]); leaves have the paper's least share of them.

    Not pruned: the size of the leaves alone keeps the tree small, as in the paper (its tree has 105
    leaves; ours 40 if pruned, and its ROC AUC is lower: docs/learned.md).
    """
    min_leaf = MIN_LEAF_SHARE * float(np.sum(words))
    growth = Growth(n_classes=n_classes, min_leaf=min_leaf, pruned=pruned)
    return grow_tree(rows, classes, words, growth)


@dataclass
class _Node:
    weights: FloatArray
    feature: int = -1
    threshold: float = 0.0
    sides: list[_Node] = field(default_factory=list)
    errors: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How to grow a tree.

    n_classes   number of classes
    min_leaf    least weight of a leaf, in the unit of the weights
    pruned      pruning joins leaves of the same class, and loses their shares
    """

    n_classes: int
    min_leaf: float
    pruned: bool


@dataclass(frozen=True, eq=False)
class _Data:
    values: list[FloatArray]
    """For each column its distinct values, ascending."""
    ranks: list[IntArray]
    """For each column the place of every instance among these values."""
    classes: IntArray
    weights: FloatArray
    growth: Growth


def grow_tree(
    rows: FloatArray, classes: IntArray, weights: FloatArray, growth: Growth
) -> DecisionTree:
    """Grow the tree of float[n, columns] `rows` in `classes` (int[n]) with `weights` (float[n])."""
    values, ranks = zip(*(_rank_values(column) for column in rows.T), strict=True)
    data = _Data(list(values), list(ranks), classes, weights, growth)
    everything = np.arange(len(classes))
    root = _Node(_sum_class_weights(data, everything))
    queue = [(root, everything)]
    while queue:
        node, members = queue.pop()
        split = _find_best_split(data, node.weights, members)
        if split is None:
            continue
        node.feature, place = split
        node.threshold = float(data.values[node.feature][place])
        low = data.ranks[node.feature][members] <= place
        for side in (members[low], members[~low]):
            child = _Node(_sum_class_weights(data, side))
            node.sides.append(child)
            queue.append((child, side))
    if growth.pruned:
        _prune(root)
    return _build_tree(root)


def _rank_values(column: FloatArray) -> tuple[FloatArray, IntArray]:
    values, ranks = np.unique(column, return_inverse=True)
    if len(values) <= MAX_VALUES:
        return values, ranks
    levels = np.linspace(0, 1, MAX_VALUES)
    values = np.unique(np.quantile(column, levels, method="higher"))
    return values, np.searchsorted(values, column)


def _sum_class_weights(data: _Data, members: IntArray) -> FloatArray:
    sums = np.bincount(data.classes[members], data.weights[members], data.growth.n_classes)
    return sums.astype(np.float64)


def _find_best_split(data: _Data, weights: FloatArray, members: IntArray) -> tuple[int, int] | None:
    """Return (column, place of the threshold) by gain ratio among columns of at least mean gain."""
    if weights.sum() < 2 * data.growth.min_leaf or (weights > 0).sum() < 2:
        return None
    splits = [
        _find_best_threshold(data, column, weights, members) for column in range(len(data.values))
    ]
    possible = [(split, column) for column, split in enumerate(splits) if split is not None]
    useful = [(split, column) for split, column in possible if split[0] > 0]
    if not useful:
        return None
    average = sum(split[0] for split, _ in useful) / len(useful)
    # a little slack against rounding, as in C4.5
    best = max((s[1], -c, s[2]) for s, c in useful if s[0] >= average - 1e-3)
    return -best[1], best[2]


def _find_best_threshold(
    data: _Data, column: int, weights: FloatArray, members: IntArray
) -> tuple[float, float, int] | None:
    """Return (gain, gain ratio, place of the threshold) of the best split of a column."""
    size = len(data.values[column])
    keys = data.ranks[column][members] * data.growth.n_classes + data.classes[members]
    table = np.bincount(keys, data.weights[members], size * data.growth.n_classes).astype(
        np.float64
    )
    low = np.cumsum(table.reshape(size, data.growth.n_classes), axis=0)[:-1]
    whole = weights.sum()
    low_sums = low.sum(axis=1)
    fits = (low_sums >= data.growth.min_leaf) & (whole - low_sums >= data.growth.min_leaf)
    places = np.flatnonzero(fits)
    if not len(places):
        return None
    low, low_sums = low[places], low_sums[places]
    rest = _sum_entropy(low) + _sum_entropy(np.maximum(weights - low, 0))
    gains = (float(_sum_entropy(weights[np.newaxis])[0]) - rest) / whole
    best = int(gains.argmax())
    distinct = int((np.diff(low_sums, prepend=0.0) > 0).sum()) + 1
    gain = float(gains[best]) - math.log2(max(distinct - 1, 1)) / whole
    share = low_sums[best] / whole
    split_information = float(_sum_entropy(np.array([[share, 1 - share]]))[0])
    return gain, gain / split_information, int(places[best])


def _sum_entropy(weights: FloatArray) -> FloatArray:
    """Return float[n]: the entropy in bits of each row, times its sum."""
    sums = weights.sum(axis=1)
    logs: FloatArray = _multiply_by_log(sums) - _multiply_by_log(weights).sum(axis=1)
    return logs


def _multiply_by_log(numbers: FloatArray) -> FloatArray:
    positive: BoolArray = numbers > 0
    logs: FloatArray = numbers * np.log2(numbers, out=np.zeros_like(numbers), where=positive)
    return logs


def _prune(root: _Node) -> None:
    """Turn subtrees into leaves from the bottom up."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += node.sides
    for node in reversed(order):
        as_leaf = _estimate_errors(float(node.weights.sum()), float(node.weights.max()))
        below = sum(side.errors for side in node.sides)
        if node.sides and as_leaf > below + PRUNING_SLACK:
            node.errors = below
        else:
            node.sides, node.errors = [], as_leaf


def _estimate_errors(whole: float, right: float) -> float:
    """Return the upper limit of a leaf's errors at CONFIDENCE (normal approximation, as in J48)."""
    wrong = whole - right
    if wrong + 0.5 >= whole:
        return whole
    z = NormalDist().inv_cdf(1 - CONFIDENCE)
    share = (wrong + 0.5) / whole
    spread = z * math.sqrt(share / whole - share**2 / whole + z**2 / (4 * whole**2))
    limit = (share + z**2 / (2 * whole) + spread) / (1 + z**2 / whole)
    return max(wrong, limit * whole)


def _build_tree(root: _Node) -> DecisionTree:
    """Number the nodes level by level, so that both sides of a node come after it."""
    nodes, depths = [root], [0]
    left, right = [], []
    index = 0
    while index < len(nodes):
        node = nodes[index]
        left.append(len(nodes) if node.sides else index)
        right.append(len(nodes) + 1 if node.sides else index)
        depths += [depths[index] + 1] * len(node.sides)
        nodes += node.sides
        index += 1
    weights = np.stack([node.weights for node in nodes])
    return DecisionTree(
        features=np.array([node.feature if node.sides else 0 for node in nodes], dtype=np.int64),
        thresholds=np.array([node.threshold if node.sides else 0.0 for node in nodes]),
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        shares=weights / weights.sum(axis=1, keepdims=True),
        depth=max(depths),
    )
