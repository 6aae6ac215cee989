"""A linear-chain CRF over coded columns (Lafferty, McCallum, Pereira 2001), as Victor uses it.

The score of a chain of labels is a sum of weights: for every block and entry of the template (a
column, of this block or of one near it) the weight of the code found there, for every two blocks in
a row that of their labels. `training/trainers/crf.py` learns them with CRFsuite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.chain import best_chain, label_shares
from scrapy_boilerplate.steps.classifier import checked_array, class_labels
from scrapy_boilerplate.steps.evidence import Evidence
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.features import shifted
from scrapy_boilerplate.steps.model_store import StoredModel, shipped
from scrapy_boilerplate.steps.rows import by_steps
from scrapy_boilerplate.systems.victor.features import MAX_CODE, TEMPLATE, VictorFeatures

OUTSIDE = MAX_CODE + 1
"""The code of what is before the first block or after the last."""
CODES = MAX_CODE + 2

FEATURES = VictorFeatures()


@dataclass(frozen=True, eq=False)
class ChainWeights:
    """`state` float[template, CODES, L] and `transition` float[L, L] of the classes, whose labels
    are `labels`, int[L] (two classes may have one label)."""

    state: FloatArray
    transition: FloatArray
    labels: IntArray

    def potentials(self, codes: IntArray) -> tuple[FloatArray, FloatArray]:
        """float[n, L] and float[n, L, L] from the codes int[n, template]."""
        flat = self.state.reshape(-1, len(self.labels))
        rows = codes + np.arange(codes.shape[1]) * CODES
        unary: FloatArray = flat[rows].sum(axis=1)
        return unary, np.repeat(self.transition[None], len(codes), axis=0)


@dataclass(frozen=True, kw_only=True)
class ConditionalRandomField:
    """Blocks (text nodes) get the label of their class in the best chain; scores are shares over
    all chains. `stored` gives the model when the first page comes."""

    stored: Callable[[], StoredModel]
    name: str = "crf"

    @cached_property
    def _weights(self) -> ChainWeights:
        return weights_of(self.stored())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Every block is relabelled."""
        weights = self._weights
        unary, pairs = weights.potentials(template_codes(page))
        scores = np.zeros((len(page), len(Label)))
        shares = label_shares(unary, pairs)
        for number, label in enumerate(weights.labels.tolist()):
            scores[:, label] += shares[:, number]
        return labeling.predict(weights.labels[best_chain(unary, pairs)], scores, self.name)

    def evidence(self, page: Page) -> Evidence:
        """Its codes; the code of what is beyond the ends says nothing."""
        weights, codes = self._weights, template_codes(page).astype(np.float64)
        told = FEATURES.about
        about = {f"{name}@{offset:+d}" if offset else name: told[name] for name, offset in TEMPLATE}

        def scores(rows: FloatArray) -> FloatArray:
            shares = label_shares(*weights.potentials(rows.astype(np.int64)))
            found = np.zeros((len(rows), len(Label)))
            for number, label in enumerate(weights.labels.tolist()):
                found[:, label] += shares[:, number]
            return found

        neutral = np.full(codes.shape[1], float(OUTSIDE))
        return Evidence(about=about, rows=codes, neutral=neutral, scores=scores)


def weights_of(model: StoredModel) -> ChainWeights:
    """The weights of a stored model. Raises ModelError if it is no CRF over Victor's columns."""
    model.check_columns(template_names())
    labels = np.array(class_labels(model), dtype=np.int64)
    size = len(labels)
    state = checked_array(model, "state", (len(TEMPLATE), CODES, size))
    return ChainWeights(
        state.astype(np.float64),
        checked_array(model, "transition", (size, size)).astype(np.float64),
        labels,
    )


def template_names() -> tuple[str, ...]:
    """Names of the entries of the template: ``bullet``, ``bullet@-1``, ..."""
    return tuple(f"{name}@{offset:+d}" if offset else name for name, offset in TEMPLATE)


def template_codes(page: Page) -> IntArray:
    """int[n, template]: the code at each entry of the template for each block."""
    columns = FEATURES(page)
    codes = np.empty((len(page), len(TEMPLATE)), dtype=np.int64)
    for number, (name, offset) in enumerate(TEMPLATE):
        # codes go one up, so that the 0 beyond the ends is a code of its own
        codes[:, number] = shifted(columns[name] + 1, offset) - 1
    codes[codes < 0] = OUTSIDE
    return codes


Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""

MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""


def _crf(stored: Stored) -> Extractor:
    return by_steps(
        "crf",
        "Spousta, Marek, Pecina 2008 (Victor)",
        "conditional random field over text nodes; all running text of any kind of page",
        ConditionalRandomField(stored=stored),
        segmenter=TextNodes(),
    )


def _crf_of(model: StoredModel) -> Extractor:
    weights_of(model)
    return _crf(lambda: model)


ROWS: tuple[Extractor, ...] = (_crf(partial(shipped, MODELS / "crf")),)

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType({"crf": _crf_of})
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
