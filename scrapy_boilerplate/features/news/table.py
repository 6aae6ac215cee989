"""All features of `news` in one table."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.features.news.containers import CONTAINERS
from scrapy_boilerplate.features.news.facts import Facts
from scrapy_boilerplate.features.news.likeness import LIKENESS
from scrapy_boilerplate.features.news.names import NAMES
from scrapy_boilerplate.features.news.position import POSITION
from scrapy_boilerplate.features.news.shallow import SHALLOW
from scrapy_boilerplate.features.news.signatures import SIGNATURES
from scrapy_boilerplate.features.news.tags import TAGS
from scrapy_boilerplate.label import FloatArray
from scrapy_boilerplate.page import Page

TABLES = MappingProxyType(
    {
        "shallow": SHALLOW,
        "position": POSITION,
        "tags": TAGS,
        "containers": CONTAINERS,
        "signatures": SIGNATURES,
        "names": NAMES,
        "likeness": LIKENESS,
    }
)
"""Name of a group to its columns, in the order of the matrix."""

COLUMNS = MappingProxyType(
    {name: what for table in TABLES.values() for name, what in table.columns.items()}
)
"""Name of a column to what it is, in the order of the matrix."""


def news_features(page: Page) -> FloatArray:
    """float[n, len(COLUMNS)]: every column for every block; linear in the size of the page."""
    facts = Facts(page)
    columns = [column for table in TABLES.values() for column in table.compute(facts)]
    matrix: FloatArray = np.stack(columns, axis=1) if columns else np.zeros((0, len(COLUMNS)))
    return matrix
