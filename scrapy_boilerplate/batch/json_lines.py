"""JSON lines, one page each, as `extract --format jsonl` and `batch` read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isinf
from pathlib import Path
from typing import IO, Any

import numpy as np

from scrapy_boilerplate.batch.http_body import create_size_error
from scrapy_boilerplate.batch.members import MemberError, MemberFile, ReadDeadline
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage

# Bytes of JSON that one byte of a page takes at most (a backslash, u, and four digits).
ESCAPED_BYTES = 6
# Bytes of a line beside its page (our choice).
OTHER_BYTES = 1_000_000
# Values of a line, beside its page three: each takes up to 100 bytes of memory (our choice).
MAX_VALUES = 100_000
# Bytes of an `id`, as JSON, and of an address (our choice).
MAX_NAME_BYTES = 100_000
# Bytes of a line in which values are counted at once.
CHUNK_BYTES = 1_000_000
PACKED_SUFFIXES = (".gz", ".xz")


def parse_json_page(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises ValueError, with the reason, for anything else, and for values that JSON cannot hold or
    that are too many or nested too deeply.
    """
    if not _has_few_values(line):
        raise ValueError(f"no page: it has more than {MAX_VALUES:,} values")
    try:
        record = json.loads(line, parse_constant=_refuse_constant, parse_float=_parse_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError('no JSON object with "html"')  # noqa: TRY004 - as for no JSON at all
    return record


def check_json_page(record: dict[str, Any]) -> str | None:
    """Return why a record is no page; None if it is one."""
    if not isinstance(record.get("html"), str):
        return 'no text under "html"'
    if not isinstance(record.get("url"), str | None):
        return 'no text under "url"'
    if len(record.get("url") or "") > MAX_NAME_BYTES:
        return f'more than {MAX_NAME_BYTES:,} characters under "url"'
    return None


def _is_short(page_id: object) -> bool:
    try:
        return len(json.dumps(page_id)) <= MAX_NAME_BYTES
    except RecursionError:
        return False


def _has_few_values(line: bytes) -> bool:
    """Return whether a line has MAX_VALUES at most, by the signs between them outside of texts."""
    if sum(map(line.count, (b",", b"[", b"{", b":"))) <= MAX_VALUES:
        return True
    unescaped = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    values, is_inside = 0, 0
    for start in range(0, len(unescaped), CHUNK_BYTES):
        chunk = np.frombuffer(unescaped[start : start + CHUNK_BYTES], np.uint8)
        inside = (np.cumsum(chunk == ord('"'), dtype=np.uint8) + is_inside) & 1
        signs = np.isin(chunk, np.frombuffer(b",[{:", np.uint8))
        values += int((signs & (inside == 0)).sum())
        is_inside = int(inside[-1])
    return values <= MAX_VALUES


def _parse_finite(literal: str) -> float:
    """Return a number. Raises ValueError for one like 1e999: Infinity is no JSON."""
    if isinf(number := float(literal)):
        raise ValueError(f"{literal[:20]} is too large a number")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def read_json_lines(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the pages of a file of JSON lines, plain, gzip or xz.

    Without an `id`, and where a line is no JSON, the id is ``<file>:<line>``.
    """
    number = position = 0
    clock, limit = ReadDeadline(options.seconds), options.max_bytes
    with path.open("rb") as raw:
        file = MemberFile(raw, clock) if path.suffix in PACKED_SUFFIXES else raw
        lines = _read_lines(file, ESCAPED_BYTES * limit + OTHER_BYTES, clock)
        try:
            for number, line in enumerate(lines, start=1):
                size, position = raw.tell() - position, raw.tell()
                if line is None or line.strip():
                    yield _read_page(line, f"{path.name}:{number}", limit, size)
                    clock.restart()
        except (OSError, MemberError) as error:
            page_id = f"{path.name}:{number + 1}"
            yield StoredPage(id=page_id, error=f"{path.name} cannot be read on: {error}")


def _read_lines(
    file: IO[bytes] | MemberFile, longest: int, clock: ReadDeadline
) -> Iterator[bytes | None]:
    """Yield the lines; None for one with more than `longest` bytes, which is never in memory."""
    while line := file.readline(longest):
        clock.check()
        is_whole = line.endswith(b"\n") or len(line) < longest
        yield line if is_whole else None
        while not is_whole:
            clock.check()
            rest = file.readline(longest)
            is_whole = rest.endswith(b"\n") or len(rest) < longest


def _read_page(line: bytes | None, line_id: str, limit: int, size: int) -> StoredPage:
    if line is None:
        return StoredPage(id=line_id, error=str(create_size_error(limit)), size=size)
    try:
        record = parse_json_page(line)
    except ValueError as parse_error:
        return StoredPage(id=line_id, error=str(parse_error), size=size)
    html: Any = record.get("html")
    url, page_id = record.get("url"), record.get("id")
    error = check_json_page(record)
    if not _is_short(page_id):
        page_id, error = None, f'more than {MAX_NAME_BYTES:,} bytes under "id"'
    if error is None and (len(html) > limit or len(html.encode("utf-8", "replace")) > limit):
        error = str(create_size_error(limit))
    return StoredPage(
        id=line_id if page_id is None else page_id,
        url=url if isinstance(url, str) and len(url) <= MAX_NAME_BYTES else None,
        html=html if error is None else "",
        error=error,
        size=size,
    )
