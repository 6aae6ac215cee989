"""Groups of feature columns: from a page to a matrix with a name for every column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page

Columns = Mapping[str, NDArray[Any]]
"""Name to a column of n_blocks numbers."""


class FeatureGroup(Protocol):
    """Columns about the blocks of a page; pure and total."""

    @property
    def about(self) -> Mapping[str, str]:
        """The name of each column, in order, to one line about it: meaning and unit."""

    def __call__(self, page: Page) -> Columns:
        """Return a column for every name of `about`; others are ignored by `build_matrix`."""


def build_matrix(group: FeatureGroup, page: Page) -> FloatArray:
    """Return float[n_blocks, n_columns]: the columns of `group` side by side."""
    columns = group(page)
    rows = np.empty((len(page), len(group.about)))
    for index, name in enumerate(group.about):
        rows[:, index] = columns[name]
    return rows


@dataclass(frozen=True)
class Union:
    """The columns of several groups. Raises ValueError if two columns have one name."""

    groups: tuple[FeatureGroup, ...]

    @cached_property
    def about(self) -> Mapping[str, str]:
        """All columns, group by group."""
        lines = [line for group in self.groups for line in group.about.items()]
        if len(dict(lines)) < len(lines):
            raise ValueError("two columns of a union have one name")
        return dict(lines)

    def __call__(self, page: Page) -> Columns:
        """Return the columns of every group."""
        return {name: column for group in self.groups for name, column in group(page).items()}


@dataclass(frozen=True)
class Neighbours:
    """The columns of a group for each block, and for the blocks at `offsets` from it.

    ``words@-1`` is the column `words` of the previous block, ``words@+1`` of the next one; 0 where
    there is no such block.
    """

    group: FeatureGroup
    offsets: tuple[int, ...] = (-1, 1)

    @cached_property
    def about(self) -> Mapping[str, str]:
        """The group's own columns, then the columns of every offset."""
        own = dict(self.group.about)
        for offset in self.offsets:
            where = f"of the block {abs(offset)} {'before' if offset < 0 else 'after'}"
            own |= {f"{n}@{offset:+d}": f"{line}, {where}" for n, line in self.group.about.items()}
        return own

    def __call__(self, page: Page) -> Columns:
        """Return the group's columns, as they are and shifted."""
        own = self.group(page)
        columns = dict(own)
        for offset in self.offsets:
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


def take_previous(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the previous block; 0 before the first."""
    return shift_column(column, -1)


def take_next(column: NDArray[Number]) -> NDArray[Number]:
    """Return the column of the next block; 0 after the last."""
    return shift_column(column, 1)
