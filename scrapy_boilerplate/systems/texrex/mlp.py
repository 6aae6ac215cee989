"""The multi-layer perceptrons of texrex (Schaefer 2017), one a language and a pooled one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.language import detected_language
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.classifier import MAX_UNITS, check_at_most, checked_array
from scrapy_boilerplate.steps.evidence import Evidence, usual
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.features import FeatureGroup, matrix
from scrapy_boilerplate.steps.model_store import Arrays, ModelError, StoredModel, shipped
from scrapy_boilerplate.steps.rows import by_steps
from scrapy_boilerplate.systems.texrex.features import TEXREX
from scrapy_boilerplate.systems.texrex.sections import SectionBlocks

POOLED = "pooled"
"""The net for pages of any language."""
LANGUAGES = "languages"
"""The fact that lists the nets of a model by language (ISO 639-1, and POOLED)."""
THRESHOLD = 0.5
"""Score for boilerplate from which a block is. texrex has .55 as its default; the answers it learnt
were 0 and 1, which makes .5 the natural cut (the paper, note 12)."""
MAX_SUM = 60.0
"""Sum beyond which a sigmoid is 0 or 1 (keeps exp in range)."""


@dataclass(frozen=True, eq=False)
class Net:
    """One hidden layer of tanh units (sigmoids on another scale) and a sigmoid at the end.

    It reads the square roots of the columns, as most are shares with a long tail, less their
    `means` and in units of their `scales` (float[columns]). `hidden` float[columns + 1, units] and
    `output` float[units + 1]: the last row of each is the bias.
    """

    means: FloatArray
    scales: FloatArray
    hidden: FloatArray
    output: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n]: the score for boilerplate, 0 to 1."""
        inputs = (roots(rows) - self.means) / self.scales
        units = np.tanh(inputs @ self.hidden[:-1] + self.hidden[-1])
        return _sigmoid(units @ self.output[:-1] + self.output[-1])

    def arrays(self, language: str) -> Arrays:
        """What the store keeps of the net for `language`."""
        return {f"{name}.{language}": getattr(self, name).astype(np.float32) for name in PARTS}


PARTS = ("means", "scales", "hidden", "output")


def roots(rows: FloatArray) -> FloatArray:
    """The columns as a net reads them."""
    found: FloatArray = np.sqrt(np.abs(rows))
    return found


def _sigmoid(sums: FloatArray) -> FloatArray:
    values: FloatArray = 1 / (1 + np.exp(-np.clip(sums, -MAX_SUM, MAX_SUM)))
    return values


@dataclass(frozen=True, kw_only=True)
class NetByLanguage:
    """Labels blocks by the net of the page's language: declared, else detected, else pooled.

    A block is boilerplate from `threshold` on. `language` names a net to take on every page.
    """

    stored: Callable[[], StoredModel]
    features: FeatureGroup
    threshold: float = THRESHOLD
    language: str | None = None
    name: str = "mlp"

    @cached_property
    def _nets(self) -> Mapping[str, Net]:
        return self.checked(self.stored())

    def checked(self, model: StoredModel) -> Mapping[str, Net]:
        """The nets by language. Raises ModelError for a model that does not fit."""
        model.check_columns(tuple(self.features.about))
        return nets_of(model)

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Every block is relabelled."""
        boilerplate = self.net_for(page)(matrix(self.features, page))
        scores = np.zeros((len(page), len(Label)))
        scores[:, Label.BOILERPLATE], scores[:, Label.FULL_TEXT] = boilerplate, 1 - boilerplate
        labels = np.where(boilerplate < self.threshold, Label.FULL_TEXT, Label.BOILERPLATE)
        return labeling.predict(labels.astype(np.int64), scores, self.name)

    def evidence(self, page: Page) -> Evidence:
        """Its columns; the median over the page says nothing."""
        net, rows = self.net_for(page), matrix(self.features, page)

        def scores(rows: FloatArray) -> FloatArray:
            found = np.zeros((len(rows), len(Label)))
            found[:, Label.BOILERPLATE] = boilerplate = net(rows)
            found[:, Label.FULL_TEXT] = 1 - boilerplate
            return found

        return Evidence(about=self.features.about, rows=rows, neutral=usual(rows), scores=scores)

    def net_for(self, page: Page) -> Net:
        """The net of the page's language, else the pooled one."""
        nets = self._nets
        language = self.language or page.language
        if language is None and len(nets) > 1:
            language = detected_language(" ".join(page.texts))
        return nets.get(language or POOLED, nets[POOLED])


def nets_of(model: StoredModel) -> Mapping[str, Net]:
    """The nets of a stored model by language. Raises ModelError if it has none that are whole."""
    names: Any = model.facts.get(LANGUAGES)
    if not isinstance(names, list) or POOLED not in names:
        raise ModelError(f"the model {model.kind!r} has no pooled net: train it anew")
    return {str(name): _net(model, str(name)) for name in names}


def _net(model: StoredModel, language: str) -> Net:
    columns = len(model.columns)
    hidden = checked_array(model, f"hidden.{language}", (columns + 1, None)).astype(np.float64)
    check_at_most(model, "numbers a row", hidden.shape[1], MAX_UNITS)
    shapes = {"means": columns, "scales": columns, "output": hidden.shape[1] + 1}
    means, scales, output = (
        checked_array(model, f"{name}.{language}", (size,)).astype(np.float64)
        for name, size in shapes.items()
    )
    return Net(means, np.where(scales > 0, scales, 1), hidden, output)


Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""

MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""


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


ROWS: tuple[Extractor, ...] = (_mlp(partial(shipped, MODELS / "mlp")),)

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType({"mlp": _mlp_of})
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
