"""What runs in the tasks of Spark: batches in, pages through one guarded worker, batches out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_boilerplate.batch.crew import Crew, Row
from scrapy_boilerplate.batch.guarded import Settings
from scrapy_boilerplate.batch.inputs import READERS
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.site_rows import keep, learnable, record_in
from scrapy_boilerplate.batch.table import batch_of, schema
from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.stores.sqlite import SqliteStore

Batches = Iterator[Any]
"""Arrow record batches, as `mapInArrow` gives and takes them."""
Pages = Callable[[Batches, Settings], Iterator[StoredPage]]
Rows = Callable[[Iterator[Row], Settings], Batches]

ROWS = 64
"""Rows of a batch (our choice: about 5 MB)."""
PACKING = "zip"
"""How the folder of a trained model travels: Spark sends no folders outside of local mode."""
RECORD, PAGE = 0, 1
"""Kinds of rows where pages come with what is known of their sites: records come first."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task: `pages` reads its batches, `rows` writes them, a worker with `settings` between.

    `model` (a packed folder) and `statistics` are names of files that Spark has sent along, or
    None; `joined`: the statistics come with the pages.
    """

    pages: Pages
    rows: Rows
    settings: Settings
    model: str | None = None
    statistics: str | None = None
    joined: bool = False

    def __call__(self, batches: Batches) -> Batches:
        """All batches of a partition."""
        with self._here() as settings:
            yield from self.rows(Crew(settings).rows(self.pages(batches, settings)), settings)

    @contextmanager
    def _here(self) -> Iterator[Settings]:
        """The settings with the paths of this machine."""
        files = optional("pyspark", "Spark", "spark").SparkFiles
        with TemporaryDirectory() as folder:
            settings = self.settings
            if self.model is not None:
                # the folder's name is the extractor's name
                model = Path(folder, Path(settings.extractor).resolve().name)
                shutil.unpack_archive(files.get(self.model), model, PACKING)
                settings = replace(settings, extractor=str(model))
            if self.statistics is not None:
                settings = replace(settings, statistics=files.get(self.statistics))
            if self.joined:
                settings = replace(settings, statistics=str(Path(folder, "sites.sqlite")))
            yield settings


def read(batches: Batches, max_bytes: int) -> Batches:
    """Inputs (`path`, `reader`) to packed pages."""
    for batch in batches:
        for row in batch.to_pylist():
            yield from packed(READERS[row["reader"]](Path(row["path"]), max_bytes))


def packed(pages: Iterator[StoredPage]) -> Batches:
    """Batches of packed pages."""
    arrow = optional("pyarrow", "Spark", "spark")
    messages = (page.packed() for page in pages)
    while chunk := list(islice(messages, ROWS)):
        yield arrow.RecordBatch.from_arrays([arrow.array(chunk, arrow.binary())], names=["page"])


def packed_columns(batches: Batches) -> Batches:
    """Columns of a user's to packed pages."""
    yield from packed(pages_of_columns(batches))


def pages_of_columns(batches: Batches, _settings: Settings | None = None) -> Iterator[StoredPage]:
    """The pages in the columns `html`, `url`, `id`."""
    for batch in batches:
        for row in batch.to_pylist():
            html = row["html"]
            missing = None if isinstance(html, str | bytes) else 'no text under "html"'
            known = {name: row.get(name) for name in ("id", "url")}
            yield StoredPage(**known, html=html or "", error=missing)


def packed_pages(batches: Batches, _settings: Settings | None = None) -> Iterator[StoredPage]:
    """The pages in packed ones."""
    for batch in batches:
        for message in batch.column("page"):
            yield StoredPage.unpacked(message.as_py())


def learnable_pages(batches: Batches, _settings: Settings) -> Iterator[StoredPage]:
    """The pages of which something can be learnt; the others have an error."""
    yield from map(learnable, packed_pages(batches))


def joined_pages(batches: Batches, settings: Settings) -> Iterator[StoredPage]:
    """The pages among `site`, `kind`, `content`, sorted: what is known of a site comes first, and
    goes into the file of statistics."""
    store = SqliteStore(Path(settings.statistics))
    for batch in batches:
        rows = list(zip(*(batch.column(name).to_pylist() for name in ("site", "kind", "content")),
                        strict=True))  # fmt: skip
        found = ((site, record_in(content)) for site, kind, content in rows if kind == RECORD)
        keep(store, ((site, record) for site, record in found if record is not None))
        yield from (StoredPage.unpacked(content) for _, kind, content in rows if kind == PAGE)
    store.close()


def sited(batches: Batches) -> Batches:
    """Packed pages with the `site` of each."""
    arrow = optional("pyarrow", "Spark", "spark")
    site_of = Domains("site knowledge", "batch")
    for batch in batches:
        messages = batch.column("page").to_pylist()
        sites = [site_of(StoredPage.unpacked(one).url) for one in messages]
        columns = [arrow.array(sites, arrow.string()), arrow.array(messages, arrow.binary())]
        yield arrow.RecordBatch.from_arrays(columns, names=["site", "page"])


def as_records(rows: Iterator[Row], _settings: Settings) -> Batches:
    """What is learnt: `site`, `key`, `at`, `record`."""
    arrow = optional("pyarrow", "Spark", "spark")
    site_of = Domains("site knowledge", "batch")
    told = ((site_of(row.page.url), record_in(row.line)) for row in rows)
    found = ((site, one.key, one.at, one.data) for site, one in told if one is not None)
    kinds = (arrow.string(), arrow.binary(), arrow.int64(), arrow.binary())
    while chunk := list(islice(found, ROWS)):
        columns = [arrow.array(c, kind) for c, kind in zip(zip(*chunk, strict=True), kinds,
                                                           strict=True)]  # fmt: skip
        yield arrow.RecordBatch.from_arrays(columns, names=["site", "key", "at", "record"])


def as_columns(rows: Iterator[Row], settings: Settings) -> Batches:
    """Rows in the columns of `table.columns`."""
    arrow_schema = schema(tuple(settings.added.split()))
    while chunk := [row.line for row in islice(rows, ROWS)]:
        yield batch_of(chunk, arrow_schema)


def as_lines(rows: Iterator[Row], _settings: Settings) -> Batches:
    """Rows as lines of JSON, with the `site` of each."""
    arrow = optional("pyarrow", "Spark", "spark")
    site_of = Domains("parts by site", "batch")
    while chunk := list(islice(rows, ROWS)):
        sites = [site_of(row.page.url) for row in chunk]
        lines = [row.line.decode("ascii") for row in chunk]
        yield arrow.RecordBatch.from_pydict({"site": sites, "line": lines})
