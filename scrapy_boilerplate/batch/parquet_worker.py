"""The process that reads a Parquet file: it answers a number of a row with the pages from there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import accumulate
from math import isfinite
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.http_body import create_size_error
from scrapy_boilerplate.batch.json_lines import ESCAPED_BYTES, MAX_NAME_BYTES
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.workers.serve import serve

# Rows that pyarrow unpacks at once (our choice: a page may have 50 MB, and a row takes .2 ms), and
# bytes that it reads of a column at once.
BATCH_ROWS = 1
READ_BYTES = 1_000_000
# Bytes and rows of an answer, one row at least (our choice).
ANSWER_BYTES = 16_000_000
ANSWER_ROWS = 100
HTML, URL, ID = "html", "url", "id"


def serve_pages() -> None:
    """Answer numbers of rows with packed pages until the pool closes the pipe."""
    settings = json.loads(sys.argv[3])
    serve(lambda: RowReader(Path(settings["path"]), settings["max_bytes"]))


class RowReader:
    """Reads one Parquet file, forwards from any row."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._arrow = import_optional("pyarrow", "Parquet", "batch")
        self._parquet = import_optional("pyarrow.parquet", "Parquet", "batch")
        self._path = path
        self._max_bytes = max_bytes
        self._size = path.stat().st_size
        self._file: Any = None
        self._columns: list[str] = []
        self._ends: list[int] = []
        self._starts: set[int] = set()
        self._next_row = 0
        self._pages: Iterator[StoredPage] = iter(())

    def __call__(self, request: dict[str, Any], _body: bytes) -> tuple[dict[str, Any], bytes]:
        """Return packed pages from a row on, or, for None, the ends of the row groups."""
        try:
            if self._file is None:
                self._open()
            if request["row"] is None:
                return {}, json.dumps({"ends": self._ends}).encode()
            return {}, self._pack_pages(request["row"])
        except Exception as error:  # noqa: BLE001 - pyarrow raises many kinds for a broken file
            self._pages, self._next_row = iter(()), -1
            return {"error": str(error) or type(error).__name__, "kind": "page"}, b""

    def _open(self) -> None:
        """Open the file and find its columns. Raises ValueError, and what pyarrow raises."""
        file = self._parquet.ParquetFile(self._path, buffer_size=READ_BYTES, pre_buffer=False)
        schema = file.schema_arrow
        names = [name for name in (HTML, URL, ID) if schema.names.count(name) == 1]
        if HTML not in names or not self._is_text(schema.field(HTML).type):
            raise ValueError(f"no column {HTML!r} of text or bytes")
        if URL in names and not self._is_text(schema.field(URL).type):
            raise ValueError(f"no text in the column {URL!r}")
        types = self._arrow.types
        checks = (self._is_text, types.is_integer, types.is_floating, types.is_boolean)
        if ID in names and not any(check(schema.field(ID).type) for check in checks):
            names.remove(ID)
        groups = range(file.metadata.num_row_groups)
        self._ends = list(accumulate(file.metadata.row_group(group).num_rows for group in groups))
        self._starts = {0, *self._ends}
        self._columns, self._file = names, file

    def _is_text(self, kind: Any) -> bool:
        types = self._arrow.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        return any(
            check(kind)
            for check in (types.is_string, types.is_large_string, types.is_binary,
                          types.is_large_binary)
        )  # fmt: skip

    def _pack_pages(self, row: int) -> bytes:
        """Return pages from `row` on: a line that tells their sizes, and the pages."""
        if row != self._next_row or row in self._starts:
            self._pages, self._next_row = self._read_pages(row), row
        packed: list[bytes] = []
        n_bytes = 0
        while len(packed) < ANSWER_ROWS and n_bytes < ANSWER_BYTES:
            page = next(self._pages, None)
            if page is None:
                break
            packed.append(page.pack())
            n_bytes += len(packed[-1])
        if not packed:
            raise ValueError("there are fewer rows than the file declares")
        self._next_row += len(packed)
        return b"\n".join((json.dumps({"sizes": [*map(len, packed)]}).encode(), b"".join(packed)))

    def _read_pages(self, row: int) -> Iterator[StoredPage]:
        """Yield the pages from `row` to the end of its row group."""
        group = next(number for number, end in enumerate(self._ends) if row < end)
        number = self._ends[group - 1] if group else 0
        batches = self._file.iter_batches(
            BATCH_ROWS, row_groups=[group], columns=self._columns, use_threads=False
        )
        for batch in batches:
            for index in range(batch.num_rows):
                if row <= number < self._ends[group]:
                    cells = {
                        name: batch.column(column)[index]
                        for column, name in enumerate(batch.schema.names)
                    }
                    yield self._create_page(cells, number)
                number += 1

    def _create_page(self, cells: dict[str, Any], number: int) -> StoredPage:
        size = self._size * (number + 1) // self._ends[-1] - self._size * number // self._ends[-1]
        page_id: Any = f"{self._path.name}:{number + 1}"
        url, html, error = None, None, None
        try:
            name = self._read_name(cells.get(ID))
            page_id = page_id if name is None else name
            url = self._read_text(cells.get(URL), URL, MAX_NAME_BYTES)
            html = self._read_text(cells[HTML], HTML, self._max_bytes)
            if html is None:
                error = f"no text under {HTML!r}"
        except ValueError as cell_error:
            error = str(cell_error)
        return StoredPage(
            id=page_id,
            url=url.decode("utf-8", "replace") if isinstance(url, bytes) else url,
            html="" if html is None else html,
            error=error,
            size=size,
        )

    def _read_name(self, cell: Any) -> Any:
        """Return an `id` that JSON can hold, or None. Raises ValueError if it is too long."""
        if cell is None or self._is_text(cell.type):
            text = self._read_text(cell, ID, MAX_NAME_BYTES // ESCAPED_BYTES)
            return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        value = cell.as_py()
        return str(value) if isinstance(value, float) and not isfinite(value) else value

    def _read_text(self, cell: Any, name: str, limit: int) -> str | bytes | None:
        """Return text or bytes of a cell, None if it is empty. Raises ValueError beyond `limit`."""
        types = self._arrow.types
        if cell is not None and types.is_dictionary(cell.type):
            cell = cell.value
        if cell is None or not cell.is_valid:
            return None
        buffer = cell.as_buffer()
        if buffer.size > limit:
            if name == HTML:
                raise create_size_error(limit)
            raise ValueError(f"more than {limit:,} bytes under {name!r}")
        content: bytes = buffer.to_pybytes()
        is_text = types.is_string(cell.type) or types.is_large_string(cell.type)
        return content.decode("utf-8", "replace") if is_text else content
