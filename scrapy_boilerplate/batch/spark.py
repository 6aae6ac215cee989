"""Label pages on Spark (extra [spark]).

Spark reads, joins and writes. Each task labels its pages with a worker process of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_boilerplate.batch.inputs import Input
from scrapy_boilerplate.batch.job import STATISTICS, Job
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.output import CSV, PARQUET, OutputError
from scrapy_boilerplate.batch.pages import InputError, StoredPage, create_page
from scrapy_boilerplate.batch.parquet import read_parquet
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.rows import create_arrow_batch, create_arrow_schema, split_by_size
from scrapy_boilerplate.batch.settings import BatchSettings
from scrapy_boilerplate.batch.site_records import parse_record, write_records
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.knowledge import MAX_PAGES

arrow = import_optional("pyarrow", "Spark", "spark")
sql = import_optional("pyspark.sql", "Spark", "spark")
functions = import_optional("pyspark.sql.functions", "Spark", "spark")
types = import_optional("pyspark.sql.pandas.types", "Spark", "spark")

DataFrame = Any
# Arrow record batches, as `mapInArrow` passes and expects them.
Batches = Iterator[Any]

COLUMNS = ("id", "url", "html")
# Rows that Spark passes to a task at once: its default of 10,000 pages is a gigabyte.
ARROW_BATCH_ROWS = "64"


def label(
    dataframe: DataFrame, settings: BatchSettings | None = None, *, site: bool = False
) -> DataFrame:
    """Return a DataFrame with a row for every page of `dataframe`, in the columns of a batch.

    `dataframe` has `html` (text, or binary in the encoding that the page declares), and may have
    `url` and `id`, which becomes text. Other columns are dropped (join them by `id`). A page that
    hangs or kills its worker costs its own row. With `site`, every site is learned from these pages
    first, and each page is labelled with site knowledge. A trained model (`settings.extractor` with
    a slash in it) must be at this path on every machine.

    Raises UnknownExtractorError, and ValueError without a column `html`.
    """
    if "html" not in dataframe.columns:
        raise ValueError("label needs a DataFrame with a column 'html' (and 'url', 'id' if known)")
    settings = settings or BatchSettings()
    get_extractor(settings.extractor, settings.favor)  # a wrong name fails here, once
    pages = dataframe.select(*(name for name in COLUMNS if name in dataframe.columns))
    if "id" in pages.columns:
        pages = pages.withColumn("id", pages["id"].cast("string"))
    if site and "url" in pages.columns:
        pages = _add_records(pages, settings)
    schema = types.from_arrow_schema(create_arrow_schema(settings.added))
    return pages.mapInArrow(partial(_label_batches, settings=settings, site=site), schema)


def _add_records(pages: DataFrame, settings: BatchSettings) -> DataFrame:
    """Return the pages with the column `records`, the newest site records of their sites."""
    learn = partial(_learn_batches, settings=replace(settings, learn=True))
    newest = sql.Window.partitionBy("site").orderBy(functions.desc("at"), functions.desc("key"))
    records = (
        pages.mapInArrow(learn, "site string, key binary, at bigint, record binary")
        .groupBy("site", "key")
        .agg(functions.max("at").alias("at"), functions.max_by("record", "at").alias("record"))
        .withColumn("place", functions.row_number().over(newest))
        .where(functions.col("place") <= MAX_PAGES)
        .groupBy("site")
        .agg(functions.collect_list("record").alias("records"))
    )
    return _add_sites(pages).join(records, "site", "left")


def _add_sites(dataframe: DataFrame) -> DataFrame:
    find_site = functions.udf(_find_site, "string", useArrow=False)
    return dataframe.withColumn("site", find_site("url"))


@cache
def _create_domains() -> Domains:
    return Domains("site knowledge", "batch")


def _find_site(url: str | None) -> str:
    return _create_domains()(url)


def _learn_batches(batches: Batches, settings: BatchSettings) -> Batches:
    """Yield the site records of pages with a URL."""
    pages = (page for page, _ in _read_columns(batches) if page.url)
    for row in RowPool(settings).create_rows(pages):
        record = parse_record(row.line)
        if record is not None:
            values = {"key": record.key, "at": record.at, "record": record.data}
            yield arrow.RecordBatch.from_pylist([{"site": _find_site(row.page.url), **values}])


def _label_batches(batches: Batches, settings: BatchSettings, *, site: bool) -> Batches:
    """Yield the rows of pages; the records of their sites are in the column `records`."""
    with TemporaryDirectory() as folder:
        file = Path(folder, STATISTICS)
        pages = _store_records(_read_columns(batches), file)
        settings = replace(settings, statistics=str(file) if site else "")
        rows = RowPool(settings).create_rows(pages)
        for chunk in split_by_size(row.line for row in rows):
            yield create_arrow_batch(chunk, create_arrow_schema(settings.added))


def _store_records(
    pages: Iterator[tuple[StoredPage, Sequence[bytes]]], file: Path
) -> Iterator[StoredPage]:
    """Yield the pages; the records of a site are written to `file` before its first page."""
    known = set()
    for page, packed in pages:
        site = _find_site(page.url) if packed else None
        if site is not None and site not in known:
            known.add(site)
            records = filter(None, map(parse_record, packed))
            write_records(file, ((site, record) for record in records))
        yield page


def _read_columns(batches: Batches) -> Iterator[tuple[StoredPage, Sequence[bytes]]]:
    """Yield the pages in the columns `html`, `url`, `id`, and the records of their sites."""
    for batch in batches:
        for row in batch.to_pylist():
            yield create_page(row, None), row.get("records") or ()


def run_on_spark(job: Job, folder: Path) -> None:
    """Label Parquet files and JSON lines, and write the rows to `folder`.

    The session is the one of `spark-submit`, or a local one. Raises InputError, OutputError,
    UnknownExtractorError.
    """
    if folder.exists():
        raise OutputError(f"{folder} exists already: give a new folder with -o")
    if job.file_format == CSV:
        raise OutputError("Spark does not write CSV: use --format jsonl or parquet")
    session = create_session()
    try:
        rows = label(_read_inputs(session, job.inputs), job.settings, site=job.site)
        writer = _add_sites(rows).write.partitionBy("site") if job.by_site else rows.write
        if job.file_format == PARQUET:
            writer.option("compression", "zstd").parquet(folder.resolve().as_uri())
        else:
            writer.option("ignoreNullFields", "false").json(folder.resolve().as_uri())
    finally:
        session.stop()


def create_session() -> Any:
    """Return the session of `spark-submit`, or a local one."""
    # Spark's default, the first python3 that it finds, may lack our packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("scrapy-boilerplate batch")
    rows = "spark.sql.execution.arrow.maxRecordsPerBatch"
    return builder.config(rows, ARROW_BATCH_ROWS).getOrCreate()


def _read_inputs(session: Any, inputs: Sequence[Input]) -> DataFrame:
    """Return the pages of Parquet files and JSON lines. Raises InputError for other inputs."""
    uris: dict[Any, list[str]] = {read_parquet: [], read_json_lines: []}
    for source in inputs:
        if source.reader not in uris:
            raise InputError(
                f"Spark cannot read {source.path}, only Parquet and JSON lines: see docs/cluster.md"
            )
        uris[source.reader].append(source.path.resolve().as_uri())
    frames = []
    if uris[read_parquet]:
        frames.append(session.read.parquet(*uris[read_parquet]))
    if uris[read_json_lines]:
        reader = session.read.schema("id string, url string, html string")
        frames.append(reader.json(uris[read_json_lines]))
    pages = [frame.select(*(n for n in COLUMNS if n in frame.columns)) for frame in frames]
    return reduce(lambda one, two: one.unionByName(two, allowMissingColumns=True), pages)
