"""The gold standard of a page: its text and the label of each leaf, from its corpus.

Three forms of corpora have more than a text: L3S-GN1 marks text with ``x-nc-selK`` spans
(Kohlschuetter et al. 2010), ``scrapy-boilerplate annotate`` writes a label for each leaf, and
readability has the expected output as HTML.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from lxml import etree

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.markup.leaves import find_leaf_xpaths
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.columns import INVISIBLE
from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import find_roots
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.systems.common.columns import measure_texts
from scrapy_boilerplate.training.alignment import (
    UNKNOWN,
    UNMATCHED,
    align,
    compute_block_labels,
    label_leaves,
    sum_over_leaves,
    tokenize_leaves,
)
from scrapy_boilerplate.training.corpora import LabelledPage, LeafLabels
from scrapy_boilerplate.training.tokens import Bag, Shingles, build_shingles, tokenize

# The paper does not define the gold text of its Figure 2b. Its section 4.3.1 counts comments as
# content, but its medians agree best with a text without comments.
L3S_ARTICLE = frozenset({Label.HEADLINE, Label.FULL_TEXT, Label.SUPPLEMENTAL})

_selection = re.compile(r"(?:^|\s)x-nc-sel([0-5])(?:\s|$)").search


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold standard of a page over the leaves of `page` (its blocks do not matter)."""

    labelled: LabelledPage
    page: Page

    @cached_property
    def text(self) -> str | None:
        """The gold text, or None."""
        return find_gold_text(self.labelled)

    @cached_property
    def bag(self) -> Bag:
        """The tokens of the gold text."""
        return Counter(tokenize(self.text or ""))

    @cached_property
    def shingles(self) -> Shingles:
        """The shingles of the gold text."""
        return build_shingles(self.text or "")

    @cached_property
    def leaf_labels(self) -> IntArray:
        """int[n_leaves]: codes of Label, -1 where unknown.

        Six labels on L3S-GN1 and annotated pages, elsewhere full text or boilerplate by alignment.
        """
        if self.labelled.leaf_labels:
            return label_annotated_leaves(self.page, self.labelled.html, self.labelled.leaf_labels)
        if self.labelled.annotated_html is not None:
            return label_l3s_leaves(self.page, self.labelled.annotated_html)
        return label_leaves(self.page, self.text or "")

    @cached_property
    def leaf_words(self) -> IntArray:
        """int[n_leaves]: number of words."""
        return measure_texts(self.page.leaves.texts, count_words)


def read_gold(labelled: LabelledPage) -> Gold:
    """Parse a labelled page and return its gold standard, without the tree of the page."""
    page = load_page(labelled.html, labelled.url).page
    page.elements.detach()
    return Gold(labelled, page)


def has_gold_text(labelled: LabelledPage) -> bool:
    """Whether the corpus has a gold text for the page."""
    return labelled.has_classes or labelled.gold_html is not None or labelled.text is not None


def find_gold_text(labelled: LabelledPage) -> str | None:
    """Return the gold text of a page, or None where the corpus has none.

    It is the text of the corpus; for L3S-GN1 the nodes with labels of `L3S_ARTICLE`, for annotated
    pages the blocks whose leaves are mostly full text, for readability the visible text of the
    expected HTML.
    """
    if labelled.leaf_labels:
        return _join_annotated_text(labelled.html, labelled.leaf_labels)
    if labelled.annotated_html is not None:
        return join_l3s_text(labelled.annotated_html)
    if labelled.gold_html is not None:
        page = AtomicBlocks()(load_page(labelled.gold_html).page)
        return page.join_blocks(range(len(page)))
    return labelled.text


# Pages of `scrapy-boilerplate annotate`: a label for every leaf, by its path


def label_annotated_leaves(page: Page, html: str, labels: LeafLabels) -> IntArray:
    """Return int[n_leaves]: the label of each leaf of the page that was read from `html`.

    A path identifies its leaf; leaves too deep for a path are taken in order. UNKNOWN where
    `labels` has no label.
    """
    codes = {label.text: int(label) for label in Label}
    by_path = {path: codes[label] for path, label in labels if path}
    deep = iter([codes[label] for path, label in labels if not path])
    paths = find_leaf_xpaths(page, parse_html(html))
    leaves = [by_path.get(path, UNKNOWN) if path else next(deep, UNKNOWN) for path in paths]
    return np.array(leaves, dtype=np.int64)


def _join_annotated_text(html: str, labels: LeafLabels) -> str:
    page = AtomicBlocks()(load_page(html).page)
    of_blocks = compute_block_labels(page, label_annotated_leaves(page, html, labels))
    return page.join_blocks(np.flatnonzero(of_blocks == Label.FULL_TEXT).tolist())


# L3S-GN1: the label of every text node


def walk_l3s_texts(annotated_html: str) -> Iterator[tuple[str, Label]]:
    """Yield (text, label) of every visible text node of a page with ``x-nc-selK`` spans, in order.

    The innermost span decides; text outside all spans is boilerplate.
    """
    for root in find_roots(parse_html(annotated_html)):
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


def join_l3s_text(annotated_html: str, labels: Collection[Label] = L3S_ARTICLE) -> str:
    """Return the text of the nodes with one of `labels`, a space between them."""
    return " ".join(text for text, label in walk_l3s_texts(annotated_html) if label in labels)


def label_l3s_leaves(page: Page, annotated_html: str) -> IntArray:
    """Return int[n_leaves]: the label of each leaf of the page as it was crawled, or UNKNOWN.

    The annotated page has the same text in more nodes. Its tokens are aligned with the tokens of
    the page, and a leaf gets the label of most of its tokens (in a tie, the lower code).
    """
    page_tokens, bounds = tokenize_leaves(page)
    annotated_tokens: list[str] = []
    token_labels: list[int] = []
    for text, label in walk_l3s_texts(annotated_html):
        of_node = tokenize(text)
        annotated_tokens += of_node
        token_labels += [label] * len(of_node)
    matched = align(page_tokens, annotated_tokens)
    codes = np.array([*token_labels, UNKNOWN], dtype=np.int64)[matched]
    codes[matched == UNMATCHED] = UNKNOWN
    votes = np.stack([sum_over_leaves(codes == label, bounds) for label in Label])
    return np.where(votes.any(axis=0), votes.argmax(axis=0), UNKNOWN).astype(np.int64)
