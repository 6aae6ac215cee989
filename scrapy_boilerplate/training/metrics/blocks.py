"""Classification of blocks, weighted by words (Kohlschuetter et al. 2010, section 4.3.1, Table 2).

Every word is classified with its block. As in the paper's Weka runs each figure is the mean over
the classes, weighted by the words of the class: the baseline that always says "content" has the
precision .407, the recall .638 and the false positive rate .638 of the paper's first row. ROC AUC
compares the class's score with all other classes.
"""

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label

Classes = tuple[frozenset[Label], ...]

# boilerplate against content of any kind, including comments and related links: with them the share
# of content is .639 of the words (the paper: .638), without related links .633
TWO_CLASSES: Classes = (frozenset({Label.BOILERPLATE}), frozenset(Label) - {Label.BOILERPLATE})

# for aligned gold texts, which have only content or not
FULL_TEXT_OR_NOT: Classes = (frozenset(Label) - {Label.FULL_TEXT}, frozenset({Label.FULL_TEXT}))

# the paper does not give the class of related links; here they are boilerplate (.6 % of the words)
FOUR_CLASSES: Classes = (
    frozenset({Label.BOILERPLATE, Label.RELATED}),
    frozenset({Label.FULL_TEXT, Label.COMMENTS}),
    frozenset({Label.HEADLINE}),
    frozenset({Label.SUPPLEMENTAL}),
)

SIX_CLASSES: Classes = tuple(frozenset({label}) for label in Label)

# number of bins of equal width for scores; ROC AUC is exact up to a bin
SCORE_BINS = 64


def count_confusions(
    classes: Classes, gold: IntArray, labels: IntArray, scores: FloatArray, words: IntArray
) -> FloatArray:
    """Return the counts of one page, which add up over pages: confusions, then a histogram a class.

    `gold` and `labels` (int[n]) are codes of Label for n blocks, leaves or words, `scores` is
    float[n, 6], and `words` is their weight. Entries with a `gold` of -1 (unknown) do not count.
    """
    known = gold >= 0
    code = map_labels_to_classes(classes)
    true, predicted = code[gold[known]], code[labels[known]]
    weight = words[known].astype(float)
    size = len(classes)
    confusions = np.bincount(true * size + predicted, weight, size * size)
    histograms = [
        _count_scores(scores[known][:, sorted(group)].sum(axis=1), true == index, weight)
        for index, group in enumerate(classes)
    ]
    return np.concatenate([confusions, *histograms])


def summarize_blocks(classes: Classes, counts: FloatArray) -> dict[str, float]:
    """Return F1, precision, recall, false positive rate, ROC AUC and accuracy.

    `counts` has a row per page. With two classes also the figures of content (`content_f1`, ...).
    """
    size = len(classes)
    total = counts.sum(axis=0)
    confusions = total[: size * size].reshape(size, size)
    right = np.diag(confusions)
    wanted, predicted = confusions.sum(axis=1), confusions.sum(axis=0)
    by_class = {
        "f1": _divide(2 * right, wanted + predicted),
        "precision": _divide(right, predicted),
        "recall": _divide(right, wanted),
        "false_positive_rate": _divide(predicted - right, confusions.sum() - wanted),
    }
    shares = wanted / max(wanted.sum(), 1.0)
    areas = [
        _compute_area(total[size * size :].reshape(size, 2, -1)[index]) for index in range(size)
    ]
    figures = {name: float(shares @ column) for name, column in by_class.items()}
    figures["roc_auc"] = float(shares @ np.array(areas))
    figures["accuracy"] = float(np.trace(confusions) / max(confusions.sum(), 1.0))
    if size == 2:
        figures |= {f"content_{name}": float(column[1]) for name, column in by_class.items()}
    else:
        figures["macro_f1"] = float(np.mean(by_class["f1"]))
    return figures


def summarize_text_nodes(counts: FloatArray) -> dict[str, float]:
    """Return F1, precision and recall of content, and the accuracy, with two classes."""
    figures = summarize_blocks(TWO_CLASSES, counts)
    of_content = {name: figures[f"content_{name}"] for name in ("f1", "precision", "recall")}
    return of_content | {"accuracy": figures["accuracy"]}


def _divide(parts: FloatArray, wholes: FloatArray) -> FloatArray:
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes > 0)


def map_labels_to_classes(classes: Classes) -> IntArray:
    """Return int[6]: the class of each label."""
    index = {label: number for number, group in enumerate(classes) for label in group}
    return np.array([index[label] for label in Label], dtype=np.int64)


def _count_scores(scores: FloatArray, is_class: Sequence[bool], weight: FloatArray) -> FloatArray:
    bins = np.clip((scores * SCORE_BINS).astype(np.int64), 0, SCORE_BINS - 1)
    where = bins + SCORE_BINS * np.asarray(is_class, dtype=np.int64)
    return np.bincount(where, weight, 2 * SCORE_BINS).astype(np.float64)


def _compute_area(histogram: FloatArray) -> float:
    """Return the ROC AUC of one class: rows are the others and the class, columns the bins."""
    if not histogram.sum(axis=1).all():
        return 0.5
    others, wanted = histogram / histogram.sum(axis=1, keepdims=True)
    # pairs of the class and another class count 1 against lower bins and 1/2 in the same bin
    return float(wanted @ (np.cumsum(others) - others / 2))


def compute_roc_auc(scores: FloatArray, positive: BoolArray) -> float:
    """Return the share of pairs of a positive and a negative that `scores` (float[n]) put in order.

    Ties count half (Hanley and McNeil 1982). 0.5 is chance, 1 is perfect; NaN if a class is empty.
    """
    negatives, positives = np.sort(scores[~positive]), scores[positive]
    if not len(negatives) or not len(positives):
        return float("nan")
    ranks = [np.searchsorted(negatives, positives, side) for side in ("left", "right")]
    return float((ranks[0] + ranks[1]).mean()) / (2 * len(negatives))
