"""A page as one line of JSON: what `extract --format jsonl` and `batch` read."""

from __future__ import annotations

import json
from math import isinf
from typing import Any


def parsed_page(line: bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises ValueError, with what is wrong, for anything else and for
    what could not be written as JSON again; RecursionError counts for that."""
    try:
        record = json.loads(line, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError('no JSON object with "html"')  # noqa: TRY004 - as for no JSON at all
    return record


def fault_of(record: dict[str, Any]) -> str | None:
    """What keeps a record from being a page; None if it is one."""
    if not isinstance(record.get("html"), str):
        return 'no text under "html"'
    if not isinstance(record.get("url"), str | None):
        return 'no text under "url"'
    return None


def _finite(written: str) -> float:
    """A number; 1e999 would be written as Infinity, which is no JSON."""
    if isinf(number := float(written)):
        raise ValueError(f"{written[:20]} is too large a number")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
