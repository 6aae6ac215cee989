"""The values of an item: its fields by its class, taken from a document, written onto the item."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from itemadapter import ItemAdapter

from scrapy_boilerplate.crawl.settings import FieldNames
from scrapy_boilerplate.document import LAZY_FIELDS, Document, DocumentBlock
from scrapy_boilerplate.extras import MissingExtraError, import_optional, is_installed
from scrapy_boilerplate.markup.clean_html import REQUIRED_PACKAGES
from scrapy_boilerplate.page.labels import Label

logger = logging.getLogger(__name__)

CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})
"""The blocks of BOILERPLATE_BLOCKS = "content"."""


def find_item_fields(item: Any, names: FieldNames) -> dict[str, str]:
    """Return document field to item field of what an item takes.

    A dict takes all of `names`, and so does a pydantic model that allows extra fields. Other
    classes take those that they declare. A class also takes what it declares of
    `names.if_declared`, but no field whose package is not installed.
    """
    if isinstance(item, dict):
        return names
    declared = set(ItemAdapter(item).field_names())
    is_open = takes_any(item)
    fields = {field: name for field, name in names.items() if is_open or name in declared}
    free = declared.difference(fields.values())
    for field in names.if_declared:
        packages = REQUIRED_PACKAGES.get(field, ())
        if field in free and field not in fields and all(map(is_installed, packages)):
            fields[field] = field
    return fields


def find_missing_packages(item: Any, names: FieldNames) -> list[MissingExtraError]:
    """Return an error for each field that an item's class declares and no package computes."""
    if isinstance(item, dict):
        return []
    errors = []
    for field in set(names.if_declared).intersection(ItemAdapter(item).field_names()):
        for package in REQUIRED_PACKAGES.get(field, ()):
            try:
                import_optional(package, f"the field {field!r}", "html")
            except MissingExtraError as error:
                errors.append(error)
                break
    return errors


def takes_any(item: Any) -> bool:
    """Return whether an item takes fields that its class does not declare."""
    config = getattr(type(item), "model_config", None)
    return isinstance(item, dict) or (isinstance(config, dict) and config.get("extra") == "allow")


def takes_field(item: Any, name: str) -> bool:
    """Return whether an item takes a field of this name."""
    return takes_any(item) or name in ItemAdapter(item).field_names()


def build_item_values(
    document: Document, fields: Mapping[str, str], blocks: str = "all"
) -> dict[str, Any]:
    """Return a dict of item field to value, in the order of `fields`, with empty values.

    The values are plain lists and dicts, which feeds can hold. `blocks` is as in the settings. Of a
    document with an `error` nothing was computed: every value is None.
    """
    if blocks == "none":
        fields = {field: name for field, name in fields.items() if field != "blocks"}
    if document.error is not None:
        return dict.fromkeys(fields.values())
    for field in LAZY_FIELDS:  # before `partial`, which tells of them too
        if field in fields:
            getattr(document, field)
    values: dict[str, Any] = {}
    for field, name in fields.items():
        if field == "blocks":
            values[name] = [
                _build_block(block, with_xpath=blocks == "all")
                for block in document.blocks
                if blocks != "content" or block.label in CONTENT_LABELS
            ]
            continue
        value = getattr(document, field)
        if isinstance(value, Mapping):
            value = dict(value)
        values[name] = list(value) if isinstance(value, tuple) else value
    return values


def _build_block(block: DocumentBlock, *, with_xpath: bool) -> dict[str, Any]:
    values = block.as_dict()
    if not with_xpath:
        del values["xpath"]
    return values


def is_unset(value: Any) -> bool:
    """Return whether the spider did not set a field: None, an empty text or collection."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


class ItemWriter:
    """Sets fields that the spider did not set; an item that rejects a value passes unchanged.

    None replaces nothing: an empty text or list that the item has stays.
    `count` takes the name of a stat. Errors are logged once for each class of items.
    """

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._logged: WeakSet[type] = WeakSet()

    def write(self, adapter: ItemAdapter, values: Mapping[str, Any]) -> bool:
        """Set every unset field of `values`; return False if the item refused all, or has none."""
        n_written, refused = 0, {}
        for name, value in values.items():
            try:
                present = get_value(adapter, name)
                if is_unset(present) and (present is None or value is not None):
                    set_value(adapter, name, value)
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


def get_value(adapter: ItemAdapter, name: str) -> Any:
    """Return the value of an item's field, declared or not; None if it has none."""
    if isinstance(adapter.item, dict) or name in adapter.field_names():
        return adapter.get(name)
    return getattr(adapter.item, name, None)


def set_value(adapter: ItemAdapter, name: str, value: Any) -> None:
    """Set a field that an item takes (`takes_field`). Raises what its class raises."""
    if isinstance(adapter.item, dict) or name in adapter.field_names():
        adapter[name] = value
    else:
        setattr(adapter.item, name, value)  # a pydantic model; ItemAdapter knows declared fields


def _delete_value(adapter: ItemAdapter, name: str) -> None:
    try:
        del adapter[name]
    except KeyError:  # a declared attribute can only be emptied
        adapter[name] = None
