"""The 128 features of a block and the 25 of an edge of Web2Text (Vogels et al. 2018, section 3.3).

The list follows dalab/web2text (``DuplicateCountsExtractor``, ``LeafBlockExtractor``,
``NodeBlockExtractor``, ``TagExtractor``, ``TreeDistanceExtractor``, ``BlockBreakExtractor``).
Differences, most for want of what that program has: positions count characters of text, not of HTML
source; shares are real shares where it divides whole numbers; the class path of a block is that of
the `class` attributes, empty or not, of the elements from the root to it; stop words are the
model's own. It names the tag `ul` twice for the node above a block, and so do we.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from scrapy_boilerplate.columns import Break
from scrapy_boilerplate.features.collapsed_dom import NO_FORK, CollapsedDom, collapsed_dom
from scrapy_boilerplate.features.node_columns import (
    LEAF,
    NODE,
    leaf_columns,
    node_columns,
    yes_no,
)
from scrapy_boilerplate.features.text_counts import TextCounts, counts_of_nodes, text_counts
from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page import Page

LEAF_TAGS = tuple(
    "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split()
)
PARENT_TAGS = tuple(
    "td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split()
)
TAGS = tuple(dict.fromkeys(LEAF_TAGS + PARENT_TAGS))
FORM_TAG = "input"

COPIES = (1, 10)
"""More blocks than this with the same text: two features."""

DISTANCES = (2, 3, 4)
"""Steps between two blocks in the collapsed DOM; a fourth feature is for more."""

BLOCK_COLUMNS, EDGE_COLUMNS = 128, 25

Columns = dict[str, FloatArray]


@dataclass(frozen=True)
class Web2TextFeatures:
    """The features of each block, then those of the edge between it and the block before.

    3 of a block's copies, 24 of its text, 41 of the node above it, 21 of the one above that, 20 of
    the page, 19 of its own tags; the 25 of the edge are 0 for the first block. What has no value
    (no node above) is 0. `stop_words` are in lower case.
    """

    stop_words: Collection[str] = field(default=(), repr=False)

    @cached_property
    def about(self) -> Mapping[str, str]:
        """Names and meanings, the 128 of blocks first."""
        return {
            **{f"copies_{n}": f"more than {n} blocks have this text" for n in COPIES},
            "same_class_path": "share of the page's blocks with the same class path",
            **LEAF,
            "has_parent": "1 if there is a node above, else 0",
            **{f"parent_{name}": f"of the node above: {told}" for name, told in NODE.items()},
            **{name: f"the node above is a {tag}" for name, tag in _parent_tags()},
            "has_grandparent": "1 if there is a node two above, else 0",
            **{f"grandparent_{name}": f"of the node two above: {t}" for name, t in NODE.items()},
            **{f"page_{name}": f"of the page: {told}" for name, told in NODE.items()},
            **{f"tag_{tag}": f"the block is a {tag}" for tag in LEAF_TAGS},
            **{f"distance_{n}": f"{n} steps in the tree to the block before" for n in DISTANCES},
            "distance_more": f"more than {DISTANCES[-1]} steps to the block before",
            "block_break": "1 if a block-level tag or br is between it and the one before, else 0",
            **{
                f"common_{name}": f"of the nearest node around both: {t}"
                for name, t in NODE.items()
            },
        }

    def __call__(self, page: Page) -> Columns:
        """The columns of a page in text nodes; linear time."""
        if not len(page):
            return dict.fromkeys(self.about, np.zeros(0))
        dom = collapsed_dom(page, TAGS)
        texts = text_counts(page, self.stop_words)
        above = _Above(page, dom, texts)
        columns = _copies(page) | leaf_columns(texts, texts.length)
        columns |= above.columns("parent", dom.parents) | _tags_above(dom)
        columns |= above.columns("grandparent", dom.grandparents)
        columns |= above.columns("page", np.full(len(page), NO_FORK), of_page=True)
        columns |= {f"tag_{tag}": yes_no(_has(dom.tags, tag)) for tag in LEAF_TAGS}
        return columns | _edges(page, dom, above)


class _Above:
    """The features of the nodes above blocks, each node's once."""

    def __init__(self, page: Page, dom: CollapsedDom, texts: TextCounts) -> None:
        nodes = np.unique(np.concatenate((dom.parents, dom.grandparents, dom.common, [NO_FORK])))
        self._row = np.zeros(len(page.elements) + 1, dtype=np.int64)
        self._row[nodes] = np.arange(len(nodes))
        counts = counts_of_nodes(texts, dom.first_block[nodes], dom.end_block[nodes])
        self._columns = node_columns(counts, texts.length)
        self._columns["contains_form"] = yes_no(_forms(page)[nodes])

    def columns(self, prefix: str, forks: IntArray, of_page: bool = False) -> Columns:
        """The columns of the node `forks` (int[n]) of each block; 0 where there is none, unless
        NO_FORK stands for the page. With a column that tells which there are."""
        rows, found = self._row[forks], forks != NO_FORK
        columns = {
            f"{prefix}_{name}": column[rows] if of_page else np.where(found, column[rows], 0.0)
            for name, column in self._columns.items()
        }
        return columns | {f"has_{prefix}": found.astype(np.float64)}


def _copies(page: Page) -> Columns:
    texts = Counter(page.texts)
    copies = np.array([texts[text] for text in page.texts], dtype=np.int64)
    paths = _class_paths(page)
    share = np.bincount(paths)[paths] / max(len(page), 1) if len(page) else np.zeros(0)
    return {f"copies_{n}": yes_no(copies > n) for n in COPIES} | {"same_class_path": share}


def _class_paths(page: Page) -> IntArray:
    """int[n]: a number for the `class` attributes from the root to each block."""
    numbers: dict[tuple[int, str], int] = {}
    paths: list[int] = []
    for names, parent in zip(page.elements.classes, page.elements.parents, strict=True):
        key = (paths[parent] if parent >= 0 else -1, names)
        paths.append(numbers.setdefault(key, len(numbers)))
    return np.array(paths, dtype=np.int64)[page.blocks.elements]


def _forms(page: Page) -> BoolArray:
    """bool[n_elements + 1]: elements with an input field in them, and whether the page has one."""
    inputs = np.array([tag == FORM_TAG for tag in page.elements.tags], dtype=np.int64)
    inside = page.elements.subtree_sums(inputs) > inputs
    return np.append(inside, bool(inputs.any()))


def _parent_tags() -> list[tuple[str, str]]:
    """(name of the feature, tag); the second `ul` has a name of its own."""
    counts: Counter[str] = Counter()
    found = []
    for tag in PARENT_TAGS:
        counts[tag] += 1
        found.append((f"parent_tag_{tag}" + ("_again" if counts[tag] > 1 else ""), tag))
    return found


def _tags_above(dom: CollapsedDom) -> Columns:
    found, tags = dom.parents != NO_FORK, dom.fork_tags[dom.parents]
    return {name: np.where(found, yes_no(_has(tags, tag)), 0.0) for name, tag in _parent_tags()}


def _has(tags: IntArray, tag: str) -> BoolArray:
    mask: BoolArray = (tags >> TAGS.index(tag)) & 1 > 0
    return mask


def _edges(page: Page, dom: CollapsedDom, above: _Above) -> Columns:
    columns = {f"distance_{n}": yes_no(dom.distances == n) for n in DISTANCES}
    columns["distance_more"] = yes_no(dom.distances > DISTANCES[-1])
    breaks = np.array(page.leaves.breaks, dtype=np.int64)[page.blocks.first_leaf]
    columns["block_break"] = (breaks != Break.NONE).astype(np.float64)
    columns |= above.columns("common", dom.common, of_page=True)
    for column in columns.values():
        column[:1] = 0.0
    return columns
