"""Writing values onto an item of any kind, whatever it thinks of that."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from itemadapter import ItemAdapter

from scrapy_boilerplate.crawl.fields import unset
from scrapy_boilerplate.document import Document

logger = logging.getLogger(__name__)


class ItemWriter:
    """Sets fields that the spider left alone; an item that refuses goes on as it is.

    `count` takes the name of a stat. Trouble is told once for each class of items.
    """

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._told: set[tuple[str, type]] = set()

    def write(self, adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
        """Set every field of `values` that is declared and unset."""
        missing = []
        for name, value in values.items():
            try:
                if unset(adapter.get(name)):
                    adapter[name] = value
            except KeyError:
                missing.append(name)
            except Exception as error:  # noqa: BLE001 - frozen items, validators: the item goes on
                self._refused(adapter.item, name, error)
        if missing:
            self._unsupported(adapter.item, missing)

    def take_document(self, adapter: ItemAdapter) -> Document | None:
        """The first document among the item's values, taken out of the item."""
        for name in list(adapter):
            document = adapter[name]
            if isinstance(document, Document):
                try:
                    _remove(adapter, name)
                except Exception as error:  # noqa: BLE001 - frozen items: the item goes on
                    self._refused(adapter.item, name, error)
                return document
        return None

    def _unsupported(self, item: Any, missing: list[str]) -> None:
        for name in missing:
            self._count(f"unsupported/{name}")
        if self._first_of("unsupported", item):
            left_out = json.dumps(dict.fromkeys(missing)).replace("null", "None")
            logger.warning(
                "Items of class %s do not declare the fields %s: declare them, "
                "or write BOILERPLATE_FIELDS = %s",
                type(item).__qualname__,
                ", ".join(missing),
                left_out,
            )

    def _refused(self, item: Any, name: str, error: Exception) -> None:
        self._count("errors/write")
        if self._first_of("refused", item):
            kind = type(item).__qualname__
            logger.error("Items of class %s refuse the field %r: %s", kind, name, error)

    def _first_of(self, trouble: str, item: Any) -> bool:
        first = (trouble, type(item)) not in self._told
        self._told.add((trouble, type(item)))
        return first


def _remove(adapter: ItemAdapter, name: str) -> None:
    try:
        del adapter[name]
    except KeyError:  # a declared attribute can only be emptied
        adapter[name] = None
