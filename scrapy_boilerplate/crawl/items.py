"""Items: a class for each kind, the plan for an item, and its values."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_boilerplate import MissingExtraError
from scrapy_boilerplate.crawl.settings import MARK, PROCESS, CrawlSettings, FieldNames
from scrapy_boilerplate.document import LAZY_FIELDS, Document
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.markup.clean_html import has_packages, import_packages
from scrapy_boilerplate.page.labels import Label

logger = logging.getLogger(__name__)

# The field for whether the page is an article. Classes get it if they declare it, and every item
# with BOILERPLATE_ARTICLES_ONLY = "mark".
ARTICLE_FIELD = "is_article"

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


# --- kinds ---

# item classes whose kind is cached
MAX_CLASSES = 256
_is_day = re.compile(r"\d{4}-\d{2}-\d{2}").fullmatch


class PageItem(ItemAdapter):
    """An item that is filled from a page. Its class declares its fields.

    The subclasses are the other kinds of items; `adapt` finds the kind of an item.

    takes_every_field  whether it takes fields that its class does not declare
    fills_every_field  whether this package fills each of its fields, whatever the settings
    url_fields         the fields with its URL; () for those of the settings
    text_field         the field with the text of its page; None for that of the settings
    """

    takes_every_field: ClassVar[bool] = False
    fills_every_field: ClassVar[bool] = False
    url_fields: ClassVar[tuple[str, ...]] = ()
    text_field: ClassVar[str | None] = None

    def takes(self, name: str) -> bool:
        """Return whether the item takes a field of this name."""
        return self.takes_every_field or name in self.field_names()

    def find_text_field(self, names: FieldNames) -> str | None:
        """Return the field that is filled with the text of the page, or None."""
        name = self.text_field or names.get("text")
        return name if name is not None and self.takes(name) else None

    def find_fields(self, names: FieldNames) -> Mapping[str, str]:
        """Return document field to item field, for the fields that the item takes.

        It takes the fields of `names` and `list_optional` that its class declares; the latter
        only if their packages are installed.
        """
        declared = set(self.field_names())
        taken = {field: name for field, name in names.items() if name in declared}
        free = declared.difference(taken.values())
        for field in self.list_optional(names):
            if field in free and field not in taken and has_packages(field):
                taken[field] = field
        return taken

    def list_optional(self, names: FieldNames) -> Sequence[str]:
        """Return the optional fields that are filled if the class declares them."""
        return names.if_declared

    def log_mistakes(self, names: FieldNames, *, is_filled: bool) -> None:
        """Log the fields that the class declares and that are not filled."""
        kind, declared = type(self.item).__qualname__, self.field_names()
        optional = self.list_optional(names)
        for field in declared:
            name = names.get(field, field)
            if field in optional:
                try:
                    import_packages(field, f"the field {field!r}")
                except MissingExtraError as missing:
                    logger.info("Items of class %s: %s; it stays empty", kind, missing)
            if name not in declared and field not in names.values():
                logger.info(RENAMED, kind, field, name, field)
        if names and not is_filled:
            logger.info(UNDECLARED, kind, ", ".join([*names.values()][:3]))

    def build_values(
        self, document: Document, fields: Mapping[str, str], blocks: str
    ) -> dict[str, Any]:
        """Return a dict of item field to value, for the fields that the item takes."""
        return build_item_values(document, fields, blocks)

    def find_number_defaults(self) -> dict[str, Any]:
        """Return the numbers that fields have by default, such as ``0.0``, by field."""
        kind = type(self.item)
        if is_dataclass(kind):
            defaults: dict[str, Any] = {field.name: field.default for field in fields(kind)}
        elif hasattr(kind, "__attrs_attrs__"):
            defaults = {field.name: field.default for field in kind.__attrs_attrs__}
        else:
            models: Mapping[str, Any] = getattr(kind, "model_fields", {})  # of pydantic
            defaults = {name: field.default for name, field in models.items()}
        return {name: value for name, value in defaults.items() if isinstance(value, int | float)}

    def fill(
        self, values: Mapping[str, Any], *, is_read: bool = True
    ) -> tuple[int, dict[str, Exception]]:
        """Set the fields that the spider did not set; return their number, and refused fields.

        A number that is the default of its field counts as not set. Only a number replaces it: a
        field ``comments: int = 0`` is a counter, not a list. None does not replace an empty text or
        list. It replaces a default number only if the page could not be read (`is_read` is false),
        because the number would look like data.
        """
        defaults, n_written = self.find_number_defaults(), 0
        refused: dict[str, Exception] = {}
        for name, value in values.items():
            try:
                present = self.get(name)
                if name in defaults and present == defaults[name]:
                    is_taken = isinstance(value, int | float) or (value is None and not is_read)
                else:
                    is_taken = is_unset(present) and (present is None or value is not None)
                if is_taken:
                    self[name] = value
                    n_written += 1
            except Exception as error:  # noqa: BLE001 - frozen items, validators: the item goes on
                refused[name] = error
        return n_written, refused

    def find_document(self) -> str | None:
        """Return the first field that has a document, or None."""
        for name in self:
            if isinstance(self[name], Document):
                return str(name)
        return None

    def remove(self, name: str) -> None:
        """Delete a value. A declared attribute becomes None, because readers of it expect it."""
        declared = self.get_field_names_from_class(type(self.item)) or ()
        if isinstance(self.item, MutableMapping) or name not in declared:
            del self[name]
            return
        try:
            self[name] = None
        except Exception as error:  # noqa: BLE001 - a validator that takes no None
            try:
                del self[name]
            except KeyError:
                raise error from None


class DictItem(PageItem):
    """A dict, which declares no fields."""

    takes_every_field = True

    def find_fields(self, names: FieldNames) -> Mapping[str, str]:
        return names

    def log_mistakes(self, names: FieldNames, *, is_filled: bool) -> None:
        """Log nothing."""

    def find_number_defaults(self) -> dict[str, Any]:
        return {}


class WholeItem(PageItem):
    """An `ArticleItem`, which declares every field: optional ones are only filled by name.

    A subclass can declare one again, to get it like any other class.
    """

    def list_optional(self, names: FieldNames) -> Sequence[str]:
        own = {field.name for field in set(fields(self.item)).difference(fields(ArticleItem))}
        return [name for name in names.if_declared if name in own]


class ZyteArticle(PageItem):
    """A `zyte_common_items.Article`, filled under its own names.

    BOILERPLATE_FIELDS does not apply.
    """

    fills_every_field = True
    url_fields = ("url",)
    text_field = "articleBody"

    def find_fields(self, names: FieldNames) -> Mapping[str, str]:  # noqa: ARG002
        """Return document field to item field, for the LAZY_FIELDS."""
        return {"article_probability": "metadata", "html": "articleBodyHtml", "images": "images"}

    def log_mistakes(self, names: FieldNames, *, is_filled: bool) -> None:
        """Log nothing."""

    def build_values(
        self,
        document: Document,
        fields: Mapping[str, str],  # noqa: ARG002
        blocks: str,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return a dict of field to value, only for values that the document has.

        The formats follow zyte_common_items 0.31. Dates have a time, midnight where the page gives
        only the day; they have an offset only where the page gives one. `datePublished` falls back
        to `dateModified`. `metadata.probability` is the document's `article_probability`. Without a
        probability no metadata is added, because the class sets 1.
        """
        from zyte_common_items import Author, Image  # noqa: PLC0415 - only where an Article has come

        main = [document.main_image] if document.main_image else []
        shown = (image["url"] for image in document.images or ())
        images = [Image(url) for url in dict.fromkeys([*main, *shown])]
        modified = _add_time(document.date_modified)
        values = {
            "headline": document.headline,
            "datePublished": _add_time(document.date_published) or modified,
            "dateModified": modified,
            "authors": [Author(name=name) for name in document.authors],
            "inLanguage": document.language,
            "mainImage": images[0] if main else None,
            "images": images,
            "description": document.description,
            "articleBody": document.text,
            "articleBodyHtml": document.html,
            "canonicalUrl": document.canonical_url,
            "metadata": self._build_metadata(document.article_probability),
        }
        return {name: value for name, value in values.items() if value}

    def _build_metadata(self, probability: float | None) -> Any:
        from zyte_common_items import ArticleMetadata  # noqa: PLC0415

        metadata = self.item.metadata
        if metadata is None and probability is not None:
            return ArticleMetadata(probability=probability)
        if metadata is not None and metadata.probability is None:
            metadata.probability = probability
        return None


@lru_cache(maxsize=MAX_CLASSES)
def find_kind(item_class: type) -> type[PageItem]:
    """Return the kind of the items of a class, without importing zyte_common_items."""
    if issubclass(item_class, dict):
        return DictItem
    if issubclass(item_class, ArticleItem):
        return WholeItem
    article = getattr(sys.modules.get("zyte_common_items"), "Article", None)
    return ZyteArticle if article and issubclass(item_class, article) else PageItem


def adapt(item: Any) -> PageItem:
    """Return an item as its kind. Raises TypeError if it is no item."""
    return find_kind(item.__class__)(item)


# --- plans ---


@dataclass(frozen=True)
class ItemPlan:
    """How the items of one class are filled.

    fields         document field to item field
    marks_article  whether `is_article` is set
    needs_page     whether the page is read at all
    lazy_fields    the LAZY_FIELDS to compute
    """

    fields: Mapping[str, str]
    marks_article: bool
    needs_page: bool
    lazy_fields: frozenset[str]


class ItemPlanner:
    """Plans the filling of items, by their class and the settings of the crawl."""

    def __init__(self, settings: CrawlSettings) -> None:
        self._settings = settings
        self._plans: WeakKeyDictionary[type, ItemPlan] = WeakKeyDictionary()

    def plan(self, item: PageItem, names: FieldNames | None = None) -> ItemPlan:
        """Return the plan of an item; `names` are the fields that its request asks for.

        The mistakes of a class are logged with its first item, by the fields of the settings.
        """
        settings, item_class = self._settings, type(item.item)
        plan = self._plans.get(item_class)
        if plan is None:
            plan = self._plans[item_class] = self._build_plan(item, settings.fields)
            is_filled = bool(plan.fields) or plan.marks_article
            item.log_mistakes(settings.fields, is_filled=is_filled)
            if settings.articles_only == MARK and not plan.marks_article:
                logger.info(UNMARKED, item_class.__qualname__)
        return plan if names is None else self._build_plan(item, names)

    def _build_plan(self, item: PageItem, names: FieldNames) -> ItemPlan:
        settings = self._settings
        item_fields = item.find_fields(names)
        takes_mark = item.takes(ARTICLE_FIELD)
        declares_mark = takes_mark and not item.takes_every_field
        needs_page = (
            item_fields
            or declares_mark
            or settings.min_words
            or settings.min_confidence
            or settings.articles_only
            or settings.reserved_drop
            or settings.inspect_dir
            or settings.uses_site
            or settings.site_alarm
        )
        return ItemPlan(
            fields=item_fields,
            marks_article=declares_mark or (takes_mark and settings.articles_only == MARK),
            needs_page=bool(needs_page),
            lazy_fields=self._find_lazy_fields(item_fields, declares_mark=declares_mark),
        )

    def _find_lazy_fields(
        self, item_fields: Mapping[str, str], *, declares_mark: bool
    ) -> frozenset[str]:
        settings, wanted = self._settings, set(item_fields)
        if settings.blocks == "none":
            wanted.discard("blocks")
        if settings.articles_only or settings.inspect_dir or declares_mark:
            wanted.add("article_probability")
        if settings.reserved_drop:
            wanted.add("reservations")
        # the documents of workers have no page to find it in later
        if settings.pages > 1 or "partial" in wanted or settings.executor == PROCESS:
            wanted.add("next_page")
        if settings.pages > 1:
            if "markdown" in wanted:
                wanted.add("html")  # the Markdown of several pages is written from it
            if "html" in wanted:
                wanted.add("images")  # to drop repeated ones
        return frozenset(wanted.intersection(LAZY_FIELDS))


# --- values ---

# the blocks of BOILERPLATE_BLOCKS = "content"
CONTENT_LABELS = frozenset({Label.HEADLINE.text, Label.FULL_TEXT.text})


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
    listed = document.list_blocks(with_xpaths=blocks == "all") if "blocks" in fields else []
    values = document.to_dict(field for field in fields if field != "blocks")
    if "blocks" in fields and "blocks" not in document.late:
        if blocks == "content":
            listed = [row for row in listed if row["label"] in CONTENT_LABELS]
        values["blocks"] = listed
    return {name: values.get(field) for field, name in fields.items()}


def _add_time(date: str | None) -> str | None:
    return f"{date}T00:00:00" if date and _is_day(date) else date


def is_unset(value: Any) -> bool:
    """Return whether the spider did not set a field: None, an empty text or collection."""
    kinds = (str, list, tuple, dict, set, frozenset)
    return value is None or (isinstance(value, kinds) and not value)
