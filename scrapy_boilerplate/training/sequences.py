"""What the trainers of chains learn from: the text nodes of each page, with a class each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.alignment import UNKNOWN, block_labels
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import Progress, class_names, two_classes
from scrapy_boilerplate.training.gold import Gold, has_gold_text
from scrapy_boilerplate.training.metrics.blocks import Classes, class_codes

_words = re.compile(r"[^\W\d_]+").findall


@dataclass(frozen=True, eq=False)
class LabelledChain:
    """A page in text nodes and int[n]: the class of each, UNKNOWN where the gold cannot say."""

    page: Page
    classes: IntArray


@dataclass(frozen=True, eq=False)
class Chains:
    """The chains of the pages that have a gold text, and the label of each class."""

    chains: Sequence[LabelledChain]
    names: Sequence[str]

    def __iter__(self) -> Iterator[LabelledChain]:
        return iter(self.chains)


def labelled_chains(pages: Sequence[Gold], progress: Progress = iter) -> Chains:
    """The chains of `pages`, content or not. Raises CorpusError if nothing can be learnt.

    A chain wants the class of nearly every block: pages with snippets in place of a gold text are
    left out.
    """
    usable = [gold for gold in pages if has_gold_text(gold.labelled)]
    classes = two_classes(usable)
    chains = [_chain(gold, classes) for gold in progress(usable)]
    found = {one for chain in chains for one in np.unique(chain.classes).tolist()} - {UNKNOWN}
    if len(found) < 2:
        raise CorpusError(
            "nothing to learn from: there must be pages with a gold text, with blocks inside and "
            "outside of it"
        )
    return Chains(chains, class_names(classes))


def _chain(gold: Gold, classes: Classes) -> LabelledChain:
    page = TextNodes()(gold.page)
    labels = block_labels(page, gold.leaf_labels)
    codes = class_codes(classes)[np.maximum(labels, Label.BOILERPLATE)]
    return LabelledChain(page, np.where(labels == UNKNOWN, UNKNOWN, codes))


def frequent_words(chains: Chains, count: int) -> list[str]:
    """The `count` most frequent words of the content, lower case, in alphabetical order."""
    words: Counter[str] = Counter()
    for chain in chains:
        for block in np.flatnonzero(chain.classes == 1).tolist():
            words.update(_words(chain.page.texts[block].lower()))
    ranked = sorted(words, key=lambda word: (-words[word], word))
    return sorted(ranked[:count])
