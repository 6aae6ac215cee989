"""Rows, one for each page: as a line of JSON, or in columns (Arrow, Parquet, CSV, Spark)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.items import RECORD_FIELDS
from scrapy_boilerplate.schema import FIELD_COLUMNS, TEXT, ColumnType, create_arrow_batch
from scrapy_boilerplate.workers.pipe import decode_record, encode_json

if TYPE_CHECKING:
    from scrapy_boilerplate.document import Document

# End of a line without an error.
NO_ERROR = b'"error":null}'
# Bytes of a row (four times the largest page).
MAX_ROW_BYTES = 200_000_000
# Maximum bytes and rows of one record batch (1 MB has about 15 rows).
COLUMN_BYTES = 32_000_000
COLUMN_ROWS = 500


def create_row(
    page: StoredPage, build_document: Callable[[StoredPage], Document], added: Sequence[str] = ()
) -> bytes:
    """Return the row of a page: `id`, the fields of a record, and `error`, None for a good page.

    A row has no `ms`, unlike `extract --format jsonl`, because times differ from run to run.
    """
    if page.error is not None:
        return create_error_row(page, page.error)
    try:
        record = build_document(page).to_dict([*RECORD_FIELDS, *added, "blocks"])
        record["partial"] = page.partial or record["partial"]
        if page.headers and record["reservations"] is not None:
            # the parent of the workers has no document
            from scrapy_boilerplate.article import reservations  # noqa: PLC0415

            declared = reservations.read_headers(page.headers, page.url)
            merged = reservations.merge_reservations(declared, record["reservations"])
            record["reservations"] = merged
        row = encode_json({"id": _repair(page.id), **record, "error": None})
    except Exception as error:  # noqa: BLE001 - a bad page costs its own row
        return create_error_row(page, f"{type(error).__name__}: {error}")
    if len(row) > MAX_ROW_BYTES:
        return create_error_row(page, f"the row has more than {MAX_ROW_BYTES:,} bytes")
    return row


def create_error_row(page: StoredPage, error: str | None) -> bytes:
    """Return the row of a page that could not be read."""
    return encode_json(_repair({"id": page.id, "url": page.url, "error": error}))


def _repair(value: Any) -> Any:
    # Parquet cannot hold lone surrogates, which become "?"
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def list_columns(added: Sequence[str] = ()) -> dict[str, ColumnType]:
    """Return the columns of rows, in order."""
    names = (*RECORD_FIELDS, *added, "blocks")
    return {"id": TEXT, **{name: FIELD_COLUMNS[name] for name in names}, "error": TEXT}


def create_row_batch(lines: Iterable[bytes], added: Sequence[str] = ()) -> Any:
    """Return an Arrow record batch of rows; an `id` that is not text is written as JSON."""
    rows = list(map(decode_record, lines))
    for row in rows:
        if not isinstance(row["id"], str | None):
            row["id"] = json.dumps(row["id"])
    return create_arrow_batch(rows, list_columns(added))


def write_json_lines(file: Path, lines: Iterable[bytes], _added: Sequence[str]) -> None:
    """Write rows, one a line."""
    with file.open("wb") as written:
        written.writelines(line + b"\n" for line in lines)


def write_csv(file: Path, lines: Iterable[bytes], added: Sequence[str]) -> None:
    """Write rows as CSV; lists and dicts become JSON."""
    with file.open("w", encoding="utf-8", newline="") as written:
        writer = csv.DictWriter(written, [*list_columns(added)])
        writer.writeheader()
        for line in lines:
            cells = decode_record(line).items()
            writer.writerow({name: _write_cell(value) for name, value in cells})


def _write_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def split_by_size(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines in lists of at most COLUMN_ROWS and COLUMN_BYTES, one line at least."""
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        if chunk and (size + len(line) > COLUMN_BYTES or len(chunk) == COLUMN_ROWS):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def write_parquet(file: Path, lines: Iterable[bytes], added: Sequence[str]) -> None:
    """Write rows as Parquet, a row group for each list of `split_by_size`."""
    parquet = import_optional("pyarrow.parquet", "Parquet", "batch")
    schema = create_row_batch((), added).schema
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for chunk in split_by_size(lines):
            writer.write_batch(create_row_batch(chunk, added))


JSONL, CSV, PARQUET = "jsonl", "csv", "parquet"
# Format to the function that writes rows to a file; the last argument is the ADDED_FIELDS in the
# rows.
WRITERS: Mapping[str, Callable[[Path, Iterable[bytes], Sequence[str]], None]] = MappingProxyType(
    {JSONL: write_json_lines, CSV: write_csv, PARQUET: write_parquet}
)
