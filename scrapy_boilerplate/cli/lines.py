"""JSON lines of pages, as `extract --format jsonl` reads them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        told = LINES_ONLY if line.lstrip().startswith(b"<") else error
        return {"id": None, "error": f"no JSON: {told}"}, {}
    if not isinstance(record, dict):
        return {"id": None, "error": 'no JSON object with "html"'}, {}
    if not isinstance(record.get("html"), str):
        return {"id": record.get("id"), "error": 'no text under "html"'}, {}
    return None, record


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
