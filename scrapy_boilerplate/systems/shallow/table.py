"""The rows of the classifiers of 2010: a decision tree and a linear SVM over shallow features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.steps.classifier import BlockClassifier, Classifier, class_labels
from scrapy_boilerplate.steps.extractor import Extractor, Step
from scrapy_boilerplate.steps.model_store import StoredModel, shipped
from scrapy_boilerplate.steps.other_labels import LabelsByContainer
from scrapy_boilerplate.steps.rows import FINISH, by_steps
from scrapy_boilerplate.systems.shallow import features as shallow
from scrapy_boilerplate.systems.shallow.c48 import tree_of
from scrapy_boilerplate.systems.shallow.svm import linear_of

MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""

Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""


@dataclass(frozen=True)
class _Shallow:
    """Rows of classifiers over the shallow features of 2010."""

    kind: str
    told: str
    make: Callable[[StoredModel], Classifier]

    def step(self, stored: Stored) -> BlockClassifier:
        return BlockClassifier(
            name=self.kind, stored=stored, features=shallow.LOCAL, make=self.make
        )

    def row(self, name: str, stored: Stored, classes: int) -> Extractor:
        """The model decides all the labels that it knows; the shared last steps the others."""
        finish: Mapping[int, tuple[Step, ...]] = {2: FINISH, 4: (LabelsByContainer(),)}
        labels = {2: "text or not", 4: "text, headline or caption", 6: "all six labels"}
        return by_steps(
            name,
            "Kohlschuetter et al. 2010, section 4.3.1",
            f"{self.told} over shallow text features: {labels.get(classes, 'own labels')}",
            self.step(stored),
            finish=finish.get(classes, ()),
        )

    def of(self, model: StoredModel) -> Extractor:
        """The extractor of a trained model. Raises ModelError."""
        self.step(lambda: model).checked(model)
        return self.row(self.kind, lambda: model, len(class_labels(model)))

    def shipped(self) -> tuple[Extractor, ...]:
        """The extractors of the package."""
        names = {self.kind: 2, f"{self.kind}-4": 4, f"{self.kind}-6": 6}
        return tuple(
            self.row(name, partial(shipped, MODELS / name), n) for name, n in names.items()
        )


C48 = _Shallow("c48", "decision tree", tree_of)
SVM = _Shallow("svm", "linear SVM", linear_of)

ROWS: tuple[Extractor, ...] = (*C48.shipped(), *SVM.shipped())

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"c48": C48.of, "svm": SVM.of}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
