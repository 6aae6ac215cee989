"""Trees and SVMs of Kohlschuetter et al. 2010 on L3S-GN1, ten-fold, beside its Table 2."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import corpus_file
from benchmarks.learning import Section
from benchmarks.markdown import format_percent, format_table
from benchmarks.systems import L3S, read_csv, read_learned
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.systems.shallow.classifiers import (
    DecisionTree,
    add_text_frequency,
    count_repeated_texts,
)
from scrapy_boilerplate.training.corpora import read_pages, site_fold
from scrapy_boilerplate.training.examples import Examples, collect_block_examples
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.metrics import (
    FOUR_CLASSES,
    SIX_CLASSES,
    TWO_CLASSES,
    Classes,
    count_confusions,
    summarize_blocks,
)
from scrapy_boilerplate.training.trainers.systems import fit_c48, fit_svm

FOLDS = 10

# units that are never on both sides of a fold
BY = ("site", "block")

Fit = Callable[[FloatArray, IntArray, FloatArray, int], Callable[[FloatArray], FloatArray]]


def fit_stump(rows: FloatArray, classes: IntArray, words: FloatArray, n: int) -> DecisionTree:
    """Grow only the first split of the tree."""
    tree = fit_c48(rows, classes, words, n)
    if tree.leaves == 1:
        return tree
    nodes = np.array([0, tree.left[0], tree.right[0]])
    return DecisionTree(
        features=tree.features[nodes],
        thresholds=tree.thresholds[nodes],
        left=np.array([1, 1, 2]),
        right=np.array([2, 1, 2]),
        shares=tree.shares[nodes],
        depth=1,
    )


@dataclass(frozen=True)
class Setup:
    """A row of the table.

    fit      fits a model to `columns`
    key      names the paper's figures in data/learned.csv or data/paper_figures.csv; "" for none
    by       the folds it is measured by
    """

    name: str
    fit: Fit
    columns: tuple[str, ...]
    key: str = ""
    by: tuple[str, ...] = ("site",)


def list_setups(names: Sequence[str]) -> list[Setup]:
    """Return the rows; `names` are the 67 columns."""
    local, everything = tuple(names[:64]), tuple(names)
    current = (*names[:20], "absolute_position", "relative_position")
    tree, linear = fit_c48, fit_svm
    words, links, densities = map(_add_neighbours, ("words", "link_density", "text_density"))
    quotient = "text_density_quotient"
    return [
        Setup("one split: number of words", fit_stump, ("words",), "words-15"),
        Setup("one split: link density", fit_stump, ("link_density",), "links-33"),
        Setup("C4.8, link density P/C/N", tree, links, "c48-links"),
        Setup("C4.8, number of words P/C/N", tree, words, "c48-words"),
        Setup("C4.8, words and links P/C/N", tree, words + links, "c48-words-links"),
        Setup("C4.8, all local features C", tree, current, "c48-local-c"),
        Setup(
            "C4.8, all local C and density quotient", tree, (*current, quotient), "c48-local-c-tdq"
        ),
        Setup("C4.8, text and link density P/C/N", tree, densities + links, "c48-text-links"),
        Setup("C4.8, all local features P/C/N", tree, local, "c48-local", BY),
        Setup("C4.8, all local and text frequency", tree, everything, "c48-global"),
        Setup("linear SVM, all local features", linear, local),
        Setup("linear SVM, all 67 features", linear, everything, "svm-global", BY),
    ]


def _add_neighbours(name: str) -> tuple[str, ...]:
    return name, f"{name}@-1", f"{name}@+1"


@dataclass(frozen=True, eq=False)
class FoldedExamples:
    """The blocks of the corpus, the names of their columns, and their folds."""

    examples: Examples
    names: list[str]
    folds: dict[str, IntArray]

    def cross_validate(self, setup: Setup, classes: Classes, by: str) -> dict[str, float]:
        """Return the figures of all folds together."""
        columns = [self.names.index(name) for name in setup.columns]
        rows, words = self.examples.rows[:, columns], self.examples.words
        codes = self.examples.classes(classes)
        shares = np.zeros((len(rows), len(classes)))
        for fold in range(FOLDS):
            inside = self.folds[by] == fold
            model = setup.fit(rows[~inside], codes[~inside], words[~inside], len(classes))
            shares[inside] = model(rows[inside])
        labels = np.array([min(group) for group in classes], dtype=np.int64)
        scores = np.zeros((len(rows), len(Label)))
        scores[:, labels] = shares
        predicted, weights = labels[shares.argmax(axis=1)], words.astype(np.int64)
        counts = count_confusions(classes, self.examples.labels, predicted, scores, weights)
        return summarize_blocks(classes, counts[np.newaxis])


def read_examples(corpora: Path, limit: int | None = None) -> FoldedExamples:
    """Read L3S-GN1. Text frequencies are counted over all its pages, without labels."""
    pages = list(read_pages(corpus_file(corpora, L3S), limit))
    gold = [read_gold(page) for page in pages]
    segmenter = AtomicBlocks()
    group = add_text_frequency(count_repeated_texts(segmenter(page.page) for page in gold))
    examples = collect_block_examples(gold, segmenter, group)
    sites = np.array([site_fold(page.site, FOLDS) for page in pages])
    blocks = np.random.default_rng(0).integers(FOLDS, size=len(examples))
    folds = {"site": sites[examples.pages], "block": blocks}
    return FoldedExamples(examples, list(group.names), folds)


def measure(corpora: Path, limit: int | None = None) -> Section:
    """Return the figures of every setup by its kinds of folds."""
    folded = read_examples(corpora, limit)
    paper = {key: row.paper for key, row in read_learned().items()}
    paper |= {row["key"]: row["figures"] for row in read_csv("paper_figures")}
    rows = [["model", "paper", *(f"folds by {by}" for by in BY)]]
    learned = {}
    for setup in tqdm(list_setups(folded.names), desc="shallow", leave=False):
        by_fold = {by: _measure_setup(folded, setup, by) for by in setup.by}
        figures = [by_fold.get(by, "") for by in BY]
        rows.append([setup.name, paper.get(setup.key, "none"), *figures])
        if setup.key in read_learned():
            learned[setup.key] = by_fold["site"], by_fold.get("block", "")
    examples = folded.examples
    by_six = []
    for name, fit in (("C4.8", fit_c48), ("linear SVM", fit_svm)):
        setup = Setup(name, fit, tuple(folded.names[:64]))
        figures_of_six = folded.cross_validate(setup, SIX_CLASSES, "site")
        f1, macro = (format_percent(figures_of_six[figure], 1) for figure in ("f1", "macro_f1"))
        by_six.append(f"{name} {f1} (mean over the classes, not weighted: {macro})")
    text = (
        f"{len(examples):,} blocks with {examples.words.sum():,.0f} words.\n\n"
        f"{format_table(rows)}\n\nF1 of all six labels, folds by site: {'; '.join(by_six)}."
    )
    return Section(text, learned)


def _measure_setup(folded: FoldedExamples, setup: Setup, by: str) -> str:
    two, four = (
        folded.cross_validate(setup, classes, by) for classes in (TWO_CLASSES, FOUR_CLASSES)
    )
    f1, area = (format_percent(two[figure], 1) for figure in ("f1", "roc_auc"))
    return f"{f1}, {area}; {format_percent(four['f1'], 1)}"
