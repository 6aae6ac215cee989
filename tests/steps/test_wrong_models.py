"""Models with the right digests whose fields and arrays are wrong: ModelError, or a document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrapy_boilerplate
from scrapy_boilerplate.document import LAZY_FIELDS
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import _load_extractor, load_extractor
from scrapy_boilerplate.steps.model_store import (
    MANIFEST,
    ModelError,
    load_model,
    save_model,
)
from scrapy_boilerplate.workers.serialization import dump_document
from tests.crawl.pages import article

PACKAGE = Path(scrapy_boilerplate.__path__[0])
FOLDERS = {
    folder.name: folder
    for folder in sorted(PACKAGE.glob("**/models/*/"))
    if (folder / MANIFEST).is_file() and "-" not in folder.name  # one of each kind
}
PAGES = (article(), "<p>one")
FACT_VALUES: tuple[Any, ...] = (None, -1, "x", [None], math.nan, {"x": 1})
SMALL = 100_000
"""Bytes of weights up to which an array of each kind is changed in every way."""


def check(folder: Path) -> str:
    """Return "refused" or "used"; anything else is an exception."""
    _load_extractor.cache_clear()  # two files within one tick of the clock of the file system
    try:
        extractor = load_extractor(str(folder))
        documents = [extract(page, extractor=extractor) for page in PAGES]
    except ModelError:
        return "refused"
    for document in documents:
        assert 0 <= document.confidence <= 1
        json.dumps(dump_document(document, LAZY_FIELDS), allow_nan=False)
    return "used"


@pytest.mark.parametrize("name", FOLDERS)
def test_each_fact(name: str, tmp_path: Path) -> None:
    model = load_model(FOLDERS[name])
    for fact in model.facts:
        others = {key: model.facts[key] for key in model.facts if key != fact}
        for facts in (others, *({**others, fact: value} for value in FACT_VALUES)):
            save_model(tmp_path, replace(model, facts=facts))
            check(tmp_path)


def change(array: Any) -> Iterator[Any]:
    """Yield arrays of other shapes, types and values."""
    yield from (array[:0], array[:-1], array.ravel(), array[None], np.concatenate((array, array)))
    yield from (array.astype(kind) for kind in ("?", "<i8", "<f2", "<u1", ">f8"))
    yield np.array(0)
    if array.dtype.kind == "f":
        yield from (np.full_like(array, value) for value in (np.nan, np.inf, -np.inf, 1e38, 0))
    else:
        yield from (np.full_like(array, value) for value in (0, 1, np.iinfo(array.dtype).max))
        if array.dtype.kind == "i":
            yield np.full_like(array, -1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FOLDERS)
def test_each_array(name: str, tmp_path: Path) -> None:
    model = load_model(FOLDERS[name])
    is_small = sum(array.nbytes for array in model.arrays.values()) < SMALL
    changed_kinds: set[str] = set()
    for array_name, array in model.arrays.items():
        others = {key: value for key, value in model.arrays.items() if key != array_name}
        save_model(tmp_path, replace(model, arrays=others))
        assert check(tmp_path) == "refused"
        # the nets of languages, and the layers of a net, are read alike
        kind = array_name.partition(".")[0].rstrip("0123456789")
        if kind not in changed_kinds and (is_small or not changed_kinds):
            changed_kinds.add(kind)
            for changed in change(array):
                save_model(tmp_path, replace(model, arrays={**others, array_name: changed}))
                check(tmp_path)
