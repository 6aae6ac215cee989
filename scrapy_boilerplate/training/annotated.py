"""Pages labelled with ``scrapy-boilerplate annotate``: a label for every leaf, by its path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scrapy_boilerplate.markup.leaves import leaf_paths
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.corpora import LeafLabels

CODES = {label.text: int(label) for label in Label}


def leaf_classes(page: Page, html: str, labels: LeafLabels) -> IntArray:
    """int[n_leaves]: the code of each leaf of the page that was read from `html`, or UNKNOWN.

    A path finds its leaf; leaves too deep for one are taken in order.
    """
    known = {path: CODES[label] for path, label in labels if path}
    deep: Iterator[int] = iter([CODES[label] for path, label in labels if not path])
    paths = leaf_paths(page, tree_of(html))
    found = [known.get(path, UNKNOWN) if path else next(deep, UNKNOWN) for path in paths]
    return np.array(found, dtype=np.int64)


def gold_text(html: str, labels: LeafLabels) -> str:
    """The text a document of the page should have: its blocks that are full text.

    A block is full text if more of its leaves are than are anything else.
    """
    page = AtomicBlocks()(read_page(tree_of(html)))
    codes = leaf_classes(page, html, labels)
    kept = []
    spans = zip(page.blocks.first_leaf.tolist(), page.blocks.end_leaf.tolist(), strict=True)
    for block, (first, end) in enumerate(spans):
        votes = np.bincount(codes[first:end] + 1, minlength=len(Label) + 1)[1:]
        if votes.any() and votes.argmax() == Label.FULL_TEXT:
            kept.append(block)
    return page.joined(kept)
