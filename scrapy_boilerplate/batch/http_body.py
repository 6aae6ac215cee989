"""Bodies of stored HTTP answers: unpacked within a limit, decoded as the answer declares."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from scrapy_boilerplate.extras import is_installed, optional
from scrapy_boilerplate.page import encoding

MAX_BYTES = 50_000_000
"""Of a page, packed or not (our choice: the longest of the corpora has under 10 MB)."""
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
PIECE = 256
"""Bytes that are unpacked at once: at most 8 MB, whatever they say of their size (a block of zstd
has 4 bytes at least, and 128 kB at most)."""
GZIP_BITS = 31
"""zlib's `wbits` of a gzip stream."""
HTML_TYPES = ("text/html", "application/xhtml+xml")


class BodyError(ValueError):
    """A body that cannot be had; the message says why."""


def is_html(content_type: str | None) -> bool:
    """Whether an answer with this header is a page; one without a header is taken for one."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    return not kind or kind in HTML_TYPES


def decoded(body: bytes, content_type: str | None) -> bytes | str:
    """Text where the answer declares its encoding; else bytes, which declare their own."""
    return encoding.decoded(body, content_type) if encoding.is_declared(content_type) else body


def unpacked(body: bytes, encoding: str | None, limit: int = MAX_BYTES) -> bytes:
    """The body without its ``Content-Encoding``; `limit` in bytes. Raises BodyError."""
    for coding in reversed([one.strip().lower() for one in (encoding or "").split(",")]):
        body = _without(coding, body, limit)
    if len(body) > limit:
        raise too_large(limit)
    return body


def gunzipped(body: bytes, limit: int = MAX_BYTES) -> bytes:
    """A gzip stream unpacked; what is none stays. Raises BodyError."""
    if body[:2] != GZIP:
        return body
    return _inflated(GZIP_BITS, body, limit, GZIP)


def too_large(limit: int) -> BodyError:
    """The error of a page beyond `limit` bytes."""
    return BodyError(f"the page has more than {limit:,} bytes")


def _without(coding: str, body: bytes, limit: int) -> bytes:
    if coding in ("", "identity"):
        return body
    if coding in ("gzip", "x-gzip"):
        return gunzipped(body, limit)
    if coding == "deflate":
        return _inflated(15 if body[:1] == b"\x78" else -15, body, limit) if body else body
    package = {"br": "brotli", "zstd": "zstandard"}.get(coding)
    if package is None:
        raise BodyError(f"the page is packed as {coding}, which cannot be read here")
    if not is_installed(package):
        raise BodyError(f"the page is packed as {coding}: pip install {package}")
    module = optional(package, "a stored page", "batch")
    try:
        return _by_package(module, coding, body, limit)
    except BodyError:
        raise
    except Exception as error:
        raise BodyError(f"the page cannot be unpacked: {error}") from error


def _by_package(module: Any, coding: str, body: bytes, limit: int) -> bytes:
    if coding == "zstd":
        unpackers = module.ZstdDecompressor().decompressobj
        return _limited(unpackers, body, limit, ZSTD) if body else body
    unpacker = module.Decompressor()
    plain: bytes = unpacker.process(body, output_buffer_limit=limit)
    if not unpacker.is_finished():
        raise BodyError(f"the page is cut off, or has more than {limit:,} bytes")
    return plain


def _inflated(wbits: int, body: bytes, limit: int, magic: bytes | None = None) -> bytes:
    try:
        return _limited(lambda: zlib.decompressobj(wbits=wbits), body, limit, magic)
    except zlib.error as error:
        raise BodyError(f"the page cannot be unpacked: {error}") from error


def _limited(new: Callable[[], Any], body: bytes, limit: int, magic: bytes | None) -> bytes:
    """A stream unpacked, and those that follow and begin with `magic`; what else follows is none
    of the page. Raises BodyError if it is cut off or too large."""
    plain, at = bytearray(), 0
    while True:
        unpacker = new()
        while not unpacker.eof:
            piece = body[at : at + PIECE]
            if not piece:
                raise BodyError("the page is cut off")
            plain += unpacker.decompress(piece)
            at += len(piece)
            if len(plain) > limit:
                raise too_large(limit)
        at -= len(unpacker.unused_data)
        if magic is None or not body.startswith(magic, at):
            return bytes(plain)
