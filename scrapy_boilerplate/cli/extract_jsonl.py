"""`extract --format jsonl`: a record for each line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

JsonPage = dict[str, Any]
# The printed values of one page, from its document (`Document.to_dict`) or its error.
OutputRecord = dict[str, Any]

STANDARD_INPUT = "-"
NO_HTML_FILES = '--format jsonl reads JSON lines {"id", "url", "html"}; for HTML use --format json'


def read_lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, or of standard input as they come. Raises OSError."""
    if name == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield from file


def build_records(
    lines: Iterable[bytes], build: Callable[[JsonPage], OutputRecord]
) -> Iterator[OutputRecord]:
    """Yield a record for each line that is not blank: `build(page)`, or an error."""
    for error, page in (_parse_line(line) for line in lines if line.strip()):
        yield build(page) if error is None else error


def _parse_line(line: bytes) -> tuple[OutputRecord | None, JsonPage]:
    from scrapy_boilerplate.batch.json_lines import parse_json_page
    from scrapy_boilerplate.batch.pages import check_page_values

    if line.lstrip().startswith(b"<"):
        return {"id": None, "error": f"not JSON: {NO_HTML_FILES}"}, {}
    try:
        page = parse_json_page(line)
    except ValueError as error:
        return {"id": None, "error": str(error)}, {}
    if (fault := check_page_values(page)) is not None:
        return {"id": page.get("id"), "error": fault}, {}
    return None, page


def build_error_record(page: JsonPage, error: Exception) -> OutputRecord:
    """Return the record of a page that failed."""
    return {"id": page.get("id"), "error": f"{type(error).__name__}: {error}"}
