"""Labelled pages as training examples: rows for block classifiers, chains for sequence models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.extractor import Segmenter
from scrapy_boilerplate.systems.common.columns import FeatureGroup
from scrapy_boilerplate.training import metrics
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage
from scrapy_boilerplate.training.gold import UNKNOWN, Gold, compute_block_labels, has_gold_text

# Returns the items of its argument and shows progress, as tqdm does.
Progress = Callable[[Iterable[Any]], Iterable[Any]]


def choose_two_classes(pages: Sequence[Gold]) -> metrics.Classes:
    """Return content or not, if all pages have the six labels, else full text or not."""
    six = all(gold.labelled.has_classes for gold in pages)
    return metrics.TWO_CLASSES if six else metrics.FULL_TEXT_OR_NOT


def select_classes(pages: Sequence[Gold], n_classes: int) -> tuple[Sequence[Gold], metrics.Classes]:
    """Return the pages that have labels for 2, 4 or 6 classes, and the classes.

    Raises CorpusError without such pages: more than two need pages with ``annotated_html``.
    """
    if n_classes == 2:
        return pages, choose_two_classes(pages)
    annotated = [gold for gold in pages if gold.labelled.has_classes]
    if not annotated:
        raise CorpusError(
            f"no page to train on: {n_classes} classes need pages with 'annotated_html' (L3S-GN1) "
            "or from the annotator"
        )
    return annotated, {4: metrics.FOUR_CLASSES, 6: metrics.SIX_CLASSES}[n_classes]


def name_classes(classes: metrics.Classes) -> list[str]:
    """Return the label of each class: full text if the class has it, else the lowest."""
    return [
        (Label.FULL_TEXT if Label.FULL_TEXT in labels else min(labels)).text for labels in classes
    ]


@dataclass(frozen=True, eq=False)
class Examples:
    """Blocks of known label.

    rows     float[n, columns]
    labels   int[n], codes of `Label`
    words    float[n]
    pages    int[n], number of the page that each block is from
    """

    rows: FloatArray
    labels: IntArray
    words: FloatArray
    pages: IntArray

    def __len__(self) -> int:
        return len(self.labels)

    def select(self, where: BoolArray | IntArray) -> Examples:
        return Examples(**{name: column[where] for name, column in vars(self).items()})

    def classes(self, classes: metrics.Classes) -> IntArray:
        return metrics.map_labels_to_classes(classes)[self.labels]


def collect_block_examples(
    pages: Sequence[Gold], segmenter: Segmenter, group: FeatureGroup, progress: Progress = iter
) -> Examples:
    """Return the blocks of `pages` with words and a known label.

    If a corpus has snippets instead of a text, only the blocks with a snippet are known.
    Raises CorpusError if there is no such block.
    """
    by_page = []
    for number, gold in enumerate(progress(pages)):
        page = segmenter(gold.page)
        if has_gold_text(gold.labelled):
            labels = compute_block_labels(page, gold.leaf_labels)
        else:
            labels = label_by_snippets(page, gold.labelled)
        numbers = np.full(len(page), number)
        examples = Examples(group.build_matrix(page), labels, page.words.astype(float), numbers)
        by_page.append(examples.select((labels != UNKNOWN) & (page.words > 0)))
    if not sum(map(len, by_page)):
        raise CorpusError("no page to train on: none has blocks and a gold text or snippets")
    columns = zip(*(vars(examples).values() for examples in by_page), strict=True)
    return Examples(*map(np.concatenate, columns))


def label_by_snippets(page: Page, labelled: LabelledPage) -> IntArray:
    """Return int[n_blocks]: full text or boilerplate for blocks with a snippet, else UNKNOWN.

    A snippet that must be in the text has precedence over one that must not.
    """
    labels = np.full(len(page), UNKNOWN, dtype=np.int64)
    for label, snippets in (
        (Label.BOILERPLATE, labelled.text_without),
        (Label.FULL_TEXT, labelled.text_with),
    ):
        collapsed = list(filter(None, map(collapse, snippets)))
        held = [any(snippet in text for snippet in collapsed) for text in page.texts]
        labels[np.array(held, dtype=np.bool_)] = label
    return labels


# A page in text nodes and int[n], the class of each; UNKNOWN if the gold has no answer.
LabelledChain = tuple[Page, IntArray]


def label_chains(
    pages: Sequence[Gold], progress: Progress = iter
) -> tuple[list[LabelledChain], list[str]]:
    """Return the chains of the pages with a gold text, content or not, and the label of each class.

    A chain needs the class of nearly every block: pages with snippets instead of a gold text are
    left out. Raises CorpusError without a usable page.
    """
    usable = [gold for gold in pages if has_gold_text(gold.labelled)]
    classes = choose_two_classes(usable)
    chains = []
    for gold in progress(usable):
        page = TextNodes()(gold.page)
        labels = compute_block_labels(page, gold.leaf_labels)
        codes = metrics.map_labels_to_classes(classes)[np.maximum(labels, Label.BOILERPLATE)]
        chains.append((page, np.where(labels == UNKNOWN, UNKNOWN, codes)))
    known = {code for _, codes in chains for code in np.unique(codes).tolist()} - {UNKNOWN}
    if len(known) < 2:
        raise CorpusError(
            "no page to train on: pages need a gold text, with blocks inside and outside of it"
        )
    return chains, name_classes(classes)


_words = re.compile(r"[^\W\d_]+").findall


def find_frequent_words(chains: Sequence[LabelledChain], count: int) -> list[str]:
    """Return the `count` most frequent words of the content, lower case, in alphabetical order."""
    words: Counter[str] = Counter()
    for page, classes in chains:
        for block in np.flatnonzero(classes == 1).tolist():
            words.update(_words(page.texts[block].lower()))
    ranked = sorted(words, key=lambda word: (-words[word], word))
    return sorted(ranked[:count])
