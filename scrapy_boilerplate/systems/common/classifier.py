"""The step that labels each block by a classifier over its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel
from scrapy_boilerplate.systems.common.features import FeatureGroup, build_matrix

Classifier = Callable[[FloatArray], FloatArray]
"""From float[n_blocks, n_columns] to float[n_blocks, n_classes], each row a distribution."""

CLASSES = "classes"
"""The fact that names the label of each class of a model, in order."""

SURE = 0.5
"""Score from which the second of two classes wins."""


@dataclass(frozen=True, kw_only=True)
class BlockClassifier(LearnedStep):
    """Label every block by the scores of a classifier over its features.

    `features` are the columns. `make` reads a classifier from the model and raises ModelError if it
    does not fit. With two classes the second wins from `threshold` on; with more classes the
    highest score wins.
    """

    name: str
    features: FeatureGroup
    make: Callable[[StoredModel], Classifier]
    threshold: float = SURE

    @cached_property
    def _parts(self) -> tuple[Classifier, list[int]]:
        return self.read_model(self.load_model())

    def read_model(self, model: StoredModel) -> tuple[Classifier, list[int]]:
        """Return the classifier and the label of each of its classes. Raises ModelError."""
        model.check_columns(tuple(self.features.about))
        return self.make(model), read_class_labels(model)

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return a labeling with every block relabelled."""
        classify, labels = self._parts
        shares = classify(build_matrix(self.features, page))
        scores = np.zeros((len(shares), len(Label)))
        scores[:, labels] = shares
        if len(labels) == 2:
            classes = (shares[:, 1] >= self.threshold).astype(np.int64)
        else:
            classes = shares.argmax(axis=1)
        return labeling.predict(np.array(labels, dtype=np.int64)[classes], scores, self.name)

    def weigh_columns(self, page: Page) -> ColumnWeights:
        """Return the columns of the step; the neutral value of each is its median on the page."""
        classify, labels = self._parts
        rows = build_matrix(self.features, page)

        def score_rows(rows: FloatArray) -> FloatArray:
            scores = np.zeros((len(rows), len(Label)))
            scores[:, labels] = classify(rows)
            return scores

        return ColumnWeights(
            about=self.features.about, rows=rows, neutral=compute_medians(rows), scores=score_rows
        )


def read_class_labels(model: StoredModel) -> list[int]:
    """Return the label of each class of the model. Raises ModelError if its facts lack them."""
    named = model.facts.get(CLASSES)
    codes = {label.text: int(label) for label in Label}
    listed = named if isinstance(named, list) else []
    known = all(isinstance(name, str) and name in codes for name in listed)
    if not known or not 2 <= len(set(listed)) == len(listed):
        raise ModelError(
            f"the model {model.kind!r} does not say which labels its classes are: train it again"
        )
    return [codes[name] for name in listed]


def compute_medians(rows: FloatArray) -> FloatArray:
    """Return float[columns]: the medians of a page, for models without another neutral value."""
    medians: FloatArray = np.median(rows, axis=0) if len(rows) else np.zeros(rows.shape[1])
    return medians
