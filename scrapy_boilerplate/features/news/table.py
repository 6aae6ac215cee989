"""All features of `news` in one table."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.features.news import names
from scrapy_boilerplate.features.news.containers import CONTAINERS
from scrapy_boilerplate.features.news.facts import Facts
from scrapy_boilerplate.features.news.likeness import LIKENESS
from scrapy_boilerplate.features.news.names import WordWeights, word_columns
from scrapy_boilerplate.features.news.position import POSITION
from scrapy_boilerplate.features.news.shallow import SHALLOW
from scrapy_boilerplate.features.news.signatures import SIGNATURES
from scrapy_boilerplate.features.news.tags import TAGS
from scrapy_boilerplate.label import FloatArray

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


def news_features(facts: Facts, weights: WordWeights) -> FloatArray:
    """float[n, len(COLUMNS)]: every column for every block; linear in the size of the page."""
    columns = [column for table in TABLES.values() for column in table.compute(facts)]
    matrix: FloatArray = np.array([*columns, *word_columns(facts, weights)]).T
    return matrix
