"""Extractors with learnt weights: which kind of stored model makes which extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.models.store import ModelError, StoredModel, load_model

KINDS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType({})
"""Kind of a stored model to the maker of its extractor."""

ROWS: tuple[Extractor, ...] = ()


def extractor_from(folder: Path) -> Extractor:
    """The extractor that a trained model in `folder` makes. Raises ModelError."""
    model = load_model(folder)
    if model.kind not in KINDS:
        raise ModelError(
            f"{folder} holds a model of the kind {model.kind!r}; this version knows: "
            f"{', '.join(KINDS)}; update scrapy_boilerplate or train it anew"
        )
    return KINDS[model.kind](model)
