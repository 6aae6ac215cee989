"""Items: the fields that each class takes, the plan for an item, and its values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_boilerplate import MissingExtraError, is_installed
from scrapy_boilerplate.crawl.settings import MARK, CrawlSettings, FieldNames
from scrapy_boilerplate.crawl.zyte import is_zyte_article
from scrapy_boilerplate.document import (
    LAZY_FIELDS,
    Document,
    DocumentBlock,
)
from scrapy_boilerplate.markup.clean_html import REQUIRED_PACKAGES, import_packages
from scrapy_boilerplate.page.labels import Label

logger = logging.getLogger(__name__)

ARTICLE_FIELD = "is_article"
"""The field for whether the page is an article. Classes get it if they declare it, and every item
with BOILERPLATE_ARTICLES_ONLY = "mark"."""

RENAMED = "Items of class %s declare %r, which BOILERPLATE_FIELDS renames to %r; %r is not filled"
UNDECLARED = "Items of class %s declare no field to fill; declare those you want, such as %s"
UNMARKED = (
    'BOILERPLATE_ARTICLES_ONLY = "mark" does not mark items of class %s: they do not declare '
    "the field is_article"
)


class Dropped(DropItem):
    """A setting drops an item. The reason is logged at INFO, and the item at DEBUG (by Scrapy)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, log_level="DEBUG")
        logger.info("Dropped: %s", reason)


def find_item_fields(item: Any, names: FieldNames) -> dict[str, str]:
    """Return document field to item field, for the fields that an item takes.

    A dict takes all of `names`. A class takes the fields of `names` and `names.if_declared` that it
    declares; the latter only if their packages are installed.
    """
    if isinstance(item, dict):
        return names
    declared = set(ItemAdapter(item).field_names())
    fields = {field: name for field, name in names.items() if name in declared}
    free = declared.difference(fields.values())
    for field in names.if_declared:
        packages = REQUIRED_PACKAGES.get(field, ())
        if field in free and field not in fields and all(map(is_installed, packages)):
            fields[field] = field
    return fields


def declares_field(item: Any, name: str) -> bool:
    """Return whether an item's class declares a field; a dict declares none."""
    return not isinstance(item, dict) and name in ItemAdapter(item).field_names()


def takes_field(item: Any, name: str) -> bool:
    """Return whether an item takes a field of this name."""
    return isinstance(item, dict) or declares_field(item, name)


def find_number_defaults(kind: type) -> dict[str, Any]:
    """Return the numbers that fields of an item class have by default, such as ``0.0``, by field.

    A field with its default counts as not set by the spider.
    """
    defaults: dict[str, Any] = {}
    if is_dataclass(kind):
        defaults = {field.name: field.default for field in fields(kind)}
    elif hasattr(kind, "__attrs_attrs__"):
        defaults = {field.name: field.default for field in kind.__attrs_attrs__}
    else:
        models: Mapping[str, Any] = getattr(kind, "model_fields", {})  # of pydantic
        defaults = {name: field.default for name, field in models.items()}
    return {name: value for name, value in defaults.items() if isinstance(value, int | float)}


@dataclass(frozen=True)
class ItemPlan:
    """How the items of one class are filled.

    fields         document field to item field
    is_zyte        whether it is a `zyte_common_items.Article`, filled under its own names
    marks_article  whether `is_article` is set
    needs_page     whether the page is read at all
    lazy_fields    the LAZY_FIELDS to compute
    """

    fields: Mapping[str, str]
    is_zyte: bool
    marks_article: bool
    needs_page: bool
    lazy_fields: frozenset[str]


class ItemPlanner:
    """Plans the filling of items, by their class and the settings of the crawl."""

    def __init__(self, settings: CrawlSettings) -> None:
        self._settings = settings
        self._plans: WeakKeyDictionary[type, ItemPlan] = WeakKeyDictionary()

    def plan(self, item: Any, names: FieldNames | None = None) -> ItemPlan:
        """Return the plan of an item; `names` are the fields that its request asks for.

        The mistakes of a class are logged with its first item, by the fields of the settings.
        """
        plan = self._plans.get(type(item))
        if plan is None:
            plan = self._plans[type(item)] = self._build_plan(item, self._settings.fields)
            self._log_mistakes(item, plan)
        return plan if names is None else self._build_plan(item, names)

    def _build_plan(self, item: Any, names: FieldNames) -> ItemPlan:
        settings = self._settings
        is_zyte, declares_mark = is_zyte_article(item), declares_field(item, ARTICLE_FIELD)
        item_fields = {} if is_zyte else find_item_fields(item, names)
        marks_all = settings.articles_only == MARK and isinstance(item, dict)
        needs_page = (
            is_zyte
            or item_fields
            or declares_mark
            or settings.checks_documents
            or settings.inspect_dir
            or settings.uses_site
        )
        return ItemPlan(
            fields=item_fields,
            is_zyte=is_zyte,
            marks_article=declares_mark or marks_all,
            needs_page=bool(needs_page),
            lazy_fields=self._find_lazy_fields(
                item_fields, is_zyte=is_zyte, declares_mark=declares_mark
            ),
        )

    def _find_lazy_fields(
        self, item_fields: Mapping[str, str], *, is_zyte: bool, declares_mark: bool
    ) -> frozenset[str]:
        settings = self._settings
        wanted = {"html", "article_probability"} if is_zyte else set(item_fields)
        if settings.blocks == "none":
            wanted.discard("blocks")
        if settings.articles_only or settings.inspect_dir or declares_mark:
            wanted.add("article_probability")
        if settings.pages > 1:
            wanted.add("next_page")
            if "markdown" in wanted:
                wanted.add("html")  # the Markdown of several pages is written from it
        return frozenset(wanted.intersection(LAZY_FIELDS))

    def _log_mistakes(self, item: Any, plan: ItemPlan) -> None:
        """Log the fields that the class of an item declares and that are not filled."""
        names, kind = self._settings.fields, type(item).__qualname__
        if not plan.is_zyte:
            declared = [] if isinstance(item, dict) else ItemAdapter(item).field_names()
            for field in declared:
                name = names.get(field, field)
                if field in names.if_declared:
                    try:
                        import_packages(field, f"the field {field!r}")
                    except MissingExtraError as missing:
                        logger.info("Items of class %s: %s; it stays empty", kind, missing)
                if name not in declared and field not in names.values():
                    logger.info(RENAMED, kind, field, name, field)
            if names and not plan.fields and not plan.marks_article:
                logger.info(UNDECLARED, kind, ", ".join([*names.values()][:3]))
        if self._settings.articles_only == MARK and not plan.marks_article:
            logger.info(UNMARKED, kind)


# --- values ---

CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})
"""The blocks of BOILERPLATE_BLOCKS = "content"."""


def build_item_values(
    document: Document, fields: Mapping[str, str], blocks: str = "all"
) -> dict[str, Any]:
    """Return a dict of item field to value, in the order of `fields`, with empty values.

    The values are plain lists and dicts for feeds. `blocks` is as in the settings. All
    values are None for a document with an `error`, and so are values past the time of the page.
    """
    if blocks == "none":
        fields = {field: name for field, name in fields.items() if field != "blocks"}
    if document.error is not None:
        return dict.fromkeys(fields.values())
    has_xpaths = blocks == "all"
    listed = document.list_blocks(with_xpaths=has_xpaths) if "blocks" in fields else ()
    document = document.with_fields(field for field in fields if field != "blocks")
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
    """Sets fields that the spider did not set. An item that rejects a value passes unchanged.

    A number that is the default of its field counts as not set. Only a number replaces it: a field
    ``comments: int = 0`` is a counter, not a list. None does not replace an empty text or list. It
    replaces a default number only if the page could not be read (`is_read` is false), because the
    number would look like data.
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
    """Delete a value. A declared attribute becomes None, because readers of the item expect it."""
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
