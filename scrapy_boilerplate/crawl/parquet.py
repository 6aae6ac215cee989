"""The exporter for Parquet (extra [batch]): ``scrapy crawl news -o articles.parquet``."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object
from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import file_uri_to_path

from scrapy_boilerplate import MissingExtraError, import_optional
from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.exporters import MARKS, FieldExporter
from scrapy_boilerplate.crawl.items import find_kind
from scrapy_boilerplate.crawl.settings import SettingError
from scrapy_boilerplate.schema import (
    BOOLEAN,
    FIELD_COLUMNS,
    INTEGER,
    REAL,
    TEXT,
    ColumnType,
    create_arrow_batch,
)

logger = logging.getLogger(__name__)

FORMAT = "parquet"
# Maximum bytes (as JSON) and items of a row group
GROUP_BYTES = 32_000_000
GROUP_ITEMS = 500
# The column of values without a column of their own; the type of values of different types
OTHER_FIELDS, JSON = "other_fields", "json"
MAX_INTEGER = 2**63
# Larger integers have no exact double
MAX_EXACT = 2**53


class BoilerplateParquetItemExporter(FieldExporter):
    """Writes a row group for every 500 items, in columns that the first row group decides.

    Our fields have the types of `ArticleItem`. The other columns have the type of their values in
    the first row group: text, numbers, Booleans, or lists of these; values of other or different
    types become JSON. Dates become ISO 8601 texts. A value that its column cannot hold, or that has
    no column because it came later, is in the column OTHER_FIELDS, a JSON object.
    """

    def __init__(self, file: BytesIO, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        parquet = import_optional("pyarrow.parquet", "a Parquet feed", "batch")
        self._open_writer = parquet.ParquetWriter
        self._options = {"compression": "zstd", **self._kwargs}
        self._file = file
        self._encoder = _Encoder(ensure_ascii=False)
        self._lines: list[bytes] = []
        self._n_bytes = 0
        self._names: dict[str, None] = {}
        self._columns: dict[str, ColumnType] = {}
        self._described: dict[str, ColumnType] = {}
        self._writer: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **options: Any) -> Self:
        """Build the exporter of one feed."""
        exporter = super().from_crawler(crawler, file, **options)
        settings = CrawlContext.from_crawler(crawler).settings
        names = {"url": "url", **{name: name for name in (*settings.fields.if_declared, *MARKS)}}
        names |= settings.fields
        exporter._described = {name: FIELD_COLUMNS[field] for field, name in names.items()}
        return exporter

    def export_item(self, item: Any) -> None:
        """Add one item to the row group. Raises TypeError for keys of dicts that JSON lacks."""
        self.kind = find_kind(item.__class__)
        adapter = ItemAdapter(item)
        wanted = self._find_outputs(adapter)
        values = {
            output: self.serialize_field(adapter.get_field_meta(name), output, adapter[name])
            for name, output in wanted.items()
            if name in adapter
        }
        line = self._encoder.encode(values).encode("utf-8", "replace")
        if self._writer is None:
            self._names |= dict.fromkeys(wanted.values())
        if self.kind.fills_every_field:
            self._described = {}
        self._lines.append(line)
        self._n_bytes += len(line)
        if len(self._lines) >= GROUP_ITEMS or self._n_bytes >= GROUP_BYTES:
            self._write_group()

    def finish_exporting(self) -> None:
        """Write the last row group and the end of the file."""
        if self._writer is None and not self._lines:
            outputs = self._find_outputs(ItemAdapter(dict.fromkeys(("url", *self.filled_fields))))
            self._names = dict.fromkeys(outputs.values())
        try:
            self._write_group()
            self._writer.close()
        except Exception:
            # Scrapy logs it only when the garbage collector finds it, and counts nothing
            logger.exception("Parquet feed: the file has no end, so that it cannot be read")
            raise

    def _find_outputs(self, adapter: ItemAdapter) -> Mapping[str, str]:
        wanted = self.fields_to_export
        if isinstance(wanted, Mapping):
            return wanted
        return {name: name for name in wanted or (*adapter.field_names(), *adapter)}

    def _write_group(self) -> None:
        rows = [json.loads(line) for line in self._lines]
        if self._writer is None:
            for name in [name for name in self._names if name != OTHER_FIELDS]:
                values = [row[name] for row in rows if row.get(name) is not None]
                self._columns[name] = _choose_column(self._described.get(name), values)
            types = {n: TEXT if each == JSON else each for n, each in self._columns.items()}
            self._types = {**types, OTHER_FIELDS: TEXT}
            schema = create_arrow_batch((), self._types).schema
            self._writer = self._open_writer(self._file, schema, **self._options)
        if rows:
            self._writer.write_batch(create_arrow_batch(map(self._arrange, rows), self._types))
        self._lines, self._n_bytes = [], 0

    def _arrange(self, row: dict[str, Any]) -> dict[str, Any]:
        """Move the values without a fitting column into OTHER_FIELDS."""
        fitting = {
            name: json.dumps(row[name], ensure_ascii=False) if column == JSON else row[name]
            for name, column in self._columns.items()
            if row.get(name) is not None and (column == JSON or _fits(row[name], column))
        }
        others = {n: value for n, value in row.items() if value is not None and n not in fitting}
        text = json.dumps(others, ensure_ascii=False) if others else None
        return {**fitting, OTHER_FIELDS: text}


class _Encoder(ScrapyJSONEncoder):
    def default(self, value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        try:
            return super().default(value)
        except TypeError:
            return list(value) if isinstance(value, frozenset) else str(value)


def _choose_column(described: ColumnType, values: Sequence[Any]) -> ColumnType:
    # the described column if it holds all values, else one by their types
    if described is not None and all(_fits(value, described) for value in values):
        return described
    for column in (TEXT, BOOLEAN, INTEGER, REAL):
        if all(_fits(value, column) for value in values):
            return column
    if all(isinstance(value, list) for value in values):
        inner = _choose_column(None, [each for value in values for each in value])
        if inner != JSON and None not in values:
            return [inner]
    return JSON


def _fits(value: Any, column: ColumnType) -> bool:
    if value is None:
        return True
    if isinstance(column, str):
        return _FITTING[column](value)
    if isinstance(column, list):
        return isinstance(value, list) and all(_fits(each, column[0]) for each in value)
    if not isinstance(value, dict):
        return False
    members = ((column.get(key, column.get("")), each) for key, each in value.items())
    return all(member is not None and _fits(each, member) for member, each in members)


def _is_integer(value: Any, limit: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


_FITTING: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        TEXT: lambda value: isinstance(value, str),
        BOOLEAN: lambda value: isinstance(value, bool),
        INTEGER: lambda value: _is_integer(value, MAX_INTEGER),
        REAL: lambda value: isinstance(value, float) or _is_integer(value, MAX_EXACT),
    }
)


# --- before the crawl ---


def check_feeds(crawler: Crawler) -> None:
    """Raise SettingError for a Parquet feed that cannot be written.

    Parquet files cannot be appended to, so that a file with rows must be replaced or renamed.
    """
    settings = crawler.settings
    exporter = settings.getwithbase("FEED_EXPORTERS").get(FORMAT)
    if exporter is None or load_object(exporter) is not BoilerplateParquetItemExporter:
        return
    for uri, options in settings.getdict("FEEDS").items():
        if options.get("format") != FORMAT:
            continue
        try:
            import_optional("pyarrow.parquet", "a Parquet feed", "batch")
        except MissingExtraError as error:
            raise SettingError(f"FEEDS: {uri}: {error}") from None
        path = Path(_find_path(str(uri), crawler))
        if not options.get("overwrite") and path.is_file() and path.stat().st_size:
            raise SettingError(
                f"FEEDS: {path} has rows already, and Parquet files cannot be appended to: write "
                f"-O {path} or 'overwrite': True to replace it, or a name with %(time)s"
            )


def _find_path(uri: str, crawler: Crawler) -> str:
    """Return the path of a feed of a file, with what Scrapy fills in for its first batch."""
    known = {"time": "", "batch_time": "", "batch_id": 1, "name": crawler.spidercls.name}
    try:
        uri %= {**vars(crawler.spider), **known}
    except (KeyError, TypeError, ValueError):
        return uri
    return file_uri_to_path(uri) if uri.startswith("file:") else uri
