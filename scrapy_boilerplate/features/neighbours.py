"""The same column for the block before and the block after."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.int64, np.float64)


def previous_block(column: NDArray[Number]) -> NDArray[Number]:
    """The column of the previous block; 0 before the first (an empty block stands there)."""
    shifted = np.zeros_like(column)
    shifted[1:] = column[:-1]
    return shifted


def next_block(column: NDArray[Number]) -> NDArray[Number]:
    """The column of the next block; 0 after the last (an empty block stands there)."""
    shifted = np.zeros_like(column)
    shifted[:-1] = column[1:]
    return shifted
