"""A linear-chain CRF over coded columns (Lafferty, McCallum, Pereira 2001), as Victor uses it.

The score of a chain of labels is a sum of weights: one for every block and entry of the template (a
column of this block or of one near it), by the code there, and one for every two blocks in a row,
by their labels. Blocks are text nodes. `training.trainers.crf` learns the weights with CRFsuite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import StoredModel, read_array
from scrapy_boilerplate.systems.common.chain import find_best_chain, score_chain
from scrapy_boilerplate.systems.common.classifier import read_class_labels
from scrapy_boilerplate.systems.common.features import shift_column
from scrapy_boilerplate.systems.victor.features import MAX_CODE, TEMPLATE, VictorFeatures

OUTSIDE = MAX_CODE + 1
"""The code before the first block and after the last."""
CODES = MAX_CODE + 2

FEATURES = VictorFeatures()


@dataclass(frozen=True, eq=False)
class ChainWeights:
    """The weights of the field.

    state       float[template, CODES, L]
    transition  float[L, L] of the classes
    labels      int[L] of the classes; two may have one label
    """

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
class ConditionalRandomField(LearnedStep):
    """Blocks (text nodes) get the label of their class in the best chain.

    The score of a label is its probability over all chains.
    """

    name: str = "crf"

    @cached_property
    def _weights(self) -> ChainWeights:
        return read_chain_weights(self.load_model())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Relabel every block."""
        unary, pairs = self._weights.potentials(code_template(page))
        labels = self._weights.labels
        scores = score_chain(unary, pairs, labels)
        return labeling.predict(labels[find_best_chain(unary, pairs)], scores, self.name)

    def weigh_columns(self, page: Page) -> ColumnWeights:
        """Return the codes and their scores; the code beyond the ends is neutral."""
        about = {name: FEATURES.about[name.partition("@")[0]] for name in list_template_names()}

        def score(rows: FloatArray) -> FloatArray:
            potentials = self._weights.potentials(rows.astype(np.int64))
            return score_chain(*potentials, self._weights.labels)

        codes = code_template(page).astype(np.float64)
        neutral = np.full(codes.shape[1], float(OUTSIDE))
        return ColumnWeights(about=about, rows=codes, neutral=neutral, scores=score)


def read_chain_weights(model: StoredModel) -> ChainWeights:
    """Return the weights of a stored model. Raises ModelError if it is no CRF of Victor's."""
    model.check_columns(list_template_names())
    labels = np.array(read_class_labels(model), dtype=np.int64)
    size = len(labels)
    state = read_array(model, "state", (len(TEMPLATE), CODES, size))
    return ChainWeights(
        state.astype(np.float64),
        read_array(model, "transition", (size, size)).astype(np.float64),
        labels,
    )


def list_template_names() -> tuple[str, ...]:
    """Return the names of the entries of the template: ``bullet``, ``bullet@-1``, ..."""
    return tuple(f"{name}@{offset:+d}" if offset else name for name, offset in TEMPLATE)


def code_template(page: Page) -> IntArray:
    """int[n, template]: the code at each entry of the template for each block."""
    columns = FEATURES(page)
    codes = np.empty((len(page), len(TEMPLATE)), dtype=np.int64)
    for number, (name, offset) in enumerate(TEMPLATE):
        # codes are shifted by one, so that the 0 beyond the ends is a code of its own
        codes[:, number] = shift_column(columns[name] + 1, offset) - 1
    codes[codes < 0] = OUTSIDE
    return codes
