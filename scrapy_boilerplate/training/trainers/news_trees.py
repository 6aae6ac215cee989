"""Training of the boosted trees of `news` with lightgbm, in one thread: same seed, same trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.news.trees import BoostedTrees
from scrapy_boilerplate.training.trainers.news_net import NetPage

# slow trees: many, small steps, few columns to each (docs/provenance.md)
TREES, LEAVES, RATE = 400, 24, 0.05

# share of the columns that a tree may split on
COLUMN_SHARE = 0.25

# blocks to a leaf at least
MIN_BLOCKS = 100

# pages below which no trees are trained (our choice): so few blocks fill a leaf or two
MIN_PAGES = 200

Node = Mapping[str, Any]
"""A node of lightgbm's dump."""


def train_trees(pages: Sequence[NetPage], n_conventions: int, seed: int) -> BoostedTrees | None:
    """Train the trees of the blocks whose full text is known; None if there are too few pages.

    The convention is a category that they split on.
    """
    if len(pages) < MIN_PAGES:
        return None
    lightgbm = import_optional("lightgbm", "training news", "train")
    known = [~np.isnan(page.content) for page in pages]
    sizes = [int(where.sum()) for where in known]
    rows = np.concatenate([page.rows[where] for page, where in zip(pages, known, strict=True)])
    conventions = np.repeat([page.convention for page in pages], sizes)
    matrix = np.column_stack((rows, conventions)).astype(np.float32)
    category = matrix.shape[1] - 1
    data = lightgbm.Dataset(
        matrix,
        np.concatenate([page.content[where] for page, where in zip(pages, known, strict=True)]),
        weight=np.repeat([page.weight for page in pages], sizes),
        categorical_feature=[category],
        params={"verbose": -1},
    )
    parameters = {
        "objective": "cross_entropy",
        "num_leaves": LEAVES,
        "learning_rate": RATE,
        "feature_fraction": COLUMN_SHARE,
        "min_data_in_leaf": MIN_BLOCKS,
        "num_threads": 1,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "verbose": -1,
    }
    model = lightgbm.train(parameters, data, num_boost_round=TREES)
    roots = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    return convert_trees(roots, category, n_conventions)


def convert_trees(roots: Sequence[Node], category: int, n_conventions: int) -> BoostedTrees:
    """Return lightgbm's trees; the column `category` is the convention."""
    leaves_of = [list(_walk_leaves(root)) for root in roots]
    n_leaves = max(map(len, leaves_of))
    shape = (len(roots), max(n_leaves - 1, 1))
    columns = np.zeros(shape, dtype=np.int16)
    thresholds = np.zeros(shape, dtype=np.float32)
    masks = np.full(shape, ~np.uint32(0), dtype=np.uint32)
    reachable = np.full((n_conventions, len(roots)), ~np.uint32(0), dtype=np.uint32)
    leaves = np.zeros((len(roots), shape[1] + 1), dtype=np.float32)
    for tree, root in enumerate(roots):
        leaves[tree, : len(leaves_of[tree])] = [leaf["leaf_value"] for leaf in leaves_of[tree]]
        split = 0
        for node, first, middle, end in _walk_splits(root, 0):
            not_left = ~np.uint32(_set_bits(first, middle))
            if node["split_feature"] != category:
                columns[tree, split] = node["split_feature"]
                thresholds[tree, split] = _round_down(node["threshold"])
                masks[tree, split] = not_left
                split += 1
                continue
            to_left = {int(name) for name in node["threshold"].split("||")}
            not_right = ~np.uint32(_set_bits(middle, end))
            for convention in range(n_conventions):
                reachable[convention, tree] &= not_right if convention in to_left else not_left
    return BoostedTrees(columns, thresholds, masks, reachable, leaves)


def _walk_leaves(node: Node) -> Iterator[Node]:
    """Yield the leaves from left to right."""
    if "split_feature" not in node:
        yield node
        return
    yield from _walk_leaves(node["left_child"])
    yield from _walk_leaves(node["right_child"])


def _walk_splits(node: Node, first: int) -> Iterator[tuple[Node, int, int, int]]:
    """Yield each split, its first leaf, the first on its right, and the end of its leaves."""
    if "split_feature" not in node:
        return
    middle = first + sum(1 for _ in _walk_leaves(node["left_child"]))
    end = middle + sum(1 for _ in _walk_leaves(node["right_child"]))
    yield node, first, middle, end
    yield from _walk_splits(node["left_child"], first)
    yield from _walk_splits(node["right_child"], middle)


def _set_bits(first: int, end: int) -> int:
    return (1 << end) - (1 << first)


def _round_down(threshold: float) -> np.float32:
    """Return the next float32 that is not over it: rows of that type compare alike with both."""
    rounded = np.float32(threshold)
    return rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf))
