"""Bodies of stored HTTP responses: decompressed within a limit, decoded as declared."""

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from scrapy_boilerplate import MissingExtraError, import_optional
from scrapy_boilerplate.batch.file_kinds import is_text

# Bytes of a page, compressed or not (the longest page of the corpora has less than 10 MB).
MAX_BYTES = 50_000_000
# Maximum codings of a body (as urllib3).
MAX_CODINGS = 5
# Bytes that are unpacked at once.
PIECE_BYTES = 1_000_000
# Maximum bytes that a zstd frame may refer back to (as `zstd --long`).
ZSTD_WINDOW = 1 << 27
GZIP = b"\x1f\x8b"


class BodyError(ValueError):
    """A body cannot be decoded; the message says why."""


def decode_body(body: bytes, content_type: str | None) -> bytes | str:
    """Return the decoded body if the response declares its encoding, else the bytes."""
    # lxml, which it imports, is not needed for JSON lines
    from scrapy_boilerplate.page.decoding import declares_encoding, decode_html  # noqa: PLC0415

    if declares_encoding(content_type):
        return decode_html(body, content_type)
    return body


class _CutOffError(EOFError):
    """A body ends within a coding; its argument is the content up to there."""


def decompress_body(
    body: bytes, content_encoding: str | None, limit: int = MAX_BYTES, *, is_cut: bool = False
) -> bytes:
    """Return the body without its ``Content-Encoding``; `limit` in bytes. Raises BodyError.

    A body that ends within its coding is an error, unless the archive says that it `is_cut`.
    Some crawlers unpack a body and keep its header: text is returned as it is.
    """
    codings = (content_encoding or "").split(",")
    if len(codings) > MAX_CODINGS:
        raise BodyError(f"the page has more than {MAX_CODINGS} codings")
    for coding in reversed(codings):
        try:
            body = _decompress(coding.strip().lower(), body, limit)
        except Exception as error:  # each library has its own
            if is_cut and isinstance(error, _CutOffError):
                body = error.args[0]
            elif not is_text(body):
                raise _describe(error, coding.strip()) from error
        if len(body) > limit:
            raise create_size_error(limit)
    return body


def _describe(error: Exception, coding: str) -> BodyError:
    if isinstance(error, BodyError):
        return error
    if isinstance(error, EOFError):
        return BodyError("the page is cut off")
    if isinstance(error, MissingExtraError):
        return BodyError(f"Content-Encoding {coding!r}: {error}")
    return BodyError(f"the page cannot be unpacked: {error}")


def create_size_error(limit: int) -> BodyError:
    """Create the error of a page beyond `limit` bytes."""
    return BodyError(f"the page has more than {limit:,} bytes")


def read_file(file: Path, limit: int) -> bytes:
    """Return the bytes of a file. Raises BodyError for more than `limit`, and OSError."""
    if file.stat().st_size > limit:
        raise create_size_error(limit)
    return file.read_bytes()


def create_zstd_decompressor(dictionary: Any = None) -> Any:
    """Return a `zstandard.ZstdDecompressor`. Raises MissingExtraError."""
    zstandard = import_optional("zstandard", "zstd", "batch")
    return zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=ZSTD_WINDOW)


def _decompress(coding: str, body: bytes, limit: int) -> bytes:
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
        raise _CutOffError(content)
    return content


def _read(read: Callable[[int], bytes], limit: int) -> bytes:
    content = bytearray()
    try:
        while len(content) <= limit and (chunk := read(PIECE_BYTES)):
            content += chunk
    except gzip.BadGzipFile:
        # Browsers ignore data after a gzip stream, and its checksum.
        if not content:
            raise
    except EOFError as error:
        raise _CutOffError(bytes(content)) from error
    return bytes(content)
