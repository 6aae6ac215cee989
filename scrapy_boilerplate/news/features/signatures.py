"""What all blocks with the same class path have in common.

A site writes each kind of block with one template: what is said of one of them is said of all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable, share
from scrapy_boilerplate.page.labels import FloatArray, IntArray

_without_digits = partial(re.compile("[0-9]+").sub, "")
"""Sites number their boxes."""
SEPARATOR = "\0"
"""Stands in no attribute: libxml2's strings end with it."""
DEPTHS = (1, 3)
"""Elements of a class path: the block's own; its own, parent and grandparent."""


def _signatures(facts: Facts) -> Sequence[FloatArray]:
    own = _ids(facts)
    _, parent, grandparent, _ = facts.levels
    found: list[FloatArray] = []
    total = float(facts.good_words.sum())
    for depth in DEPTHS:
        paths = own[facts.own]
        if depth > 1:
            width = int(own.max(initial=0)) + 1
            joined = (paths * width + own[parent]) * width + own[grandparent]
            paths = np.unique(joined, return_inverse=True)[1].astype(np.int64)
        count = np.bincount(paths).astype(np.float64)
        words, linked = np.bincount(paths, facts.words), np.bincount(paths, facts.link_words)
        good: FloatArray = np.bincount(paths, facts.good_words).astype(np.float64)
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
    found = np.zeros(len(elements), dtype=np.int64)
    tags, classes = elements.tags, elements.classes
    named = [classes[element] for element in facts.around]
    distinct = list(dict.fromkeys(named))
    plain = _without_digits(SEPARATOR.join(distinct)).split(SEPARATOR)
    plain_of = dict(zip(distinct, plain, strict=True)) if distinct else {}
    keys = [
        (tags[element], plain_of[name]) for element, name in zip(facts.around, named, strict=True)
    ]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    found[facts.around] = [numbers[key] for key in keys]
    return found
