"""WARC files (plain or gzip), read by fastwarc: the HTML responses in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from scrapy_boilerplate.batch.http_body import (
    GZIP,
    GZIP_BITS,
    BodyError,
    create_size_error,
    decode_body,
    decompress_body,
    is_html,
)
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.extras import import_optional

# Bytes of an archive that are decompressed at once. They give 17 MB at most.
CHUNK_BYTES = 16_384


def read_warc(path: Path, limit: int) -> Iterator[StoredPage]:
    """Yield the responses with status 200 to 299 (and resources) that are HTML.

    The id is that of the record. After an archive that is cut off or broken comes a page with an
    error.
    Raises MissingExtraError.
    """
    warc = import_optional("fastwarc.warc", "reading WARC files", "batch")
    types = warc.WarcRecordType
    position = start = length = 0
    has_error = False
    with path.open("rb") as raw:
        try:
            for record in warc.ArchiveIterator(raw, record_types=types.any_type, parse_http=False):
                start = record.stream_pos
                if "Content-Length" not in record.headers:  # which is mandatory
                    raise BodyError("it is cut off or broken within the head of a record")
                length = record.content_length
                wanted = record.record_type in (types.response, types.resource)
                page = _read_page(record, limit) if wanted else None
                has_error = page is not None and page.error is not None
                if page is not None:
                    size, position = raw.tell() - position, raw.tell()
                    yield replace(page, size=size)
            if not has_error and _is_cut_off(raw, start, length):
                raise BodyError("it is cut off")
        except (OSError, ValueError) as error:
            page_id = f"{path.name}:{raw.tell()}"
            yield StoredPage(id=page_id, error=f"{path.name} cannot be read on: {error}")


def _is_cut_off(raw: BinaryIO, start: int, length: int) -> bool:
    """Return whether the last record is incomplete, which fastwarc does not report.

    The last record that fastwarc has read starts at `start`, and has `length` bytes after its head.
    In a gzip file the incomplete one may also be a member after it.
    """
    raw.seek(start)
    chunk = raw.read(CHUNK_BYTES)
    if chunk.startswith(GZIP):
        return _is_gzip_cut_off(raw, chunk)
    head, end, _ = chunk.partition(b"\r\n\r\n")
    return bool(end) and start + len(head + end) + length > raw.seek(0, SEEK_END)


def _is_gzip_cut_off(raw: BinaryIO, chunk: bytes) -> bool:
    member = None
    while chunk:
        if member is None:
            if not chunk.startswith(GZIP[:1]):  # padding
                return False
            member = zlib.decompressobj(wbits=GZIP_BITS)
        try:
            member.decompress(chunk)
        except zlib.error:
            return True
        chunk = member.unused_data or raw.read(CHUNK_BYTES)
        if member.eof:
            member = None
    return member is not None


def _read_page(record: Any, limit: int) -> StoredPage | None:
    """Return the page of a record, or None."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    page = StoredPage(id=record.record_id, url=url)
    try:
        if not record.is_http:
            content_type = record.headers.get("Content-Type")
            if not content_type or not is_html(content_type):
                return None
            return replace(page, html=decode_body(_read_content(record, limit), content_type))
        record.parse_http()
        headers = record.http_headers
        content_type, status = headers.get("Content-Type"), headers.status_code
        if status is None:
            return replace(page, error="the record holds no HTTP answer")
        if not (200 <= status < 300 and is_html(content_type)):
            return None
        body = _read_content(record, limit)
        if body.lstrip()[:1] != b"<":  # some crawlers decompress and leave the headers as they were
            if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
                streams = import_optional("fastwarc.stream_io", "reading WARC files", "batch")
                body = streams.ChunkedReader(BytesIO(body)).read(len(body))
            body = decompress_body(body, headers.get("Content-Encoding"), limit)
        return replace(page, html=decode_body(body, content_type))
    except (BodyError, OSError, LookupError, ValueError) as error:
        return replace(page, error=str(error))


def _read_content(record: Any, limit: int) -> bytes:
    """Return the content of a record. Raises BodyError if it is too large or cut off."""
    if record.content_length > limit:
        raise create_size_error(limit)
    content: bytes = record.reader.read(record.content_length)
    if len(content) < record.content_length:
        raise BodyError("the archive is cut off within this record")
    return content
