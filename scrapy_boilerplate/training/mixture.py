"""Block lengths as a random writer makes them (Kohlschuetter et al. 2010, section 5.2).

A writer goes on with the next word or ends the block: lengths follow the geometric distribution
``P(x) = p (1 - p)^(x - 1)``. With two kinds of text, short and long, they follow a mixture of two.
The paper fits the shares of the lengths by least squares and tells the fit by adjusted R2; so does
this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

STARTS = np.linspace(-6, 3, 19)
"""Logits of the chance to end that are tried first; a grid leaves nothing to luck."""
SHARES = np.linspace(0.05, 0.95, 19)
ROUNDS = 60
"""Rounds of refining, each with a grid around the best so far."""
SHRINK = 0.8


@dataclass(frozen=True)
class GeometricFit:
    """`weights` of the parts (they sum to 1), `ends` their chances to end a block after a word
    (short text first), `r2` adjusted for the number of parameters, `rmse` of the shares."""

    weights: tuple[float, ...]
    ends: tuple[float, ...]
    r2: float
    rmse: float

    def shares(self, longest: int) -> FloatArray:
        """float[longest]: the expected share of blocks with 1, 2, ... words."""
        return _mixture(np.arange(longest), np.array(self.weights), np.array(self.ends))


def fit_geometric(lengths: IntArray, *, parts: int) -> GeometricFit:
    """The best fit of one or two parts to int[m] `lengths`, the blocks of 1, 2, ... words."""
    observed = lengths / max(int(lengths.sum()), 1)
    words = np.arange(len(lengths))
    points = _grid(parts, np.array([0.5, *[0.0] * parts]), 1.0, first=True)
    best, width = np.zeros(parts + 1), 1.0
    for turn in range(ROUNDS):
        losses = [float(((_curve(point, words) - observed) ** 2).sum()) for point in points]
        best = points[int(np.argmin(losses))]
        width = width if not turn else width * SHRINK
        points = [best, *_grid(parts, best, width, first=False)]
    weights, ends = _parameters(best)
    return _told(weights, ends, observed, parts)


def _grid(parts: int, around: FloatArray, width: float, *, first: bool) -> list[FloatArray]:
    """Points (share of the first part, logits of the chances) to try."""
    steps = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * width
    if parts == 1:
        logits = STARTS if first else around[1] + steps
        return [np.array([1.0, logit]) for logit in logits]
    shares = SHARES if first else np.clip(around[0] + 0.2 * steps, 0.0, 1.0)
    axes = [STARTS, STARTS] if first else [around[1] + steps, around[2] + steps]
    return [
        np.array([share, short, long]) for share in shares for short in axes[0] for long in axes[1]
    ]


def _curve(point: FloatArray, words: IntArray) -> FloatArray:
    return _mixture(words, *_parameters(point))


def _parameters(point: FloatArray) -> tuple[FloatArray, FloatArray]:
    ends = 1 / (1 + np.exp(-point[1:]))
    share = float(point[0])
    return np.array([1.0] if len(ends) == 1 else [share, 1 - share]), ends


def _mixture(words: IntArray, weights: FloatArray, ends: FloatArray) -> FloatArray:
    """The shares of lengths ``words + 1``."""
    each = ends[:, np.newaxis] * (1 - ends[:, np.newaxis]) ** words
    mixed: FloatArray = weights @ each
    return mixed


def _told(weights: FloatArray, ends: FloatArray, observed: FloatArray, parts: int) -> GeometricFit:
    order = np.argsort(-ends)
    misses = observed - _mixture(np.arange(len(observed)), weights, ends)
    points, parameters = len(observed), 2 * parts - 1
    spread = float(((observed - observed.mean()) ** 2).sum()) if points else 0.0
    free = max(points - parameters - 1, 1)
    left = float((misses**2).sum())
    r2 = 1 - left / spread * (points - 1) / free if spread else 1.0
    return GeometricFit(
        weights=tuple(weights[order].tolist()),
        ends=tuple(ends[order].tolist()),
        r2=r2,
        rmse=float(np.sqrt(left / max(points, 1))),
    )
