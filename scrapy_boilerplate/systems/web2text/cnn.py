"""A stack of convolutions over a sequence of rows, inference only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.steps.classifier import (
    MAX_LAYERS,
    MAX_UNITS,
    MAX_WIDTH,
    check_at_most,
    checked_array,
)
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel

Float32Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ConvolutionStack:
    """Layers of 1-D convolutions with a rectifier between them; rows of 0 stand beyond the ends.

    `weights` float32[width, inputs, outputs] and `biases` float32[outputs], a pair a layer; widths
    are odd.
    """

    weights: tuple[Float32Array, ...]
    biases: tuple[Float32Array, ...]

    def __call__(self, rows: Float32Array) -> Float32Array:
        """float32[n, outputs of the last layer]; linear in n."""
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = np.maximum(rows, 0) if number else rows
            rows = _windows(rows, len(weight)) @ weight.reshape(-1, weight.shape[2]) + bias
        return rows

    def arrays(self, name: str) -> Mapping[str, NDArray[Any]]:
        """What the store keeps, in half precision; the names start with `name`."""
        parts = {"weight": self.weights, "bias": self.biases}
        return {
            f"{name}_{part}_{number}": array.astype(np.float16)
            for part, arrays in parts.items()
            for number, array in enumerate(arrays)
        }


def stack_of(model: StoredModel, name: str, inputs: int, outputs: int) -> ConvolutionStack:
    """The stack `name` of a stored model, from `inputs` to `outputs` columns.

    Raises ModelError if its arrays are missing, too large or do not fit together.
    """
    layers = sum(key.startswith(f"{name}_weight_") for key in model.arrays)
    check_at_most(model, "layers", layers, MAX_LAYERS)
    weights, biases = [], []
    size = inputs
    for number in range(max(layers, 1)):
        weight = checked_array(model, f"{name}_weight_{number}", (None, size, None))
        if len(weight) % 2 == 0:
            raise ModelError(f"a layer of the model {model.kind!r} is of even width: train it anew")
        size = weight.shape[2]
        check_at_most(model, "rows to a layer", len(weight), MAX_WIDTH)
        check_at_most(model, "numbers a row", size, MAX_UNITS)
        weights.append(weight.astype(np.float32))
        biases.append(checked_array(model, f"{name}_bias_{number}", (size,)).astype(np.float32))
    if size != outputs:
        raise ModelError(
            f"the stack {name!r} of the model {model.kind!r} ends in {size} columns, not in "
            f"{outputs}: train it anew"
        )
    return ConvolutionStack(tuple(weights), tuple(biases))


def _windows(rows: Float32Array, width: int) -> Float32Array:
    """float32[n, width * columns]: each row with its neighbours."""
    if width == 1:
        return rows
    side = width // 2
    padded = np.pad(rows, ((side, side), (0, 0)))
    return np.concatenate([padded[i : i + len(rows)] for i in range(width)], axis=1)
