"""A linear-chain CRF over coded columns (Lafferty, McCallum, Pereira 2001), as Victor uses it.

The score of a chain of labels is a sum of weights: one for each block and entry of the template (a
column of this or a nearby block), selected by its code, and one for each two blocks in a row,
selected by their labels. Blocks are text nodes. `training.trainers.crf` learns the weights with
CRFsuite.
"""

from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import StoredModel, read_array
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction, read_class_labels
from scrapy_boilerplate.systems.common.chain import label_chain
from scrapy_boilerplate.systems.common.features import FeatureGroup, shift_column
from scrapy_boilerplate.systems.victor.features import MAX_CODE, TEMPLATE, compute_codes

OUTSIDE = MAX_CODE + 1  # the code before the first block and after the last
CODES = MAX_CODE + 2

# The entries of the template, ``bullet``, ``bullet@-1``, ...
COLUMNS = tuple(f"{name}@{offset:+d}" if offset else name for name, offset in TEMPLATE)


def _code_template(page: Page) -> dict[str, IntArray]:
    columns = compute_codes(page)
    coded = {}
    for entry, (name, offset) in zip(COLUMNS, TEMPLATE, strict=True):
        # codes are shifted by one, so that 0 means blocks beyond the ends
        codes = shift_column(columns[name] + 1, offset) - 1
        coded[entry] = np.where(codes < 0, OUTSIDE, codes)
    return coded


VICTOR = FeatureGroup(COLUMNS, _code_template)


def read_chain(model: StoredModel) -> BlockModel:
    """Return the CRF of a stored model. Raises ModelError for another model.

    Blocks get the label of their class in the best chain. The arrays are `state` float[template,
    CODES, L] and `transition` float[L, L] of the classes; two classes may have one label.
    """
    model.check_columns(COLUMNS)
    labels = read_class_labels(model)
    size = len(labels)
    state = read_array(model, "state", (len(TEMPLATE), CODES, size)).astype(np.float64)
    transition = read_array(model, "transition", (size, size)).astype(np.float64)
    return partial(_label_by_chain, state.reshape(-1, size), transition, labels)


def _label_by_chain(
    state: FloatArray, transition: FloatArray, labels: IntArray, page: Page
) -> Prediction:
    rows = VICTOR.build_matrix(page)
    entries = rows.astype(np.int64) + np.arange(rows.shape[1]) * CODES
    pairs = np.repeat(transition[None], len(rows), axis=0)
    return label_chain(state[entries].sum(axis=1), pairs, labels)
