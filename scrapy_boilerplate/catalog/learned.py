"""Extractors with learnt weights: which kind of stored model makes which extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.catalog import news, sequences
from scrapy_boilerplate.catalog.rows import FINISH, by_steps
from scrapy_boilerplate.extractor import Extractor, Step
from scrapy_boilerplate.features import shallow
from scrapy_boilerplate.features.texrex import TEXREX
from scrapy_boilerplate.models.c48 import tree_of
from scrapy_boilerplate.models.classifier import BlockClassifier, Classifier, class_labels
from scrapy_boilerplate.models.mlp import NetByLanguage
from scrapy_boilerplate.models.shipped import shipped
from scrapy_boilerplate.models.store import MANIFEST, ModelError, StoredModel, load_model
from scrapy_boilerplate.models.svm import linear_of
from scrapy_boilerplate.rules.other_labels import LabelsByContainer
from scrapy_boilerplate.segment.sections import SectionBlocks

KEPT = 4
"""Trained models that are kept loaded."""

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
        return tuple(self.row(name, partial(shipped, name), n) for name, n in names.items())


C48 = _Shallow("c48", "decision tree", tree_of)
SVM = _Shallow("svm", "linear SVM", linear_of)


def _mlp(stored: Stored) -> Extractor:
    return by_steps(
        "mlp",
        "Schaefer 2017 (texrex)",
        "a small neural net for each of several languages, and one for all others",
        NetByLanguage(stored=stored, features=TEXREX),
        segmenter=SectionBlocks(),
    )


def _mlp_of(model: StoredModel) -> Extractor:
    NetByLanguage(stored=lambda: model, features=TEXREX).checked(model)
    return _mlp(lambda: model)


KINDS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"news": news.extractor_of, "c48": C48.of, "svm": SVM.of, "mlp": _mlp_of, **sequences.KINDS}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for one that does
not fit."""

ROWS: tuple[Extractor, ...] = (
    news.news_of(partial(shipped, "news")),
    *C48.shipped(),
    *SVM.shipped(),
    _mlp(partial(shipped, "mlp")),
    *sequences.ROWS,
)


def extractor_from(folder: Path) -> Extractor:
    """The extractor that a trained model in `folder` makes. Raises ModelError.

    The last few are kept, until their files change: requests can name a model each.
    """
    manifest = folder / MANIFEST
    try:
        changed = manifest.stat().st_mtime_ns
    except (OSError, ValueError):  # no file, or no path at all: loading it says so
        changed = 0
    return _extractor_from(folder, changed)


@lru_cache(maxsize=KEPT)
def _extractor_from(folder: Path, _changed: int) -> Extractor:
    model = load_model(folder)
    if model.kind not in KINDS:
        raise ModelError(
            f"{folder} holds a model of the kind {model.kind!r}; this version knows: "
            f"{', '.join(KINDS)}; update scrapy_boilerplate or train it anew"
        )
    return KINDS[model.kind](model)
