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
        """Return a labeling with new labels for all blocks."""
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
