"""Where the page keeps its text: the containers of good words, and how far a block is from them.

The strongest features of `news` (LEARNING.md, what mattered, 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable, share
from scrapy_boilerplate.page.labels import FloatArray, IntArray

LEVELS = 4
"""The container and three elements above it."""
MAX_HOPS = 8
"""Elements to go up in search of the best container at most."""
DEEP = 10.0
"""Levels by which differences of depth are scaled; news pages nest 10 to 40 deep."""


def _containers(facts: Facts) -> Sequence[FloatArray]:
    return (*_held(facts), *_direct(facts), *_to_best(facts), *_runs(facts))


def _held(facts: Facts) -> list[FloatArray]:
    """What the elements above a block hold, level by level."""
    good, words = facts.within(facts.good_words), facts.within(facts.words)
    linked, count = facts.within(facts.link_words), facts.within(np.ones(facts.n))
    total = float(facts.good_words.sum())
    found = []
    element = facts.container
    for _ in range(LEVELS):
        found += [
            share(good[element], total),
            linked[element] / np.maximum(words[element], 1.0),
            np.log1p(words[element]),
            np.log1p(words[element] / np.maximum(count[element], 1.0)),
        ]
        element = facts.above(element)
    return found


def _direct(facts: Facts) -> list[FloatArray]:
    """What stands directly in the container, the parent and the grandparent of a block."""
    found = []
    parent = facts.above(facts.own)
    for element in (facts.container, parent, facts.above(parent)):
        words = facts.by_element(facts.good_words, element)
        blocks = facts.by_element(facts.good.astype(np.float64), element)
        found += [share(words[element], float(words.max(initial=0.0))), np.log1p(blocks[element])]
    return found


def _to_best(facts: Facts) -> list[FloatArray]:
    """The way up to an element that holds the best container, and what lies there."""
    best = facts.best
    depths = facts.page.elements.depth_column
    element, hops = facts.own, np.zeros(facts.n)
    for _ in range(MAX_HOPS):
        outside = ~_holds(facts, element, best)
        hops += outside
        element = np.where(outside, facts.above(element), element)
    own, top = depths[facts.own].astype(np.float64), depths[element].astype(np.float64)
    best_depth = float(depths[best]) if facts.n else 0.0
    after = facts.own >= facts.ends[best] if facts.n else np.zeros(0, dtype=np.bool_)
    return [
        hops / MAX_HOPS,
        (best_depth - top) / DEEP,
        (own - best_depth) / DEEP,
        (facts.own < best).astype(np.float64),
        after.astype(np.float64),
        (facts.container == best).astype(np.float64),
        np.minimum(own / DEEP, 4.0),
    ]


def _holds(facts: Facts, element: IntArray, best: int) -> np.ndarray:
    held: np.ndarray = (element <= best) & (best < facts.ends[element])
    return held


def _runs(facts: Facts) -> list[FloatArray]:
    """How many blocks of the same container stand in a row around a block."""
    if not facts.n:
        return [np.zeros(0), np.zeros(0)]
    new = np.concatenate(([True], facts.container[1:] != facts.container[:-1]))
    run = np.cumsum(new) - 1
    sizes = np.bincount(run).astype(np.float64)
    words = np.bincount(run, facts.good_words)
    return [np.log1p(sizes[run]), share(words[run], float(facts.good_words.sum()))]


CONTAINERS = FeatureTable(
    {
        **{
            f"{name}_{level}": f"{what} {level} levels above the container of the block"
            for level in range(LEVELS)
            for name, what in (
                ("held", "share of the page's good words inside the element"),
                ("held_links", "link density of the element"),
                ("held_words", "log of 1 + the words inside the element"),
                ("held_mean", "log of 1 + the mean words of a block inside the element"),
            )
        },
        **{
            f"{name}_{whose}": f"{what} of the blocks directly in its {whose}"
            for whose in ("container", "parent", "grandparent")
            for name, what in (
                ("direct", "good words, of those of the best,"),
                ("good_blocks", "log of 1 + the number of good ones"),
            )
        },
        "hops": "elements up to one that holds the best container, of 8",
        "under_top": "depth of the best container under that element, in tens",
        "depth_to_best": "depth of its element minus that of the best container, in tens",
        "before_best": "whether its element starts before the best container",
        "after_best": "whether its element starts after the end of the best container",
        "in_best": "whether its container is the best one",
        "depth": "depth of its element, in tens",
        "run_blocks": "log of 1 + the blocks in a row with its container",
        "run_good": "share of the page's good words in that row",
    },
    _containers,
)
