"""The multi-layer perceptrons of texrex (Schaefer 2017), one per language and a pooled one.

Inference only; `training.trainers.mlp` fits them. Parameters: `THRESHOLD`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scrapy_boilerplate.metadata.language import detect_language
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import (
    MAX_UNITS,
    Arrays,
    ModelError,
    StoredModel,
    check_at_most,
    read_array,
)
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction, predict_content
from scrapy_boilerplate.systems.texrex.features import TEXREX

POOLED = "pooled"  # the net for pages of any language
# The fact that lists the nets of a model by language (ISO 639-1, and POOLED).
LANGUAGES = "languages"
# Minimum score of boilerplate: the middle between the training targets 0 and 1 (the paper, note
# 12); texrex's default is .55.
THRESHOLD = 0.5
MAX_SUM = 60.0  # sum beyond which a sigmoid is 0 or 1 (keeps exp in range)


@dataclass(frozen=True, eq=False)
class Net:
    """One hidden layer of tanh units (sigmoids on another scale) and a sigmoid at the end.

    It reads the square roots of the columns (most are shares with a long tail), standardized by
    `means` and `scales` (float[columns]). `hidden` is float[columns + 1, units], `output`
    float[units + 1]; the last row of each is the bias.
    """

    means: FloatArray
    scales: FloatArray
    hidden: FloatArray
    output: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n]: the score for boilerplate, 0 to 1."""
        inputs = (compute_square_roots(rows) - self.means) / self.scales
        units = np.tanh(inputs @ self.hidden[:-1] + self.hidden[-1])
        sums = units @ self.output[:-1] + self.output[-1]
        scores: FloatArray = 1 / (1 + np.exp(-np.clip(sums, -MAX_SUM, MAX_SUM)))
        return scores

    def arrays(self, language: str) -> Arrays:
        """Return the arrays of the net for `language`."""
        return {f"{name}.{language}": getattr(self, name).astype(np.float32) for name in PARTS}


PARTS = ("means", "scales", "hidden", "output")


def compute_square_roots(rows: FloatArray) -> FloatArray:
    """Return the square roots of |x|, the input of a net."""
    return np.sqrt(np.abs(rows))


def read_nets(model: StoredModel) -> BlockModel:
    """Return the nets of a stored model by language. Raises ModelError if they do not fit."""
    model.check_columns(TEXREX.names)
    names: Any = model.facts.get(LANGUAGES)
    if not isinstance(names, list) or POOLED not in names:
        raise ModelError(f"the model {model.kind!r} has no pooled net: train it again")
    nets = {str(name): _read_net(model, str(name)) for name in names}
    return partial(_label_by_net, nets)


def _label_by_net(nets: Mapping[str, Net], page: Page) -> Prediction:
    """Label by the net of the declared or detected language; boilerplate from THRESHOLD on."""
    language = page.language
    if language is None and len(nets) > 1:
        language = detect_language(" ".join(page.texts))
    boilerplate = nets.get(language or POOLED, nets[POOLED])(TEXREX.build_matrix(page))
    return predict_content(boilerplate < THRESHOLD, 1 - boilerplate)


def _read_net(model: StoredModel, language: str) -> Net:
    columns = len(model.columns)
    hidden = read_array(model, f"hidden.{language}", (columns + 1, None)).astype(np.float64)
    check_at_most(model, "numbers a row", hidden.shape[1], MAX_UNITS)
    shapes = {"means": columns, "scales": columns, "output": hidden.shape[1] + 1}
    means, scales, output = (
        read_array(model, f"{name}.{language}", (size,)).astype(np.float64)
        for name, size in shapes.items()
    )
    return Net(means, np.where(scales > 0, scales, 1), hidden, output)
