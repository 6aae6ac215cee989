"""A small convolutional net over the sequence of a page's blocks; inference in numpy.

`training.trainers.news_net` trains it. Several are averaged; nets of one size form an ensemble.
The compiled `native/_net.pyx` adds up in another order.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from scrapy_boilerplate import native
from scrapy_boilerplate.steps.model_store import (
    MAX_LAYERS,
    MAX_UNITS,
    MAX_WIDTH,
    Arrays,
    ModelError,
    StoredModel,
    check_at_most,
    read_array,
)

Floats = NDArray[np.float32]

MAX_FEATURE_SIZE = 5.0
"""Maximum size of a standardised feature."""

PANEL = 32
"""Columns of a panel of weights: `PANEL` of native/net_layers.h."""


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

    def __call__(
        self, rows: NDArray[np.floating[Any]], first: int = 0, end: int | None = None
    ) -> Floats:
        """Return float[members, n, heads]: log odds of the rows from `first` to before `end`.

        `rows` is float[all, columns]: the layers look at the rows around.
        """
        depth, size, channels = self.layers.shape[1:]
        reach = size // channels // 2 * (2**depth - 1)
        end = len(rows) if end is None else end
        start = max(first - reach, 0)
        log_odds = self._run(rows[start : end + reach])
        return log_odds[:, first - start : end - start]

    def _run_in_numpy(self, rows: NDArray[np.floating[Any]]) -> Floats:
        with use_one_blas_thread():
            standard = (rows.astype(np.float32) - self.mean) / self.scale
            np.clip(standard, -MAX_FEATURE_SIZE, MAX_FEATURE_SIZE, out=standard)
            # all members at once: on a page of 9 blocks this halves the time
            hidden = np.maximum(standard @ self.inputs + self.input_bias[:, np.newaxis], 0)
            for k in range(self.layers.shape[1]):
                windows = _join_neighbours(hidden, self.layers.shape[2], 2**k)
                layer_bias = self.biases[:, k, np.newaxis]
                hidden += np.maximum(windows @ self.layers[:, k] + layer_bias, 0)
            log_odds: Floats = hidden @ self.outputs + self.output_bias[:, np.newaxis]
        return log_odds

    def _run_natively(self, rows: NDArray[np.floating[Any]]) -> Floats:
        members, depth, size, channels = self.layers.shape
        log_odds = np.empty((members, len(rows), self.outputs.shape[2]), dtype=np.float32)
        native.net.run_members(
            rows.astype(np.float32, copy=False),
            *(self._panels, self.mean, self.scale, log_odds),
            *(_round_up(channels), depth, size // channels, _round_up(log_odds.shape[2])),
            MAX_FEATURE_SIZE,
        )
        return log_odds

    _run = native.choose("net", _run_natively, _run_in_numpy)

    @cached_property
    def _panels(self) -> Floats:
        """All weights as native/_net.pyx reads them: by member, by layer, in panels."""
        members, depth, size, channels = self.layers.shape
        parts = [_split_panels(self.inputs), _pad(self.input_bias)]
        for layer in range(depth):
            taps = self.layers[:, layer].reshape(members, size // channels, channels, channels)
            padded = _pad(taps, axis=2).reshape(members, -1, channels)
            parts += [_split_panels(padded), _pad(self.biases[:, layer])]
        parts += [_split_panels(_pad(self.outputs, axis=1)), _pad(self.output_bias)]
        return np.ascontiguousarray(np.concatenate(parts, axis=1).ravel(), dtype=np.float32)


def _round_up(size: int) -> int:
    return -(-size // PANEL) * PANEL


def _pad(weights: Floats, axis: int = -1) -> Floats:
    """Return the weights with zeros at the end of `axis`, up to whole panels."""
    size = weights.shape[axis]
    missing = [(0, 0)] * weights.ndim
    missing[axis] = (0, _round_up(size) - size)
    return np.pad(weights, missing)


def _split_panels(weights: Floats) -> Floats:
    """Return float[members, panels * rows * PANEL] of float[members, rows, columns]."""
    padded = _pad(weights)
    panels = padded.reshape(*padded.shape[:2], -1, PANEL)
    return panels.swapaxes(1, 2).reshape(len(weights), -1)


def _join_neighbours(hidden: Floats, size: int, step: int) -> Floats:
    """Return float[members, n, size]: rows beside every `step`-th neighbour; zeros beyond the ends.

    `hidden` is float[members, n, channels].
    """
    members, n, channels = hidden.shape
    width = size // channels
    joined = np.zeros((members, n, size), dtype=np.float32)
    for k in range(width):
        away = (k - width // 2) * step
        first, end = max(-away, 0), n - max(away, 0)
        if first < end:
            columns = slice(k * channels, (k + 1) * channels)
            joined[:, first:end, columns] = hidden[:, first + away : end + away]
    return joined


def use_one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which numpy's matrix products use one thread.

    The matrices of a page are small, and the threads of BLAS spin while they wait for each other:
    on a busy machine this takes twice the time of everything else. The number of threads belongs to
    the process and is restored at the end. If several threads enter at once, one of them sets it.
    """
    limiter: AbstractContextManager[Any] = _find_blas().limit(limits=1)
    return limiter


@cache
def _find_blas() -> ThreadpoolController:
    """Return the control of the loaded BLAS; finding it takes milliseconds."""
    controller: ThreadpoolController = ThreadpoolController().select(user_api="blas")
    return controller


ARRAY_NAMES = tuple(SequenceNet.__dataclass_fields__)


def read_sequence_net(model: StoredModel, n_heads: int) -> SequenceNet:
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
        raise ModelError(
            f"the layers of the model {model.kind!r} have an even width: train it again"
        )
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
        raise ModelError(f"the array 'scale' of the model {model.kind!r} holds 0: train it again")
    arrays |= {"inputs": inputs, "layers": layers}
    return SequenceNet(**{name: array.astype(np.float32) for name, array in arrays.items()})


def pack_net(net: SequenceNet) -> Arrays:
    """Return the arrays to store, in half precision but for mean and scale."""
    precise = ("mean", "scale")
    return {
        name: getattr(net, name).astype(np.float32 if name in precise else np.float16)
        for name in ARRAY_NAMES
    }
