"""WARC files (plain or gzip), read by fastwarc: the HTML answers in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from scrapy_boilerplate.batch.http_body import (
    GZIP,
    GZIP_BITS,
    BodyError,
    decoded,
    is_html,
    too_large,
    unpacked,
)
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.extras import optional

PIECE = 16_384
"""Bytes of an archive that are unpacked at once: at most 17 MB."""


def read_warc(path: Path, limit: int) -> Iterator[StoredPage]:
    """The responses with status 200 to 299 (and resources) that are HTML; the id is the record's.

    An archive that is cut off or broken gives a last page with an error. Raises MissingExtraError.
    """
    warc = optional("fastwarc.warc", "reading WARC files", "batch")
    types = warc.WarcRecordType
    before = start = length = 0
    told = False
    with path.open("rb") as raw:
        try:
            for record in warc.ArchiveIterator(raw, record_types=types.any_type, parse_http=False):
                start = record.stream_pos
                if "Content-Length" not in record.headers:  # which every record has
                    raise BodyError("it is cut off or broken within the head of a record")
                length = record.content_length
                wanted = record.record_type in (types.response, types.resource)
                page = _page(record, limit) if wanted else None
                told = page is not None and "error" in page
                if page is not None:
                    here = raw.tell()
                    yield StoredPage(**{**page, "size": here - before})
                    before = here
            if not told and _is_cut(raw, start, length):
                raise BodyError("it is cut off")
        except (OSError, ValueError) as error:
            name = f"{path.name}:{raw.tell()}"
            yield StoredPage(id=name, error=f"{path.name} cannot be read on: {error}")


def _is_cut(raw: BinaryIO, start: int, length: int) -> bool:
    """Whether the last record that could be read, with `length` bytes behind its head, is not all
    there; or of a gzip file the member at `start`, or one behind it: fastwarc passes over both."""
    raw.seek(start)
    piece = raw.read(PIECE)
    if piece.startswith(GZIP):
        return _is_torn(raw, piece)
    head, end, _ = piece.partition(b"\r\n\r\n")
    return bool(end) and start + len(head + end) + length > raw.seek(0, SEEK_END)


def _is_torn(raw: BinaryIO, piece: bytes) -> bool:
    member = None
    while piece:
        if member is None:
            if not piece.startswith(GZIP[:1]):  # padding
                return False
            member = zlib.decompressobj(wbits=GZIP_BITS)
        try:
            member.decompress(piece)
        except zlib.error:
            return True
        piece = member.unused_data or raw.read(PIECE)
        if member.eof:
            member = None
    return member is not None


def _page(record: Any, limit: int) -> dict[str, Any] | None:
    """The fields of a page; None for a record that holds none."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    known = {"id": record.record_id, "url": url}
    try:
        if not record.is_http:
            kind = record.headers.get("Content-Type")
            if not kind or not is_html(kind):
                return None
            return {**known, "html": decoded(_whole(record, limit), kind)}
        record.parse_http()
        headers = record.http_headers
        kind, status = headers.get("Content-Type"), headers.status_code
        if status is None:
            return {**known, "error": "the record holds no HTTP answer"}
        if not (200 <= status < 300 and is_html(kind)):
            return None
        body = _body(_whole(record, limit), headers, limit)
        return {**known, "html": decoded(body, kind)}
    except (BodyError, OSError, LookupError, ValueError) as error:
        return {**known, "error": str(error)}


def _whole(record: Any, limit: int) -> bytes:
    """What is left of a record. Raises BodyError if it is too large or cut off."""
    if record.content_length > limit:
        raise too_large(limit)
    content: bytes = record.reader.read(record.content_length)
    if len(content) < record.content_length:
        raise BodyError("the archive is cut off within this record")
    return content


def _body(body: bytes, headers: Any, limit: int) -> bytes:
    """The page in the body of an answer."""
    if body.lstrip()[:1] == b"<":  # crawlers that unpack and leave the headers as they were
        return body
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        streams = optional("fastwarc.stream_io", "reading WARC files", "batch")
        body = streams.ChunkedReader(BytesIO(body)).read(len(body))
    return unpacked(body, headers.get("Content-Encoding"), limit)
