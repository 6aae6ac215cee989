"""Bodies of stored HTTP answers: unpacked within a limit, decoded as the answer declares."""

from __future__ import annotations

import zlib
from typing import Any

from scrapy_boilerplate import encoding
from scrapy_boilerplate.extras import is_installed, optional

MAX_BYTES = 50_000_000
"""Of a page, packed or not (our choice: the longest of the corpora has under 10 MB)."""
GZIP = b"\x1f\x8b"
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
    return _limited(zlib.decompressobj(wbits=GZIP_BITS), body, limit)


def too_large(limit: int) -> BodyError:
    """The error of a page beyond `limit` bytes."""
    return BodyError(f"the page has more than {limit:,} bytes")


def _without(coding: str, body: bytes, limit: int) -> bytes:
    if coding in ("", "identity"):
        return body
    if coding in ("gzip", "x-gzip"):
        return gunzipped(body, limit)
    if coding == "deflate":
        return _limited(zlib.decompressobj(wbits=15 if body[:1] == b"\x78" else -15), body, limit)
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
        plain: bytes = module.ZstdDecompressor().decompress(body, max_output_size=limit)
        return plain
    unpacker = module.Decompressor()
    plain = unpacker.process(body, output_buffer_limit=limit)
    if not unpacker.is_finished():
        raise BodyError(f"the page is cut off, or has more than {limit:,} bytes")
    return plain


def _limited(unpacker: Any, body: bytes, limit: int) -> bytes:
    try:
        plain: bytes = unpacker.decompress(body, limit)
    except zlib.error as error:
        raise BodyError(f"the page cannot be unpacked: {error}") from error
    if unpacker.unconsumed_tail:
        raise too_large(limit)
    return plain
