"""From a document to the fields of an item: plain values, as feeds can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.page.labels import Label

CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})
"""The blocks of BOILERPLATE_BLOCKS = "content"."""


def values_of(document: Document, settings: CrawlSettings) -> dict[str, Any]:
    """Item field to value, in the order of the settings; every field, also where it is empty."""
    values: dict[str, Any] = {}
    for field, name in settings.fields.items():
        if field == "blocks":
            if settings.blocks != "none":
                values[name] = _blocks(document, only_content=settings.blocks == "content")
        else:
            values[name] = _plain(getattr(document, field))
    return values


def unset(value: Any) -> bool:
    """Whether the spider left a field alone: None, an empty text or an empty collection."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def _blocks(document: Document, *, only_content: bool) -> list[dict[str, Any]]:
    return [
        block.as_dict()
        for block in document.blocks
        if not only_content or block.label in CONTENT_LABELS
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
