"""What all blocks with the same class path have in common.

A site writes each kind of block with one template: what is said of one of them is said of all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.features.news.facts import Facts, FeatureTable, share
from scrapy_boilerplate.label import FloatArray, IntArray

_digits = re.compile(r"\d+").sub
DEPTHS = (1, 3)
"""Elements of a class path: the block's own; its own, parent and grandparent."""


def _signatures(facts: Facts) -> Sequence[FloatArray]:
    own = _ids(facts)
    parent = facts.above(facts.own)
    found: list[FloatArray] = []
    total = float(facts.good_words.sum())
    for depth in DEPTHS:
        paths = own[facts.own]
        if depth > 1:
            width = int(own.max(initial=0)) + 1
            joined = (paths * width + own[parent]) * width + own[facts.above(parent)]
            paths = np.unique(joined, return_inverse=True)[1].astype(np.int64)
        count = np.bincount(paths).astype(np.float64)
        words, linked = np.bincount(paths, facts.words), np.bincount(paths, facts.link_words)
        good = np.bincount(paths, facts.good_words)
        of_good = np.bincount(paths, facts.good)
        found += [
            np.log1p(count[paths]),
            np.log1p(words[paths] / count[paths]),
            linked[paths] / np.maximum(words[paths], 1.0),
            share(good[paths], total),
            of_good[paths] / count[paths],
        ]
    return found


SIGNATURES = FeatureTable(
    {
        f"{name}_{depth}": f"{what} with the same class path of {depth}"
        for depth in DEPTHS
        for name, what in (
            ("path_blocks", "log of 1 + the number of blocks"),
            ("path_words", "log of 1 + the mean words of the blocks"),
            ("path_links", "link density of the blocks"),
            ("path_good", "share of the page's good words in the blocks"),
            ("path_good_blocks", "share of good ones of the blocks"),
        )
    },
    _signatures,
)


def _ids(facts: Facts) -> IntArray:
    """int[m]: a number for the tag and classes (digits left out) of the elements around blocks."""
    elements = facts.page.elements
    numbers: dict[tuple[str, str], int] = {}
    found = np.zeros(len(elements), dtype=np.int64)
    parent = facts.above(facts.own)
    around = np.unique(np.concatenate((facts.own, parent, facts.above(parent))))
    for element in around.tolist():
        key = (elements.tags[element], elements.classes[element])
        if key not in numbers:
            plain = (key[0], _digits("", key[1]))
            numbers[key] = numbers.setdefault(plain, len(numbers))
        found[element] = numbers[key]
    return found
