"""Columns of small pages, and their features by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.news.features.block_columns import BlockColumns, FeatureTable
from tests.builders import page_of

LOG_OF_1 = float(np.log(2.0))
"""What "log of 1 + x" is for x = 1."""


def blocks_of(html: Any) -> BlockColumns:
    """The columns of HTML or a tree in atomic blocks."""
    return BlockColumns(page_of(html))


def columns_of(table: FeatureTable, html: Any) -> dict[str, list[float]]:
    """The columns of `table` by name."""
    columns = table.compute(blocks_of(html))
    return {name: column.tolist() for name, column in zip(table.columns, columns, strict=True)}


def log1p(*numbers: float) -> list[float]:
    """The log of 1 + each number."""
    logs: list[float] = np.log1p(numbers).tolist()
    return logs


def check(columns: Mapping[str, list[float]], expected: Mapping[str, list[float]]) -> None:
    """The columns in `expected` have these values, to six digits."""
    for name, values in expected.items():
        assert columns[name] == pytest.approx(values, abs=1e-6), name
