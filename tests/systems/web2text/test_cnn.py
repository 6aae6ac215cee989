"""The convolutions in numpy against torch: its stored answers, and itself where it is installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scrapy_boilerplate.steps.model_store import ModelError, StoredModel
from scrapy_boilerplate.systems.web2text.model import ConvolutionStack, Float32Array, read_stack

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


def slow(net: ConvolutionStack, rows: Float32Array) -> Float32Array:
    """Every output by its definition."""
    for number, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        rows = np.maximum(rows, 0) if number else rows
        out = np.tile(bias, (len(rows), 1))
        for row in range(len(rows)):
            for offset in range(len(weight)):
                there = row + offset - len(weight) // 2
                if 0 <= there < len(rows):
                    out[row] += rows[there] @ weight[offset]
        rows = out
    return rows


def random_stack(draw: np.random.Generator) -> ConvolutionStack:
    shapes = [(1, 6, 4), (3, 4, 5), (5, 5, 2)]
    return ConvolutionStack(
        tuple(draw.normal(size=shape).astype(np.float32) for shape in shapes),
        tuple(draw.normal(size=shape[2]).astype(np.float32) for shape in shapes),
    )


@pytest.mark.parametrize("length", [0, 1, 2, 7])
def test_by_definition(length: int) -> None:
    draw = np.random.default_rng(length)
    net, rows = random_stack(draw), draw.normal(size=(length, 6)).astype(np.float32)
    np.testing.assert_allclose(net(rows), slow(net, rows), rtol=1e-4, atol=1e-5)


def stored(shapes: Sequence[tuple[int, int, int]]) -> StoredModel:
    """A stack that learned nothing, of layers of these shapes."""
    arrays: dict[str, NDArray[np.int8]] = {}
    for number, shape in enumerate(shapes):
        arrays[f"net_weight_{number}"] = np.zeros(shape, np.int8)
        arrays[f"net_bias_{number}"] = np.zeros(shape[2], np.int8)
    return StoredModel(kind="web2text", columns=(), arrays=arrays)


@pytest.mark.parametrize(
    ("shapes", "reason"),
    [
        pytest.param([(20_000_001, 2, 0)], "is not n x 2 x n finite numbers", id="no outputs"),
        pytest.param([(0, 2, 2)], "is not n x 2 x n finite numbers", id="no rows"),
        pytest.param([(101, 2, 2)], "has 101 rows to a layer, 99 at most", id="wide"),
        pytest.param([(1, 2, 2)] * 17, "has 17 layers, 16 at most", id="deep"),
        pytest.param([(1, 2, 2000)], "has 2,000 numbers a row, 1,024 at most", id="many outputs"),
        pytest.param([(2, 2, 2)], "is of even width", id="even"),
        pytest.param([(1, 2, 3)], "ends in 3 columns, not in 2", id="another end"),
        pytest.param([], "lacks the array 'net_weight_0'", id="no layer"),
    ],
)
def test_stacks_that_are_refused(shapes: list[tuple[int, int, int]], reason: str) -> None:
    with pytest.raises(ModelError, match=f"{reason}.*: train it again"):
        read_stack(stored(shapes), "net", 2, 2)


def test_the_largest_stack_is_loaded() -> None:
    assert len(read_stack(stored([(99, 2, 2)] * 16), "net", 2, 2).weights) == 16
