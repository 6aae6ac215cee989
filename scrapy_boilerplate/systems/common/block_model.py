"""The step of the learned systems: labels of blocks by a stored model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel

# int[n], labels, and float[n, 6], the scores of each label.
Prediction = tuple[IntArray, FloatArray]

BlockModel = Callable[[Page], Prediction]

CLASSES = "classes"  # the fact with the label of each class of a model, in order


@dataclass(frozen=True, kw_only=True)
class LabelByModel(LearnedStep):
    """Label every block by the model; `read` raises ModelError if the stored one does not fit."""

    name: str
    read: Callable[[StoredModel], BlockModel]

    @cached_property
    def _predict(self) -> BlockModel:
        return self.read(self.load_model())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.set_predictions(*self._predict(page), self.name)


def predict_content(is_content: BoolArray, shares: FloatArray) -> Prediction:
    """Return full text or boilerplate for each block; `shares` are the scores of full text."""
    labels = np.where(is_content, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
    scores = np.zeros((len(shares), len(Label)))
    scores[:, Label.FULL_TEXT], scores[:, Label.BOILERPLATE] = shares, 1 - shares
    return labels, scores


def read_class_labels(model: StoredModel) -> IntArray:
    """Return int[classes]: the label of each class. Raises ModelError if the facts lack them."""
    named = model.facts.get(CLASSES)
    codes = {label.text: int(label) for label in Label}
    listed = named if isinstance(named, list) else []
    known = all(isinstance(name, str) and name in codes for name in listed)
    if not known or not 2 <= len(set(listed)) == len(listed):
        raise ModelError(
            f"the model {model.kind!r} does not map its classes to labels: train it again"
        )
    return np.array([codes[name] for name in listed], dtype=np.int64)


# Chains of labels: the best one (Viterbi 1967), and the probability of each label. The score of a
# chain of n blocks with L labels is the sum of `unary[i, l_i]` (float[n, L]) and of `pairs[i,
# l_{i-1}, l_i]` (float[n, L, L], its first row is not used): log potentials of any scale.


def find_best_chain(unary: FloatArray, pairs: FloatArray) -> IntArray:
    """Return int[n]: the labels of the chain with the highest score; ties prefer lower labels."""
    if not len(unary):
        return np.zeros(0, dtype=np.int64)
    best, choices = unary[0], []
    for of_block, of_pair in zip(unary[1:], pairs[1:], strict=True):
        ways = best[:, None] + of_pair
        choices.append(ways.argmax(axis=0))
        best = ways.max(axis=0) + of_block
    chain = [int(best.argmax())]
    for choice in reversed(choices):
        chain.append(int(choice[chain[-1]]))
    return np.array(chain[::-1], dtype=np.int64)


def compute_label_shares(unary: FloatArray, pairs: FloatArray) -> FloatArray:
    """Return float[n, L]: the probability of each label over all chains (forward-backward)."""
    before, after = unary.copy(), np.zeros(unary.shape)
    for block in range(1, len(unary)):
        ways = before[block - 1, :, None] + pairs[block]
        before[block] += np.logaddexp.reduce(ways, axis=0)
    for block in range(len(unary) - 1, 0, -1):
        ways = pairs[block] + unary[block] + after[block]
        after[block - 1] = np.logaddexp.reduce(ways, axis=1)
    logs = before + after
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def label_chain(
    unary: FloatArray, pairs: FloatArray, labels: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return int[n], the `labels` (int[L]) of the best chain, and float[n, 6], their shares."""
    scores = spread_shares(compute_label_shares(unary, pairs), labels)
    return labels[find_best_chain(unary, pairs)], scores


def spread_shares(shares: FloatArray, labels: IntArray) -> FloatArray:
    """Return float[n, 6] from float[n, L], the shares of `labels`; others have 0."""
    scores = np.zeros((len(shares), len(Label)))
    for number, label in enumerate(labels.tolist()):
        scores[:, label] += shares[:, number]
    return scores
