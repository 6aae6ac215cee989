"""JSON lines with `html`: one page a line."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from scrapy_boilerplate.batch.http_body import too_large
from scrapy_boilerplate.batch.json_pages import fault_of, parsed_page
from scrapy_boilerplate.batch.pages import StoredPage

ESCAPED = 6
"""Bytes of JSON that one byte of a page takes at most (a backslash, u, and four digits)."""
FACTS = 1_000_000
"""Bytes of a line beside its page (our choice)."""


def read_lines(path: Path, limit: int) -> Iterator[StoredPage]:
    """The pages of a file of JSON lines, plain, gzip or xz.

    Without an `id`, and where a line is no JSON, the id is ``<file>:<line>``.
    """
    number = 0
    with path.open("rb") as raw, _opened(raw, path) as lines:
        before = 0
        try:
            for number, line in enumerate(_lines(lines, ESCAPED * limit + FACTS), start=1):
                here, before = raw.tell() - before, raw.tell()
                if line is None or line.strip():
                    yield _page(line, f"{path.name}:{number}", limit, here)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            name = f"{path.name}:{number + 1}"
            yield StoredPage(id=name, error=f"{path.name} cannot be read on: {error}")


def _opened(raw: IO[bytes], path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(raw))
    return lzma.open(raw) if path.suffix == ".xz" else raw


def _lines(file: IO[bytes], longest: int) -> Iterator[bytes | None]:
    """The lines; None for one that is too long, which is never held whole."""
    while line := file.readline(longest):
        whole = line.endswith(b"\n") or len(line) < longest
        yield line if whole else None
        while not whole:
            rest = file.readline(longest)
            whole = rest.endswith(b"\n") or len(rest) < longest


def _page(line: bytes | None, name: str, limit: int, size: int) -> StoredPage:
    if line is None:
        return StoredPage(id=name, error=str(too_large(limit)), size=size)
    try:
        record = parsed_page(line)
    except ValueError as error:
        return StoredPage(id=name, error=str(error), size=size)
    return _checked(record, name, limit, size)


def _checked(record: dict[str, Any], name: str, limit: int, size: int) -> StoredPage:
    html: Any = record.get("html")
    url, known = record.get("url"), record.get("id")
    page_id = name if known is None else known
    error = fault_of(record)
    if error is None and (len(html) > limit or len(html.encode("utf-8", "replace")) > limit):
        error = str(too_large(limit))
    address = url if isinstance(url, str) else None
    kept = html if error is None else ""
    return StoredPage(id=page_id, url=address, html=kept, error=error, size=size)
