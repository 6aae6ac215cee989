"""WARC files (plain, gzip or zstd): the HTML responses in them.

A record may span members (of gzip, or frames of zstd), and a member may hold many records. A member
that begins as a record ends the record before it, which was cut off then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from scrapy_boilerplate.batch.http_body import (
    ZSTD,
    BodyError,
    create_size_error,
    decode_body,
    decode_chunks,
    decompress_body,
    is_html,
)
from scrapy_boilerplate.batch.members import GZIP_MEMBER, MemberError, MemberFile, ReadDeadline
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage

# First bytes of a record.
RECORD = b"WARC/"
# Bytes of a line of a head, and of a head (our choice; servers refuse heads of 64 kB).
LINE_BYTES = 100_000
HEAD_BYTES = 1_000_000
WANTED_TYPES = ("response", "resource")

# Lower-case name to the first value.
Headers = Mapping[str, str]

_length = re.compile(r"[0-9]{1,18}")
_status_line = re.compile(rb"HTTP/[0-9.]+[ \t]+([0-9]{3})\b")


def read_warc(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the responses with status 200 to 299 (and resources) that are HTML.

    The id is that of the record. Where the archive is cut off or broken comes a page with an
    error, whose id is ``<file>:<byte>`` if the record is unknown. What follows is found by the next
    member, or by the next line that begins as a record.
    """
    clock, position = ReadDeadline(options.seconds), 0
    with path.open("rb") as raw:
        file = MemberFile(raw, clock, RECORD)
        for page in _read_pages(file, clock, path.name, options.max_bytes):
            size, position = file.offset - position, file.offset
            yield replace(page, size=max(0, size))
            clock.restart()


def _read_pages(
    file: MemberFile, clock: ReadDeadline, name: str, limit: int
) -> Iterator[StoredPage]:
    is_lost = is_broken = False  # no record since the last error; what follows is to be found
    while True:
        page = StoredPage(id=f"{name}:{file.offset}")
        try:
            if is_broken and not file.find_member():
                return
            is_broken = False
            headers = _read_record_head(file)
            if headers is None:
                return
            is_lost = False
            clock.restart()
            url = headers.get("warc-target-uri", "").strip("<>") or None
            page = StoredPage(id=headers.get("warc-record-id") or page.id, url=url)
            content = _Content(file, int(headers["content-length"]), clock)
            wanted = _read_record(page, headers, content, limit)
        except (MemberError, _NoRecordError) as error:
            if not is_lost:
                yield replace(page, error=f"{name} cannot be read on: {error}")
            # plain bytes behind members are searched for members first
            is_broken = isinstance(error, MemberError) or (file.is_plain and file.has_members)
            is_lost = True
        except OSError as error:
            yield replace(page, error=f"{name} cannot be read on: {error}")
            return
        else:
            if wanted is not None:
                yield wanted


class _NoRecordError(BodyError):
    """Here begins no record; the message says what is wrong."""


def _read_record_head(file: MemberFile) -> Headers | None:
    """Return the headers of the next record, None at the end. Raises _NoRecordError."""
    while (line := file.readline(LINE_BYTES)) and not line.strip(b"\0 \t\r\n"):
        pass
    if not line:
        return None
    if line.startswith((GZIP_MEMBER, ZSTD)):
        raise MemberError("records that are not packed are followed by packed ones")
    if not line.startswith(RECORD):
        raise _NoRecordError("here begins no record")
    headers = _read_headers(lambda size: b"" if file.is_at_head else file.readline(size))
    if headers is None:
        raise _NoRecordError("it is cut off, or has too much, within the head of a record")
    if not _length.fullmatch(headers.get("content-length", "")):
        raise _NoRecordError("a record does not tell its length")
    return headers


def _read_headers(readline: Callable[[int], bytes]) -> Headers | None:
    """Return the headers up to a blank line; None if none comes within HEAD_BYTES."""
    values: dict[str, list[str]] = {}
    last: list[str] = []
    size = 0
    while (line := readline(LINE_BYTES)) and size <= HEAD_BYTES:
        size += len(line)
        text = line.decode("utf-8", "replace")
        name, colon, value = text.partition(":")
        if not text.strip():
            return {name: " ".join(parts) for name, parts in values.items()}
        if text[0] in " \t":
            last.append(text.strip())
        elif colon:
            last = [value.strip()]
            values.setdefault(name.strip().lower(), last)
    return None


class _Content:
    """The `remaining` bytes of a record; fewer where the archive is cut off."""

    def __init__(self, file: MemberFile, remaining: int, clock: ReadDeadline) -> None:
        self._file = file
        self.remaining = remaining
        self.clock = clock

    def readline(self, size: int) -> bytes:
        """Return the next line, or `size` bytes of it; b"" at the end."""
        if self._file.is_at_head:
            return b""
        line = self._file.readline(min(size, self.remaining))
        self.remaining -= len(line)
        return line

    def read(self, limit: int) -> bytes:
        """Return the rest. Raises BodyError if it has more than `limit` bytes, or is cut off."""
        if self.remaining > limit:
            raise create_size_error(limit)
        content = b"" if self._file.is_at_head else self._file.read(self.remaining)
        self.remaining -= len(content)
        if self.remaining:
            raise BodyError("the archive is cut off within this record")
        return content

    def skip_rest(self) -> bool:
        """Pass over the rest; False if it is cut off."""
        if self.remaining and not self._file.is_at_head:
            self.remaining -= self._file.skip(self.remaining)
        return not self.remaining


def _read_record(
    page: StoredPage, headers: Headers, content: _Content, limit: int
) -> StoredPage | None:
    """Return the page of a record, or None. Raises MemberError, OSError."""
    html, error = None, None
    if headers.get("warc-type", "").lower() in WANTED_TYPES:
        try:
            html = _read_html(headers, content, limit)
        except MemberError:
            raise
        except (LookupError, ValueError) as body_error:
            error = str(body_error)
    if not content.skip_rest():
        error = error or "the archive is cut off within this record"
    if error is not None:
        return replace(page, error=error)
    return None if html is None else replace(page, html=html)


def _read_html(headers: Headers, content: _Content, limit: int) -> str | bytes | None:
    """Return the HTML of a response or resource, or None.

    Raises BodyError, LookupError, ValueError, OSError.
    """
    record_type = headers.get("content-type", "")
    is_untyped = not record_type and headers["warc-type"].lower() == "response"
    if not (is_untyped or record_type.lower().startswith("application/http")):
        wanted = record_type and is_html(record_type)
        return decode_body(content.read(limit), record_type) if wanted else None
    status = _status_line.match(content.readline(LINE_BYTES))
    if status is None:
        raise BodyError("the record holds no HTTP answer")
    http_headers = _read_headers(content.readline)
    if http_headers is None:
        raise BodyError("the head of the HTTP answer is cut off or too large")
    content_type = http_headers.get("content-type")
    if not (200 <= int(status[1]) < 300 and is_html(content_type)):
        return None
    body = content.read(limit)
    if body.lstrip()[:1] != b"<":  # some crawlers decompress and leave the headers as they were
        if "chunked" in http_headers.get("transfer-encoding", "").lower():
            body = decode_chunks(body, content.clock.check)
        body = decompress_body(body, http_headers.get("content-encoding"), limit)
    return decode_body(body, content_type)
