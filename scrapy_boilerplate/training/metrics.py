"""Metrics: scores of an extract against the gold standard; every metric names its source."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, partial
from typing import Any
from unicodedata import normalize

import numpy as np

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.metadata.person_names import is_credential
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training import tokens
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold, has_gold_text

# Bootstrap intervals and paired differences, by site and with a seed. Pages of one site share a
# template, so sites are drawn, not pages (a cluster bootstrap; Efron and Tibshirani 1993, chapter
# 8, percentile intervals). All systems see the same draws, so differences are paired.

RESAMPLES = 1000
LEVEL = 0.95

# Maps rows (one per page) to named figures.
Figures = Callable[[FloatArray], dict[str, float]]


def draw_sites(sites: Sequence[str]) -> list[IntArray]:
    """Return the page numbers of each draw of as many sites as there are, with replacement."""
    names, index = np.unique(np.array(sites, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(index, kind="stable")
    pages = np.split(order, np.cumsum(np.bincount(index, minlength=len(names)))[:-1])
    generator = np.random.default_rng(0)
    chosen = generator.integers(len(names), size=(RESAMPLES, len(names)))
    return [np.concatenate([pages[site] for site in row]) for row in chosen]


def resample(
    figures: Figures, rows: FloatArray, drawn: Sequence[IntArray]
) -> dict[str, FloatArray]:
    """Return the figures of every draw, float[draws] each."""
    samples = [figures(rows[pages]) for pages in drawn]
    if not samples:
        return {}
    return {name: np.array([sample[name] for sample in samples]) for name in samples[0]}


def percentile_interval(samples: FloatArray) -> tuple[float, float]:
    """Return the percentile interval of a figure's (or a difference's) samples."""
    low, high = np.percentile(samples, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high)


# Classification of blocks, weighted by words (Kohlschuetter et al. 2010, section 4.3.1, Table 2).
# As in the paper's Weka runs, each figure is the mean over the classes, weighted by their words.
# ROC AUC compares the class's score with all other classes.

Classes = tuple[frozenset[Label], ...]

# boilerplate against content of any kind: with comments and related links, its share is the paper's
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


# Whether a field of a document is right

_words = re.compile(r"[^\W_]+").findall
_name_separators = re.compile(
    r"(?:(?<!\s)\s+)?[;,/|]\s*|(?<!\s)\s+(?:and|und|et|y|og|och|&)\s+", re.IGNORECASE
)

# codes of one language: sites use them for each other
SAME_LANGUAGE = {"nb": "no", "nn": "no"}


def normalize_title(text: str) -> str:
    """Return letters and digits in words with a space between, NFKC, case folded."""
    visible = text.replace("\u00ad", "").replace("\u200b", "")
    return " ".join(_words(normalize("NFKC", visible).casefold()))


def is_same_day(timestamp: str, gold: str) -> bool:
    """Whether ISO 8601 dates are on one day: as written, or in the offset of `gold`."""
    if timestamp[:10] == gold[:10]:
        return True
    try:
        ours, theirs = datetime.fromisoformat(timestamp), datetime.fromisoformat(gold)
    except ValueError:
        return False
    if ours.tzinfo is None or theirs.tzinfo is None:
        return False
    return ours.astimezone(theirs.tzinfo).date() == theirs.date()


def _find_day(page: LabelledPage) -> str | None:
    """Return the date if it begins with a day of the calendar (corpora have a month 25)."""
    try:
        date.fromisoformat((page.date or "")[:10])
    except ValueError:
        return None
    return page.date


def _split_names(names: Iterable[str]) -> frozenset[str]:
    """Return the single names, without degrees ("Jane Doe, PhD")."""
    parts = (part for name in names for part in _name_separators.split(f" {name} "))
    titles = (normalize_title(part) for part in parts if not is_credential(part.strip()))
    return frozenset(filter(None, titles))


def _join_codes(language: str | None) -> str | None:
    return SAME_LANGUAGE.get(language or "", language)


@dataclass(frozen=True)
class FieldJudge:
    """How to judge a field.

    gold    the value of the corpus; false without one
    value   the value of a document, or None
    agree   whether a value agrees with the corpus
    """

    gold: Callable[[LabelledPage], Any]
    value: Callable[[Document], Any]
    agree: Callable[[Any, Any], bool] = operator.eq

    def knows(self, page: LabelledPage) -> bool:
        return bool(self.gold(page))

    def is_right(self, page: LabelledPage, document: Document) -> bool:
        value = self.value(document)
        return value is not None and self.agree(value, self.gold(page))


FIELD_JUDGES: Mapping[str, FieldJudge] = {
    "headline": FieldJudge(
        gold=lambda page: normalize_title(page.title or ""),
        value=lambda document: document.headline,
        agree=lambda headline, gold: normalize_title(headline) == gold,
    ),
    "date": FieldJudge(_find_day, lambda document: document.date_published, is_same_day),
    "authors": FieldJudge(
        gold=lambda page: _split_names(page.authors),
        value=lambda document: document.authors or None,
        agree=lambda authors, gold: _split_names(authors) == gold,
    ),
    "language": FieldJudge(
        gold=lambda page: _join_codes(page.language),
        value=lambda document: _join_codes(document.language),
    ),
}


def summarize_field(rows: FloatArray) -> dict[str, float]:
    """Return the share of pages with a right value, and the share of pages with any value."""
    right, given = rows.T
    return {"right": float(right.mean()), "given": float(given.mean())}


@dataclass(frozen=True, eq=False)
class ExtractedPage:
    """A page and its extracted text."""

    text: str
    page: Page
    labeling: Labeling

    @cached_property
    def bag(self) -> tokens.Bag:
        return Counter(tokens.tokenize(self.text))

    @cached_property
    def metadata(self) -> Document:
        return Document(url=self.page.url, labelled=(self.page, self.labeling))


@dataclass(frozen=True, kw_only=True)
class Metric:
    """How to score an extract.

    name, source   for tables; where the definition comes from
    judges         whether a page has the labels that it needs
    count          one row of numbers for a page
    figures        the figures over the rows of pages; the first one ranks systems
    ranked         a score per page, 0 to 1, for ranked curves; None if pages have no score
    """

    name: str
    source: str
    judges: Callable[[LabelledPage], bool]
    count: Callable[[Gold, ExtractedPage], Sequence[float] | FloatArray]
    figures: Figures
    ranked: Callable[[FloatArray], FloatArray] | None = None


def _count_blocks(
    classes: Classes | None, by_words: bool, gold: Gold, extract: ExtractedPage
) -> FloatArray:
    if classes is None:
        six = gold.labelled.has_classes
        classes = TWO_CLASSES if six else FULL_TEXT_OR_NOT
    page = extract.page
    block = page.leaf_blocks
    labels, scores = extract.labeling.labels[block], extract.labeling.scores[block]
    weights = gold.leaf_words if by_words else np.ones_like(gold.leaf_words)
    return count_confusions(classes, gold.leaf_labels, labels, scores, weights)


def _count_field(judge: FieldJudge, gold: Gold, extract: ExtractedPage) -> Sequence[float]:
    metadata = extract.metadata
    return judge.is_right(gold.labelled, metadata), judge.value(metadata) is not None


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name="tokens",
            source="Kohlschuetter et al. 2010, Figure 2: F1 of the bags of tokens, page mean",
            judges=has_gold_text,
            count=lambda gold, extract: tokens.score_tokens(extract.bag, gold.bag),
            figures=tokens.summarize_tokens,
            ranked=lambda rows: rows[:, 2],
        ),
        Metric(
            name="shingles",
            source="article-extraction-benchmark: shingles of 4 words",
            judges=has_gold_text,
            count=lambda gold, extract: tokens.count_shingles(
                tokens.build_shingles(extract.text), gold.shingles
            ),
            figures=tokens.summarize_shingles,
            ranked=tokens.compute_shingle_f1,
        ),
        Metric(
            name="characters",
            source="Viveros-Jimenez et al. 2018, section 5: characters of all pages",
            judges=has_gold_text,
            count=lambda gold, extract: tokens.count_shared_characters(extract.bag, gold.bag),
            figures=tokens.summarize_characters,
            ranked=tokens.compute_character_f1,
        ),
        Metric(
            name="segments",
            source="trafilatura: snippets that must and must not be there",
            judges=lambda labelled: bool(labelled.text_with or labelled.text_without),
            count=lambda gold, extract: tokens.count_segments(
                extract.text, gold.labelled.text_with, gold.labelled.text_without
            ),
            figures=tokens.summarize_segments,
        ),
        Metric(
            name="text-nodes",
            source="Vogels et al. 2018, Table 1: text nodes, each counts one; F1 of content",
            judges=has_gold_text,
            count=partial(_count_blocks, None, False),
            figures=summarize_text_nodes,
        ),
        *(
            Metric(
                name=name,
                source="Kohlschuetter et al. 2010, Table 2: weighted by words, then by class",
                judges=(lambda labelled: labelled.has_classes) if classes else has_gold_text,
                count=partial(_count_blocks, classes, True),
                figures=partial(summarize_blocks, classes or TWO_CLASSES),
            )
            for name, classes in (
                ("blocks", None),
                ("blocks-4", FOUR_CLASSES),
                ("blocks-6", SIX_CLASSES),
            )
        ),
        *(
            Metric(
                name=name,
                source="share of the pages on which it is right: docs/evaluation.md",
                judges=judge.knows,
                count=partial(_count_field, judge),
                figures=summarize_field,
            )
            for name, judge in FIELD_JUDGES.items()
        ),
    )
}

GROUPS = {"metadata": tuple(FIELD_JUDGES)}
