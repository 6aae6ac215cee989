"""Learned extractors over the page as a sequence: chains of text nodes, and of characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from scrapy_boilerplate.catalog.rows import by_steps
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.models.crf import ConditionalRandomField, weights_of
from scrapy_boilerplate.models.ncleaner import NCleaner, character_models
from scrapy_boilerplate.models.shipped import shipped
from scrapy_boilerplate.models.store import StoredModel
from scrapy_boilerplate.models.web2text import Web2Text, nets_of
from scrapy_boilerplate.segment.text_nodes import TextNodes

Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""


def _crf(stored: Stored) -> Extractor:
    return by_steps(
        "crf",
        "Spousta, Marek, Pecina 2008 (Victor)",
        "conditional random field over text nodes; all running text of any kind of page",
        ConditionalRandomField(stored=stored),
        segmenter=TextNodes(),
    )


def _web2text(stored: Stored) -> Extractor:
    return by_steps(
        "web2text",
        "Vogels, Ganea, Eickhoff 2018",
        "convolutional nets over the collapsed DOM; all running text of any kind of page",
        Web2Text(stored=stored),
        segmenter=TextNodes(),
    )


def _ncleaner(stored: Stored) -> Extractor:
    return by_steps(
        "ncleaner",
        "Evert 2008",
        "which characters follow each other; English text even without markup",
        NCleaner(stored=stored),
    )


def _kind(make: Callable[[Stored], Extractor], check: Callable[[StoredModel], object]) -> Kind:
    def extractor(model: StoredModel) -> Extractor:
        check(model)
        return make(lambda: model)

    return extractor


Kind = Callable[[StoredModel], Extractor]

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "crf": _kind(_crf, weights_of),
        "web2text": _kind(_web2text, nets_of),
        "ncleaner": _kind(_ncleaner, character_models),
    }
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for one that does
not fit."""

ROWS: tuple[Extractor, ...] = (
    _crf(partial(shipped, "crf")),
    _web2text(partial(shipped, "web2text")),
    _ncleaner(partial(shipped, "ncleaner")),
)
