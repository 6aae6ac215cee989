"""All features of `news` in one table."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.features import word_scores
from scrapy_boilerplate.news.features.block_columns import BlockColumns
from scrapy_boilerplate.news.features.containers import CONTAINERS, SIGNATURES
from scrapy_boilerplate.news.features.position import POSITION, TAGS
from scrapy_boilerplate.news.features.text import LIKENESS, SHALLOW
from scrapy_boilerplate.news.features.word_scores import WordWeights, score_words

TABLES = MappingProxyType(
    {
        "shallow": SHALLOW,
        "position": POSITION,
        "tags": TAGS,
        "containers": CONTAINERS,
        "signatures": SIGNATURES,
        "likeness": LIKENESS,
    }
)
"""Name of a group to its columns, in the order of the matrix; the word scores come last."""

COLUMNS = MappingProxyType(
    {name: what for table in TABLES.values() for name, what in table.columns.items()}
    | word_scores.COLUMNS
)
"""Name of a column to what it is, in the order of the matrix."""


def compute_features(blocks: BlockColumns, weights: WordWeights) -> NDArray[np.float32]:
    """Return float[n, len(COLUMNS)]: every column for every block; linear in the size of the page.

    In the precision that the net reads: on a huge page nothing is larger.
    """
    matrix, row = np.empty((len(COLUMNS), blocks.n), dtype=np.float32), 0
    for table in TABLES.values():
        columns = table.compute(blocks)
        matrix[row : row + len(columns)] = columns
        row += len(columns)
    matrix[row:] = score_words(blocks, weights)
    return matrix.T
