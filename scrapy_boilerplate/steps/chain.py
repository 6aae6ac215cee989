"""Chains of labels: the best one (Viterbi 1967), and how likely each label is in it.

A chain of n blocks with L labels has a score: the sum of `unary[i, l_i]` (float[n, L]) and of
`pairs[i, l_{i-1}, l_i]` (float[n, L, L], the first row is not used): log potentials of any scale.

Both run over all blocks at once: the table of what leads from label a at the first of k blocks to
label b at the last is combined with that of the next k blocks, for k = 1, 2, 4, ... (Hillis,
Steele 1986). That takes n log n steps in place of n, and less time than a loop over blocks on all
but huge pages.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

LEAST = -300.0
"""Log weights this far below the largest of their row are as good as none; exp stays above 0."""

Combine = Callable[[FloatArray, FloatArray], FloatArray]


def find_best_chain(unary: FloatArray, pairs: FloatArray) -> IntArray:
    """Return int[n]: the labels of the chain with the highest score.

    Of equals the one with the lower labels last.
    """
    if not len(unary):
        return np.zeros(0, dtype=np.int64)
    best = _scanned(_first_alone(unary, pairs + unary[:, None, :]), _best_of)[:, 0]
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
    edges = _weights(pairs + unary[:, None, :], (1, 2))
    before = _scanned(_first_alone(_weights(unary, (1,)), edges), _sum_of)[:, 0]
    after = np.ones(unary.shape)
    if len(unary) > 1:
        back = edges[:0:-1].transpose(0, 2, 1)
        after[-2::-1] = _scanned(_first_alone(back.sum(axis=1), back), _sum_of)[:, 0]
    weights = before * after
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _first_alone(rows: FloatArray, tables: FloatArray) -> FloatArray:
    """The tables with the first row of `rows` for the first of them, whatever was before."""
    tables = tables.copy()
    tables[0] = rows[0]
    return tables


def _scanned(tables: FloatArray, combine: Combine) -> FloatArray:
    """float[n, L, L]: for each table the combination of it and of all before it."""
    step = 1
    while step < len(tables):
        tables[step:] = combine(tables[:-step], tables[step:])
        step *= 2
    return tables


def _best_of(first: FloatArray, then: FloatArray) -> FloatArray:
    best = first[:, :, :1] + then[:, :1]
    for label in range(1, first.shape[2]):
        np.maximum(best, first[:, :, label, None] + then[:, label, None], out=best)
    return best


def _sum_of(first: FloatArray, then: FloatArray) -> FloatArray:
    both = first @ then
    scaled: FloatArray = both / both.max(axis=(1, 2), keepdims=True)
    return scaled


def _weights(scores: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    weights: FloatArray = np.exp(np.maximum(scores - scores.max(axis=axes, keepdims=True), LEAST))
    return weights
