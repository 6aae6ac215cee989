"""What runs in the tasks of Spark: batches in, pages through one worker, batches out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_boilerplate.batch.inputs import READERS
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import Row, RowPool
from scrapy_boilerplate.batch.rows import (
    COLUMN_BYTES,
    create_arrow_batch,
    create_arrow_schema,
    split_by_size,
)
from scrapy_boilerplate.batch.settings import BatchSettings
from scrapy_boilerplate.batch.site_records import parse_record, require_url, write_records
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.stores import SqliteStore

# Arrow record batches, as `mapInArrow` gives and takes them.
Batches = Iterator[Any]
ReadPages = Callable[[Batches, BatchSettings], Iterator[StoredPage]]
BuildBatches = Callable[[Iterator[Row], BatchSettings], Batches]

# Rows of a batch (our choice: about 5 MB).
BATCH_ROWS = 64
# A trained model is a folder, and sent as an archive: outside of local mode Spark sends only files.
ARCHIVE_FORMAT = "zip"
# Kinds of rows where pages come with the records of their sites, which are sorted before them.
RECORD, PAGE = 0, 1


@dataclass(frozen=True, kw_only=True)
class SparkTask:
    """One task: it reads pages from its batches, and builds batches of the rows of its worker.

    model       name of the archive of a trained model that Spark has sent, or None
    statistics  name of the file of statistics that Spark has sent, or None
    joined      whether the statistics come with the pages
    """

    read_pages: ReadPages
    build_batches: BuildBatches
    settings: BatchSettings
    model: str | None = None
    statistics: str | None = None
    joined: bool = False

    def __call__(self, batches: Batches) -> Batches:
        """Yield the batches of a partition."""
        with self._localise_settings() as settings:
            rows = RowPool(settings).create_rows(self.read_pages(batches, settings))
            yield from self.build_batches(rows, settings)

    @contextmanager
    def _localise_settings(self) -> Iterator[BatchSettings]:
        """Yield the settings with paths of this machine."""
        files = import_optional("pyspark", "Spark", "spark").SparkFiles
        with TemporaryDirectory() as folder:
            settings = self.settings
            if self.model is not None:
                model = Path(folder, "model")
                shutil.unpack_archive(files.get(self.model), model, ARCHIVE_FORMAT)
                settings = replace(
                    settings, extractor=str(model), extractor_name=settings.extractor
                )
            if self.statistics is not None:
                settings = replace(settings, statistics=files.get(self.statistics))
            if self.joined:
                settings = replace(settings, statistics=str(Path(folder, "sites.sqlite")))
            yield settings


def read_inputs(batches: Batches, options: ReadOptions) -> Batches:
    """Yield the packed pages of inputs, whose columns are `path` and `reader`."""
    for batch in batches:
        for row in batch.to_pylist():
            yield from pack_pages(READERS[row["reader"]](Path(row["path"]), options))


def pack_pages(pages: Iterator[StoredPage]) -> Batches:
    """Yield batches of packed pages."""
    arrow = import_optional("pyarrow", "Spark", "spark")
    messages = (page.pack() for page in pages)
    for chunk in split_by_size(messages, len, COLUMN_BYTES, BATCH_ROWS):
        yield arrow.RecordBatch.from_arrays([arrow.array(chunk, arrow.binary())], names=["page"])


def pack_columns(batches: Batches) -> Batches:
    """Yield the pages of `read_columns`, packed."""
    yield from pack_pages(read_columns(batches))


def read_columns(batches: Batches, _settings: BatchSettings | None = None) -> Iterator[StoredPage]:
    """Yield the pages in the columns `html`, `url`, `id`."""
    for batch in batches:
        for row in batch.to_pylist():
            html = row["html"]
            error = None if isinstance(html, str | bytes) else 'no text under "html"'
            yield StoredPage(id=row.get("id"), url=row.get("url"), html=html or "", error=error)


def unpack_pages(batches: Batches, _settings: BatchSettings | None = None) -> Iterator[StoredPage]:
    """Yield the pages in a column of packed pages."""
    for batch in batches:
        for message in batch.column("page"):
            yield StoredPage.unpack(message.as_py())


def unpack_pages_with_url(batches: Batches, _settings: BatchSettings) -> Iterator[StoredPage]:
    """Yield the same pages as `unpack_pages`; one without an address gets an error."""
    yield from map(require_url, unpack_pages(batches))


def read_joined(batches: Batches, settings: BatchSettings) -> Iterator[StoredPage]:
    """Yield the pages of the columns `site`, `kind`, `content`, sorted by these.

    The records of a site come before its pages, and are written to the file of statistics.
    """
    store = SqliteStore(Path(settings.statistics))
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("site", "kind", "content"))
        rows = list(zip(*columns, strict=True))
        records = ((site, parse_record(content)) for site, kind, content in rows if kind == RECORD)
        write_records(store, ((site, record) for site, record in records if record is not None))
        yield from (StoredPage.unpack(content) for _, kind, content in rows if kind == PAGE)
    store.close()


def add_sites(batches: Batches) -> Batches:
    """Yield packed pages in `page`, and the site of each in `site`."""
    arrow = import_optional("pyarrow", "Spark", "spark")
    find_site = Domains("site knowledge", "batch")
    for batch in batches:
        messages = batch.column("page").to_pylist()
        sites = [find_site(StoredPage.unpack(message).url) for message in messages]
        columns = [arrow.array(sites, arrow.string()), arrow.array(messages, arrow.binary())]
        yield arrow.RecordBatch.from_arrays(columns, names=["site", "page"])


def build_record_batches(rows: Iterator[Row], _settings: BatchSettings) -> Batches:
    """Yield page records in the columns `site`, `key`, `at`, `record`."""
    arrow = import_optional("pyarrow", "Spark", "spark")
    find_site = Domains("site knowledge", "batch")
    schema = arrow.schema({"site": arrow.string(), "key": arrow.binary(), "at": arrow.int64(),
                           "record": arrow.binary()})  # fmt: skip
    site_records = ((find_site(row.page.url), parse_record(row.line)) for row in rows)
    values = (
        {"site": site, "key": record.key, "at": record.at, "record": record.data}
        for site, record in site_records
        if record is not None
    )
    while chunk := list(islice(values, BATCH_ROWS)):
        yield arrow.RecordBatch.from_pylist(chunk, schema=schema)


def build_column_batches(rows: Iterator[Row], settings: BatchSettings) -> Batches:
    """Yield rows in the columns of a batch (`rows.list_columns`)."""
    schema = create_arrow_schema(settings.added.split())
    lines = (row.line for row in rows)
    for chunk in split_by_size(lines, len, COLUMN_BYTES, BATCH_ROWS):
        yield create_arrow_batch(chunk, schema)


def build_line_batches(rows: Iterator[Row], _settings: BatchSettings) -> Batches:
    """Yield rows as lines of JSON in `line`, and the site of each in `site`."""
    arrow = import_optional("pyarrow", "Spark", "spark")
    find_site = Domains("parts by site", "batch")
    for chunk in split_by_size(rows, lambda row: len(row.line), COLUMN_BYTES, BATCH_ROWS):
        sites = [find_site(row.page.url) for row in chunk]
        lines = [row.line.decode("ascii") for row in chunk]
        yield arrow.RecordBatch.from_pydict({"site": sites, "line": lines})
