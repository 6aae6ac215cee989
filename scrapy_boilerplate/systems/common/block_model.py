"""The steps of the learned systems: labels of blocks by a stored model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel
from scrapy_boilerplate.systems.common.features import FeatureGroup, build_matrix

Prediction = tuple[IntArray, FloatArray]
"""int[n], labels, and float[n, 6], the scores of each label."""

CLASSES = "classes"  # the fact with the label of each class of a model, in order


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockModel:
    """A model that labels the blocks of a page by columns.

    group     the columns that it reads
    predict   maps a page and its float[n, columns] to the prediction
    neutral   value of a column without an effect; None for the median of the page
    """

    group: FeatureGroup
    predict: Callable[[Page, FloatArray], Prediction]
    neutral: float | None = None


@dataclass(frozen=True, kw_only=True)
class LabelByModel(LearnedStep):
    """Label every block by the model; `read` raises ModelError if the stored one does not fit."""

    name: str
    read: Callable[[StoredModel], BlockModel]

    @cached_property
    def model(self) -> BlockModel:
        """The model, read on first use."""
        return self.read(self.load_model())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return a labeling with new labels for all blocks."""
        rows = build_matrix(self.model.group, page)
        return labeling.set_predictions(*self.model.predict(page, rows), self.name)

    def weigh_columns(self, page: Page) -> ColumnWeights:
        """Return the columns of the model and their scores."""
        model = self.model
        rows = build_matrix(model.group, page)
        if model.neutral is not None or not len(rows):
            neutral = np.full(rows.shape[1], model.neutral or 0.0)
        else:
            neutral = np.median(rows, axis=0)
        return ColumnWeights(
            about=model.group.about,
            rows=rows,
            neutral=neutral,
            scores=lambda rows: model.predict(page, rows)[1],
        )


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
