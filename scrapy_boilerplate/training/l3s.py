"""The gold standard of L3S-GN1: the class of every text node (Kohlschuetter et al. 2010)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np
from lxml import etree

from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of, whole_page
from scrapy_boilerplate.page.tags import INVISIBLE
from scrapy_boilerplate.training.alignment import (
    UNKNOWN,
    UNMATCHED,
    align,
    leaf_tokens,
    sums_of_leaves,
)
from scrapy_boilerplate.training.metrics.tokens import tokens

ARTICLE = frozenset({Label.HEADLINE, Label.FULL_TEXT, Label.SUPPLEMENTAL})
"""What we take for the gold text of the paper's Figure 2b.

The paper does not say. Its section 4.3.1 counts comments as content, but the main content filter
cuts comments off and still gains; the medians agree best without them.
"""

WITH_COMMENTS = ARTICLE | {Label.COMMENTS}
"""The other reading."""

_selection = re.compile(r"(?:^|\s)x-nc-sel([0-5])(?:\s|$)").search


def labelled_texts(annotated_html: str) -> Iterator[tuple[str, Label]]:
    """(text, label) of every visible text node of a page with ``x-nc-selK`` spans, in order.

    The innermost span decides; text outside all spans is boilerplate.
    """
    for root in whole_page(tree_of(annotated_html)):
        yield from _labelled_texts(root)


def _labelled_texts(root: etree._Element) -> Iterator[tuple[str, Label]]:
    labels = [Label.BOILERPLATE]
    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        if event == "start":
            match = _selection(element.get("class", ""))
            labels.append(Label(int(match[1])) if match else labels[-1])
            if element.tag in INVISIBLE:
                walker.skip_subtree()
            elif element.text:
                yield element.text, labels[-1]
            continue
        if event == "end":
            labels.pop()
        if element.tail:
            yield element.tail, labels[-1]


def gold_text(annotated_html: str, labels: Collection[Label] = ARTICLE) -> str:
    """The text of the nodes with one of `labels`, a space between them."""
    return " ".join(text for text, label in labelled_texts(annotated_html) if label in labels)


def leaf_classes(page: Page, annotated_html: str) -> IntArray:
    """int[n_leaves]: the class of each leaf of the page as it was crawled, or UNKNOWN.

    The annotated page is the same text in more nodes: its tokens are aligned with the page's, and
    most tokens of a leaf decide (of equals the lower code).
    """
    on_page, bounds = leaf_tokens(page)
    annotated: list[str] = []
    classes: list[int] = []
    for text, label in labelled_texts(annotated_html):
        found = tokens(text)
        annotated += found
        classes += [label] * len(found)
    matched = align(on_page, annotated)
    codes = np.array([*classes, UNKNOWN], dtype=np.int64)[matched]
    codes[matched == UNMATCHED] = UNKNOWN
    votes = np.stack([sums_of_leaves(codes == label, bounds) for label in Label])
    decided: IntArray = np.where(votes.any(axis=0), votes.argmax(axis=0), UNKNOWN).astype(np.int64)
    return decided
