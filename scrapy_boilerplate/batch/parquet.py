"""Parquet files, read by pyarrow: a page each row, in the columns ``html``, ``url`` and ``id``."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage, create_page

# Rows that are unpacked at once (a page may have 50 MB), and bytes that are read of a column.
BATCH_ROWS = 8
READ_BYTES = 1_000_000
COLUMNS = ("id", "url", "html")


def read_parquet(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the rows of a Parquet file; html is text, or bytes that may declare their encoding.

    Without an `id` that is text, a number or a Boolean, the id is ``<file>:<row>``. From the first
    row that pyarrow cannot read, the rest of the file is one error. Raises MissingExtraError.
    """
    parquet = import_optional("pyarrow.parquet", "Parquet", "batch")
    number = n_rows = 0
    try:
        with parquet.ParquetFile(path, buffer_size=READ_BYTES, pre_buffer=False) as file:
            n_rows = file.metadata.num_rows
            names = [name for name in COLUMNS if name in file.schema_arrow.names]
            for batch in file.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    row |= {"id": _convert_id(row.get("id")), "url": _decode(row.get("url"))}
                    yield create_page(row, f"{path.name}:{number}", options.max_bytes)
    except Exception as error:  # noqa: BLE001 - pyarrow has many kinds for a broken file
        message = f"{path.name} cannot be read: {error} ({n_rows - number:,} rows are missing)"
        yield StoredPage(id=f"{path.name}:{number + 1}", error=message)


def _convert_id(value: Any) -> Any:
    value = _decode(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float) else None


def _decode(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
