"""Trees and SVMs of Kohlschuetter et al. 2010 on L3S-GN1, ten-fold, beside its Table 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.learning.prose import SHALLOW, table
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.systems.shallow.classifiers import DecisionTree
from scrapy_boilerplate.systems.shallow.features import add_text_frequency, count_repeated_texts
from scrapy_boilerplate.training.corpora import read_pages, site_fold
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
from scrapy_boilerplate.training.trainers import c48, svm

HEADING = "Shallow text features (2010)"
FOLDS = 10
BY = ("site", "page", "block")
"""What is never on both sides of a fold."""

Fit = Callable[[FloatArray, IntArray, FloatArray, int], Callable[[FloatArray], FloatArray]]


def _pruned(rows: FloatArray, classes: IntArray, words: FloatArray, n: int) -> DecisionTree:
    return c48.fit_c48(rows, classes, words, n, pruned=True)


def _stump(rows: FloatArray, classes: IntArray, words: FloatArray, n: int) -> DecisionTree:
    """The first split of the tree alone."""
    tree = c48.fit_c48(rows, classes, words, n)
    if tree.leaves == 1:
        return tree
    return DecisionTree(
        features=tree.features[:3],
        thresholds=tree.thresholds[:3],
        left=np.array([1, 1, 2]),
        right=np.array([2, 1, 2]),
        shares=tree.shares[:3],
        depth=1,
    )


@dataclass(frozen=True)
class Row:
    """A line of the table: what is fitted on which columns, and the paper's figures.

    `paper`: F1 and ROC AUC of two classes; F1 of four. `by`: the folds it is measured by.
    """

    name: str
    fit: Fit
    columns: tuple[str, ...]
    paper: str = "none"
    by: tuple[str, ...] = ("site",)


def _of_three(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}{where}" for name in names for where in ("", "@-1", "@+1"))


def rows_for(names: Sequence[str]) -> list[Row]:
    """The lines; `names` are the 67 columns."""
    local, everything = tuple(names[:64]), tuple(names)
    current = (*names[:20], "absolute_position", "relative_position")
    tree, linear = c48.fit_c48, svm.fit_svm
    words, links = _of_three("words"), _of_three("link_density")
    return [
        Row("one split: number of words", _stump, ("words",), "86.7, -; 82.8"),
        Row("one split: link density", _stump, ("link_density",), "87.4, -; 81.4"),
        Row("C4.8, link density P/C/N", tree, links, "91.0, -; 85.4"),
        Row("C4.8, number of words P/C/N", tree, words, "90.9, -; 87.6"),
        Row("C4.8, words and links P/C/N", tree, words + links, "92.2, 95.7; 86.8 (simplified)"),
        Row("C4.8, all local features C", tree, current, "92.9, 96.6; 88.7"),
        Row(
            "C4.8, all local C and density quotient",
            tree,
            (*current, "text_density_quotient"),
            "92.9, 97.2; 89.1",
        ),
        Row(
            "C4.8, text and link density P/C/N",
            tree,
            _of_three("text_density", "link_density"),
            "93.9, 97.6; 89.5",
        ),
        Row("C4.8, all local features P/C/N", tree, local, "95.0, 98.1; 91.4", BY),
        Row("the same, pruned", _pruned, local),
        Row("C4.8, all local and text frequency", tree, everything, "95.1, 98.0; 91.6"),
        Row("linear SVM, all local features", linear, local),
        Row("linear SVM, all 67 features", linear, everything, "95.3, 95.0; 91.9", BY),
    ]


@dataclass(frozen=True, eq=False)
class Laboratory:
    """The blocks of the corpus and their folds."""

    examples: Examples
    names: list[str]
    folds: dict[str, IntArray]

    def figures(self, row: Row, wanted: Classes, by: str) -> dict[str, float]:
        """The figures of all folds together, of the classes `wanted`."""
        columns = [self.names.index(name) for name in row.columns]
        rows, words = self.examples.rows[:, columns], self.examples.words
        classes = self.examples.classes(wanted)
        shares = np.zeros((len(rows), len(wanted)))
        for fold in range(FOLDS):
            here = self.folds[by] == fold
            model = row.fit(rows[~here], classes[~here], words[~here], len(wanted))
            shares[here] = model(rows[here])
        labels = np.array([min(group) for group in wanted], dtype=np.int64)
        scores = np.zeros((len(rows), len(Label)))
        scores[:, labels] = shares
        said, weights = labels[shares.argmax(axis=1)], words.astype(np.int64)
        counts = block_counts(wanted, self.examples.labels, said, scores, weights)
        return block_figures(wanted, counts[np.newaxis])


def laboratory(corpora: Path, limit: int | None = None) -> Laboratory:
    """Read L3S-GN1. Text frequencies are those of all its pages (no page says its label)."""
    pages = list(read_pages(corpora / "l3s-gn1.jsonl.xz", limit))
    gold = [read_gold(page) for page in pages]
    segmenter = AtomicBlocks()
    group = add_text_frequency(count_repeated_texts(segmenter(one.page) for one in gold))
    examples = block_examples(gold, segmenter, group)
    sites = np.array([site_fold(page.site, FOLDS) for page in pages])
    numbers = np.array([site_fold(f"page {page.id}", FOLDS) for page in pages])
    blocks = np.random.default_rng(0).integers(FOLDS, size=len(examples))
    folds = {"site": sites[examples.pages], "page": numbers[examples.pages], "block": blocks}
    return Laboratory(examples, list(group.about), folds)


def section(corpora: Path, limit: int | None = None) -> str:
    """Every row by every kind of fold."""
    made = laboratory(corpora, limit)
    lines = [["model", "columns", "paper", *(f"folds by {by}" for by in BY)]]
    for row in rows_for(made.names):
        told = [_told(made, row, by) if by in row.by else "" for by in BY]
        lines.append([row.name, str(len(row.columns)), row.paper, *told])
    examples = made.examples
    size = f"{len(examples):,} blocks with {examples.words.sum():,.0f} words."
    parts = (f"## {HEADING}", SHALLOW, size, table(lines), _six_classes(made))
    return "\n\n".join(parts)


def _told(made: Laboratory, row: Row, by: str) -> str:
    two, four = (made.figures(row, wanted, by) for wanted in (TWO_CLASSES, FOUR_CLASSES))
    return f"{100 * two['f1']:.1f}, {100 * two['roc_auc']:.1f}; {100 * four['f1']:.1f}"


def _six_classes(made: Laboratory) -> str:
    found = {
        name: made.figures(Row(name, fit, tuple(made.names[:64])), SIX_CLASSES, "site")
        for name, fit in (("C4.8", c48.fit_c48), ("linear SVM", svm.fit_svm))
    }
    told = [
        f"{name} {100 * one['f1']:.1f} (mean over the classes, not weighted: "
        f"{100 * one['macro_f1']:.1f})"
        for name, one in found.items()
    ]
    return f"F1 of all six labels, folds by site: {'; '.join(told)}."
