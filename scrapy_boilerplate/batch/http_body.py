"""Bodies of stored HTTP responses: decompressed within a limit, decoded as declared."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

from scrapy_boilerplate import MissingExtraError, import_optional
from scrapy_boilerplate.page.decoding import declares_encoding, decode_html

# Bytes of a page, compressed or not (the longest page of the corpora has less than 10 MB).
MAX_BYTES = 50_000_000
# Maximum codings of a body (as urllib3).
MAX_CODINGS = 5
# Bytes that are unpacked at once.
PIECE_BYTES = 1_000_000
# Maximum bytes that a zstd frame may refer back to (as `zstd --long`).
ZSTD_WINDOW = 1 << 27
GZIP = b"\x1f\x8b"
HTML_TYPES = ("text/html", "application/xhtml+xml")


class BodyError(ValueError):
    """A body cannot be decoded; the message says why."""


def is_html(content_type: str | None) -> bool:
    """Return whether a ``Content-Type`` is HTML; a missing header counts as HTML."""
    mime_type = (content_type or "").partition(";")[0].strip().lower()
    return not mime_type or mime_type in HTML_TYPES


def decode_body(body: bytes, content_type: str | None) -> bytes | str:
    """Return the decoded body if the response declares its encoding, else the bytes."""
    if declares_encoding(content_type):
        return decode_html(body, content_type)
    return body


def decompress_body(body: bytes, content_encoding: str | None, limit: int = MAX_BYTES) -> bytes:
    """Return the body without its ``Content-Encoding``; `limit` in bytes. Raises BodyError."""
    codings = (content_encoding or "").split(",")
    if len(codings) > MAX_CODINGS:
        raise BodyError(f"the page has more than {MAX_CODINGS} codings")
    for coding in reversed(codings):
        try:
            body = _decompress(coding.strip().lower(), body, limit)
        except BodyError:
            raise
        except EOFError as error:
            raise BodyError("the page is cut off") from error
        except MissingExtraError as error:
            raise BodyError(f"Content-Encoding {coding.strip()!r}: {error}") from error
        except Exception as error:  # each library has its own
            raise BodyError(f"the page cannot be unpacked: {error}") from error
        if len(body) > limit:
            raise create_size_error(limit)
    return body


def create_size_error(limit: int) -> BodyError:
    """Return the error of a page beyond `limit` bytes."""
    return BodyError(f"the page has more than {limit:,} bytes")


def create_zstd_decompressor() -> Any:
    """Return a `zstandard.ZstdDecompressor`. Raises MissingExtraError."""
    zstandard = import_optional("zstandard", "zstd", "batch")
    return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)


def _decompress(coding: str, body: bytes, limit: int) -> bytes:
    """Decode one coding of a body. Stop when more than `limit` bytes are decoded."""
    if coding in ("", "identity") or not body:
        return body
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(GZIP):
            return body
        return _read(gzip.GzipFile(fileobj=BytesIO(body)).read1, limit)
    if coding == "zstd":
        stream = create_zstd_decompressor().stream_reader(body, read_across_frames=True)
        return _read(stream.read, limit)
    if coding == "deflate":
        decompressor = zlib.decompressobj(15 if body.startswith(b"\x78") else -15)
        content, is_whole = decompressor.decompress(body, limit + 1), decompressor.eof
    elif coding == "br":
        brotli = import_optional("brotli", "a stored page", "batch").Decompressor()
        content = bytes(brotli.process(body, output_buffer_limit=limit + 1))
        is_whole = brotli.is_finished()
    else:
        raise BodyError(f"unknown Content-Encoding {coding!r}")
    if not is_whole and len(content) <= limit:
        raise EOFError
    return content


def _read(read: Callable[[int], bytes], limit: int) -> bytes:
    """Return the bytes of a stream. Stop when more than `limit` bytes are read."""
    content = bytearray()
    try:
        while len(content) <= limit and (chunk := read(PIECE_BYTES)):
            content += chunk
    except gzip.BadGzipFile:
        # Browsers ignore data after a gzip stream, and its checksum.
        if not content:
            raise
    return bytes(content)
