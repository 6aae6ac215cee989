"""Groups of feature columns: from a page to a matrix with a name for every column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page

Columns = Mapping[str, NDArray[Any]]
"""Name to a column of n_blocks numbers."""


@dataclass(frozen=True, eq=False)
class FeatureGroup:
    """Columns about the blocks of a page.

    `about` describes each column in one line, in order: meaning and unit. `compute` returns the
    columns of a page by name; it is pure and total.
    """

    about: Mapping[str, str]
    compute: Callable[[Page], Columns]


NO_COLUMNS = FeatureGroup({}, lambda _page: {})  # for a model that reads only the texts


def build_matrix(group: FeatureGroup, page: Page) -> FloatArray:
    """Return float[n_blocks, n_columns]: the columns of `group` side by side."""
    columns = group.compute(page)
    rows = np.empty((len(page), len(group.about)))
    for index, name in enumerate(group.about):
        rows[:, index] = columns[name]
    return rows


def join_groups(*groups: FeatureGroup) -> FeatureGroup:
    """Return the columns of several groups. Raises ValueError if two columns have one name."""
    lines = [line for group in groups for line in group.about.items()]
    if len(dict(lines)) < len(lines):
        raise ValueError("two columns of the groups have one name")
    return FeatureGroup(dict(lines), partial(_compute_all, groups))


def _compute_all(groups: tuple[FeatureGroup, ...], page: Page) -> Columns:
    return {name: column for group in groups for name, column in group.compute(page).items()}


def add_neighbours(group: FeatureGroup, offsets: tuple[int, ...] = (-1, 1)) -> FeatureGroup:
    """Return the columns of a group for each block, and for the blocks at `offsets` from it.

    ``words@-1`` is the column `words` of the previous block, ``words@+1`` of the next one; 0 where
    there is no such block.
    """
    about = dict(group.about)
    for offset in offsets:
        where = f"of the block {abs(offset)} {'before' if offset < 0 else 'after'}"
        about |= {f"{n}@{offset:+d}": f"{line}, {where}" for n, line in group.about.items()}
    return FeatureGroup(about, partial(_compute_with_neighbours, group, offsets))


def _compute_with_neighbours(group: FeatureGroup, offsets: tuple[int, ...], page: Page) -> Columns:
    own = group.compute(page)
    columns = dict(own)
    for offset in offsets:
        columns |= {f"{name}@{offset:+d}": shift_column(own[name], offset) for name in own}
    return columns


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


def cumulate(column: NDArray[Any]) -> IntArray:
    """Return int[n + 1]: the sum of the first i entries of a mask or a column of integers."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(column, dtype=np.int64)))


def sum_spans(column: NDArray[Any], first: IntArray, end: IntArray) -> NDArray[Any]:
    """Return the sums of the entries ``first <= i < end``, one for each span of int[m].

    They are integers for a mask or a column of integers. Linear time.
    """
    whole = np.float64 if column.dtype.kind == "f" else np.int64
    sums = np.concatenate((np.zeros(1, dtype=whole), np.cumsum(column, dtype=whole)))
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
