"""The 67 shallow text features of Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), section 3.

The paper never lists them. This list is a reconstruction from its section 3, Figure 1 and the
column "Dim" of Table 2: 20 features each of a block, the block before and the block after (60),
four of the block in its page (64 "local" features), and how often the texts of the three blocks
occur in the whole crawl (67). Table 2 counts 23 features of only the current block; here they are
22.

Words are words of `text.split_words`, as in the paper. It names some features without a formula
(sentences, dates, positions, quotients).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import split_words
from scrapy_boilerplate.steps.extractor import FINISH, Extractor, Step, build_extractor
from scrapy_boilerplate.steps.model_store import (
    Arrays,
    ModelError,
    ModelLoader,
    StoredModel,
    load_shipped,
    read_array,
)
from scrapy_boilerplate.steps.named_containers import LabelsByContainer
from scrapy_boilerplate.systems.common.block_model import (
    BlockModel,
    LabelByModel,
    Prediction,
    read_class_labels,
    spread_shares,
)
from scrapy_boilerplate.systems.common.columns import (
    Columns,
    FeatureGroup,
    shift_column,
    sum_by_block,
    take_previous,
    to_column,
)

TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div")

_sentence_ends = re.compile(r"[.?!;](?=\s|$)").findall
# Tokens of dates and times; the paper gives no list.
_dates = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[/-]\d{1,2}[/-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th)|[ap]m|gmt|[ecmp][sd]t|bst|utc"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|today|yesterday|hours?|minutes?|ago)\b",
    re.IGNORECASE,
).findall


def compute_text_columns(page: Page) -> Columns:
    """Return the 20 features of a block: 9 of its tags, 11 of its text; linear time in the text."""
    tags = np.array(page.tags, dtype=object)
    columns: dict[str, FloatArray | BoolArray] = {f"in_{tag}": tags == tag for tag in TAGS}
    linked = sum_by_block(page, np.array(page.leaves.in_link, dtype=np.bool_))
    columns["in_a"] = linked == page.blocks.end_leaf - page.blocks.first_leaf
    counts = np.zeros((len(page), 4))
    for block, text in enumerate(page.texts):
        listed = split_words(text)
        upper = sum(word[0].isupper() for word in listed)
        capitals = sum(word.isupper() for word in listed) if upper else 0
        counts[block] = len(listed), upper, capitals, sum(map(len, listed))
    words, starts, all_upper, length = counts.T
    least_one = np.maximum(words, 1)
    texts = page.texts
    sentences = to_column(len(_sentence_ends(text)) for text in texts)
    return columns | {
        "word_length": length / least_one,
        "sentence_length": words / np.maximum(sentences, 1),
        "words": words,
        "upper_starts": starts,
        "upper_start_ratio": starts / least_one,
        "upper_ratio": all_upper / least_one,
        "full_stop_ratio": to_column(text.count(".") for text in texts) / least_one,
        "bars": to_column(text.count("|") for text in texts),
        "dates": to_column(len(_dates(text)) for text in texts),
        "link_density": page.link_density,
        "text_density": page.text_density,
    }


def _compute_local_columns(page: Page) -> Columns:
    position = np.arange(len(page), dtype=np.float64)
    density, words = page.text_density, page.words
    return {
        **add_neighbours(compute_text_columns(page)),
        "absolute_position": position,
        "relative_position": position / max(len(page) - 1, 1),
        "text_density_quotient": take_previous(density) / np.maximum(density, 1),
        "words_quotient": take_previous(words) / np.maximum(words, 1),
    }


def add_neighbours(columns: Columns) -> Columns:
    """Return the columns, and those of the blocks before (``words@-1``) and after, or 0."""
    around = {
        f"{name}@{offset:+d}": shift_column(column, offset)
        for offset in (-1, 1)
        for name, column in columns.items()
    }
    return {**columns, **around}


_TEXT = (
    *(f"in_{tag}" for tag in (*TAGS, "a")),
    *"word_length sentence_length words upper_starts upper_start_ratio upper_ratio".split(),
    *"full_stop_ratio bars dates link_density text_density".split(),
)
_POSITION = "absolute_position relative_position text_density_quotient words_quotient".split()
LOCAL = FeatureGroup(
    (*(f"{name}{offset}" for offset in ("", "@-1", "@+1") for name in _TEXT), *_POSITION),
    _compute_local_columns,
)


def add_text_frequency(counts: Mapping[str, int]) -> FeatureGroup:
    """Return all 67 features; `counts` is how often each text occurs in the crawl."""
    names = (f"text_frequency{offset}" for offset in ("", "@-1", "@+1"))
    return FeatureGroup((*LOCAL.names, *names), partial(_compute_all_columns, counts))


def _compute_all_columns(counts: Mapping[str, int], page: Page) -> Columns:
    frequency = to_column(counts.get(text, 0) for text in page.texts)
    return {**_compute_local_columns(page), **add_neighbours({"text_frequency": frequency})}


def count_repeated_texts(pages: Iterable[Page]) -> Mapping[str, int]:
    """Return how often each block's text occurs in the blocks of `pages`, more than once."""
    counts = Counter(text for page in pages for text in page.texts)
    return {text: times for text, times in counts.items() if times > 1}


# The classifiers: decision trees, and linear support vector machines whose margins become
# probabilities by logistic curves (Platt 1999). The model sets the labels that it has learned, the
# shared last steps (`steps.extractor.FINISH`) set the others.

# From float[n_blocks, n_columns] to float[n_blocks, n_classes], each row a distribution.
Classifier = Callable[[FloatArray], FloatArray]
# Minimum score of the second of two classes; of more classes the highest score wins.
SURE = 0.5


def _read_shallow_model(model: StoredModel) -> BlockModel:
    model.check_columns(LOCAL.names)
    classify, labels = KINDS[model.kind][1](model), read_class_labels(model)
    return partial(_label_by_classifier, classify, labels)


def _label_by_classifier(classify: Classifier, labels: IntArray, page: Page) -> Prediction:
    shares = classify(LOCAL.build_matrix(page))
    two = len(labels) == 2
    classes = (shares[:, 1] >= SURE).astype(np.int64) if two else shares.argmax(axis=1)
    return labels[classes], spread_shares(shares, labels)


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """A binary tree in columns, the root first: int[m] and float[m], float[m, n_classes].

    A block at node i goes on to `left[i]` if its feature `features[i]` is at most `thresholds[i]`,
    else to `right[i]`; a leaf leads to itself. `shares` are the training weights of the classes at
    each node, as a distribution. `depth` is the number of steps to the deepest leaf.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    shares: FloatArray
    depth: int

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n, n_classes]: the shares of the leaf of each row; all rows take a step at once."""
        nodes = np.zeros(len(rows), dtype=np.int64)
        numbers = np.arange(len(rows))
        for _ in range(self.depth):
            low = rows[numbers, self.features[nodes]] <= self.thresholds[nodes]
            nodes = np.where(low, self.left[nodes], self.right[nodes])
        return self.shares[nodes]

    @property
    def leaves(self) -> int:
        return int((self.left == np.arange(len(self.left))).sum())

    def arrays(self) -> Arrays:
        return {
            "features": self.features.astype(np.int16),
            "thresholds": self.thresholds,
            "left": self.left.astype(np.int16),
            "right": self.right.astype(np.int16),
            "shares": self.shares.astype(np.float32),
        }


def _read_decision_tree(model: StoredModel) -> Classifier:
    features = read_array(model, "features", (None,)).astype(np.int64)
    nodes = len(features)
    left, right = (read_array(model, name, (nodes,)).astype(np.int64) for name in ("left", "right"))
    depth = _depth(left, right)
    if depth is None or not ((features >= 0) & (features < len(model.columns))).all():
        raise ModelError(f"the arrays of the model {model.kind!r} are not a tree: train it again")
    return DecisionTree(
        features=features,
        thresholds=read_array(model, "thresholds", (nodes,)).astype(np.float64),
        left=left,
        right=right,
        shares=read_array(model, "shares", (nodes, len(read_class_labels(model)))).astype(
            np.float64
        ),
        depth=depth,
    )


def _depth(left: IntArray, right: IntArray) -> int | None:
    """Steps to the deepest leaf; None if the arrays are not a tree with the root first."""
    depths = [0] * len(left)
    for node, (low, high) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if low == high == node:
            continue
        if not (node < low < len(depths) and node < high < len(depths)):
            return None
        depths[low] = depths[high] = depths[node] + 1
    return max(depths, default=None)


MAX_MARGIN = 30.0  # logarithm of odds beyond which a share is 0 or 1 (keeps exp in range)


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """One margin per class (one for two classes): a weighted sum of scaled columns.

    `means` and `scales` float[columns], `weights` float[columns, margins], `biases` float[margins],
    `curves` float[margins, 2]: slope and offset of the logistic curve. Columns are clipped to
    `limit` scales around the mean, so that one odd number cannot decide.
    """

    means: FloatArray
    scales: FloatArray
    weights: FloatArray
    biases: FloatArray
    curves: FloatArray
    limit: float

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n, n_classes]: the share of each class."""
        margins = self.scaled(rows) @ self.weights + self.biases
        odds = np.clip(self.curves[:, 0] * margins + self.curves[:, 1], -MAX_MARGIN, MAX_MARGIN)
        shares = 1 / (1 + np.exp(-odds))
        if shares.shape[1] == 1:
            return np.hstack((1 - shares, shares))
        normed: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return normed

    def scaled(self, rows: FloatArray) -> FloatArray:
        """float[n, columns]: in standard deviations from the mean, clipped."""
        return np.clip((rows - self.means) / self.scales, -self.limit, self.limit)

    def arrays(self) -> Arrays:
        names = ("means", "scales", "weights", "biases", "curves")
        return {name: getattr(self, name).astype(np.float32) for name in names} | {
            "limit": np.array([self.limit])
        }


def _read_linear_classifier(model: StoredModel) -> Classifier:
    columns, classes = len(model.columns), len(read_class_labels(model))
    margins = 1 if classes == 2 else classes

    def read_floats(name: str, *shape: int) -> FloatArray:
        return read_array(model, name, shape).astype(np.float64)

    scales = read_floats("scales", columns)
    return LinearClassifier(
        means=read_floats("means", columns),
        scales=np.where(scales > 0, scales, 1),
        weights=read_floats("weights", columns, margins),
        biases=read_floats("biases", margins),
        curves=read_floats("curves", margins, 2),
        limit=float(read_floats("limit", 1)[0]),
    )


# Kind of a stored model to its name and its reader.
KINDS: Mapping[str, tuple[str, Callable[[StoredModel], Classifier]]] = {
    "c48": ("decision tree", _read_decision_tree),
    "svm": ("linear SVM", _read_linear_classifier),
}
# Number of classes to a description.
LABELS = {2: "text or not", 4: "text, headline or caption", 6: "all six labels"}

MODELS = Path(__file__).parent / "models"


def _build(name: str, kind: str, load_model: ModelLoader, classes: int) -> Extractor:
    finish: Mapping[int, tuple[Step, ...]] = {2: FINISH, 4: (LabelsByContainer(),)}
    return build_extractor(
        name,
        "Kohlschuetter et al. 2010, section 4.3.1",
        f"{KINDS[kind][0]} over shallow text features: {LABELS.get(classes, 'own labels')}",
        LabelByModel(name=kind, read=_read_shallow_model, load_model=load_model),
        finish=finish.get(classes, ()),
    )


def _build_from_model(model: StoredModel) -> Extractor:
    _read_shallow_model(model)
    return _build(model.kind, model.kind, lambda: model, len(read_class_labels(model)))


ROWS: tuple[Extractor, ...] = tuple(
    _build(name, kind, partial(load_shipped, MODELS / name), classes)
    for kind in KINDS
    for name, classes in ((kind, 2), (f"{kind}-4", 4), (f"{kind}-6", 6))
)
MAKERS = dict.fromkeys(KINDS, _build_from_model)
