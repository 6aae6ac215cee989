"""The values of an item: taken from a document, written to the item."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from itemadapter import ItemAdapter

from scrapy_boilerplate.crawl.item_classes import find_number_defaults
from scrapy_boilerplate.document import LAZY_FIELDS, Document, DocumentBlock
from scrapy_boilerplate.page.labels import Label

logger = logging.getLogger(__name__)

CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})
"""The blocks of BOILERPLATE_BLOCKS = "content"."""


def build_item_values(
    document: Document, fields: Mapping[str, str], blocks: str = "all"
) -> dict[str, Any]:
    """Return a dict of item field to value, in the order of `fields`, with empty values.

    The values are plain lists and dicts, which feeds can hold. `blocks` is as in the settings. All
    values are None for a document with an `error`, and so are values past the time of the page.
    """
    if blocks == "none":
        fields = {field: name for field, name in fields.items() if field != "blocks"}
    if document.error is not None:
        return dict.fromkeys(fields.values())
    has_xpaths = blocks == "all"
    listed = document.list_blocks(with_xpaths=has_xpaths) if "blocks" in fields else ()
    document = document.with_fields(
        field for field in LAZY_FIELDS if field in fields and field != "blocks"
    )
    values: dict[str, Any] = {}
    for field, name in fields.items():
        value = listed if field == "blocks" else getattr(document, field)
        if not document.has_computed(field, value):
            values[name] = None
        elif field == "blocks":
            values[name] = [
                _build_block(block, with_xpath=has_xpaths)
                for block in listed
                if blocks != "content" or block.label in CONTENT_LABELS
            ]
        elif isinstance(value, Mapping):
            values[name] = dict(value)
        else:
            values[name] = list(value) if isinstance(value, tuple) else value
    return values


def _build_block(block: DocumentBlock, *, with_xpath: bool) -> dict[str, Any]:
    values = block.as_dict()
    if not with_xpath:
        del values["xpath"]
    return values


def is_unset(value: Any) -> bool:
    """Return whether the spider did not set a field: None, an empty text or collection."""
    kinds = (str, list, tuple, dict, set, frozenset)
    return value is None or (isinstance(value, kinds) and not value)


class ItemWriter:
    """Sets fields that the spider did not set; an item that rejects a value passes unchanged.

    A number that the class has by default is not set by the spider, and only a number replaces it:
    a field ``comments: int = 0`` counts something, and is no list. None replaces nothing: an empty
    text or list that the item has stays, and so does a default number, but of a page that is not
    `is_read`: there it would look like data.
    `count` takes the name of a stat. Errors are logged once for each class of items.
    """

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._logged: WeakSet[type] = WeakSet()
        self._number_defaults: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()

    def write(
        self, adapter: ItemAdapter, values: Mapping[str, Any], *, is_read: bool = True
    ) -> bool:
        """Set every unset field of `values`; return False if none could be set."""
        kind = type(adapter.item)
        if kind not in self._number_defaults:
            self._number_defaults[kind] = find_number_defaults(kind)
        defaults = self._number_defaults[kind]
        n_written, refused = 0, {}
        for name, value in values.items():
            try:
                present = adapter.get(name)
                if name in defaults and present == defaults[name]:
                    is_taken = isinstance(value, int | float) or (value is None and not is_read)
                else:
                    is_taken = is_unset(present) and (present is None or value is not None)
                if is_taken:
                    adapter[name] = value
                    n_written += 1
            except Exception as error:  # noqa: BLE001 - frozen items, validators: the item goes on
                refused[name] = error
        if refused:
            self._report(adapter.item, refused, is_frozen=not n_written)
        return bool(values) and (n_written > 0 or not refused)

    def take_document(self, adapter: ItemAdapter) -> Document | None:
        """Return the first document among the item's values, and remove it from the item."""
        for name in list(adapter):
            document = adapter[name]
            if isinstance(document, Document):
                try:
                    _delete_value(adapter, name)
                except Exception as error:  # noqa: BLE001 - frozen items: the item goes on
                    self._report(adapter.item, {name: error}, is_frozen=True)
                return document
        return None

    def _report(
        self, item: Any, refused: Mapping[str, Exception], *, is_frozen: bool = False
    ) -> None:
        for _ in refused:
            self._count("errors/write")
        kind = type(item)
        if kind not in self._logged:
            self._logged.add(kind)
            name, error = next(iter(refused.items()))
            advice = "; items of a frozen class are not filled" if is_frozen else ""
            sentence = "Items of class %s refuse the field %r: %s%s"
            logger.error(sentence, kind.__qualname__, name, error, advice)


def _delete_value(adapter: ItemAdapter, name: str) -> None:
    """Delete a value; a declared attribute becomes None: what reads the item expects it."""
    declared = adapter.get_field_names_from_class(type(adapter.item)) or ()
    if isinstance(adapter.item, MutableMapping) or name not in declared:
        del adapter[name]
        return
    try:
        adapter[name] = None
    except Exception as error:  # noqa: BLE001 - a validator that takes no None
        try:
            del adapter[name]
        except KeyError:
            raise error from None
