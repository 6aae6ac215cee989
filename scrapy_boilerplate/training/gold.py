"""What a corpus says of one page, ready to be compared with; everything computed once, on demand.

`text` is the corpus's own text; for L3S-GN1 the nodes of `l3s.ARTICLE`, for readability the
visible text of the expected HTML; None where a corpus has snippets only (trafilatura).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.training import annotated, l3s
from scrapy_boilerplate.training.alignment import leaf_labels
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.metrics.shingles import Shingles, shingles
from scrapy_boilerplate.training.metrics.tokens import Bag, tokens


@dataclass(frozen=True, eq=False)
class Gold:
    """The labels of a page over the leaves of `page` (its blocks do not matter)."""

    labelled: LabelledPage
    page: Page

    @cached_property
    def text(self) -> str | None:
        """The gold text, or None."""
        return gold_text(self.labelled)

    @cached_property
    def bag(self) -> Bag:
        """The tokens of the gold text."""
        return Counter(tokens(self.text or ""))

    @cached_property
    def shingles(self) -> Shingles:
        """The shingles of the gold text."""
        return shingles(self.text or "")

    @cached_property
    def leaf_labels(self) -> IntArray:
        """int[n_leaves]: codes of Label, -1 where unknown.

        Six classes on L3S-GN1 and annotated pages, elsewhere full text or boilerplate by alignment.
        """
        if self.labelled.leaf_labels:
            return annotated.leaf_classes(self.page, self.labelled.html, self.labelled.leaf_labels)
        if self.labelled.annotated_html is not None:
            return l3s.leaf_classes(self.page, self.labelled.annotated_html)
        return leaf_labels(self.page, self.text or "")

    @cached_property
    def leaf_words(self) -> IntArray:
        """int[n_leaves]: number of words."""
        texts = self.page.leaves.texts
        return np.fromiter(map(count_words, texts), np.int64, len(texts))


def read_gold(labelled: LabelledPage) -> Gold:
    """The labels of a page over its leaves."""
    return Gold(labelled, read_page(tree_of(labelled.html), labelled.url))


def gold_text(labelled: LabelledPage) -> str | None:
    """The text a page should give, or None where the corpus does not say."""
    if labelled.leaf_labels:
        return annotated.gold_text(labelled.html, labelled.leaf_labels)
    if labelled.annotated_html is not None:
        return l3s.gold_text(labelled.annotated_html)
    if labelled.gold_html is not None:
        page = AtomicBlocks()(read_page(tree_of(labelled.gold_html)))
        return page.joined(range(len(page)))
    return labelled.text


def has_gold_text(labelled: LabelledPage) -> bool:
    """Whether the corpus says what text the page should give."""
    given = (labelled.annotated_html, labelled.gold_html, labelled.text)
    return labelled.has_classes or any(one is not None for one in given)
