"""Web2Text (Vogels, Ganea, Eickhoff, ECIR 2018): two convolutional nets and Viterbi.

One net tells how likely each block is content from the features of blocks, the other how likely
each pair of labels is for a block and the one before it from those of edges. The labels are those
of the chain with the highest sum of the log probabilities, those of pairs times `PAIR_WEIGHT`
(section 3.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.chain import best_chain, label_shares
from scrapy_boilerplate.steps.evidence import Evidence, usual
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.features import matrix
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, shipped
from scrapy_boilerplate.steps.rows import by_steps
from scrapy_boilerplate.systems.web2text.cnn import ConvolutionStack, Float32Array, stack_of
from scrapy_boilerplate.systems.web2text.features import (
    BLOCK_COLUMNS,
    EDGE_COLUMNS,
    Web2TextFeatures,
)

PAIR_WEIGHT = 0.1
"""Lambda of the paper, section 3.5."""

STOP_WORDS = "stop_words"
"""The fact that lists the stop words of a model's training pages."""

LABELS = np.array([Label.BOILERPLATE, Label.FULL_TEXT], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Web2TextNets:
    """The two nets, and the features they read."""

    features: Web2TextFeatures
    unary: ConvolutionStack
    pairwise: ConvolutionStack

    def potentials(self, rows: Float32Array) -> tuple[FloatArray, FloatArray]:
        """float[n, 2] of blocks and float[n, 2, 2] of pairs from the features float32[n, 153]."""
        unary = _log_shares(self.unary(rows[:, :BLOCK_COLUMNS]))
        pairs = np.zeros((len(rows), 4))
        pairs[1:] = PAIR_WEIGHT * _log_shares(self.pairwise(rows[1:, BLOCK_COLUMNS:]))
        return unary, pairs.reshape(-1, 2, 2)


@dataclass(frozen=True, kw_only=True)
class Web2Text:
    """Blocks (text nodes) become full text or boilerplate; scores are shares over all chains.

    `stored` gives the model when the first page comes.
    """

    stored: Callable[[], StoredModel]
    name: str = "web2text"

    @cached_property
    def _nets(self) -> Web2TextNets:
        return nets_of(self.stored())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Every block is relabelled."""
        rows = matrix(self._nets.features, page).astype(np.float32)
        unary, pairs = self._nets.potentials(rows)
        scores = np.zeros((len(page), len(Label)))
        scores[:, LABELS] = label_shares(unary, pairs)
        return labeling.predict(LABELS[best_chain(unary, pairs)], scores, self.name)

    def evidence(self, page: Page) -> Evidence:
        """Its columns; the median over the page says nothing."""
        nets = self._nets
        rows = matrix(nets.features, page)

        def scores(rows: FloatArray) -> FloatArray:
            found = np.zeros((len(rows), len(Label)))
            found[:, LABELS] = label_shares(*nets.potentials(rows.astype(np.float32)))
            return found

        return Evidence(about=nets.features.about, rows=rows, neutral=usual(rows), scores=scores)


def nets_of(model: StoredModel) -> Web2TextNets:
    """The nets of a stored model. Raises ModelError if it is none of Web2Text."""
    words = model.facts.get(STOP_WORDS)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"the model {model.kind!r} does not list its stop words: train it anew")
    features = Web2TextFeatures(frozenset(words))
    model.check_columns(tuple(features.about))
    return Web2TextNets(
        features,
        stack_of(model, "unary", BLOCK_COLUMNS, 2),
        stack_of(model, "pairwise", EDGE_COLUMNS, 4),
    )


def _log_shares(logits: Float32Array) -> FloatArray:
    """The logarithm of the softmax of each row."""
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True)
    shares: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shares


Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""

MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""


def _web2text(stored: Stored) -> Extractor:
    return by_steps(
        "web2text",
        "Vogels, Ganea, Eickhoff 2018",
        "convolutional nets over the collapsed DOM; all running text of any kind of page",
        Web2Text(stored=stored),
        segmenter=TextNodes(),
    )


def _web2text_of(model: StoredModel) -> Extractor:
    nets_of(model)
    return _web2text(lambda: model)


ROWS: tuple[Extractor, ...] = (_web2text(partial(shipped, MODELS / "web2text")),)

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"web2text": _web2text_of}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
