"""The Spark engine: the inputs of `batch` through Spark into a folder."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch import spark
from scrapy_boilerplate.batch.job import JSONL, Plan
from scrapy_boilerplate.batch.pages import InputError
from scrapy_boilerplate.batch.parts import OutputError
from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.site.domains import Domains

SHARES = 2
"""Partitions a core: those that are done early take over from the slow ones (our choice)."""
BATCH_ROWS = "64"
"""Pages that Spark hands over at once: its own 10,000 would be a gigabyte."""

BROKEN_OFF = "_temporary"
"""What Spark leaves of a job that did not end."""


def run_on_spark(plan: Plan, folder: Path) -> None:
    """Write the rows of all pages to `folder`, which Spark fills only when all is done.

    The session is the one of `spark-submit`, or a local one. A job that broke off starts anew.
    Raises OutputError, MissingExtraError, UnknownExtractorError.
    """
    if folder.exists() and any(one.name != BROKEN_OFF for one in folder.iterdir()):
        raise OutputError(f"{folder} holds files already: give a new folder with -o")
    if plan.by_site:
        Domains()
    session = _session()
    try:
        _write(plan, session, folder)
    finally:
        session.stop()


def _session() -> Any:
    sql = optional("pyspark.sql", "--engine spark", "spark")
    # Spark would take the first python3 that it finds, which may lack our packages
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return (
        sql.SparkSession.builder.appName("scrapy-boilerplate batch")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH_ROWS)
        .config("spark.ui.showConsoleProgress", "true")
        .getOrCreate()
    )


def _write(plan: Plan, session: Any, folder: Path) -> None:
    if not plan.inputs:
        raise InputError("there is no input")
    pages = spark.stored_pages(session, plan.inputs, plan.max_bytes)
    shares = SHARES * session.sparkContext.defaultParallelism
    if len(plan.inputs) < shares:  # one archive is read by one task: let the others label
        pages = pages.repartition(shares)
    if plan.form == JSONL:
        rows = spark.lines_of(pages, plan.settings, site=plan.site)
        kept = rows if plan.by_site else rows.select("line")
        _writer(kept, plan).text(folder.resolve().as_uri())
        return
    rows = spark.label_stored(pages, plan.settings, site=plan.site)
    if plan.by_site:
        functions = optional("pyspark.sql.functions", "--engine spark", "spark")
        rows = rows.withColumn("site", functions.udf(_site_of, "string")(rows["url"]))
    writer = _writer(rows, plan).option("compression", "zstd")
    writer.parquet(folder.resolve().as_uri())


def _writer(rows: Any, plan: Plan) -> Any:
    writer = rows.write.mode("overwrite")
    return writer.partitionBy("site") if plan.by_site else writer


def _site_of(url: str | None) -> str:
    return _domains()(url)


@cache
def _domains() -> Domains:
    """One for the process: reading the list of suffixes takes longer than any page."""
    return Domains()
