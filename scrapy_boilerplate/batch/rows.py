"""Rows: one page each, as a line of JSON. The same page gives the same bytes in every engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.record import record_of
from scrapy_boilerplate.steps.extractor import Extractor

DocumentOf = Callable[[StoredPage], Document]

NO_ERROR = b'"error": null}'
"""How the line of a page ends that could be read."""


def reader(extractor: Extractor) -> DocumentOf:
    """What reads every page by itself."""
    return lambda page: extract(page.html, page.url, extractor)


def line_of(page: StoredPage, document_of: DocumentOf, added: tuple[str, ...] = ()) -> bytes:
    """The row of a page: `id`, the fields of a record, `error` None; or its error.

    Unlike `extract --format jsonl` it has no `ms`: that is never twice the same.
    """
    if page.error is not None:
        return error_line(page, page.error)
    try:
        record = record_of(document_of(page), added)
        return _line({"id": page.id, **record, "error": None})
    except Exception as error:  # noqa: BLE001 - a bad page costs its own row
        return error_line(page, f"{type(error).__name__}: {error}")


def error_line(page: StoredPage, error: str) -> bytes:
    """The row of a page that could not be read."""
    return _line({"id": page.id, "url": page.url, "error": error})


def _line(row: dict[str, Any]) -> bytes:
    line = json.dumps(row).encode("ascii")
    if b"\\ud" not in line:
        return line
    # half a character, which no UTF-8 can hold, becomes "?"
    return json.dumps(json.loads(_repaired(row))).encode("ascii")


def _repaired(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
