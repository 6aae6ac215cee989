"""Rows, one for each page: as a line of JSON, or in columns (Arrow, Parquet, Spark).

A page gives the same bytes in every engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document, build_record
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.items import RECORD_FIELDS, ArticleItem

# End of a line without an error.
NO_ERROR = b'"error": null}'
# Type of an item field to the type of its column, as Spark writes it.
BLOCKS = "array<struct<text:string,label:string,score:double,xpath:string>>"
SPARK_TYPES = {
    "str": "string",
    "str | None": "string",
    "float": "double",
    "float | None": "double",
    "bool": "boolean",
    "bool | None": "boolean",
    "int": "bigint",
    "int | None": "bigint",
    "list[str]": "array<string>",
    "dict[str, str]": "map<string,string>",
    "list[dict[str, Any]]": BLOCKS,
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
        return _encode({"id": page.id, **record, "error": None})
    except Exception as error:  # noqa: BLE001 - a bad page costs its own row
        return create_error_row(page, f"{type(error).__name__}: {error}")


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
    types = {field.name: str(field.type) for field in fields(ArticleItem)}
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
    arrow_types = {
        "string": text,
        "double": number,
        "boolean": arrow.bool_(),
        "bigint": arrow.int64(),
        "array<string>": arrow.list_(text),
        "map<string,string>": arrow.map_(text, text),
        BLOCKS: arrow.list_(block),
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


def write_parquet(lines: Sequence[bytes], file: Path, schema: Any) -> None:
    """Write rows as a Parquet file."""
    arrow = import_optional("pyarrow", "Parquet", "batch")
    table = arrow.Table.from_batches([create_arrow_batch(lines, schema)])
    import_optional("pyarrow.parquet", "Parquet", "batch").write_table(
        table, file, compression="zstd"
    )


def write_json_lines(lines: Sequence[bytes], file: Path) -> None:
    """Write rows as JSON lines."""
    with file.open("wb") as opened:
        opened.writelines(line + b"\n" for line in lines)
