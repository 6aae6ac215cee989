"""A small convolutional net over the sequence of a page's blocks; inference in numpy alone.

`training.trainers.news_net` trains it. Several nets that differ in their random start are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.blas_threads import use_one_blas_thread
from scrapy_boilerplate.steps.classifier import (
    MAX_LAYERS,
    MAX_UNITS,
    MAX_WIDTH,
    check_at_most,
    read_array,
)
from scrapy_boilerplate.steps.model_store import Arrays, ModelError, StoredModel

Floats = NDArray[np.float32]

MAX_FEATURE_SIZE = 5.0
"""Size of a standardised feature at most (our choice)."""
PART_ROWS = 4_096
"""Rows that are scored together (our choice: more than most pages have, to bound the memory)."""


@dataclass(frozen=True, eq=False)
class SequenceNet:
    """An ensemble of nets; the members are the first axis of their weights.

    mean, scale   float[columns], of the training blocks
    inputs        float[members, columns, channels], the first layer, and `input_bias`
    layers        float[members, layers, width * channels, channels], residual convolutions; layer
                  k looks at every 2**k-th neighbour (dilated as in Oord 2016, WaveNet)
    biases        float[members, layers, channels]
    outputs       float[members, channels, heads] and `output_bias` float[members, heads]
    """

    mean: Floats
    scale: Floats
    inputs: Floats
    input_bias: Floats
    layers: Floats
    biases: Floats
    outputs: Floats
    output_bias: Floats

    def __call__(self, rows: NDArray[np.floating[Any]]) -> Floats:
        """Return float[members, n, heads]: log odds for float[n, columns]."""
        depth, size, channels = self.layers.shape[1:]
        reach = size // channels // 2 * (2**depth - 1)  # rows that the layers look beyond a part
        parts = []
        for first in range(0, max(len(rows), 1), PART_ROWS):
            start, end = max(first - reach, 0), min(first + PART_ROWS, len(rows))
            with use_one_blas_thread():
                log_odds = self._run_members(rows[start : end + reach])
            parts.append(log_odds[:, first - start : end - start])
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _run_members(self, rows: NDArray[np.floating[Any]]) -> Floats:
        standard = (rows.astype(np.float32) - self.mean) / self.scale
        np.clip(standard, -MAX_FEATURE_SIZE, MAX_FEATURE_SIZE, out=standard)
        members = []
        for member in range(len(self.inputs)):
            hidden = np.maximum(standard @ self.inputs[member] + self.input_bias[member], 0)
            layers = zip(self.layers[member], self.biases[member], strict=True)
            for k, (weights, layer_bias) in enumerate(layers):
                windows = _join_neighbours(hidden, len(weights), 2**k)
                hidden += np.maximum(windows @ weights + layer_bias, 0)
            members.append(hidden @ self.outputs[member] + self.output_bias[member])
        log_odds: Floats = np.stack(members)
        return log_odds


def _join_neighbours(hidden: Floats, size: int, step: int) -> Floats:
    """Return float[n, size]: each row beside every `step`-th neighbour; zeros beyond the ends."""
    n, channels = hidden.shape
    width = size // channels
    around = min(width // 2 * step, n)  # no row has neighbours further away
    padded = np.zeros((n + 2 * around, channels), dtype=np.float32)
    padded[around : around + n] = hidden
    windows = []
    for k in range(width):
        start = around + min(max((k - width // 2) * step, -around), around)
        windows.append(padded[start : start + n])
    joined: Floats = np.concatenate(windows, axis=1)
    return joined


ARRAY_NAMES = tuple(SequenceNet.__dataclass_fields__)


def read_net(model: StoredModel, n_heads: int) -> SequenceNet:
    """Return the net of a stored model. Raises ModelError if its arrays do not fit."""
    columns = len(model.columns)
    inputs = read_array(model, "inputs", (None, columns, None))
    members, _, channels = inputs.shape
    layers = read_array(model, "layers", (members, None, None, channels))
    depth, size = layers.shape[1:3]
    check_at_most(model, "layers", depth, MAX_LAYERS)
    check_at_most(model, "numbers a row", channels, MAX_UNITS)
    check_at_most(model, "rows to a layer", size // channels, MAX_WIDTH)
    if size % channels or size // channels % 2 == 0:
        raise ModelError(f"the layers of the model {model.kind!r} have no middle: train it anew")
    shapes = {
        "mean": (columns,),
        "scale": (columns,),
        "input_bias": (members, channels),
        "biases": (members, depth, channels),
        "outputs": (members, channels, n_heads),
        "output_bias": (members, n_heads),
    }
    arrays = {name: read_array(model, name, shape) for name, shape in shapes.items()}
    if not (arrays["scale"] > 0).all():
        raise ModelError(f"the array 'scale' of the model {model.kind!r} holds 0: train it anew")
    arrays |= {"inputs": inputs, "layers": layers}
    return SequenceNet(**{name: array.astype(np.float32) for name, array in arrays.items()})


def pack_net(net: SequenceNet) -> Arrays:
    """Return the arrays to store, in half precision but for `mean` and `scale`."""
    exact = ("mean", "scale")
    return {
        name: getattr(net, name).astype(np.float32 if name in exact else np.float16)
        for name in ARRAY_NAMES
    }
