"""Columns of small pages, and their features by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.news.features import COLUMNS, WordWeights, compute_features
from tests.builders import page_of

LOG_OF_1 = float(np.log(2.0))
"""What "log of 1 + x" is for x = 1."""


def columns_of(html: Any, weights: WordWeights = WordWeights()) -> dict[str, list[float]]:  # noqa: B008
    """The columns of HTML or a tree in atomic blocks, by name."""
    columns = compute_features(page_of(html), weights).T
    return {name: column.tolist() for name, column in zip(COLUMNS, columns, strict=True)}


def log1p(*numbers: float) -> list[float]:
    """The log of 1 + each number."""
    logs: list[float] = np.log1p(numbers).tolist()
    return logs


def check(columns: Mapping[str, list[float]], expected: Mapping[str, list[float]]) -> None:
    """The columns in `expected` have these values, to six digits."""
    for name, values in expected.items():
        assert columns[name] == pytest.approx(values, abs=1e-6), name
