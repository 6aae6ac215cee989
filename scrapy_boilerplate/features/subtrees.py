"""Sums over everything below an element."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.page import Page


def subtree_sums(page: Page, column: IntArray) -> IntArray:
    """For each element the sum of a block column over the blocks in it; linear time.

    `column` is int[n_blocks]; the result int[n_elements].
    """
    sums = np.bincount(page.blocks.elements, column, len(page.elements)).astype(np.int64).tolist()
    parents = page.elements.parents
    for element in range(len(sums) - 1, 0, -1):
        if sums[element]:
            sums[parents[element]] += sums[element]
    totals: IntArray = np.array(sums, dtype=np.int64)
    return totals
