"""Chains of labels: the best one (Viterbi 1967), and the probability of each label.

The score of a chain of n blocks with L labels is the sum of `unary[i, l_i]` (float[n, L]) and of
`pairs[i, l_{i-1}, l_i]` (float[n, L, L], its first row is not used): log potentials of any scale.
Both are parallel prefix scans (Hillis, Steele 1986) in n log n steps. In numpy they are faster than
a loop over the blocks, except on huge pages.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label

MIN_LOG_WEIGHT = -300.0  # minimum log weight relative to the largest of a row, so that exp is not 0

Combine = Callable[[FloatArray, FloatArray], FloatArray]


def find_best_chain(unary: FloatArray, pairs: FloatArray) -> IntArray:
    """Return int[n]: the labels of the chain with the highest score; ties prefer lower labels."""
    if not len(unary):
        return np.zeros(0, dtype=np.int64)
    best = _scan(_replace_first(unary, pairs + unary[:, None, :]), _combine_best)[:, 0]
    ways = best[:-1, :, None] + pairs[1:]
    choices: list[list[int]] = ways.argmax(axis=1).tolist()
    chain = [int(best[-1].argmax())]
    for choice in reversed(choices):
        chain.append(choice[chain[-1]])
    return np.array(chain[::-1], dtype=np.int64)


def compute_label_shares(unary: FloatArray, pairs: FloatArray) -> FloatArray:
    """Return float[n, L]: the probability of each label, over all chains.

    exp(score) is the weight of a chain (the forward-backward algorithm).
    """
    if not len(unary):
        return np.zeros(unary.shape)
    edges = _exponentiate(pairs + unary[:, None, :], (1, 2))
    before = _scan(_replace_first(_exponentiate(unary, (1,)), edges), _combine_sums)[:, 0]
    after = np.ones(unary.shape)
    if len(unary) > 1:
        back = edges[:0:-1].transpose(0, 2, 1)
        after[-2::-1] = _scan(_replace_first(back.sum(axis=1), back), _combine_sums)[:, 0]
    weights = before * after
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def label_chain(
    unary: FloatArray, pairs: FloatArray, labels: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return int[n], the `labels` (int[L]) of the best chain, and float[n, 6], their probabilities.

    Two of `labels` may be equal.
    """
    scores = spread_shares(compute_label_shares(unary, pairs), labels)
    return labels[find_best_chain(unary, pairs)], scores


def spread_shares(shares: FloatArray, labels: IntArray) -> FloatArray:
    """Return float[n, 6] from float[n, L], the shares of `labels`; others have 0."""
    scores = np.zeros((len(shares), len(Label)))
    for number, label in enumerate(labels.tolist()):
        scores[:, label] += shares[:, number]
    return scores


def _replace_first(rows: FloatArray, tables: FloatArray) -> FloatArray:
    """Return the tables, the first with the first of `rows` after any label."""
    tables = tables.copy()
    tables[0] = rows[0]
    return tables


def _scan(tables: FloatArray, combine: Combine) -> FloatArray:
    """Return float[n, L, L]: each table combined with all tables before it."""
    step = 1
    while step < len(tables):
        tables[step:] = combine(tables[:-step], tables[step:])
        step *= 2
    return tables


def _combine_best(first: FloatArray, then: FloatArray) -> FloatArray:
    best = first[:, :, :1] + then[:, :1]
    for label in range(1, first.shape[2]):
        np.maximum(best, first[:, :, label, None] + then[:, label, None], out=best)
    return best


def _combine_sums(first: FloatArray, then: FloatArray) -> FloatArray:
    both = first @ then
    scaled: FloatArray = both / both.max(axis=(1, 2), keepdims=True)
    return scaled


def _exponentiate(scores: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    weights: FloatArray = np.exp(
        np.maximum(scores - scores.max(axis=axes, keepdims=True), MIN_LOG_WEIGHT)
    )
    return weights
