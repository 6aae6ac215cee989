"""Rows, one for each page: as a line of JSON, or in columns (Arrow, Parquet, Spark).

A page gives the same bytes in every engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document, build_record
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.items import RECORD_FIELDS, ArticleItem

T = TypeVar("T")

# End of a line without an error.
NO_ERROR = b'"error": null}'
# Bytes of a row (our choice: four times the largest page).
MAX_ROW_BYTES = 200_000_000
# Bytes of rows that are columns in memory at once (our choice: a part of ordinary pages).
COLUMN_BYTES = 32_000_000
# Values of a list of `split_by_size`, where nothing else is asked for: no bound.
MAX_CHUNK = 1_000_000_000
# Type of an item field to the type of its column, as Spark writes it.
ENTRIES = "array<struct<time:string,headline:string,text:string,author:string>>"
BLOCKS = "array<struct<text:string,label:string,score:double,xpath:string>>"
SPARK_TYPES = {
    "str": "string",
    "float": "double",
    "bool": "boolean",
    "int": "bigint",
    "list[str]": "array<string>",
    "dict[str, str]": "map<string,string>",
    "list[dict[str, Any]]": BLOCKS,
    "list[dict[str, str | None]]": ENTRIES,
}


def create_row(
    page: StoredPage,
    build_document: Callable[[StoredPage], Document],
    added: tuple[str, ...] = (),
) -> bytes:
    """Return the row of a page: `id`, the fields of a record, `error` None; or its error.

    Unlike `extract --format jsonl` it has no `ms`, which differs from run to run.
    """
    if page.error is not None:
        return create_error_row(page, page.error)
    try:
        record = build_record(build_document(page), added)
        row = _encode({"id": page.id, **record, "error": None})
    except Exception as error:  # noqa: BLE001 - a bad page costs its own row
        return create_error_row(page, f"{type(error).__name__}: {error}")
    if len(row) > MAX_ROW_BYTES:
        return create_error_row(page, f"the row has more than {MAX_ROW_BYTES:,} bytes")
    return row


def create_error_row(page: StoredPage, error: str | None) -> bytes:
    """Return the row of a page that could not be read."""
    return _encode({"id": page.id, "url": page.url, "error": error})


def _encode(row: dict[str, Any]) -> bytes:
    line = json.dumps(row).encode("ascii")
    if b"\\ud" not in line:
        return line
    # half of a surrogate pair, which UTF-8 cannot hold, becomes "?"
    repaired = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
    return json.dumps(json.loads(repaired)).encode("ascii")


def list_columns(added: Sequence[str] = ()) -> dict[str, str]:
    """Return name to type (as Spark writes types) of the columns of rows, in order.

    Raises TypeError for a field whose type SPARK_TYPES does not know.
    """
    types = {field.name: field.type.removesuffix(" | None") for field in fields(ArticleItem)}
    columns = {"id": "string"}
    for name in (*RECORD_FIELDS, *added, "blocks"):
        if types[name] not in SPARK_TYPES:
            raise TypeError(
                f"field {name!r}: type {types[name]!r} is not in batch.rows.SPARK_TYPES; add it"
            )
        columns[name] = SPARK_TYPES[types[name]]
    return {**columns, "error": "string"}


def create_arrow_schema(added: Sequence[str] = ()) -> Any:
    """Return the columns as an Arrow schema. Raises MissingExtraError."""
    arrow = import_optional("pyarrow", "Parquet", "batch")
    text, number = arrow.string(), arrow.float64()
    block = arrow.struct(
        [("text", text), ("label", text), ("score", number), ("xpath", text)],
    )
    entry = arrow.struct([(name, text) for name in ("time", "headline", "text", "author")])
    arrow_types = {
        "string": text,
        "double": number,
        "boolean": arrow.bool_(),
        "bigint": arrow.int64(),
        "array<string>": arrow.list_(text),
        "map<string,string>": arrow.map_(text, text),
        BLOCKS: arrow.list_(block),
        ENTRIES: arrow.list_(entry),
    }
    return arrow.schema([(name, arrow_types[kind]) for name, kind in list_columns(added).items()])


def create_arrow_batch(lines: Iterable[bytes], schema: Any) -> Any:
    """Return an Arrow record batch of rows; an `id` that is no text is written as JSON."""
    rows = [json.loads(line) for line in lines]
    for row in rows:
        if not isinstance(row["id"], str | None):
            row["id"] = json.dumps(row["id"])
        if row.get("evidence") is not None:
            row["evidence"] = sorted(row["evidence"].items())
    return import_optional("pyarrow", "Parquet", "batch").RecordBatch.from_pylist(
        rows, schema=schema
    )


def write_parquet(lines: Path, file: Path, schema: Any) -> None:
    """Write a file of rows, one a line, as a Parquet file."""
    parquet = import_optional("pyarrow.parquet", "Parquet", "batch")
    with (
        lines.open("rb") as opened,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for chunk in split_by_size(opened, len, COLUMN_BYTES):
            writer.write_batch(create_arrow_batch(chunk, schema))


def split_by_size(
    values: Iterable[T], measure: Callable[[T], int], size: int, length: int = MAX_CHUNK
) -> Iterator[list[T]]:
    """Yield the values in lists of at most `length` values and `size` bytes, one value at least."""
    chunk: list[T] = []
    total = 0
    for value in values:
        if chunk and (total + measure(value) > size or len(chunk) == length):
            yield chunk
            chunk, total = [], 0
        chunk.append(value)
        total += measure(value)
    if chunk:
        yield chunk
