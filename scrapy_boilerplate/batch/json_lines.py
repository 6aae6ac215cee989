"""JSON lines, one page each, as `extract --format jsonl` and `batch` read them."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrapy_boilerplate.batch.file_kinds import HEADER_BYTES, find_other_kind
from scrapy_boilerplate.batch.http_body import create_size_error, create_zstd_decompressor
from scrapy_boilerplate.batch.pages import (
    DEFAULT_OPTIONS,
    MAX_CHARACTER_BYTES,
    ReadOptions,
    StoredPage,
    TimedFile,
    create_page,
)
from scrapy_boilerplate.workers.pipe import decode_record

# Maximum bytes of JSON for one byte of a page (a backslash, u, and four digits).
ESCAPED_BYTES = 6
# Maximum bytes of a line without its page.
OTHER_BYTES = 1_000_000
# Bytes that are read at once: more than most pages have.
BUFFER_BYTES = 1_000_000


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        record = decode_record(line)
        if isinstance(record, dict):  # an `id` that JSON cannot hold, such as NaN, is an error
            json.dumps(record.get("id"), allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError('not a JSON object with "html"')  # noqa: TRY004 - callers catch ValueError
    return record


def read_json_lines(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the pages of a file of JSON lines, plain or packed.

    If a line has no `id` or is not JSON, the id is ``<file>:<line>``.
    """
    number = 0
    timed, limit = TimedFile(path, options.seconds), options.max_bytes
    with io.BufferedReader(timed, BUFFER_BYTES) as raw:
        try:
            file = _open_lines(raw, path.suffix)
            for number, line in enumerate(_read_lines(file, limit, timed), start=1):
                if line is None or not line.isspace():
                    page_id = f"{path.name}:{number}"
                    if options.keeps_lines and line is not None and len(line) <= limit:
                        yield StoredPage(id=page_id, line=line)
                    else:
                        yield _read_page(line, page_id, limit)
                    timed.restart()
        except Exception as error:  # noqa: BLE001 - each library has its own
            page_id = f"{path.name}:{number + 1}"
            yield StoredPage(id=page_id, error=f"{path.name} cannot be read further: {error}")


def _open_lines(raw: Any, suffix: str) -> Any:
    open_packed = OPENERS.get(suffix.lower())
    lines = raw if open_packed is None else open_packed(raw)
    if kind := find_other_kind(lines.peek(HEADER_BYTES)):
        raise ValueError(f"it is {kind}")
    return lines


def _open_zstd(raw: Any) -> Any:
    return io.BufferedReader(create_zstd_decompressor().stream_reader(raw, read_across_frames=True))


OPENERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _open_zstd}
)


def _read_lines(file: Any, limit: int, timed: TimedFile) -> Iterator[bytes | None]:
    # None for a line that is too long for a page of `limit` bytes
    longest = ESCAPED_BYTES * limit + OTHER_BYTES
    is_start = True
    while piece := file.readline(longest):
        timed.check()
        is_end = piece.endswith(b"\n") or len(piece) < longest
        if is_start:
            yield piece if is_end else None
        is_start = is_end


def check_kind(page: StoredPage) -> StoredPage:
    """Return the page, with an error if it is empty, binary or a file of another kind."""
    html = page.html
    if isinstance(html, str):
        html = (html[:HEADER_BYTES].strip() or html.strip())[:HEADER_BYTES].encode(
            "utf-8", "replace"
        )
    if page.error is not None or page.line is not None or (kind := find_other_kind(html)) is None:
        return page
    return replace(page, html="", error=f"the page is {kind}")


def decode_page(page: StoredPage) -> StoredPage:
    """Return the page in a `line`, with its own `id`. It is no longer than its JSON."""
    if page.line is None:
        return page
    return _read_page(page.line, page.id, MAX_CHARACTER_BYTES * len(page.line))


def _read_page(line: bytes | None, line_id: str, limit: int) -> StoredPage:
    if line is None:
        return StoredPage(id=line_id, error=str(create_size_error(limit)))
    try:
        return create_page(_parse_object(line), line_id, limit)
    except ValueError as error:
        return StoredPage(id=line_id, error=str(error))
