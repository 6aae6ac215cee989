"""Groups of feature columns, and functions that compute columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page

# Name to a column of n_blocks numbers.
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class FeatureGroup:
    """Columns about the blocks of a page, in the order of `names`.

    `compute` returns the columns of a page by name, perhaps with others; it is pure and total.
    """

    names: tuple[str, ...]
    compute: Callable[[Page], Columns]

    def build_matrix(self, page: Page) -> FloatArray:
        """Return float[n_blocks, n_columns]: the columns side by side."""
        columns = self.compute(page)
        rows = np.empty((len(page), len(self.names)))
        for index, name in enumerate(self.names):
            rows[:, index] = columns[name]
        return rows


Number = TypeVar("Number", np.int64, np.float64, np.bool_)


def shift_column(column: NDArray[Number], offset: int) -> NDArray[Number]:
    """Return for each block the value of the block `offset` places after it; 0 beyond the ends."""
    moved = np.zeros_like(column)
    kept = max(len(column) - abs(offset), 0)
    if offset < 0:
        moved[len(column) - kept :] = column[:kept]
    else:
        moved[:kept] = column[len(column) - kept :]
    return moved


def to_column(numbers: Iterable[float]) -> FloatArray:
    """Return float[n] of some numbers."""
    return np.fromiter(numbers, np.float64)


def cumulate(column: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the first 0 to n entries; integers unless `column` is float."""
    whole = np.float64 if column.dtype.kind == "f" else np.int64
    return np.concatenate((np.zeros(1, dtype=whole), np.cumsum(column, dtype=whole)))


def sum_spans(column: NDArray[Any], first: IntArray, end: IntArray) -> NDArray[Any]:
    """Return the sums of the entries ``first <= i < end``, one for each span of int[m].

    They are integers unless `column` is float. Linear time.
    """
    sums = cumulate(column)
    spans: NDArray[Any] = sums[end] - sums[first]
    return spans


def measure_texts(texts: Sequence[str], measure: Callable[[str], int]) -> IntArray:
    """Return int[n]: a number for each text."""
    return np.fromiter(map(measure, texts), np.int64, len(texts))


def match_texts(texts: Sequence[str], test: Callable[[str], object]) -> BoolArray:
    """Return bool[n]: the texts for which `test` returns something true."""
    return np.fromiter((bool(test(text)) for text in texts), np.bool_, len(texts))


def take_previous(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the previous block; 0 before the first."""
    return shift_column(column, -1)


def take_next(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the next block; 0 after the last."""
    return shift_column(column, 1)
