"""Counts of child elements."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import IntArray


def child_counts(elements: Elements) -> IntArray:
    """int[n_elements]: number of child elements (the fan-out)."""
    parents = np.array(elements.parents, dtype=np.int64)
    counts: IntArray = np.bincount(parents[parents != NO_ELEMENT], minlength=len(elements))
    return counts


def tag_counts(elements: Elements) -> IntArray:
    """int[n_elements]: how often the commonest tag of an element's children stands among them."""
    of_tag: dict[tuple[int, str], int] = {}
    counts = [0] * len(elements)
    for parent, tag in zip(elements.parents, elements.tags, strict=True):
        if parent != NO_ELEMENT:
            count = of_tag[parent, tag] = of_tag.get((parent, tag), 0) + 1
            counts[parent] = max(counts[parent], count)
    return np.array(counts, dtype=np.int64)
