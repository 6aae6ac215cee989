"""Exporters for CSV and XML, which write the lists and empty fields of this package.

Scrapy's exporters write nested values into CSV as Python source, and join lists with commas (texts
have commas too). They write a missing value into XML as "None", and an item in a field as Python
source. These exporters write other fields like Scrapy's.
"""

import json
from io import BytesIO
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, CsvItemExporter, XmlItemExporter
from scrapy.utils.python import to_unicode
from scrapy.utils.serialize import ScrapyJSONEncoder

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.duplicates import DUPLICATE_FIELD
from scrapy_boilerplate.crawl.items import ARTICLE_FIELD, PageItem, build_item_values, find_kind
from scrapy_boilerplate.crawl.settings import CHANGE_FIELDS, MARK, PARAGRAPH_FIELDS
from scrapy_boilerplate.document import Document

# First characters of formulas (https://owasp.org/www-community/attacks/CSV_Injection). The last
# four are the full-width signs.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
COLLECTIONS = (list, tuple, set, frozenset)
# Fields that the pipelines set beside the fields of documents
MARKS = (ARTICLE_FIELD, DUPLICATE_FIELD, *CHANGE_FIELDS, *PARAGRAPH_FIELDS)


class FieldExporter(BaseItemExporter):
    """An exporter that knows which fields this package fills.

    filled_fields  the fields that every dict gets, in order
    our_fields     these fields, and the fields that item classes can declare
    quotes         whether texts that a spreadsheet reads as formulas are quoted
    kind           the kind of the item that is written
    """

    filled_fields: tuple[str, ...] = ()
    our_fields: frozenset[str] = frozenset()
    quotes: bool = False
    kind: type[PageItem] = PageItem

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **options: Any) -> Self:
        """Build the exporter of one feed."""
        exporter = cls(file, **options)  # type: ignore[arg-type,call-arg]
        settings = CrawlContext.from_crawler(crawler).settings
        filled_fields = [*build_item_values(Document(), settings.fields, settings.blocks)]
        if settings.articles_only == MARK:
            filled_fields.append(ARTICLE_FIELD)
        exporter.filled_fields = tuple(filled_fields)
        exporter.our_fields = frozenset(
            {*exporter.filled_fields, *settings.fields.if_declared, *MARKS}
        )
        exporter.quotes = settings.csv_quote_formulas
        return exporter

    def export_item(self, item: Any) -> None:
        """Write one item."""
        self.kind = find_kind(item.__class__)
        super().export_item(item)  # type: ignore[safe-super]

    def is_ours(self, name: str) -> bool:
        """Return whether this package fills a field of the item that is written."""
        return self.kind.fills_every_field or name in self.our_fields


class BoilerplateCsvItemExporter(FieldExporter, CsvItemExporter):
    """Writes the collections and items in our fields as JSON into their cells.

    With BOILERPLATE_CSV_QUOTE_FORMULAS, text of a page cannot be a formula of a spreadsheet.

    Scrapy takes the columns from the first item. If that is a dict that is not filled because its
    page is not HTML, the columns are added, so that later items keep their fields.
    """

    def export_item(self, item: Any) -> None:
        """Write one item; the first one decides the columns."""
        if self.fields_to_export is None and isinstance(item, dict):
            self.fields_to_export = list(
                dict.fromkeys((*ItemAdapter(item).field_names(), *self.filled_fields))
            )
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return a collection or an item as JSON, if this package fills the field."""
        if self.is_ours(name) and (isinstance(value, COLLECTIONS) or ItemAdapter.is_item(value)):
            return json.dumps(value, ensure_ascii=False, cls=ScrapyJSONEncoder)
        cell = super().serialize_field(field, name, value)  # joins a list of the spider to one text
        if self.quotes:
            text = to_unicode(cell, self.encoding, "replace") if isinstance(cell, bytes) else cell
            if isinstance(text, str) and _is_formula(text):
                return f"'{text}"
        return cell


class BoilerplateXmlItemExporter(FieldExporter, XmlItemExporter):
    """Writes fields without a value as empty elements, and items in fields as elements."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return nothing for None, and items as dicts, if this package fills the field."""
        if self.is_ours(name):
            return "" if value is None else _convert_items_to_dicts(value)
        return super().serialize_field(field, name, value)


def _is_formula(text: str) -> bool:
    # a spreadsheet may skip white space and invisible characters
    visible = next((c for c in text if c.isprintable() and c != " "), "")
    return text.startswith(FORMULA_STARTS) or visible.startswith(FORMULA_STARTS)


def _convert_items_to_dicts(value: Any) -> Any:
    if ItemAdapter.is_item(value):
        held = {name: inner for name, inner in ItemAdapter(value).items() if inner is not None}
        return {name: _convert_items_to_dicts(inner) for name, inner in held.items()}
    return (
        [_convert_items_to_dicts(inner) for inner in value]
        if isinstance(value, COLLECTIONS)
        else value
    )
