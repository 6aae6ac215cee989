"""Labelled pages as the rows that block classifiers learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.extractor import Segmenter
from scrapy_boilerplate.steps.features import FeatureGroup, matrix
from scrapy_boilerplate.training.alignment import UNKNOWN, block_labels
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.gold import Gold, has_gold_text
from scrapy_boilerplate.training.metrics.blocks import (
    FULL_TEXT_OR_NOT,
    TWO_CLASSES,
    Classes,
    class_codes,
)

Progress = Callable[[Iterable[Any]], Iterable[Any]]
"""Hands on what it is given, and shows how far one is."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Blocks of known label: `rows` float[n, columns], `labels` int[n] (codes of `Label`), `words`
    float[n], `pages` int[n] (number of the page each block is from)."""

    rows: FloatArray
    labels: IntArray
    words: FloatArray
    pages: IntArray

    def __len__(self) -> int:
        return len(self.labels)

    def only(self, where: BoolArray | IntArray) -> Examples:
        """Those at a mask or at indices."""
        return Examples(self.rows[where], self.labels[where], self.words[where], self.pages[where])

    def classes(self, classes: Classes) -> IntArray:
        """int[n]: the class of each block."""
        found: IntArray = class_codes(classes)[self.labels]
        return found


def block_examples(
    pages: Sequence[Gold], segmenter: Segmenter, group: FeatureGroup, progress: Progress = iter
) -> Examples:
    """The blocks of `pages` with words and a known label. Raises CorpusError if there are none.

    Where a corpus has snippets instead of a text, the blocks with a snippet are known, no others.
    """
    found = [
        _of_page(gold, number, segmenter, group) for number, gold in enumerate(progress(pages))
    ]
    if not sum(map(len, found)):
        raise CorpusError(
            "nothing to learn from: no page has blocks and says what its text should be"
        )
    return Examples(
        np.concatenate([one.rows for one in found]),
        np.concatenate([one.labels for one in found]),
        np.concatenate([one.words for one in found]),
        np.concatenate([one.pages for one in found]),
    )


def _of_page(gold: Gold, number: int, segmenter: Segmenter, group: FeatureGroup) -> Examples:
    page = segmenter(gold.page)
    labels = known_labels(page, gold)
    examples = Examples(
        matrix(group, page), labels, page.words.astype(float), np.full(len(page), number)
    )
    return examples.only((labels != UNKNOWN) & (page.words > 0))


def known_labels(page: Page, gold: Gold) -> IntArray:
    """int[n_blocks]: the label of each block, or UNKNOWN; `page` is the gold's, in any blocks."""
    if has_gold_text(gold.labelled):
        return block_labels(page, gold.leaf_labels)
    labels = np.full(len(page), UNKNOWN, dtype=np.int64)
    # what must be there counts where a block holds both
    for label, snippets in (
        (Label.BOILERPLATE, gold.labelled.text_without),
        (Label.FULL_TEXT, gold.labelled.text_with),
    ):
        wanted = [collapse(snippet) for snippet in snippets]
        held = [any(snippet in text for snippet in wanted) for text in page.texts]
        labels[np.array(held, dtype=np.bool_)] = label
    return labels


def two_classes(pages: Sequence[Gold]) -> Classes:
    """What two classes are on these pages: content of any kind where all pages tell its kinds
    apart, else full text."""
    six = all(gold.labelled.has_classes for gold in pages)
    return TWO_CLASSES if six else FULL_TEXT_OR_NOT


def class_names(classes: Classes) -> list[str]:
    """The label that stands for each class: full text if it is in it, else the lowest code."""
    return [(Label.FULL_TEXT if Label.FULL_TEXT in group else min(group)).text for group in classes]
