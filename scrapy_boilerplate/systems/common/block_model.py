"""The steps of the learned systems: labels of blocks by a stored model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel

Predict = Callable[[FloatArray], tuple[IntArray, FloatArray]]
"""From float[n, columns] to int[n], labels, and float[n, 6], the scores of each label."""

CLASSES = "classes"  # the fact with the label of each class of a model, in order


class BlockModel(Protocol):
    """A model that labels the blocks of a page by columns.

    `neutral` is the value of a column that weighs nothing, None for its median on the page.
    """

    neutral: ClassVar[float | None] = None

    @property
    def about(self) -> Mapping[str, str]:
        """The name of each column, in order, to one line about it."""

    def prepare(self, page: Page) -> tuple[FloatArray, Predict]:
        """Return float[n, columns] of a page, and the function that labels such rows."""


@dataclass(frozen=True, kw_only=True)
class LabelByModel(LearnedStep):
    """Label every block by the model; `read` raises ModelError if the stored one does not fit."""

    name: str
    read: Callable[[StoredModel], Any]

    @cached_property
    def model(self) -> BlockModel:
        """The model, read on first use."""
        model: BlockModel = self.read(self.load_model())
        return model

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return a labeling with every block relabelled."""
        rows, predict = self.model.prepare(page)
        return labeling.predict(*predict(rows), self.name)

    def weigh_columns(self, page: Page) -> ColumnWeights:
        """Return the columns of the model and their scores."""
        rows, predict = self.model.prepare(page)
        if self.model.neutral is not None or not len(rows):
            neutral = np.full(rows.shape[1], self.model.neutral or 0.0)
        else:
            neutral = np.median(rows, axis=0)
        return ColumnWeights(
            about=self.model.about, rows=rows, neutral=neutral, scores=lambda rows: predict(rows)[1]
        )


def read_class_labels(model: StoredModel) -> IntArray:
    """Return int[classes]: the label of each class. Raises ModelError if the facts lack them."""
    named = model.facts.get(CLASSES)
    codes = {label.text: int(label) for label in Label}
    listed = named if isinstance(named, list) else []
    known = all(isinstance(name, str) and name in codes for name in listed)
    if not known or not 2 <= len(set(listed)) == len(listed):
        raise ModelError(
            f"the model {model.kind!r} does not say which labels its classes are: train it again"
        )
    return np.array([codes[name] for name in listed], dtype=np.int64)
