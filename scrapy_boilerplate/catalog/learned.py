"""Extractors with learnt weights: which kind of stored model makes which extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.catalog import sequences
from scrapy_boilerplate.catalog.rows import FINISH, by_steps
from scrapy_boilerplate.extractor import Extractor, Step
from scrapy_boilerplate.features import shallow
from scrapy_boilerplate.models.c48 import tree_of
from scrapy_boilerplate.models.classifier import BlockClassifier, class_labels
from scrapy_boilerplate.models.shipped import shipped
from scrapy_boilerplate.models.store import ModelError, StoredModel, load_model
from scrapy_boilerplate.rules.other_labels import LabelsByContainer

Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""


def _c48(stored: Stored) -> BlockClassifier:
    return BlockClassifier(name="c48", stored=stored, features=shallow.LOCAL, make=tree_of)


def _shallow(step: BlockClassifier, name: str, classes: int) -> Extractor:
    """A classifier of 2010's features; it decides all the labels that it knows itself."""
    finish: Mapping[int, tuple[Step, ...]] = {2: FINISH, 4: (LabelsByContainer(),)}
    summary = {2: "text or not", 4: "text, headline and captions", 6: "all six labels"}
    return by_steps(
        name,
        "Kohlschuetter et al. 2010, section 4.3.1",
        f"{ {'c48': 'decision tree'}[step.name] } over shallow text features: "
        f"{summary.get(classes, 'its own labels')}; learnt on news of 2008",
        step,
        finish=finish.get(classes, ()),
    )


def _from_c48(model: StoredModel) -> Extractor:
    step = _c48(lambda: model)
    step.checked(model)
    return _shallow(step, "c48", len(class_labels(model)))


KINDS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"c48": _from_c48, **sequences.KINDS}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for one that does
not fit."""

ROWS: tuple[Extractor, ...] = (
    _shallow(_c48(partial(shipped, "c48")), "c48", 2),
    _shallow(_c48(partial(shipped, "c48-4")), "c48-4", 4),
    _shallow(_c48(partial(shipped, "c48-6")), "c48-6", 6),
    *sequences.ROWS,
)


def extractor_from(folder: Path) -> Extractor:
    """The extractor that a trained model in `folder` makes. Raises ModelError."""
    model = load_model(folder)
    if model.kind not in KINDS:
        raise ModelError(
            f"{folder} holds a model of the kind {model.kind!r}; this version knows: "
            f"{', '.join(KINDS)}; update scrapy_boilerplate or train it anew"
        )
    return KINDS[model.kind](model)
