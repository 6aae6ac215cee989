"""JSON lines of pages, as `extract --format jsonl` reads them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.json_pages import fault_of, parsed_page
from scrapy_boilerplate.cli.shared import LINES_ONLY

STANDARD_INPUT = "-"


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input as they come. Raises OSError."""
    if name == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield from file


def read_record(line: bytes) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """(the answer to a line that is no page, or None, the record)."""
    if line.lstrip().startswith(b"<"):
        return {"id": None, "error": f"no JSON: {LINES_ONLY}"}, {}
    try:
        record = parsed_page(line)
    except ValueError as error:
        return {"id": None, "error": str(error)}, {}
    if (fault := fault_of(record)) is not None:
        return {"id": record.get("id"), "error": fault}, {}
    return None, record
