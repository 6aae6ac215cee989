"""Labelling on Spark: the rows of the local engine, in DataFrames (extra [spark])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.crew import Crew
from scrapy_boilerplate.batch.guarded import Settings
from scrapy_boilerplate.batch.inputs import inputs_of
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.table import batch_of, columns, schema
from scrapy_boilerplate.catalog import extractor_named
from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.site.domains import Domains

DataFrame = Any
Batches = Iterator[Any]
"""Arrow record batches, as `mapInArrow` gives and takes them."""

ROWS = 64
"""Rows of a batch (our choice: about 5 MB)."""
MESSAGE = "page binary"
"""The schema of a DataFrame of packed pages (`StoredPage.packed`)."""
LINE = "site string, line string"


def label(dataframe: DataFrame, settings: Settings | None = None) -> DataFrame:
    """A DataFrame with a row for every page of `dataframe`, in the columns of `columns`.

    `dataframe` has `html` (text, or binary in the encoding that the page declares), and may have
    `url` and `id`; other columns are left out (join them by `id`). Each task has one guarded worker
    process of its own, so that a page which hangs or kills it costs its own row. A trained model
    (`settings.extractor` with a slash in it) travels with the job. Raises UnknownExtractorError,
    MissingExtraError (extra [spark]), ValueError without a column `html`.
    """
    if "html" not in dataframe.columns:
        raise ValueError("label needs a DataFrame with a column 'html' (and 'url', 'id' if known)")
    known = [name for name in ("id", "url", "html") if name in dataframe.columns]
    pages = dataframe.select(*known)
    return _mapped(pages, _pages_of_columns, settings or Settings(), _as_columns)


def stored_pages(session: Any, paths: Iterable[str | Path], max_bytes: int) -> DataFrame:
    """The packed pages of inputs (`batch.inputs`), each input read by one task.

    The paths must lead to the same files on every machine. Raises InputError.
    """
    files = [str(one.path) for one in inputs_of([Path(path) for path in paths])]
    listed = session.createDataFrame([(one,) for one in files], "path string")
    spread = listed.repartition(len(files))
    return spread.mapInArrow(partial(_read, max_bytes=max_bytes), MESSAGE)


def label_stored(pages: DataFrame, settings: Settings) -> DataFrame:
    """`label` for packed pages."""
    return _mapped(pages, _packed_pages, settings, _as_columns)


def lines_of(pages: DataFrame, settings: Settings) -> DataFrame:
    """The rows of packed pages as lines of JSON, with the site of each page."""
    optional("tldextract", "parts by site", "batch")
    return _mapped(pages, _packed_pages, settings, _as_lines)


Pages = Callable[[Batches], Iterator[StoredPage]]
Rows = Callable[[Iterator[Any], Settings], Batches]


def _mapped(dataframe: DataFrame, pages: Pages, settings: Settings, rows: Any) -> DataFrame:
    extractor_named(settings.extractor, settings.favor)  # a wrong name fails here, once
    model = None
    if "/" in settings.extractor:
        folder = Path(settings.extractor).resolve()
        dataframe.sparkSession.sparkContext.addFile(str(folder), recursive=True)
        model = folder.name
    added = tuple(settings.added.split())
    kinds = columns(added) if rows is _as_columns else None
    told = LINE if kinds is None else ", ".join(f"`{n}` {kind}" for n, kind in kinds.items())
    work = partial(_labelled, pages=pages, settings=settings, model=model, rows=rows)
    return dataframe.mapInArrow(work, told)


def _labelled(
    batches: Batches, *, pages: Pages, settings: Settings, model: str | None, rows: Rows
) -> Batches:
    """One task: all pages of a partition through a worker of its own."""
    if model is not None:
        files = optional("pyspark", "Spark", "spark").SparkFiles
        settings = replace(settings, extractor=files.get(model))
    return rows(Crew(settings).rows(pages(batches)), settings)


def _read(batches: Batches, max_bytes: int) -> Batches:
    arrow = optional("pyarrow", "Spark", "spark")
    for batch in batches:
        for path in batch.column("path").to_pylist():
            for one in inputs_of([Path(path)]):
                messages = (page.packed() for page in one.pages(max_bytes))
                while chunk := list(islice(messages, ROWS)):
                    column = arrow.array(chunk, type=arrow.binary())
                    yield arrow.RecordBatch.from_arrays([column], names=["page"])


def _packed_pages(batches: Batches) -> Iterator[StoredPage]:
    for batch in batches:
        for message in batch.column("page"):
            yield StoredPage.unpacked(message.as_py())


def _pages_of_columns(batches: Batches) -> Iterator[StoredPage]:
    for batch in batches:
        for row in batch.to_pylist():
            html = row["html"]
            missing = None if isinstance(html, str | bytes) else 'no text under "html"'
            known = {name: row.get(name) for name in ("id", "url")}
            yield StoredPage(**known, html=html or "", error=missing)


def _as_columns(rows: Iterator[Any], settings: Settings) -> Batches:
    arrow_schema = schema(tuple(settings.added.split()))
    while chunk := [row.line for row in islice(rows, ROWS)]:
        yield batch_of(chunk, arrow_schema)


def _as_lines(rows: Iterator[Any], _settings: Settings) -> Batches:
    arrow = optional("pyarrow", "Spark", "spark")
    site_of = Domains()
    while chunk := list(islice(rows, ROWS)):
        sites = [site_of(row.page.url) for row in chunk]
        lines = [row.line.decode("ascii") for row in chunk]
        yield arrow.RecordBatch.from_pydict({"site": sites, "line": lines})
