"""The item pipeline that writes items to PostgreSQL (extra [postgres])."""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.utils.serialize import ScrapyJSONEncoder

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.crawl.context import Component
from scrapy_boilerplate.crawl.defer import wait_for_future
from scrapy_boilerplate.crawl.items import ARTICLE_FIELD
from scrapy_boilerplate.crawl.settings import ITEM_URL_FIELDS, SettingError
from scrapy_boilerplate.schema import DIALECTS, FIELD_COLUMNS

logger = logging.getLogger(__name__)

# A batch is written once it has this many rows, or an item finds it this many seconds old
BATCH_ROWS, BATCH_SECONDS = 100, 5
# Seconds between attempts to reach a server that is away, and of all attempts after the crawl
RETRY_SECONDS, CLOSE_SECONDS = 2, 60
# OIDs of json and jsonb
JSON_TYPES = (114, 3802)
ADVICE = (
    "BOILERPLATE_POSTGRES: %s; write 'postgresql://user:password@host/database' of a server that "
    "runs, and as BOILERPLATE_POSTGRES_TABLE a table with a unique index of its column %r"
)
# Without the columns that the server fills, such as ids
FIND_COLUMNS = """
SELECT attname, atttypid FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0
AND NOT attisdropped AND attidentity = '' AND (attname = ANY(%s) OR NOT atthasdef) ORDER BY attnum
"""
AWAY = "PostgreSQL is away, and %d items wait for it: %s"
NO_COLUMN = "PostgreSQL: the field %r is not written, because the table has no column of this name"


class PostgresPipeline(Component):
    """Writes a row for each URL, in batches; an article that is crawled again replaces its row.

    The columns of the table get the fields of the same name. While the server is away, the crawl
    waits for it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._psycopg = import_optional("psycopg", "PostgresPipeline", "postgres")
        # "url" unless BOILERPLATE_ITEM_URL names another field
        self._key = (self._context.settings.item_url or ITEM_URL_FIELDS)[0]
        self._rows: list[list[Any]] = []
        self._oldest = self._deadline = float("inf")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="postgres")
        self._writing = self._thread.submit(self._write, ())

    def open_spider(self) -> None:
        """Connect, create the table, and read its columns. Raises SettingError."""
        settings = self._context.settings
        fields = {name: name for name in (ARTICLE_FIELD, "found_in")}
        fields |= {self._key: "url"} | {name: field for field, name in settings.fields.items()}
        write_type, key = DIALECTS["postgres"].write_type, _quote(self._key)
        columns = [f"{_quote(name)} {write_type(FIELD_COLUMNS[fields[name]])}" for name in fields]
        columns.append(f"PRIMARY KEY ({key})")
        table = _quote(*settings.postgres_table.split("."))
        try:
            self._connect()
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)})")
            described = self._connection.execute(FIND_COLUMNS, [table, [*fields]])
            self._columns = dict(described.fetchall())
            names = [_quote(name).replace("%", "%%") for name in self._columns]
            values, new = ", ".join(["%s"] * len(names)), ", EXCLUDED.".join(names)
            self._statement = (
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values}) ON CONFLICT ({key}) "  # noqa: S608
                f"DO UPDATE SET ({', '.join(names)}) = ROW(EXCLUDED.{new})"
            )
            self._connection.execute(f"EXPLAIN {self._statement}", [None] * len(self._columns))
        except self._psycopg.Error as error:
            raise SettingError(ADVICE % (error, self._key)) from None

    async def process_item(self, item: Any) -> Any:
        """Add the item to the batch, and wait for the batch that is being written."""
        adapter = ItemAdapter(item)
        for name in adapter.keys() - self._columns.keys():
            if adapter[name] is not None:
                self._context.log_once(logging.WARNING, NO_COLUMN, name, key=name)
        self._rows.append([self._adapt(adapter.get(name), name) for name in self._columns])
        self._oldest = min(self._oldest, monotonic())
        if len(self._rows) >= BATCH_ROWS or monotonic() - self._oldest > BATCH_SECONDS:
            self._writing = self._thread.submit(self._write, self._rows)
            self._rows, self._oldest = [], float("inf")
        await wait_for_future(self._writing)
        return item

    async def close_spider(self) -> None:
        """Write the last batch."""
        self._deadline = monotonic() + CLOSE_SECONDS
        await wait_for_future(self._thread.submit(self._write, self._rows))
        self._connection.close()
        self._thread.shutdown(wait=False)

    def _connect(self) -> None:
        url = self._context.settings.postgres
        self._connection = self._psycopg.connect(url, autocommit=True, connect_timeout=10)

    def _write(self, rows: Sequence[list[Any]]) -> None:
        """Write rows in one transaction, in the thread; one by one if the server refuses any."""
        try:
            while rows and not self._is_written(rows):
                sleep(RETRY_SECONDS)
        except (self._psycopg.Error, ValueError) as error:
            if len(rows) > 1 and not self._connection.closed:
                for row in rows:
                    self._write([row])
                return
            for row in rows:
                self._context.count("postgres/failed")
                url = dict(zip(self._columns, row, strict=True))[self._key]
                logger.error("PostgreSQL: %s is not written: %s", url, error)

    def _is_written(self, rows: Sequence[list[Any]]) -> bool:
        """Write rows; return False if the server is away, and it is not too late to wait."""
        try:
            if self._connection.closed:
                self._connect()
            with self._connection.transaction(), self._connection.cursor() as cursor:
                cursor.executemany(self._statement, rows)
        except (self._psycopg.OperationalError, self._psycopg.InterfaceError) as error:
            self._connection.close()
            if monotonic() > self._deadline:
                raise
            self._context.log_once(logging.WARNING, AWAY, len(rows), error, key=AWAY)
            return False
        self._context.count("postgres/rows", len(rows))
        return True

    def _adapt(self, value: Any, name: str) -> Any:
        """Return a value as psycopg takes it: JSON for columns of JSON and for dicts."""
        if value is None or not (self._columns[name] in JSON_TYPES or isinstance(value, dict)):
            return value
        return self._psycopg.types.json.Jsonb(value, ScrapyJSONEncoder().encode)


def _quote(*names: str) -> str:
    return ".".join('"{}"'.format(name.replace('"', '""')) for name in names)
