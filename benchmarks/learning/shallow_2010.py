"""Trees and SVMs of Kohlschuetter et al. 2010 on L3S-GN1, ten-fold, beside its Table 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.learning.prose import SHALLOW, table
from scrapy_boilerplate.features.shallow import text_counts, with_frequency
from scrapy_boilerplate.label import FloatArray, IntArray
from scrapy_boilerplate.models.c48 import DecisionTree
from scrapy_boilerplate.segment.atomic import AtomicBlocks
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.examples import Examples, block_examples
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.metrics.blocks import (
    FOUR_CLASSES,
    SIX_CLASSES,
    TWO_CLASSES,
    Classes,
    block_counts,
    block_figures,
)
from scrapy_boilerplate.training.splits import fold_of
from scrapy_boilerplate.training.trainers import c48, svm

FOLDS = 10
BY = ("site", "page", "block")
"""What is never on both sides of a fold."""

Fit = Callable[[FloatArray, IntArray, FloatArray, int], Callable[[FloatArray], FloatArray]]


def _pruned(rows: FloatArray, classes: IntArray, words: FloatArray, n: int) -> DecisionTree:
    return c48.grown(rows, classes, words, n, pruned=True)


@dataclass(frozen=True)
class Row:
    """A line of the table: what is fitted on which columns, and the paper's F1 and ROC AUC."""

    name: str
    fit: Fit
    columns: tuple[str, ...]
    classes: Classes = TWO_CLASSES
    paper: str = "none"
    by: tuple[str, ...] = ("site",)


def _of_three(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}{where}" for name in names for where in ("", "@-1", "@+1"))


def rows_for(names: Sequence[str]) -> list[Row]:
    """The lines; `names` are the 67 columns."""
    local, everything = tuple(names[:64]), tuple(names)
    current = (*names[:20], "absolute_position", "relative_position")
    tree, linear = c48.grown, svm.fitted
    return [
        Row("C4.8, all local features", tree, local, paper="95.0 / 98.1", by=BY),
        Row("the same, pruned", _pruned, local),
        Row("C4.8, with text frequency", tree, everything, paper="95.1 / 98.0"),
        Row("C4.8, all local features of the block", tree, current, paper="92.9 / 96.6"),
        Row(
            "C4.8, number of words and link density P/C/N",
            tree,
            _of_three("words", "link_density"),
            paper="92.2 / 95.7 (simplified)",
            by=BY,
        ),
        Row(
            "C4.8, text and link density P/C/N",
            tree,
            _of_three("text_density", "link_density"),
            paper="93.9 / 97.6",
        ),
        Row("linear SVM, all local features", linear, local),
        Row("linear SVM, with text frequency", linear, everything, paper="95.3 / 95.0", by=BY),
        Row("C4.8, four classes", tree, local, FOUR_CLASSES, "91.4 / 96.7", BY),
        Row(
            "linear SVM, four classes", linear, local, FOUR_CLASSES, "91.9 / 94.0 (with frequency)"
        ),
        Row("C4.8, six classes", tree, local, SIX_CLASSES),
        Row("linear SVM, six classes", linear, local, SIX_CLASSES),
    ]


@dataclass(frozen=True, eq=False)
class Laboratory:
    """The blocks of the corpus and their folds."""

    examples: Examples
    names: list[str]
    folds: dict[str, IntArray]

    def figures(self, row: Row, by: str) -> dict[str, float]:
        """The figures of all folds together."""
        columns = [self.names.index(name) for name in row.columns]
        rows, words = self.examples.rows[:, columns], self.examples.words
        classes = self.examples.classes(row.classes)
        shares = np.zeros((len(rows), len(row.classes)))
        for fold in range(FOLDS):
            here = self.folds[by] == fold
            model = row.fit(rows[~here], classes[~here], words[~here], len(row.classes))
            shares[here] = model(rows[here])
        labels = np.array([min(group) for group in row.classes])
        scores = np.zeros((len(rows), 6))
        scores[:, labels] = shares
        counts = block_counts(
            row.classes,
            self.examples.labels,
            labels[shares.argmax(axis=1)],
            scores,
            words.astype(np.int64),
        )
        return block_figures(row.classes, counts[np.newaxis])


def laboratory(corpora: Path, limit: int | None = None) -> Laboratory:
    """Read L3S-GN1. Text frequencies are those of all its pages (no page says its label)."""
    pages = list(read_pages(corpora / "l3s-gn1.jsonl.xz", limit))
    gold = [read_gold(page) for page in pages]
    segmenter = AtomicBlocks()
    group = with_frequency(text_counts(segmenter(one.page) for one in gold))
    examples = block_examples(gold, segmenter, group)
    sites = np.array([fold_of(page.site, FOLDS) for page in pages])
    numbers = np.array([fold_of(f"page {page.id}", FOLDS) for page in pages])
    blocks = np.random.default_rng(0).integers(FOLDS, size=len(examples))
    folds = {"site": sites[examples.pages], "page": numbers[examples.pages], "block": blocks}
    return Laboratory(examples, list(group.about), folds)


def section(corpora: Path, limit: int | None = None) -> str:
    """Every row by every kind of fold."""
    made = laboratory(corpora, limit)
    lines = [["model", "columns", "paper, F1 / ROC AUC", *(f"folds by {by}" for by in BY)]]
    for row in rows_for(made.names):
        found = {by: made.figures(row, by) for by in row.by}
        told = [_told(found.get(by)) for by in BY]
        lines.append([row.name, str(len(row.columns)), row.paper, *told])
    examples = made.examples
    size = f"{len(examples):,} blocks with {examples.words.sum():,.0f} words."
    return f"## Shallow text features (2010)\n\n{SHALLOW}\n\n{size}\n\n{table(lines)}"


def _told(figures: dict[str, float] | None) -> str:
    return f"{100 * figures['f1']:.1f} / {100 * figures['roc_auc']:.1f}" if figures else ""
