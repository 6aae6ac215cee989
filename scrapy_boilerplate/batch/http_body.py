"""Bodies of stored HTTP responses: decompressed within a limit, decoded as declared."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Any

from scrapy_boilerplate.extras import MissingExtraError, import_optional
from scrapy_boilerplate.page import encoding

# Bytes of a page, compressed or not (our choice: the longest of the corpora has under 10 MB).
MAX_BYTES = 50_000_000
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
# The first four bytes of a frame of zstd that is to be passed over (RFC 8878, 3.1.2), before four
# of its length; the lowest four bits of the first are free.
SKIPPABLE = b"\x50\x2a\x4d\x18"
# Streams of a body, and codings of a `Content-Encoding` (our choice: browsers send and take one).
MAX_STREAMS = 10_000
MAX_CODINGS = 5
# Bytes that are decompressed at once. They give 8 MB at most, whatever size the stream declares (a
# block of zstd has 4 bytes at least, and 128 kB at most).
PACKED_BYTES = 256
# zlib's `wbits` of a gzip stream.
GZIP_BITS = 31
HTML_TYPES = ("text/html", "application/xhtml+xml")

_chunk_size = re.compile(rb"(?:\r?\n)?([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")


class BodyError(ValueError):
    """A body cannot be decoded; the message says why."""


def is_html(content_type: str | None) -> bool:
    """Return whether a ``Content-Type`` is one of HTML; a response without it counts as HTML."""
    mime_type = (content_type or "").partition(";")[0].strip().lower()
    return not mime_type or mime_type in HTML_TYPES


def decode_body(body: bytes, content_type: str | None) -> bytes | str:
    """Return text if the response declares its encoding; else bytes, which may declare it."""
    if encoding.declares_encoding(content_type):
        return encoding.decode_html(body, content_type)
    return body


def decompress_body(body: bytes, content_encoding: str | None, limit: int = MAX_BYTES) -> bytes:
    """Return the body without its ``Content-Encoding``; `limit` in bytes. Raises BodyError."""
    codings = (content_encoding or "").split(",", MAX_CODINGS)
    if len(codings) > MAX_CODINGS:
        raise BodyError(f"the page is packed more than {MAX_CODINGS} times")
    for coding in reversed(codings):
        body = _decompress(coding.strip().lower(), body, limit)
    if len(body) > limit:
        raise create_size_error(limit)
    return body


def gunzip(body: bytes, limit: int = MAX_BYTES) -> bytes:
    """Return a gzip stream decompressed, and any other body as it is. Raises BodyError."""
    if body[:2] != GZIP:
        return body
    return _inflate(GZIP_BITS, body, limit, GZIP)


def decode_chunks(body: bytes, check: Callable[[], None]) -> bytes:
    """Return a body without the framing of ``Transfer-Encoding: chunked``.

    One without such framing comes as it is, one that is cut off up to there. `check` is called for
    each chunk.
    """
    chunks: list[bytes] = []
    position = 0
    while size := _chunk_size.match(body, position):
        check()
        position = size.end() + int(size[1], 16)
        chunks.append(body[size.end() : position])
        if not chunks[-1]:
            break
    return b"".join(chunks) if chunks else body


def create_size_error(limit: int) -> BodyError:
    """Return the error of a page beyond `limit` bytes."""
    return BodyError(f"the page has more than {limit:,} bytes")


def _decompress(coding: str, body: bytes, limit: int) -> bytes:
    if coding in ("", "identity"):
        return body
    if coding in ("gzip", "x-gzip"):
        return gunzip(body, limit)
    if coding == "deflate":
        return _inflate(15 if body[:1] == b"\x78" else -15, body, limit) if body else body
    package = {"br": "brotli", "zstd": "zstandard"}.get(coding)
    if package is None:
        raise BodyError(f"the page is packed as {coding}, which cannot be read here")
    try:
        module = import_optional(package, "a stored page", "batch")
    except MissingExtraError as error:
        raise BodyError(f"the page is packed as {coding}: {error}") from error
    try:
        return _decompress_by_package(module, coding, body, limit)
    except BodyError:
        raise
    except Exception as error:
        raise BodyError(f"the page cannot be unpacked: {error}") from error


def _decompress_by_package(module: Any, coding: str, body: bytes, limit: int) -> bytes:
    if coding == "zstd":
        create = module.ZstdDecompressor().decompressobj
        return _read_streams(create, body, limit, ZSTD) if body else body
    decompressor = module.Decompressor()
    content: bytes = decompressor.process(body, output_buffer_limit=limit)
    if not decompressor.is_finished():
        raise BodyError(f"the page is cut off, or has more than {limit:,} bytes")
    return content


def _inflate(wbits: int, body: bytes, limit: int, magic: bytes | None = None) -> bytes:
    try:
        return _read_streams(lambda: zlib.decompressobj(wbits=wbits), body, limit, magic)
    except zlib.error as error:
        raise BodyError(f"the page cannot be unpacked: {error}") from error


def _read_streams(create: Callable[[], Any], body: bytes, limit: int, magic: bytes | None) -> bytes:
    """Decompress a stream, and those that follow and begin with `magic`.

    Frames of zstd that are to be passed over are no streams. Other data after them is ignored.
    Raises BodyError if a stream is cut off or too large, or there are too many.
    """
    content, position = bytearray(), 0
    for _ in range(MAX_STREAMS):
        if magic == ZSTD and is_skippable(body, position):
            length = int.from_bytes(body[position + 4 : position + 8], "little")
            position += 8 + length
        else:
            decompressor = create()
            while not decompressor.eof:
                chunk = body[position : position + PACKED_BYTES]
                if not chunk:
                    raise BodyError("the page is cut off")
                content += decompressor.decompress(chunk)
                position += len(chunk)
                if len(content) > limit:
                    raise create_size_error(limit)
            position -= len(decompressor.unused_data)
        if position > len(body):
            raise BodyError("the page is cut off")
        if magic is None or not (
            body.startswith(magic, position) or (magic == ZSTD and is_skippable(body, position))
        ):
            return bytes(content)
    raise BodyError(f"the page is packed in more than {MAX_STREAMS:,} pieces")


def is_skippable(body: bytes, position: int) -> bool:
    """Return whether a frame of zstd that is to be passed over begins at `position`."""
    return (
        body.startswith(SKIPPABLE[1:], position + 1)
        and body[position] & 0xF0 == SKIPPABLE[0] & 0xF0
    )
