"""A linear-chain CRF over coded columns (Lafferty, McCallum, Pereira 2001), as Victor uses it.

The score of a chain of labels is a sum of weights: one for every block and entry of the template (a
column of this block or of one near it), by the code there, and one for every two blocks in a row,
by their labels. Blocks are text nodes. `training.trainers.crf` learns the weights with CRFsuite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import StoredModel, read_array
from scrapy_boilerplate.systems.common.block_model import (
    BlockModel,
    Predict,
    read_class_labels,
)
from scrapy_boilerplate.systems.common.chain import find_best_chain, score_chain
from scrapy_boilerplate.systems.common.features import shift_column
from scrapy_boilerplate.systems.victor.features import MAX_CODE, TEMPLATE, VictorFeatures

OUTSIDE = MAX_CODE + 1  # the code before the first block and after the last
CODES = MAX_CODE + 2

FEATURES = VictorFeatures()


@dataclass(frozen=True, eq=False)
class ChainWeights(BlockModel):
    """The weights of the field; blocks get the label of their class in the best chain.

    The score of a label is its probability over all chains.

    state       float[template, CODES, L]
    transition  float[L, L] of the classes
    labels      int[L] of the classes; two may have one label
    """

    neutral: ClassVar[float | None] = float(OUTSIDE)
    state: FloatArray
    transition: FloatArray
    labels: IntArray

    @property
    def about(self) -> Mapping[str, str]:
        """Names and meanings."""
        return {name: FEATURES.about[name.partition("@")[0]] for name in list_template_names()}

    def prepare(self, page: Page) -> tuple[FloatArray, Predict]:
        """Return the codes of a page, as float."""
        return code_template(page).astype(np.float64), self._predict

    def _predict(self, rows: FloatArray) -> tuple[IntArray, FloatArray]:
        unary, pairs = self.potentials(rows.astype(np.int64))
        best = find_best_chain(unary, pairs)
        return self.labels[best], score_chain(unary, pairs, self.labels)

    def potentials(self, codes: IntArray) -> tuple[FloatArray, FloatArray]:
        """float[n, L] and float[n, L, L] from the codes int[n, template]."""
        flat = self.state.reshape(-1, len(self.labels))
        rows = codes + np.arange(codes.shape[1]) * CODES
        unary: FloatArray = flat[rows].sum(axis=1)
        return unary, np.repeat(self.transition[None], len(codes), axis=0)


def read_chain_weights(model: StoredModel) -> ChainWeights:
    """Return the weights of a stored model. Raises ModelError if it is no CRF of Victor's."""
    model.check_columns(list_template_names())
    labels = read_class_labels(model)
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
