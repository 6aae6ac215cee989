"""Every extractor by name; the tables of its modules, in one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.catalog import boilerpipe, candidates, context, learned, own, tag_ratios
from scrapy_boilerplate.catalog.learned import extractor_from
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.models.news import FAVORS, NewsModel
from scrapy_boilerplate.models.store import ModelError
from scrapy_boilerplate.rules.grandparent import GrandparentFilter

DEFAULT = "news"
BALANCED = FAVORS[0]

TABLES = (own, boilerpipe, context, tag_ratios, candidates, learned)

EXTRACTORS: Mapping[str, Extractor] = MappingProxyType(
    {extractor.name: extractor for table in TABLES for extractor in table.ROWS}
)
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
    steps = (*extractor.steps, GrandparentFilter(depth=depth))
    return replace(extractor, name=name, steps=steps)
