"""A small convolutional net over the sequence of a page's blocks; inference in numpy.

`training.trainers.news_net` trains it. Several are averaged; nets of one size form an ensemble.
The compiled `native/_net.pyx` adds up in another order.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate import native
from scrapy_boilerplate.native.features import N_GROUP_KINDS, NO_GROUP
from scrapy_boilerplate.page.labels import IntArray
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

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Floats = NDArray[np.float32]

# Size of a standardised feature.
MAX_FEATURE_SIZE = 5.0
# Columns of a panel of weights: `PANEL` of native/net_layers.h.
PANEL = 32
# Rows that pass the convolutions together (more than most pages have), to use less memory.
PART_ROWS = 1_024
# Queries: native code computes them in one panel.
MAX_QUERIES = PANEL


@dataclass(frozen=True, eq=False)
class SequenceNet:
    """An ensemble of nets; the members are the first axis of their weights.

    mean, scale   float[columns], of the training blocks
    inputs        float[members, columns, channels], the first layer, and `input_bias`
    layers        float[members, layers, width * channels, channels], residual convolutions; layer
                  k looks at every 2**k-th neighbour (dilated as in Oord 2016, WaveNet)
    biases        float[members, layers, channels]
    pools         float[members, kinds, channels, channels], of the residual pooling layer: for the
                  means over the groups of a block (Zaheer et al. 2017, Deep Sets)
    queries       float[members, channels, queries]: their softmax over the blocks weighs the means
                  over the page (Lin et al. 2017, A Structured Self-Attentive Sentence Embedding)
    attended      float[members, queries * channels, channels]: for these means
    pool_bias     float[members, channels]
    outputs       float[members, channels, heads] and `output_bias` float[members, heads]
    """

    mean: Floats
    scale: Floats
    inputs: Floats
    input_bias: Floats
    layers: Floats
    biases: Floats
    pools: Floats
    queries: Floats
    attended: Floats
    pool_bias: Floats
    outputs: Floats
    output_bias: Floats

    def __call__(self, rows: NDArray[np.floating[Any]], groups: IntArray) -> Floats:
        """Return float[members, n, heads], the log odds of float[n, columns].

        `groups` is int[kinds, n]: the number of each block's group, below n, or NO_GROUP.
        """
        depth, size, channels = self.layers.shape[1:]
        n, reach = len(rows), size // channels // 2 * (2**depth - 1)
        parts = []
        for first in range(0, max(n, 1), PART_ROWS):
            start, end = max(first - reach, 0), min(first + PART_ROWS, n)
            part = self._run_layers(rows[start : end + reach])
            parts.append(part[:, first - start : end - start])
        return self._pool(np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0], groups)

    def _run_layers_in_numpy(self, rows: NDArray[np.floating[Any]]) -> Floats:
        with use_one_blas_thread():
            standard = (rows.astype(np.float32) - self.mean) / self.scale
            np.clip(standard, -MAX_FEATURE_SIZE, MAX_FEATURE_SIZE, out=standard)
            # all members at once: on a page of 9 blocks half of the time of one after the other
            hidden: Floats = np.maximum(standard @ self.inputs + self.input_bias[:, np.newaxis], 0)
            for k in range(self.layers.shape[1]):
                windows = _join_neighbours(hidden, self.layers.shape[2], 2**k)
                layer_bias = self.biases[:, k, np.newaxis]
                hidden += np.maximum(windows @ self.layers[:, k] + layer_bias, 0)
        return hidden

    def _pool_in_numpy(self, hidden: Floats, groups: IntArray) -> Floats:
        with use_one_blas_thread():
            pooled = np.repeat(self.pool_bias[:, np.newaxis], hidden.shape[1], axis=1)
            for kind, numbers in enumerate(groups):
                known = (numbers != NO_GROUP).nonzero()[0]
                means = _average_groups(hidden[:, known], numbers[known])
                pooled[:, known] += (means @ self.pools[:, kind])[:, numbers[known]]
            if hidden.shape[1]:
                scores = hidden @ self.queries
                shares = np.exp(scores - scores.max(axis=1, keepdims=True))
                shares /= shares.sum(axis=1, keepdims=True)
                of_page = (shares.swapaxes(1, 2) @ hidden).reshape(len(hidden), 1, -1)
                pooled += of_page @ self.attended
            hidden = hidden + np.maximum(pooled, 0)
            log_odds: Floats = hidden @ self.outputs + self.output_bias[:, np.newaxis]
        return log_odds

    def _run_layers_natively(self, rows: NDArray[np.floating[Any]]) -> Floats:
        members, depth, size, channels = self.layers.shape
        hidden = np.empty((members, len(rows), _round_up(channels)), dtype=np.float32)
        native.net.run_layers(
            rows.astype(np.float32, copy=False),
            *(self._layer_panels, self.mean, self.scale, hidden),
            *(depth, size // channels, MAX_FEATURE_SIZE),
        )
        return hidden

    def _pool_natively(self, hidden: Floats, groups: IntArray) -> Floats:
        heads = self.outputs.shape[2]
        log_odds = np.empty((*hidden.shape[:2], heads), dtype=np.float32)
        native.net.run_pool(
            *(hidden, groups, self._pool_panels, log_odds),
            *(self.queries.shape[2], _round_up(heads)),
        )
        return log_odds

    _run_layers = native.choose("net", _run_layers_natively, _run_layers_in_numpy)
    _pool = native.choose("net", _pool_natively, _pool_in_numpy)

    @cached_property
    def _layer_panels(self) -> Floats:
        """The weights of all layers as native/_net.pyx reads them: by member, in panels."""
        members, depth, size, channels = self.layers.shape
        parts = [_split_panels(self.inputs), _pad(self.input_bias)]
        for layer in range(depth):
            taps = self.layers[:, layer].reshape(members, size // channels, channels, channels)
            padded = _pad(taps, axis=2).reshape(members, -1, channels)
            parts += [_split_panels(padded), _pad(self.biases[:, layer])]
        return _join_parts(parts)

    @cached_property
    def _pool_panels(self) -> Floats:
        """The weights of the pooling layer and the outputs, packed like `_layer_panels`."""
        members, channels, queries = self.queries.shape
        parts = [_split_panels(_pad(pool, axis=1)) for pool in self.pools.swapaxes(0, 1)]
        if queries:
            squares = self.attended.reshape(members, queries, channels, channels)
            attended = _pad(squares, axis=2).reshape(members, -1, channels)
            parts += [_split_panels(_pad(self.queries, axis=1)), _split_panels(attended)]
        parts += [_pad(self.pool_bias), _split_panels(_pad(self.outputs, axis=1))]
        return _join_parts([*parts, _pad(self.output_bias)])


def _average_groups(hidden: Floats, groups: IntArray) -> Floats:
    """Return float[members, groups, channels]: the mean of the rows of each group."""
    counts = np.bincount(groups)
    sums = np.zeros((len(hidden), len(counts), hidden.shape[2]), dtype=np.float32)
    for member, rows in zip(sums, hidden, strict=True):
        np.add.at(member, groups, rows)
    means: Floats = sums / np.maximum(counts, 1).astype(np.float32)[:, np.newaxis]
    return means


def _join_parts(parts: list[Floats]) -> Floats:
    return np.ascontiguousarray(np.concatenate(parts, axis=1).ravel(), dtype=np.float32)


def _round_up(size: int) -> int:
    return -(-size // PANEL) * PANEL


def _pad(weights: Floats, axis: int = -1) -> Floats:
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
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - compiled code has no BLAS

    controller: ThreadpoolController = ThreadpoolController().select(user_api="blas")
    return controller


ARRAY_NAMES = tuple(SequenceNet.__dataclass_fields__)


def read_sequence_net(model: StoredModel, n_heads: int) -> SequenceNet:
    """Return the net of a stored model. Raises ModelError if its arrays do not fit."""
    columns = len(model.columns)
    inputs = read_array(model, "inputs", (None, columns, None))
    members, _, channels = inputs.shape
    layers = read_array(model, "layers", (members, None, None, channels))
    queries = read_array(model, "queries", (members, channels, None))
    depth, size = layers.shape[1:3]
    check_at_most(model, "layers", depth, MAX_LAYERS)
    check_at_most(model, "numbers a row", channels, MAX_UNITS)
    check_at_most(model, "rows to a layer", size // channels, MAX_WIDTH)
    check_at_most(model, "queries", queries.shape[2], MAX_QUERIES)
    if size % channels or size // channels % 2 == 0:
        raise ModelError(
            f"the layers of the model {model.kind!r} have an even width: train it again"
        )
    shapes = {
        "mean": (columns,),
        "scale": (columns,),
        "input_bias": (members, channels),
        "biases": (members, depth, channels),
        "pools": (members, N_GROUP_KINDS, channels, channels),
        "attended": (members, queries.shape[2] * channels, channels),
        "pool_bias": (members, channels),
        "outputs": (members, channels, n_heads),
        "output_bias": (members, n_heads),
    }
    arrays = {name: read_array(model, name, shape) for name, shape in shapes.items()}
    if not (arrays["scale"] > 0).all():
        raise ModelError(f"the array 'scale' of the model {model.kind!r} holds 0: train it again")
    arrays |= {"inputs": inputs, "layers": layers, "queries": queries}
    return SequenceNet(**{name: array.astype(np.float32) for name, array in arrays.items()})


def pack_net(net: SequenceNet) -> Arrays:
    """Return the arrays to store, in half precision but for mean and scale."""
    precise = ("mean", "scale")
    return {
        name: getattr(net, name).astype(np.float32 if name in precise else np.float16)
        for name in ARRAY_NAMES
    }
