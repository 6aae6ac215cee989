"""Every extractor by name; the tables of its modules, in one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrapy_boilerplate.news.model import FAVORS, NewsModel
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import MANIFEST, ModelError, StoredModel, load_model

DEFAULT = "news"
BALANCED = FAVORS[0]

MODULES: Mapping[str, str] = MappingProxyType(
    {
        name: module
        for module, names in (
            ("news.container", "container"),
            (
                "systems.boilerpipe.table",
                "keep-everything min-10-words density-1r num-words density largest-content "
                "main-content boilerpipe-article boilerpipe-default",
            ),
            ("systems.grandparent", "grandparent"),
            ("systems.justext", "justext"),
            (
                "systems.boilerpipe.table",
                "boilerpipe-article-head boilerpipe-article-sentences boilerpipe-canola",
            ),
            (
                "systems.block_fusion",
                "block-fusion block-fusion-smoothed block-fusion-rulebased",
            ),
            (
                "systems.tag_ratios.table",
                "bte dsc adsc cetr-tm cetr-km cetr ccb cetd text-density mss",
            ),
            (
                "systems.candidates.table",
                "largest-tag-count fan-out libextract goose newspaper readability",
            ),
            ("news.extractor", "news"),
            ("systems.shallow.table", "c48 c48-4 c48-6 svm svm-4 svm-6"),
            ("systems.texrex.mlp", "mlp"),
            ("systems.victor.crf", "crf"),
            ("systems.web2text.model", "web2text"),
            ("systems.ncleaner", "ncleaner"),
        )
        for name in names.split()
    }
)
"""Name of an extractor to the module whose ROWS hold it, in the order in which they are listed."""

MODEL_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "news": "news.extractor",
        "c48": "systems.shallow.table",
        "svm": "systems.shallow.table",
        "mlp": "systems.texrex.mlp",
        "crf": "systems.victor.crf",
        "web2text": "systems.web2text.model",
        "ncleaner": "systems.ncleaner",
    }
)
"""Kind of a stored model to the module whose MAKERS make its extractor."""


def _load_module(path: str) -> Any:
    return import_module(f"{__package__}.{path}")


class _Extractors(Mapping[str, Extractor]):
    """Every extractor by name. Its module is imported when it is asked for, not before."""

    def __getitem__(self, name: str) -> Extractor:
        rows: Iterable[Extractor] = _load_module(MODULES[name]).ROWS
        return next(row for row in rows if row.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)

    def __contains__(self, name: object) -> bool:
        return name in MODULES


EXTRACTORS: Mapping[str, Extractor] = _Extractors()
"""Name to extractor, in the order in which they are listed."""

WITH_TREE_FILTER = (
    "or grandparent-DEPTH (1 to 5), NAME+grandparent, NAME+grandparent-DEPTH, or the path of a "
    "trained model (with a slash in it)"
)
"""The names that `extractor_named` knows beside those of the table."""


USUAL = (DEFAULT, "container", "num-words", "boilerpipe-article")
"""Names that are told where none is near to what was written."""
NEAR = 0.6
"""From which likeness (of `difflib`) on a name may be what was meant (its default)."""


class UnknownExtractorError(ValueError):
    """No such extractor; the message says the nearest name, or what is wrong with a model."""


class UnknownFavorError(UnknownExtractorError):
    """Nothing that an extractor could favor, or not this one."""


def extractor_named(name: str, favor: str = BALANCED) -> Extractor:
    """The extractor `name`: one of the catalog, or one with the tree filter of 2018 over it.

    ``grandparent-3`` is `grandparent` with another depth (1 to 5), ``density+grandparent`` and
    ``density+grandparent-3`` put the filter over `density`. A path (with a slash in it) is the
    folder of a trained model. `favor` is one of FAVORS; extractors that know no other than
    `balanced` refuse it. Raises UnknownExtractorError, for an unusable model as well, and
    UnknownFavorError.
    """
    return favoring(_named(name), favor)


def favoring(extractor: Extractor, favor: str) -> Extractor:
    """The same extractor with its learnt steps asked for `favor`. Raises UnknownFavorError."""
    if favor not in FAVORS:
        raise UnknownFavorError(f"favor = {favor!r}: write {_either(FAVORS)}")
    steps = [
        replace(step, favor=favor) if isinstance(step, NewsModel) else step
        for step in extractor.steps
    ]
    if favor != BALANCED and steps == list(extractor.steps):
        raise UnknownFavorError(
            f"the extractor {extractor.name!r} cannot favor {favor}; leave that out, or use 'news'"
        )
    if favor == BALANCED and steps == list(extractor.steps):
        return extractor  # a new one would read the model's weights anew
    return replace(extractor, steps=tuple(steps))


def _either(names: tuple[str, ...]) -> str:
    return f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"


def _named(name: str) -> Extractor:
    if isinstance(name, str):
        if "/" in name:
            return _trained(name)
        filtered = _filtered(name)
        if name in EXTRACTORS:
            return EXTRACTORS[name]
        if filtered and (filtered[1] or "num-words") in EXTRACTORS:
            return _with_tree_filter(filtered[1] or "num-words", name, int(filtered[2] or 2))
    raise UnknownExtractorError(
        f"no extractor is called {name!r}; {_instead_of(str(name))} (the command "
        "scrapy-boilerplate extractors lists all)"
    )


def _instead_of(name: str) -> str:
    """What was meant, or what many want."""
    if "grandparent" in name:
        return f"write {WITH_TREE_FILTER.removeprefix('or ')}"
    near = difflib.get_close_matches(name.casefold(), EXTRACTORS, n=1, cutoff=NEAR)
    return f"did you mean {near[0]!r}?" if near else f"write one of: {', '.join(USUAL)}"


def _trained(path: str) -> Extractor:
    try:
        return extractor_from(Path(path))
    except ModelError as error:
        raise UnknownExtractorError(str(error)) from error


_filtered = re.compile(r"(?:(.+)\+)?grandparent(?:-([1-5]))?").fullmatch


def _with_tree_filter(base: str, name: str, depth: int) -> Extractor:
    extractor = EXTRACTORS[base]
    tree_filter = _load_module("systems.grandparent").GrandparentFilter(depth=depth)
    steps = (*extractor.steps, tree_filter)
    return replace(extractor, name=name, steps=steps)


KEPT = 4
"""Trained models that are kept loaded."""


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
    if model.kind not in MODEL_KINDS:
        raise ModelError(
            f"{folder} holds a model of the kind {model.kind!r}; this version knows: "
            f"{', '.join(MODEL_KINDS)}; update scrapy_boilerplate or train it anew"
        )
    return extractor_of(model)


def model_folder(name: str) -> Path:
    """Return the folder of a model of the package. Raises ModelError for an unknown name."""
    if name not in MODULES or MODULES[name] not in MODEL_KINDS.values():
        raise ModelError(
            f"the package has no model {name!r}: write the name of a learned extractor"
        )
    folder: Path = _load_module(MODULES[name]).MODELS / name
    return folder


def extractor_of(model: StoredModel) -> Extractor:
    """Return the extractor of a model of MODEL_KINDS. Raises ModelError if it does not fit."""
    extractor: Extractor = _load_module(MODEL_KINDS[model.kind]).MAKERS[model.kind](model)
    return extractor
