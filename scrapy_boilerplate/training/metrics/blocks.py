"""Classification of blocks, weighted by words (Kohlschuetter et al. 2010, section 4.3.1, Table 2).

Every word is classified with its block. As in the paper's Weka runs each figure is the mean over
the classes, weighted by the words of the class: the baseline that always says "content" has the
precision .407, the recall .638 and the false positive rate .638 of the paper's first row. ROC AUC
is that of the class's score against all other classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label

Classes = tuple[frozenset[Label], ...]

TWO_CLASSES: Classes = (
    frozenset({Label.BOILERPLATE}),
    frozenset(Label) - {Label.BOILERPLATE},
)
"""Boilerplate against content of any kind, comments and related links with it: that gives the
paper's share of content, .638 of the words (we count .639; .633 without related links)."""

FULL_TEXT_OR_NOT: Classes = (
    frozenset(Label) - {Label.FULL_TEXT},
    frozenset({Label.FULL_TEXT}),
)
"""For gold texts that were aligned: they say content or not, no more."""

FOUR_CLASSES: Classes = (
    frozenset({Label.BOILERPLATE, Label.RELATED}),
    frozenset({Label.FULL_TEXT, Label.COMMENTS}),
    frozenset({Label.HEADLINE}),
    frozenset({Label.SUPPLEMENTAL}),
)
"""The paper does not say where related links go; here they are boilerplate (.6 % of the words)."""

SIX_CLASSES: Classes = tuple(frozenset({label}) for label in Label)

SCORE_BINS = 64
"""Scores are counted in bins of equal width; ROC AUC is exact up to a bin."""


def block_counts(
    classes: Classes, gold: IntArray, labels: IntArray, scores: FloatArray, words: IntArray
) -> FloatArray:
    """The counts of one page, to be summed over pages: confusions, then a histogram a class.

    `gold` and `labels` int[n] are codes of Label, `scores` float[n, 6]; `gold` is -1 where unknown:
    those do not count. n blocks, leaves or words: `words` is their weight.
    """
    known = gold >= 0
    code = class_codes(classes)
    true, said, weight = code[gold[known]], code[labels[known]], words[known].astype(float)
    size = len(classes)
    confusions = np.bincount(true * size + said, weight, size * size)
    histograms = [
        _histogram(scores[known][:, sorted(group)].sum(axis=1), true == index, weight)
        for index, group in enumerate(classes)
    ]
    return np.concatenate([confusions, *histograms])


def block_figures(classes: Classes, counts: FloatArray) -> dict[str, float]:
    """F1, precision, recall, false positive rate, ROC AUC and accuracy; `counts` a row a page.

    With two classes also what concerns content alone (`content_f1`, ...).
    """
    size = len(classes)
    total = counts.sum(axis=0)
    confusions = total[: size * size].reshape(size, size)
    by_class = _by_class(confusions)
    wanted = confusions.sum(axis=1)
    shares = wanted / max(wanted.sum(), 1.0)
    areas = [_area(total[size * size :].reshape(size, 2, -1)[index]) for index in range(size)]
    figures = {name: float(shares @ column) for name, column in by_class.items()}
    figures["roc_auc"] = float(shares @ np.array(areas))
    figures["accuracy"] = float(np.trace(confusions) / max(confusions.sum(), 1.0))
    if size == 2:
        figures |= {f"content_{name}": float(column[1]) for name, column in by_class.items()}
    else:
        figures["macro_f1"] = float(np.mean(by_class["f1"]))
    return figures


def text_node_figures(counts: FloatArray) -> dict[str, float]:
    """F1, precision and recall of content and the accuracy; two classes, as `block_figures`."""
    found = block_figures(TWO_CLASSES, counts)
    names = {f"content_{name}": name for name in ("f1", "precision", "recall")}
    return {short: found[name] for name, short in names.items()} | {"accuracy": found["accuracy"]}


def _by_class(confusions: FloatArray) -> dict[str, FloatArray]:
    right = np.diag(confusions)
    wanted, said = confusions.sum(axis=1), confusions.sum(axis=0)
    others = confusions.sum() - wanted
    return {
        "f1": _quotients(2 * right, wanted + said),
        "precision": _quotients(right, said),
        "recall": _quotients(right, wanted),
        "false_positive_rate": _quotients(said - right, others),
    }


def _quotients(parts: FloatArray, wholes: FloatArray) -> FloatArray:
    quotients: FloatArray = np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes > 0)
    return quotients


def class_codes(classes: Classes) -> IntArray:
    """int[6]: the class of each label."""
    index = {label: number for number, group in enumerate(classes) for label in group}
    return np.array([index[label] for label in Label], dtype=np.int64)


def _histogram(scores: FloatArray, is_class: Sequence[bool], weight: FloatArray) -> FloatArray:
    bins = np.clip((scores * SCORE_BINS).astype(np.int64), 0, SCORE_BINS - 1)
    where = bins + SCORE_BINS * np.asarray(is_class, dtype=np.int64)
    return np.bincount(where, weight, 2 * SCORE_BINS).astype(np.float64)


def _area(histogram: FloatArray) -> float:
    """ROC AUC of one class: rows are the other classes and the class, columns the score bins."""
    if not histogram.sum(axis=1).all():
        return 0.5
    others, wanted = histogram / histogram.sum(axis=1, keepdims=True)
    # pairs of the class and another: won from the bins below, half won in the same bin
    return float(wanted @ (np.cumsum(others) - others / 2))
