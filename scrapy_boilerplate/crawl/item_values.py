"""The values of an item: taken from a document, and written onto an item of any kind."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from itemadapter import ItemAdapter

from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.page.labels import Label

logger = logging.getLogger(__name__)

CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})
"""The blocks of BOILERPLATE_BLOCKS = "content"."""


def build_item_values(document: Document, settings: CrawlSettings) -> dict[str, Any]:
    """Return a dict of item field to value, in the order of the settings, with empty values.

    The values are plain lists and dicts, which feeds can hold.
    """
    values: dict[str, Any] = {}
    for field, name in settings.fields.items():
        if field == "blocks":
            if settings.blocks != "none":
                values[name] = [
                    block.as_dict()
                    for block in document.blocks
                    if settings.blocks == "all" or block.label in CONTENT_LABELS
                ]
            continue
        value = getattr(document, field)
        if isinstance(value, Mapping):
            value = dict(value)
        values[name] = list(value) if isinstance(value, tuple) else value
    return values


def is_unset(value: Any) -> bool:
    """Return whether the spider did not set a field: None, an empty text or collection."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


class ItemWriter:
    """Sets fields that the spider did not set; an item that rejects a value passes unchanged.

    `count` takes the name of a stat. Errors are logged once for each class of items.
    """

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._logged: set[tuple[str, type]] = set()

    def write(self, adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
        """Set every field of `values` that is declared and unset."""
        missing = []
        for name, value in values.items():
            try:
                if is_unset(adapter.get(name)):
                    adapter[name] = value
            except KeyError:
                missing.append(name)
            except Exception as error:  # noqa: BLE001 - frozen items, validators: the item goes on
                self._log_refused(adapter.item, name, error)
        for name in missing:
            self._count(f"unsupported/{name}")
        if missing and self._is_first("unsupported", adapter.item):
            left_out = json.dumps(dict.fromkeys(missing)).replace("null", "None")
            logger.warning(
                "Items of class %s do not declare the fields %s: declare them, "
                "or write BOILERPLATE_FIELDS = %s",
                type(adapter.item).__qualname__,
                ", ".join(missing),
                left_out,
            )

    def take_document(self, adapter: ItemAdapter) -> Document | None:
        """Return the first document among the item's values, and remove it from the item."""
        for name in list(adapter):
            document = adapter[name]
            if isinstance(document, Document):
                try:
                    _delete_value(adapter, name)
                except Exception as error:  # noqa: BLE001 - frozen items: the item goes on
                    self._log_refused(adapter.item, name, error)
                return document
        return None

    def _log_refused(self, item: Any, name: str, error: Exception) -> None:
        self._count("errors/write")
        if self._is_first("refused", item):
            kind = type(item).__qualname__
            logger.error("Items of class %s refuse the field %r: %s", kind, name, error)

    def _is_first(self, trouble: str, item: Any) -> bool:
        is_first = (trouble, type(item)) not in self._logged
        self._logged.add((trouble, type(item)))
        return is_first


def _delete_value(adapter: ItemAdapter, name: str) -> None:
    try:
        del adapter[name]
    except KeyError:  # a declared attribute can only be emptied
        adapter[name] = None
