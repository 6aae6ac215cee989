"""All features of `news` in one table."""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.features import names
from scrapy_boilerplate.news.features.containers import CONTAINERS
from scrapy_boilerplate.news.features.facts import Facts
from scrapy_boilerplate.news.features.likeness import LIKENESS
from scrapy_boilerplate.news.features.names import WordWeights, word_columns
from scrapy_boilerplate.news.features.position import POSITION
from scrapy_boilerplate.news.features.shallow import SHALLOW
from scrapy_boilerplate.news.features.signatures import SIGNATURES
from scrapy_boilerplate.news.features.tags import TAGS

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
"""Name of a group to its columns, in the order of the matrix."""

COLUMNS = MappingProxyType(
    {name: what for table in TABLES.values() for name, what in table.columns.items()}
    | names.COLUMNS
)
"""Name of a column to what it is, in the order of the matrix."""


def news_features(facts: Facts, weights: WordWeights) -> NDArray[np.float32]:
    """float[n, len(COLUMNS)]: every column for every block; linear in the size of the page.

    In the precision that the net reads: on a huge page nothing is larger.
    """
    matrix, at = np.empty((len(COLUMNS), facts.n), dtype=np.float32), 0
    for columns in chain(
        (table.compute(facts) for table in TABLES.values()), (word_columns(facts, weights),)
    ):
        matrix[at : at + len(columns)] = columns
        at += len(columns)
    return matrix.T
