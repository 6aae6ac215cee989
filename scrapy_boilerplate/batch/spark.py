"""Labelling on Spark: the rows of the local engine, in DataFrames (extra [spark])."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch import spark_task
from scrapy_boilerplate.batch.guarded import Settings
from scrapy_boilerplate.batch.inputs import Input
from scrapy_boilerplate.batch.spark_site import BROADCAST_BYTES, RECORDS, Statistics, served_folder
from scrapy_boilerplate.batch.spark_task import Rows, Task
from scrapy_boilerplate.batch.table import columns
from scrapy_boilerplate.batch.worker import LEARN
from scrapy_boilerplate.extractors import extractor_named
from scrapy_boilerplate.extras import optional

DataFrame = Any

MESSAGE = "page binary"
"""The schema of a DataFrame of packed pages (`StoredPage.packed`)."""
ID_TYPES = frozenset(
    ("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "void")
)
"""Types of `id` that JSON has."""
LINE = "site string, line string"


def label(
    dataframe: DataFrame, settings: Settings | None = None, *, site: bool = False
) -> DataFrame:
    """A DataFrame with a row for every page of `dataframe`, in the columns of `columns`.

    `dataframe` has `html` (text, or binary in the encoding that the page declares), and may have
    `url` and `id`; other columns are left out (join them by `id`). Each task has one guarded worker
    process of its own, so that a page which hangs or kills it costs its own row. A trained model
    (`settings.extractor` with a slash in it) travels with the job. With `site` there are two
    passes: the first, at once, learns every site from these pages, and pages are labelled by what
    is known of theirs. Raises UnknownExtractorError, MissingExtraError (extra [spark]), ValueError
    without a column `html`, or with an `id` that JSON cannot hold.
    """
    if "html" not in dataframe.columns:
        raise ValueError("label needs a DataFrame with a column 'html' (and 'url', 'id' if known)")
    _check_ids(dataframe)
    known = [name for name in ("id", "url", "html") if name in dataframe.columns]
    pages = dataframe.select(*known)
    if site:
        packed = pages.mapInArrow(spark_task.packed_columns, MESSAGE)
        return label_stored(packed, settings or Settings(), site=True)
    task = Task(pages=spark_task.pages_of_columns, rows=spark_task.as_columns,
                settings=settings or Settings())  # fmt: skip
    return _mapped(pages, task)


def _check_ids(dataframe: DataFrame) -> None:
    """An `id` travels as JSON."""
    if "id" in dataframe.columns:
        kind = dataframe.schema["id"].dataType.typeName()
        if kind not in ID_TYPES:
            raise ValueError(f"an 'id' of type {kind} cannot be written as JSON: cast id to string")


def stored_pages(session: Any, inputs: Sequence[Input], max_bytes: int) -> DataFrame:
    """The packed pages of `inputs` (at least one), each read by one task.

    Their paths must lead to the same files on every machine.
    """
    files = [(str(one.path.resolve()), one.reader.__name__) for one in inputs]
    spread = session.createDataFrame(files, "path string, reader string").repartition(len(files))
    return spread.mapInArrow(partial(spark_task.read, max_bytes=max_bytes), MESSAGE)


def label_stored(pages: DataFrame, settings: Settings, *, site: bool = False) -> DataFrame:
    """`label` for packed pages."""
    return _of_packed(pages, settings, spark_task.as_columns, site=site)


def lines_of(pages: DataFrame, settings: Settings, *, site: bool = False) -> DataFrame:
    """The rows of packed pages as lines of JSON, with the site of each page."""
    optional("tldextract", "parts by site", "batch")
    return _of_packed(pages, settings, spark_task.as_lines, site=site)


def statistics_of(pages: DataFrame, settings: Settings) -> Statistics:
    """What packed pages tell of their sites: the first pass. Raises as `label` does."""
    optional("tldextract", "site knowledge", "batch")
    learning = replace(settings, task=LEARN)
    task = Task(pages=spark_task.learnable_pages, rows=spark_task.as_records, settings=learning)
    return Statistics.of(_mapped(pages, task))


def _of_packed(pages: DataFrame, settings: Settings, rows: Rows, *, site: bool) -> DataFrame:
    task = Task(pages=spark_task.packed_pages, rows=rows, settings=settings)
    if not site:
        return _mapped(pages, task)
    known = statistics_of(pages, settings)
    if known.size() <= BROADCAST_BYTES:
        return _mapped(pages, replace(task, statistics=known.sent()))
    beside = known.joined(pages, pages.rdd.getNumPartitions())
    return _mapped(beside, replace(task, pages=spark_task.joined_pages, joined=True))


def _mapped(dataframe: DataFrame, task: Task) -> DataFrame:
    settings = task.settings
    extractor_named(settings.extractor, settings.favor)  # a wrong name fails here, once
    if "/" in settings.extractor:
        context = dataframe.sparkSession.sparkContext
        task = replace(task, model=_sent(Path(settings.extractor), context))
    return dataframe.mapInArrow(task.__call__, _schema(task))


def _sent(model: Path, context: Any) -> str:
    """The name of a file, with the folder of a model in it, that Spark sends to every machine."""
    folder = served_folder("model-")
    packed = shutil.make_archive(str(folder / folder.name), spark_task.PACKING, model)
    context.addFile(packed)
    return Path(packed).name


def _schema(task: Task) -> str:
    if task.rows is spark_task.as_records:
        return RECORDS
    if task.rows is spark_task.as_lines:
        return LINE
    kinds = columns(tuple(task.settings.added.split()))
    return ", ".join(f"`{name}` {kind}" for name, kind in kinds.items())
