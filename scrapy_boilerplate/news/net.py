"""A small convolutional net over the sequence of a page's blocks; inference in numpy.

`training.trainers.news_net` trains it. Several are averaged; nets of one size form an ensemble.
Most layers multiply whole numbers of 7 bits with weights of 8 bits (Jacob et al. 2018, Quantization
and Training of Neural Networks). Their sums are exact, so the hidden rows of the compiled
`native/_net.pyx` are equal on all processors. It adds up the other sums in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from scrapy_boilerplate.steps.pickling import PickledFields

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Floats = NDArray[np.float32]

# Size of a standardised feature.
MAX_FEATURE_SIZE = 5.0
# Columns of a panel of weights: `PANEL` of native/net_layers.h.
PANEL = 32
# Bytes; vectors that do not cross it are faster.
CACHE_LINE = 64
# Size of whole numbers: sums of MAX_UNITS products are exact in single precision.
MAX_NUMBER = np.float32(127)
# Values of a digit; a standardised feature is a whole number of two digits, counted from
# -MAX_FEATURE_SIZE in INPUT_STEP.
DIGIT = 128
MAX_INPUT = np.float32(DIGIT**2 - 1)
INPUT_STEP = np.float32(2 * MAX_FEATURE_SIZE / MAX_INPUT)
# Rows of zeros are divided by it.
MIN_DIVISOR = np.float32(1e-30)
HALF = np.float32(0.5)
# Queries: native code computes them in one panel.
MAX_QUERIES = PANEL


@dataclass(frozen=True, eq=False)
class SequenceNet(PickledFields):
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
        return self._run(rows, groups)

    def _run_in_numpy(self, rows: NDArray[np.floating[Any]], groups: IntArray) -> Floats:
        with use_one_blas_thread():
            hidden = self._run_layers(rows)
            if len(rows):
                hidden += np.maximum(self._pool(hidden, groups), 0)
            log_odds: Floats = hidden @ self.outputs + self.output_bias[:, np.newaxis]
        return log_odds

    def _run_layers(self, rows: NDArray[np.floating[Any]]) -> Floats:
        inputs, scale = self._whole["inputs"]
        layers, scales = self._whole["layers"]
        width = layers.shape[2] // layers.shape[3]
        values = (rows.astype(np.float32) - self.mean) * self._factor + MAX_INPUT / 2
        numbers = np.floor(np.fmin(np.fmax(values, 0), MAX_INPUT) + HALF)
        high = np.floor(numbers / DIGIT)
        low = numbers - high * DIGIT
        # all members at once: on a page of 9 blocks half of the time of one after the other
        totals = (high @ inputs) * (DIGIT * INPUT_STEP) + (low @ inputs) * INPUT_STEP
        hidden = _rectify(totals, scale, self._input_bias)
        for k in range(self.layers.shape[1]):
            totals = _sum_neighbours(hidden, np.split(layers[:, k], width, axis=1), 2**k)
            hidden += _rectify(totals, scales[:, k], self.biases[:, k])
        return hidden

    def _pool(self, hidden: Floats, groups: IntArray) -> Floats:
        pools, scales = self._whole["pools"]
        pooled = np.repeat(self.pool_bias[:, np.newaxis], hidden.shape[1], axis=1)
        for kind, numbers in enumerate(groups):
            known = (numbers != NO_GROUP).nonzero()[0]
            means, steps = _round_rows(_average_groups(hidden[:, known], numbers[known]))
            products = (means @ pools[:, kind]) * steps * scales[:, kind, np.newaxis]
            pooled[:, known] += products[:, numbers[known]]
        scores = hidden @ self.queries
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        of_page = (shares.swapaxes(1, 2) @ hidden).reshape(len(hidden), 1, -1)
        pooled += of_page @ self.attended
        return pooled

    def _run_natively(self, rows: NDArray[np.floating[Any]], groups: IntArray) -> Floats:
        members, depth, size, channels = self.layers.shape
        queries, heads = self.queries.shape[2], self.outputs.shape[2]
        log_odds = np.empty((members, len(rows), heads), dtype=np.float32)
        native.net.run(
            *(np.asfortranarray(rows, dtype=np.float32), groups, *self._packed),
            *(self.mean, self._factor, INPUT_STEP, log_odds),
            *(_round_up(channels), depth, size // channels, queries, _round_up(heads)),
        )
        return log_odds

    _run = native.choose("net", _run_natively, _run_in_numpy)

    @cached_property
    def _whole(self) -> dict[str, tuple[Floats, Floats]]:
        """The weights of most of the layers as whole numbers, and the scale of each column."""
        return {name: _round_weights(getattr(self, name)) for name in ("inputs", "layers", "pools")}

    @cached_property
    def _factor(self) -> Floats:
        factor: Floats = np.reciprocal(INPUT_STEP * self.scale)
        return factor

    @cached_property
    def _input_bias(self) -> Floats:
        """The bias for inputs that are counted from -MAX_FEATURE_SIZE."""
        inputs, scale = self._whole["inputs"]
        bias: Floats = self.input_bias - MAX_FEATURE_SIZE * scale * inputs.sum(axis=1)
        return bias

    @cached_property
    def _packed(self) -> tuple[NDArray[np.uint8], Floats]:
        return self._pack(native.net.group_size())

    def _pack(self, group: int) -> tuple[NDArray[np.uint8], Floats]:
        """Return the whole weights and the floats as native/_net.pyx reads them: by member."""
        members, channels, queries = self.queries.shape
        (inputs, scale), (layers, scales), (pools, pool_scales) = self._whole.values()
        squares = [layers.reshape(members, -1, channels, channels), pools]
        padded = _pad(np.concatenate(squares, axis=1), axis=2).swapaxes(0, 1)
        whole = [_split_panels(part, group) for part in (_pad(inputs, 1, group), *padded)]
        attended = self.attended.reshape(members, queries, channels, channels)
        floats = [
            _pad(np.stack([scale, self._input_bias], axis=1)),
            _pad(np.stack([scales, self.biases], axis=2)),
            _pad(pool_scales),
            _split_panels(_pad(self.queries, axis=1)),
            _split_panels(_pad(attended, axis=2).reshape(members, -1, channels)),
            _pad(self.pool_bias),
            _split_panels(_pad(self.outputs, axis=1)),
            _pad(self.output_bias),
        ]
        dtype = np.int8 if group > 1 else np.float32
        return _join_parts(whole, dtype).view(np.uint8), _join_parts(floats, np.float32)


def _round_weights(weights: Floats) -> tuple[Floats, Floats]:
    """Return float[..., rows, columns] as whole numbers, and the scale float[..., columns]."""
    scale = np.maximum(np.abs(weights).max(axis=-2, keepdims=True), MIN_DIVISOR) / MAX_NUMBER
    return np.round(weights / scale), scale[..., 0, :]


def _round_rows(hidden: Floats) -> tuple[Floats, Floats]:
    """Return rows of numbers from 0 as whole numbers, and the size of 1 in each row."""
    most = np.maximum(hidden.max(axis=-1, keepdims=True), MIN_DIVISOR)
    whole = hidden * (MAX_NUMBER / most)
    whole += HALF
    return np.floor(whole, out=whole), most / MAX_NUMBER


def _rectify(totals: Floats, scale: Floats, bias: Floats) -> Floats:
    """Return `totals` times `scale`, plus `bias`, at least 0; in place."""
    totals *= scale[:, np.newaxis]
    totals += bias[:, np.newaxis]
    return np.maximum(totals, 0, out=totals)


def _sum_neighbours(hidden: Floats, taps: Sequence[Floats], step: int) -> Floats:
    """Return the sums over every `step`-th neighbour of a block times the weights of its tap."""
    n, totals = hidden.shape[1], np.zeros_like(hidden)
    whole, steps = _round_rows(hidden)
    for k, weights in enumerate(taps):
        away = (k - len(taps) // 2) * step
        first, end = max(-away, 0), n - max(away, 0)
        if first < end:
            near = slice(first + away, end + away)
            products = whole[:, near] @ weights
            products *= steps[:, near]
            totals[:, first:end] += products
    return totals


def _average_groups(hidden: Floats, groups: IntArray) -> Floats:
    """Return float[members, groups, channels]: the mean of the rows of each group."""
    counts = np.bincount(groups)
    sums = np.zeros((len(hidden), len(counts), hidden.shape[2]), dtype=np.float32)
    for member, rows in zip(sums, hidden, strict=True):
        np.add.at(member, groups, rows)
    sums *= np.reciprocal(np.maximum(counts, 1).astype(np.float32))[:, np.newaxis]
    return sums


def _join_parts(parts: Sequence[Floats], dtype: type) -> NDArray[Any]:
    """Return the numbers of the parts by member, from the start of a cache line."""
    by_member = [part.reshape(len(part), -1) for part in parts]
    joined: NDArray[Any] = np.concatenate(by_member, axis=1, dtype=dtype, casting="unsafe").ravel()
    buffer = np.empty(joined.nbytes + CACHE_LINE, dtype=np.uint8)
    first = -buffer.__array_interface__["data"][0] % CACHE_LINE
    aligned: NDArray[Any] = buffer[first:].view(dtype)[: len(joined)]
    aligned[:] = joined
    return aligned


def _round_up(size: int, unit: int = PANEL) -> int:
    return -(-size // unit) * unit


def _pad(weights: Floats, axis: int = -1, unit: int = PANEL) -> Floats:
    size = weights.shape[axis]
    if size % unit == 0:
        return weights
    missing = [(0, 0)] * weights.ndim
    missing[axis] = (0, _round_up(size, unit) - size)
    return np.pad(weights, missing)


def _split_panels(weights: Floats, group: int = 1) -> Floats:
    """Return float[members, panels * rows * PANEL] of float[members, rows, columns].

    The numbers of `group` rows are adjacent.
    """
    padded = _pad(weights)
    panels = padded.reshape(len(padded), padded.shape[1] // group, group, -1, PANEL)
    return panels.transpose(0, 3, 1, 4, 2).reshape(len(weights), -1)


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
