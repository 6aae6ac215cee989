"""The convolutions in numpy against torch: its stored answers, and itself where it is installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scrapy_boilerplate.steps.model_store import ModelError, StoredModel
from scrapy_boilerplate.systems.web2text.model import ConvolutionStack, read_stack

WEIGHTS = (
    [[[0.5, 0.75], [-1.0, 0.75]], [[0.0, 0.0], [0.25, -0.5]], [[1.0, -1.0], [-0.5, -0.25]]],
    [[[0.25, -0.25, -0.75], [-1.0, -1.0, -1.0]]],
)
BIASES = ([0.25, -0.5], [0.0, 0.5, -1.0])
ROWS = [[-1.5, 2.0], [-1.5, 0.5], [1.0, -1.0], [-1.0, -0.5]]
TORCH_SAYS = [
    [0.0, 0.5, -1.0],
    [0.0, 0.5, -1.0],
    [-0.375, 0.125, -1.375],
    [0.40625, 0.09375, -2.21875],
]
"""torch 2.13.0: Conv1d(2, 2, 3, padding=1), ReLU, Conv1d(2, 3, 1) with these weights."""


def stack() -> ConvolutionStack:
    return ConvolutionStack(
        tuple(np.array(weight, np.float32) for weight in WEIGHTS),
        tuple(np.array(bias, np.float32) for bias in BIASES),
    )


def test_as_torch_said() -> None:
    np.testing.assert_allclose(stack()(np.array(ROWS, np.float32)), TORCH_SAYS)


def stored(shapes: Sequence[tuple[int, int, int]]) -> StoredModel:
    """A stack that learned nothing, of layers of these shapes."""
    arrays: dict[str, NDArray[np.int8]] = {}
    for number, shape in enumerate(shapes):
        arrays[f"net_weight_{number}"] = np.zeros(shape, np.int8)
        arrays[f"net_bias_{number}"] = np.zeros(shape[2], np.int8)
    return StoredModel(kind="web2text", columns=(), arrays=arrays)


def test_stacks_that_are_refused() -> None:
    for shapes, reason in [
        ([(20_000_001, 2, 0)], "is not n x 2 x n finite numbers"),  # no outputs
        ([(0, 2, 2)], "is not n x 2 x n finite numbers"),  # no rows
        ([(101, 2, 2)], "has 101 rows to a layer, 99 at most"),  # wide
        ([(1, 2, 2)] * 17, "has 17 layers, 16 at most"),  # deep
        ([(1, 2, 2000)], "has 2,000 numbers a row, 1,024 at most"),  # many outputs
        ([(2, 2, 2)], "is of even width"),  # even
        ([(1, 2, 3)], "ends in 3 columns, not in 2"),  # another end
        ([], "lacks the array 'net_weight_0'"),  # no layer
    ]:
        with pytest.raises(ModelError, match=f"{reason}.*: train it again"):
            read_stack(stored(shapes), "net", 2, 2)
