"""Label pages on Spark (extra [spark]).

Spark reads and writes. Each task labels its pages with a worker process of its own.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.http_body import MAX_BYTES
from scrapy_boilerplate.batch.inputs import Input
from scrapy_boilerplate.batch.job import Job
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.output import OutputError
from scrapy_boilerplate.batch.pages import SECONDS, InputError, create_page
from scrapy_boilerplate.batch.parquet import read_parquet
from scrapy_boilerplate.batch.pool import DEFAULT_OPTIONS, MEMORY, RowPool
from scrapy_boilerplate.batch.rows import CSV, PARQUET, create_row_batch, split_by_size
from scrapy_boilerplate.extractors import Options, get_extractor
from scrapy_boilerplate.site.domains import Domains

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
    dataframe: DataFrame,
    options: Options = DEFAULT_OPTIONS,
    *,
    seconds: float = SECONDS,
    memory: int = MEMORY,
    max_bytes: int = MAX_BYTES,
) -> DataFrame:
    """Return a DataFrame with a row for every page of `dataframe`, in the columns of a batch.

    `dataframe` has `html` (text, or binary in the encoding that the page declares), and may have
    `url` and `id`, which becomes text. Other columns are dropped (join them by `id`). A page that
    hangs or kills its worker gets a row with an error. `seconds` (per page) and `memory` (megabytes
    of a worker) are as in `RowPool`, `max_bytes` as in `ReadOptions`. A trained model
    (`options.extractor` with a slash in it) must be at this path on every machine.

    Raises UnknownExtractorError, and ValueError without a column `html`.
    """
    if "html" not in dataframe.columns:
        raise ValueError("label needs a DataFrame with a column 'html' (and 'url', 'id' if known)")
    get_extractor(options.extractor, options.favor)  # a wrong name fails here, once
    pages = dataframe.select(*(name for name in COLUMNS if name in dataframe.columns))
    if "id" in pages.columns:
        pages = pages.withColumn("id", pages["id"].cast("string"))
    pool = RowPool(options, seconds=seconds, memory=memory)
    schema = types.from_arrow_schema(create_row_batch((), pool.added).schema)
    return pages.mapInArrow(partial(_label_batches, pool=pool, max_bytes=max_bytes), schema)


def _label_batches(batches: Batches, pool: RowPool, max_bytes: int) -> Batches:
    pages = (create_page(row, None, max_bytes) for batch in batches for row in batch.to_pylist())
    for chunk in split_by_size(row.line for row in pool.create_rows(pages)):
        yield create_row_batch(chunk, pool.added)


def run_on_spark(job: Job, folder: Path) -> None:
    """Label Parquet files and JSON lines, and write the rows to `folder`.

    It uses the session of `spark-submit`, or a local session. Raises InputError, OutputError,
    UnknownExtractorError.
    """
    if folder.exists():
        raise OutputError(f"{folder} exists already: give a new folder with -o")
    if job.file_format == CSV:
        raise OutputError("Spark does not write CSV: use --format jsonl or parquet")
    session, pool = create_session(), job.pool
    try:
        pages = _read_inputs(session, job.inputs)
        max_bytes = job.reading.max_bytes
        rows = label(
            pages, pool.options, seconds=pool.seconds, memory=pool.memory, max_bytes=max_bytes
        )
        if job.by_site:
            find_site = functions.udf(_find_site, "string", useArrow=False)
            rows = rows.withColumn("site", find_site("url"))
        writer = rows.write.partitionBy("site") if job.by_site else rows.write
        if job.file_format == PARQUET:
            writer.option("compression", "zstd").parquet(folder.resolve().as_uri())
        else:
            writer.option("ignoreNullFields", "false").json(folder.resolve().as_uri())
    finally:
        session.stop()


def create_session() -> Any:
    """Return the session of `spark-submit`, or a local one."""
    # Spark's default, the first python3 that it finds, may lack this package.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("scrapy-boilerplate batch")
    rows = "spark.sql.execution.arrow.maxRecordsPerBatch"
    return builder.config(rows, ARROW_BATCH_ROWS).getOrCreate()


@cache
def _create_domains() -> Domains:
    return Domains("a folder for each site", "batch")


def _find_site(url: str | None) -> str:
    return _create_domains()(url)


def _read_inputs(session: Any, inputs: Sequence[Input]) -> DataFrame:
    uris: dict[Any, list[str]] = {read_parquet: [], read_json_lines: []}
    for source in inputs:
        if source.reader not in uris:
            raise InputError(f"Spark cannot read {source.path}: give Parquet files or JSON lines")
        uris[source.reader].append(source.path.resolve().as_uri())
    frames = []
    if uris[read_parquet]:
        frames.append(session.read.parquet(*uris[read_parquet]))
    if uris[read_json_lines]:
        reader = session.read.schema("id string, url string, html string")
        frames.append(reader.json(uris[read_json_lines]))
    pages = [frame.select(*(n for n in COLUMNS if n in frame.columns)) for frame in frames]
    return reduce(lambda one, two: one.unionByName(two, allowMissingColumns=True), pages)
