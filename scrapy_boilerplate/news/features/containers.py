"""Features of containers and class paths.

`CONTAINERS`: what the elements around a block hold, and the distance to the best container; the
strongest features of `news`. `SIGNATURES`: averages over the blocks with the same class path, since
a site writes each kind of block with one template.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from scrapy_boilerplate.news.features.block_columns import BlockColumns, FeatureTable, divide
from scrapy_boilerplate.page.labels import FloatArray

LEVELS = 4
"""The container and three elements above it."""
MAX_HOPS = 8
"""Ancestors that are searched for one around the best container (our choice)."""
DEPTH_SCALE = 10.0
"""Levels by which differences of depth are scaled; news pages nest 10 to 40 deep."""


def _compute_containers(blocks: BlockColumns) -> Sequence[FloatArray]:
    n, own, container, best = blocks.n, blocks.own, blocks.container, blocks.best
    columns: list[FloatArray] = []

    good, words = blocks.sum_within(blocks.good_words), blocks.sum_within(blocks.words)
    linked, count = blocks.sum_within(blocks.link_words), blocks.sum_within(np.ones(n))
    good_total = float(blocks.good_words.sum())
    element = container
    for _ in range(LEVELS):
        columns += [
            divide(good[element], good_total),
            linked[element] / np.maximum(words[element], 1.0),
            np.log1p(words[element]),
            np.log1p(words[element] / np.maximum(count[element], 1.0)),
        ]
        element = blocks.find_parents(element)

    parent = blocks.find_parents(own)
    for element in (container, parent, blocks.find_parents(parent)):
        good = blocks.sum_by_element(blocks.good_words, element)
        count = blocks.sum_by_element(blocks.good.astype(np.float64), element)
        columns += [divide(good[element], float(good.max(initial=0.0))), np.log1p(count[element])]

    if not n:
        return columns + [np.zeros(0)] * 9
    element, hops = own, np.zeros(n)
    for _ in range(MAX_HOPS):
        outside = (element > best) | (best >= blocks.ends[element])
        hops += outside
        element = np.where(outside, blocks.find_parents(element), element)
    depths = blocks.page.elements.depth_column.astype(np.float64)
    run = np.cumsum(np.concatenate(([True], container[1:] != container[:-1]))) - 1
    return [
        *columns,
        hops / MAX_HOPS,
        (depths[best] - depths[element]) / DEPTH_SCALE,
        (depths[own] - depths[best]) / DEPTH_SCALE,
        (own < best).astype(np.float64),
        (own >= blocks.ends[best]).astype(np.float64),
        (container == best).astype(np.float64),
        np.minimum(depths[own] / DEPTH_SCALE, 4.0),
        np.log1p(np.bincount(run)[run].astype(np.float64)),
        divide(np.bincount(run, blocks.good_words)[run], good_total),
    ]


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
    _compute_containers,
)


PATH_DEPTHS = (1, 3)
"""Elements of a class path: the block's own; its own, parent and grandparent."""
SEPARATOR = "\0"
"""A character that no attribute contains: libxml2's strings end with it."""

_drop_digits = partial(re.compile("[0-9]+").sub, "")  # sites number their boxes


def _compute_signatures(blocks: BlockColumns) -> Sequence[FloatArray]:
    elements = blocks.page.elements
    classes = [elements.classes[element] for element in blocks.around]
    distinct = list(dict.fromkeys(classes))
    plain = _drop_digits(SEPARATOR.join(distinct)).split(SEPARATOR)
    plain_of = dict(zip(distinct, plain, strict=False))  # without any, `plain` is one empty text
    numbers: dict[tuple[str, str], int] = {}
    own = np.zeros(len(elements), dtype=np.int64)
    own[blocks.around] = [
        numbers.setdefault((elements.tags[element], plain_of[name]), len(numbers))
        for element, name in zip(blocks.around, classes, strict=True)
    ]
    _, parent, grandparent, _ = blocks.levels
    good_total = float(blocks.good_words.sum())
    columns: list[FloatArray] = []
    for depth in PATH_DEPTHS:
        paths = own[blocks.own]
        if depth > 1:
            width = int(own.max(initial=0)) + 1
            joined = (paths * width + own[parent]) * width + own[grandparent]
            paths = np.unique(joined, return_inverse=True)[1].astype(np.int64)
        count = np.bincount(paths).astype(np.float64)
        words, linked = np.bincount(paths, blocks.words), np.bincount(paths, blocks.link_words)
        good: FloatArray = np.bincount(paths, blocks.good_words).astype(np.float64)
        columns += [
            np.log1p(count[paths]),
            np.log1p(words[paths] / count[paths]),
            linked[paths] / np.maximum(words[paths], 1.0),
            divide(good[paths], good_total),
            np.bincount(paths, blocks.good)[paths] / count[paths],
        ]
    return columns


SIGNATURES = FeatureTable(
    {
        f"{name}_{depth}": f"{what} with the same class path of {depth}"
        for depth in PATH_DEPTHS
        for name, what in (
            ("path_blocks", "log of 1 + the number of blocks"),
            ("path_words", "log of 1 + the mean words of the blocks"),
            ("path_links", "link density of the blocks"),
            ("path_good", "share of the page's good words in the blocks"),
            ("path_good_blocks", "share of good ones of the blocks"),
        )
    },
    _compute_signatures,
)
