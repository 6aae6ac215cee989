"""Labelling on Spark: the rows of the local engine, in DataFrames and files (extra [spark]).

This module runs in the driver, and `spark_task` in the tasks.

The knowledge of a site is the set of its newest records (`site.knowledge`). The newest records of a
union are among the newest of its parts. So they are aggregated in two steps, the first over shares
of each site: no task holds a large site alone.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from scrapy_boilerplate.batch import spark_task
from scrapy_boilerplate.batch.inputs import Input
from scrapy_boilerplate.batch.job import JSONL, Job
from scrapy_boilerplate.batch.output import OutputError
from scrapy_boilerplate.batch.pages import InputError, ReadOptions
from scrapy_boilerplate.batch.rows import list_columns
from scrapy_boilerplate.batch.settings import LEARN, BatchSettings
from scrapy_boilerplate.batch.site_records import write_records
from scrapy_boilerplate.batch.spark_task import BuildBatches, SparkTask
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.site.domains import UNKNOWN, Domains
from scrapy_boilerplate.site.knowledge import MAX_PAGES
from scrapy_boilerplate.site.stores import SqliteStore, StoreRecord

DataFrame = Any

# Schemas of DataFrames: packed pages (`StoredPage.pack`), these with their sites, packed page
# records with their sites, rows as lines of JSON.
PAGE_SCHEMA = "page binary"
SITE_PAGE_SCHEMA = "site string, page binary"
RECORD_SCHEMA = "site string, key binary, at bigint, record binary"
LINE_SCHEMA = "site string, line string"
# Types of an `id` that JSON can hold.
ID_TYPES = frozenset(
    ("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "void")
)
# Partitions for each core: a core that is done early takes another one (our choice).
PARTITIONS_PER_CORE = 2
# Pages that Spark passes to a task at once: its default of 10,000 would be a gigabyte.
ARROW_BATCH_ROWS = "64"
# The folder that an unfinished job of Spark leaves.
TEMPORARY = "_temporary"
# Shares of each site in the first step of the aggregation, by hash of the key (our choice).
SALTS = 16
# Statistics up to this size are sent to every machine as a file; larger ones are joined (our
# choice: the records of about 200,000 pages).
BROADCAST_BYTES = 500_000_000
# Pages of a site in one task of the join; larger sites are salted (our choice: 6 minutes).
SHARE_PAGES = 10_000
# Records in a transaction of the file of statistics.
TRANSACTION_RECORDS = 1_000


def label(
    dataframe: DataFrame, settings: BatchSettings | None = None, *, site: bool = False
) -> DataFrame:
    """Return a DataFrame with a row for every page of `dataframe`, in the columns of a batch.

    `dataframe` has `html` (text, or binary in the encoding that the page declares), and may have
    `url` and `id`; other columns are dropped (join them by `id`). Each task has one worker process
    of its own, so that a page which hangs or kills it costs its own row. A trained model
    (`settings.extractor` with a slash in it) is sent along. With `site` there are two passes: the
    first, which runs at once, learns every site from these pages; the second labels each page with
    the knowledge of its site. Raises UnknownExtractorError, MissingExtraError (extra [spark]),
    ValueError without a column `html`, or with an `id` that JSON cannot hold.
    """
    if "html" not in dataframe.columns:
        raise ValueError("label needs a DataFrame with a column 'html' (and 'url', 'id' if known)")
    if "id" in dataframe.columns:
        id_type = dataframe.schema["id"].dataType.typeName()
        if id_type not in ID_TYPES:
            raise ValueError(
                f"an 'id' of type {id_type} cannot be written as JSON: cast id to string"
            )
    pages = dataframe.select(*(n for n in ("id", "url", "html") if n in dataframe.columns))
    settings = settings or BatchSettings()
    if site:
        packed_pages = pages.mapInArrow(spark_task.pack_columns, PAGE_SCHEMA)
        return label_stored(packed_pages, settings, site=True)
    task = SparkTask(
        read_pages=spark_task.read_columns,
        build_batches=spark_task.build_column_batches,
        settings=settings,
    )
    return _run_tasks(pages, task)


def read_stored_pages(session: Any, inputs: Sequence[Input], options: ReadOptions) -> DataFrame:
    """Return the packed pages of `inputs` (at least one), each read by one task.

    Their paths must lead to the same files on every machine.
    """
    files = [(str(source.path.resolve()), source.reader.__name__) for source in inputs]
    dataframe = session.createDataFrame(files, "path string, reader string")
    read = partial(spark_task.read_inputs, options=options)
    return dataframe.repartition(len(files)).mapInArrow(read, PAGE_SCHEMA)


def label_stored(pages: DataFrame, settings: BatchSettings, *, site: bool = False) -> DataFrame:
    """Return what `label` returns, for packed pages."""
    return _label_packed(pages, settings, spark_task.build_column_batches, site=site)


def _label_packed(
    pages: DataFrame, settings: BatchSettings, build_batches: BuildBatches, *, site: bool
) -> DataFrame:
    task = SparkTask(
        read_pages=spark_task.unpack_pages, build_batches=build_batches, settings=settings
    )
    if not site:
        return _run_tasks(pages, task)
    statistics = learn_statistics(pages, settings)
    if statistics.count_bytes() <= BROADCAST_BYTES:
        return _run_tasks(pages, replace(task, statistics=statistics.broadcast()))
    joined = statistics.join(pages, pages.rdd.getNumPartitions())
    return _run_tasks(joined, replace(task, read_pages=spark_task.read_joined, joined=True))


def _run_tasks(dataframe: DataFrame, task: SparkTask) -> DataFrame:
    settings = task.settings
    get_extractor(settings.extractor, settings.favor)  # a wrong name fails here, once
    if "/" in settings.extractor:
        folder = _create_served_folder("model-")
        model = Path(settings.extractor)
        archive = shutil.make_archive(str(folder / folder.name), spark_task.ARCHIVE_FORMAT, model)
        dataframe.sparkSession.sparkContext.addFile(archive)
        task = replace(task, model=Path(archive).name)
    columns = list_columns(settings.added.split())
    schema = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    if task.build_batches is spark_task.build_record_batches:
        schema = RECORD_SCHEMA
    elif task.build_batches is spark_task.build_line_batches:
        schema = LINE_SCHEMA
    return dataframe.mapInArrow(task.__call__, schema)


@dataclass(frozen=True)
class SiteStatistics:
    """A DataFrame `site`, `key`, `at`, `record`, `seen` (pages of the site), kept on disk."""

    records: DataFrame

    def count_bytes(self) -> int:
        """Return the bytes of all records; computes them."""
        sql = import_optional("pyspark.sql.functions", "Spark", "spark")
        return int(self.records.agg(sql.sum(sql.length("record"))).first()[0] or 0)

    def broadcast(self) -> str:
        """Return the name of a file of statistics that Spark sends to every machine."""
        folder = _create_served_folder("sites-")
        file = folder / f"{folder.name}.sqlite"
        store = SqliteStore(file)
        rows = self.records.select("site", "key", "at", "record").toLocalIterator()
        while chunk := list(islice(rows, TRANSACTION_RECORDS)):
            write_records(
                store,
                (
                    (row["site"], StoreRecord(bytes(row["key"]), row["at"], bytes(row["record"])))
                    for row in chunk
                ),
            )
        store.close()
        self.records.sparkSession.sparkContext.addFile(str(file))
        return file.name

    def join(self, pages: DataFrame, partitions: int) -> DataFrame:
        """Return packed pages together with the records of their sites.

        The columns are `site`, `kind`, `content`; rows are sorted. A site with more than
        SHARE_PAGES pages is split over several tasks, and the pages without a site over all.
        """
        sql = import_optional("pyspark.sql.functions", "Spark", "spark")
        salts = sql.ceil(sql.col("seen") / SHARE_PAGES).cast("int")
        records = self.records.withColumn("salts", salts)
        large_sites = records.where("salts > 1").select("site", "salts").distinct()
        site_pages = pages.mapInArrow(spark_task.add_sites, SITE_PAGE_SCHEMA)
        salted_pages = site_pages.join(sql.broadcast(large_sites), "site", "left")
        salts_without = sql.when(sql.col("site") == UNKNOWN, sql.lit(partitions)).otherwise(1)
        salt = sql.pmod(sql.hash("page"), sql.coalesce("salts", salts_without))
        page_rows = salted_pages.select(
            "site",
            salt.alias("salt"),
            sql.lit(spark_task.PAGE).alias("kind"),
            sql.col("page").alias("content"),
        )
        each_salt = sql.explode(sql.sequence(sql.lit(0), sql.col("salts") - 1))
        record_rows = records.select(
            "site",
            each_salt.alias("salt"),
            sql.lit(spark_task.RECORD).alias("kind"),
            sql.col("record").alias("content"),
        )
        rows = record_rows.unionByName(page_rows).repartition(partitions, "site", "salt")
        return rows.sortWithinPartitions("site", "salt", "kind").drop("salt")


def learn_statistics(pages: DataFrame, settings: BatchSettings) -> SiteStatistics:
    """Return the site statistics of packed pages: the first pass. Raises as `label` does.

    Nothing is computed yet.
    """
    import_optional("tldextract", "site knowledge", "batch")
    task = SparkTask(
        read_pages=spark_task.unpack_pages_with_url,
        build_batches=spark_task.build_record_batches,
        settings=replace(settings, task=LEARN),
    )
    return aggregate_records(_run_tasks(pages, task))


def aggregate_records(records: DataFrame) -> SiteStatistics:
    """Return the newest records of each site, MAX_PAGES at most. Nothing is computed yet."""
    sql = import_optional("pyspark.sql.functions", "Spark", "spark")
    window = import_optional("pyspark.sql", "Spark", "spark").Window
    level = import_optional("pyspark", "Spark", "spark").StorageLevel.DISK_ONLY
    distinct = records.groupBy("site", "key").agg(
        sql.max("at").alias("at"),
        sql.max_by("record", "at").alias("record"),
        sql.count("*").alias("pages"),
    )
    salted = distinct.withColumn("salt", sql.pmod(sql.hash("key"), sql.lit(SALTS)))
    newest = (sql.desc("at"), sql.desc("key"))
    of_share, of_site = window.partitionBy("site", "salt"), window.partitionBy("site")
    shares = (
        salted.withColumn("share", sql.sum("pages").over(of_share))
        .withColumn("place", sql.row_number().over(of_share.orderBy(*newest)))
        .where(sql.col("place") <= MAX_PAGES)
        .withColumn("counted", sql.when(sql.col("place") == 1, sql.col("share")).otherwise(0))
    )
    sites = (
        shares.withColumn("seen", sql.sum("counted").over(of_site))
        .withColumn("place", sql.row_number().over(of_site.orderBy(*newest)))
        .where(sql.col("place") <= MAX_PAGES)
    )
    return SiteStatistics(sites.select("site", "key", "at", "record", "seen").persist(level))


def _create_served_folder(prefix: str) -> Path:
    """Return a new folder of this process, for files that Spark serves until the end."""
    folder = Path(mkdtemp(prefix=prefix))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run_on_spark(job: Job, folder: Path) -> None:
    """Write the rows of all pages to `folder`, which Spark fills when all are done.

    The session is the one of `spark-submit`, or a local one. An unfinished job starts anew.
    Raises OutputError, MissingExtraError, UnknownExtractorError.
    """
    if folder.exists() and any(path.name != TEMPORARY for path in folder.iterdir()):
        raise OutputError(f"{folder} holds files already: give a new folder with -o")
    if job.by_site:
        Domains()
    session = create_session()
    try:
        if not job.inputs:
            raise InputError("there is no input")
        pages = read_stored_pages(session, job.inputs, job.read_options)
        partitions = PARTITIONS_PER_CORE * session.sparkContext.defaultParallelism
        if len(job.inputs) < partitions:  # a task reads a whole file; the others can label
            pages = pages.repartition(partitions)
        _write_rows(job, pages, folder.resolve().as_uri())
    finally:
        session.stop()


def create_session() -> Any:
    """Return the session of `spark-submit`, or a local one."""
    sql = import_optional("pyspark.sql", "--engine spark", "spark")
    # the default of Spark, the first python3 that it finds, may lack our packages
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return (
        sql.SparkSession.builder.appName("scrapy-boilerplate batch")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", ARROW_BATCH_ROWS)
        .config("spark.ui.showConsoleProgress", "true")
        .getOrCreate()
    )


def _write_rows(job: Job, pages: DataFrame, uri: str) -> None:
    if job.file_format == JSONL:
        import_optional("tldextract", "parts by site", "batch")  # the tasks need it
        rows = _label_packed(pages, job.settings, spark_task.build_line_batches, site=job.site)
        rows = rows if job.by_site else rows.select("line")
    else:
        rows = label_stored(pages, job.settings, site=job.site)
        if job.by_site:
            functions = import_optional("pyspark.sql.functions", "--engine spark", "spark")
            rows = rows.withColumn("site", functions.udf(_find_site, "string")(rows["url"]))
    writer = rows.write.mode("overwrite")
    writer = writer.partitionBy("site") if job.by_site else writer
    if job.file_format == JSONL:
        writer.text(uri)
    else:
        writer.option("compression", "zstd").parquet(uri)


def _find_site(url: str | None) -> str:
    return _create_domains()(url)


@cache
def _create_domains() -> Domains:
    """Return the instance of this process: its list of suffixes takes longer than a page."""
    return Domains()
