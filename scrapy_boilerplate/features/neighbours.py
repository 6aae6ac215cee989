"""The same column for the blocks before and after."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.int64, np.float64, np.bool_)


def shifted(column: NDArray[Number], offset: int) -> NDArray[Number]:
    """The column of the block `offset` further on (before, if negative); 0 beyond the ends, where
    empty blocks stand."""
    moved = np.zeros_like(column)
    kept = max(len(column) - abs(offset), 0)
    if offset < 0:
        moved[len(column) - kept :] = column[:kept]
    else:
        moved[:kept] = column[len(column) - kept :]
    return moved


def previous_block(column: NDArray[Number]) -> NDArray[Number]:
    """The column of the previous block; 0 before the first."""
    return shifted(column, -1)


def next_block(column: NDArray[Number]) -> NDArray[Number]:
    """The column of the next block; 0 after the last."""
    return shifted(column, 1)
