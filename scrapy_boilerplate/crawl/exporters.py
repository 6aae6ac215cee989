"""Feeds that cannot nest: our lists in CSV, our empty fields in XML. Other fields stay as they are.

Scrapy's exporters write nested values into CSV as Python source, lists with commas between
(texts have commas too), and a missing value into XML as "None".
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, CsvItemExporter, XmlItemExporter

from scrapy_boilerplate.crawl.fields import values_of
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document

if TYPE_CHECKING:
    from typing_extensions import Self


class _KnowsOurFields(BaseItemExporter):
    """An exporter that knows which item fields are ours, in order."""

    our_fields: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **options: Any) -> Self:
        """Built by Scrapy for each feed of its format."""
        exporter = cls(file, **options)  # type: ignore[arg-type,call-arg]
        exporter.our_fields = tuple(values_of(Document(), CrawlSettings.of(crawler.settings)))
        return exporter


class BoilerplateCsvItemExporter(_KnowsOurFields, CsvItemExporter):
    """Writes the lists and dicts among our fields as JSON into their cells.

    Scrapy takes the columns from the first item. Where that is a dict without our fields (of a
    page that is no HTML), they are added, so that the items after it keep theirs.
    """

    def export_item(self, item: Any) -> None:
        """Called by Scrapy for each item; the first one decides the columns."""
        if self.fields_to_export is None and isinstance(item, dict):
            self.fields_to_export = list(dict.fromkeys((*item, *self.our_fields)))
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """A list or dict as JSON, if the field is ours."""
        if name in self.our_fields and isinstance(value, list | dict):
            return json.dumps(value, ensure_ascii=False)
        return super().serialize_field(field, name, value)


class BoilerplateXmlItemExporter(_KnowsOurFields, XmlItemExporter):
    """Leaves our fields empty where there is no value."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Nothing for None, if the field is ours."""
        if name in self.our_fields and value is None:
            return ""
        return super().serialize_field(field, name, value)
