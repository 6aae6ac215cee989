"""Rows as columns: the types of Arrow, Parquet and Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.record import FIELDS

TEXTS = ("authors", "tags", "comments", "supplemental", "related")
"""Fields that are lists of texts."""
NUMBERS = ("article_probability", "confidence")
BLOCKS = "array<struct<text:string,label:string,score:double,xpath:string>>"


def columns(added: Sequence[str] = ()) -> dict[str, str]:
    """Name to type (as Spark writes types) of the columns of rows, in order."""
    kinds = dict.fromkeys(("id", *FIELDS, *added, "blocks", "error"), "string")
    kinds.update(dict.fromkeys(TEXTS, "array<string>"))
    kinds.update(dict.fromkeys(NUMBERS, "double"))
    kinds.update(blocks=BLOCKS, evidence="map<string,string>", is_accessible_for_free="boolean",
                 site_pages="bigint")  # fmt: skip
    return kinds


def schema(added: Sequence[str] = ()) -> Any:
    """The same as an Arrow schema. Raises MissingExtraError."""
    arrow = _arrow()
    text, number = arrow.string(), arrow.float64()
    block = arrow.struct(
        [("text", text), ("label", text), ("score", number), ("xpath", text)],
    )
    types = {
        "string": text,
        "double": number,
        "boolean": arrow.bool_(),
        "bigint": arrow.int64(),
        "array<string>": arrow.list_(text),
        "map<string,string>": arrow.map_(text, text),
        BLOCKS: arrow.list_(block),
    }
    return arrow.schema([(name, types[kind]) for name, kind in columns(added).items()])


def values_of(line: bytes) -> dict[str, Any]:
    """The row in a line; an `id` that is no text is written as JSON."""
    row: dict[str, Any] = json.loads(line)
    if not isinstance(row["id"], str | None):
        row["id"] = json.dumps(row["id"])
    if row.get("evidence") is not None:
        row["evidence"] = sorted(row["evidence"].items())
    return row


def batch_of(lines: Iterable[bytes], arrow_schema: Any) -> Any:
    """An Arrow record batch of rows."""
    return _arrow().RecordBatch.from_pylist(list(map(values_of, lines)), schema=arrow_schema)


def write_parquet(lines: Sequence[bytes], arrow_schema: Any, file: Path) -> None:
    """Write rows as a Parquet file."""
    table = _arrow().Table.from_batches([batch_of(lines, arrow_schema)])
    optional("pyarrow.parquet", "Parquet", "batch").write_table(table, file, compression="zstd")


def _arrow() -> Any:
    return optional("pyarrow", "Parquet", "batch")
