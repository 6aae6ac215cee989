"""Trees of lightgbm as plain arrays: `news.trees` evaluates them without lightgbm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.trees import MAX_LEAVES, BoostedTrees


def convert_trees(dump: Mapping[str, Any]) -> BoostedTrees:
    """Return the trees of ``Booster.dump_model()``: one output, numeric columns, no NaN.

    Raises ValueError for categories (give each a column of its own), for trees that treat 0 as
    missing, for linear trees, for several outputs, and for more than MAX_LEAVES leaves.
    """
    if dump.get("num_tree_per_iteration", 1) != 1 or dump.get("average_output"):
        raise ValueError("only the sum of trees with one output can be converted")
    trees = [_list_nodes(tree["tree_structure"]) for tree in dump["tree_info"]]
    if not trees:
        raise ValueError("the model has no trees")
    most = max(len(nodes) for nodes, _ in trees)
    if most + 1 > MAX_LEAVES:
        raise ValueError(f"a tree has {most + 1} leaves, {MAX_LEAVES} at most")
    shape = (len(trees), max(most, 1))
    features, left, right = np.zeros((3, *shape), dtype=np.int64)
    thresholds = np.zeros(shape)
    values = np.zeros((len(trees), shape[1] + 1))
    left[:], right[:] = ~0, ~0  # a tree of one leaf: both ways lead to it
    for tree, (nodes, leaves) in enumerate(trees):
        values[tree, : len(leaves)] = leaves
        for number, (feature, threshold, *children) in enumerate(nodes):
            features[tree, number], thresholds[tree, number] = feature, threshold
            left[tree, number], right[tree, number] = children
    return BoostedTrees(features, round_down(thresholds), left, right, values)


def round_down(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the next float32 not over each threshold: float32 rows compare alike with both."""
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def _list_nodes(root: Mapping[str, Any]) -> tuple[list[list[Any]], list[float]]:
    """Return (feature, threshold, left, right) of each node, and the values of the leaves."""
    nodes: list[list[Any]] = []
    leaves: list[float] = []
    waiting: list[tuple[Mapping[str, Any], Sequence[int]]] = [(root, ())]
    while waiting:
        node, place = waiting.pop()
        if "leaf_value" in node:
            if node.get("leaf_coeff"):
                raise ValueError("linear trees cannot be converted")
            number = ~len(leaves)
            leaves.append(float(node["leaf_value"]))
        else:
            if node["decision_type"] != "<=" or node["missing_type"] == "Zero":
                raise ValueError(
                    f"column {node['split_feature']} is compared by {node['decision_type']!r}, "
                    f"missing: {node['missing_type']}; only '<=' on numbers can be converted"
                )
            number = len(nodes)
            nodes.append([node["split_feature"], node["threshold"], 0, 0])
            waiting += [(node["right_child"], (number, 3)), (node["left_child"], (number, 2))]
        if place:
            nodes[place[0]][place[1]] = number
    return nodes, leaves
