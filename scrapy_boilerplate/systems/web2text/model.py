"""Web2Text (Vogels, Ganea, Eickhoff, ECIR 2018): two convolutional nets and Viterbi.

The unary net gives the probability that a block is content, from the features of blocks. The
pairwise net gives the probability of each pair of labels of a block and the block before it, from
the edges. The labels are the chain with the highest sum of log probabilities, where pairs have the
weight `PAIR_WEIGHT` (section 3.5). Inference only; `training.trainers.web2text` trains the nets.
`web2text.features` has the deviations of the features.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import FloatArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import (
    MAX_LAYERS,
    MAX_UNITS,
    MAX_WIDTH,
    ModelError,
    StoredModel,
    check_at_most,
    read_array,
)
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction
from scrapy_boilerplate.systems.common.chain import label_chain
from scrapy_boilerplate.systems.common.features import FeatureGroup
from scrapy_boilerplate.systems.web2text.features import (
    BLOCK_COLUMNS,
    COLUMNS,
    EDGE_COLUMNS,
    build_group,
)

Float32Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ConvolutionStack:
    """Layers of 1-D convolutions with a rectifier between them; beyond the ends are rows of 0.

    Each layer has `weights` float32[width, inputs, outputs] and `biases` float32[outputs]; widths
    are odd.
    """

    weights: tuple[Float32Array, ...]
    biases: tuple[Float32Array, ...]

    def __call__(self, rows: Float32Array) -> Float32Array:
        """float32[n, outputs of the last layer]; linear in n."""
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = np.maximum(rows, 0) if number else rows
            side = len(weight) // 2
            padded = np.pad(rows, ((side, side), (0, 0)))
            windows = [padded[i : i + len(rows)] for i in range(len(weight))]
            rows = np.concatenate(windows, axis=1) @ weight.reshape(-1, weight.shape[2]) + bias
        return rows

    def arrays(self, name: str) -> Mapping[str, NDArray[Any]]:
        """Return the arrays for the store, in half precision; their names start with `name`."""
        parts = {"weight": self.weights, "bias": self.biases}
        return {
            f"{name}_{part}_{number}": array.astype(np.float16)
            for part, arrays in parts.items()
            for number, array in enumerate(arrays)
        }


def read_stack(model: StoredModel, name: str, inputs: int, outputs: int) -> ConvolutionStack:
    """Return the stack `name` of a stored model, from `inputs` to `outputs` columns.

    Raises ModelError if its arrays are missing, too large or do not fit together.
    """
    layers = sum(key.startswith(f"{name}_weight_") for key in model.arrays)
    check_at_most(model, "layers", layers, MAX_LAYERS)
    weights, biases = [], []
    size = inputs
    for number in range(max(layers, 1)):
        weight = read_array(model, f"{name}_weight_{number}", (None, size, None))
        if len(weight) % 2 == 0:
            raise ModelError(
                f"a layer of the model {model.kind!r} is of even width: train it again"
            )
        size = weight.shape[2]
        check_at_most(model, "rows to a layer", len(weight), MAX_WIDTH)
        check_at_most(model, "numbers a row", size, MAX_UNITS)
        weights.append(weight.astype(np.float32))
        biases.append(read_array(model, f"{name}_bias_{number}", (size,)).astype(np.float32))
    if size != outputs:
        raise ModelError(
            f"the stack {name!r} of the model {model.kind!r} ends in {size} columns, not in "
            f"{outputs}: train it again"
        )
    return ConvolutionStack(tuple(weights), tuple(biases))


PAIR_WEIGHT = 0.1  # lambda of the paper, section 3.5

STOP_WORDS = "stop_words"  # the fact that lists the stop words of a model's training pages

LABELS = np.array([Label.BOILERPLATE, Label.FULL_TEXT], dtype=np.int64)


def read_web2text_nets(model: StoredModel) -> BlockModel:
    """Return the nets of a stored model. Raises ModelError for another model."""
    words = model.facts.get(STOP_WORDS)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"the model {model.kind!r} does not list its stop words: train it again")
    model.check_columns(COLUMNS)
    unary = read_stack(model, "unary", BLOCK_COLUMNS, 2)
    pairwise = read_stack(model, "pairwise", EDGE_COLUMNS, 4)
    return partial(_label_by_nets, build_group(frozenset(words)), unary, pairwise)


def _label_by_nets(
    group: FeatureGroup, unary: ConvolutionStack, pairwise: ConvolutionStack, page: Page
) -> Prediction:
    numbers = group.build_matrix(page).astype(np.float32)
    of_pairs = np.zeros((len(page), 4))
    of_pairs[1:] = PAIR_WEIGHT * _log_shares(pairwise(numbers[1:, BLOCK_COLUMNS:]))
    of_blocks = _log_shares(unary(numbers[:, :BLOCK_COLUMNS]))
    return label_chain(of_blocks, of_pairs.reshape(-1, 2, 2), LABELS)


def _log_shares(logits: Float32Array) -> FloatArray:
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True)
    shares: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shares
