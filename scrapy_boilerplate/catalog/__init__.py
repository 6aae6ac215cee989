"""Every extractor by name; the tables of its modules, in one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.catalog import boilerpipe, candidates, context, learned, own, tag_ratios
from scrapy_boilerplate.catalog.learned import extractor_from
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.models.store import ModelError
from scrapy_boilerplate.rules.grandparent import GrandparentFilter

DEFAULT = "container"

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


class UnknownExtractorError(ValueError):
    """No such extractor; the message lists the names, or says what is wrong with a model."""


def extractor_named(name: str) -> Extractor:
    """The extractor `name`: one of the catalog, or one with the tree filter of 2018 over it.

    ``grandparent-3`` is `grandparent` with another depth (1 to 5), ``density+grandparent`` and
    ``density+grandparent-3`` put the filter over `density`. A path (with a slash in it) is the
    folder of a trained model. Raises UnknownExtractorError, for an unusable model as well.
    """
    if isinstance(name, str):
        if "/" in name:
            return _trained(name)
        filtered = _filtered(name)
        if name in EXTRACTORS:
            return EXTRACTORS[name]
        if filtered and (filtered[1] or "num-words") in EXTRACTORS:
            return _with_tree_filter(filtered[1] or "num-words", name, int(filtered[2] or 2))
    raise UnknownExtractorError(
        f"no extractor is called {name!r}; write one of: {', '.join(EXTRACTORS)}; "
        f"{WITH_TREE_FILTER}"
    )


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
