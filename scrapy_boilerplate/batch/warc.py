"""WARC files (plain, gzip or zstd): warcio reads the records, this module resumes after errors.

A file is read in sections: each gzip member and each zstd frame is one, and so is a plain file.
"""

from __future__ import annotations

import io
import logging
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from warcio.archiveiterator import WARCIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from scrapy_boilerplate import MissingExtraError
from scrapy_boilerplate.batch.http_body import (
    BodyError,
    create_size_error,
    create_zstd_decompressor,
    decode_body,
    decompress_body,
    is_html,
)
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage, TimedFile

# Bytes that are read from a file and unpacked at once: 16 MB of gzip and 8 MB of zstd at most.
CHUNK_BYTES = 16_384
ZSTD_CHUNK_BYTES = 256
# Bytes of the buffer of a file.
BUFFER_BYTES = 65_536
# Maximum bytes of the headers of a record and of its HTTP response (servers refuse 64 kB).
HEAD_BYTES = 1_000_000
# Maximum characters of an error; warcio quotes lines of the file.
MESSAGE_LENGTH = 200
GZIP_BITS = 31
GZIP_MEMBER = b"\x1f\x8b\x08"
RECORD = b"WARC/"
WANTED_TYPES = ("response", "resource")

_match_zstd = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18").match
_find_start = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|WARC/[01]\.[0-9]+\r?\n").search
# Maximum bytes that `_find_start` matches.
START_BYTES = 16
_parse_http = StatusAndHeadersParser(("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/2", "HTTP/3")).parse
# warcio warns of each URL with a space.
logging.getLogger("warcio").setLevel(logging.ERROR)


class ArchiveError(ValueError):
    """Raised for a broken archive; the message describes the error."""


def read_warc(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the HTML of responses with status 200 to 299 and of resources.

    The id is the `WARC-Record-ID`. Each place where the archive is broken gives one page with an
    error; its id is ``<file>:<byte>`` if the record is unknown. Reading resumes at the next
    record that begins a gzip member, a zstd frame or a line of a plain file.
    """
    timed, place = TimedFile(path, options.seconds), StoredPage(id=path.name)
    start: int | None = 0
    with io.BufferedReader(timed, BUFFER_BYTES) as raw:
        try:
            while start is not None and (start := _skip_padding(raw, start)) is not None:
                section = _Section(raw, start, path.name, options.max_bytes)
                try:
                    for page in section.read_pages():
                        yield page
                        timed.restart()
                    start = section.end
                except OSError:
                    raise
                except Exception as error:  # noqa: BLE001 - each library has its own
                    yield _create_error(section.place, path.name, error)
                    timed.restart()
                    start = _find_record(raw, section.search_start)
                finally:
                    place = section.place
        except (OSError, MissingExtraError) as error:
            yield _create_error(place, path.name, error)


def _create_error(place: StoredPage, name: str, error: Exception) -> StoredPage:
    message = str(error)[:MESSAGE_LENGTH] or type(error).__name__
    return replace(place, error=f"{name} cannot be read further: {message}")


class _Section:
    """The pages of a section of `raw` that begins at `start`, and its unpacked bytes for warcio.

    place         the record that is read, or the place where one should begin
    search_start  where the search for another record begins if this one is broken
    """

    def __init__(
        self, raw: io.BufferedReader[TimedFile], start: int, name: str = "", limit: int = 0
    ) -> None:
        self._raw = raw
        self._start, self.search_start = start, start + 1
        self._name = name
        self._limit = limit
        self.place = StoredPage(id=f"{name}:{start}")
        # Bytes that may be read for the headers of a record; None for no limit.
        self._budget: int | None = HEAD_BYTES
        self._content = io.BytesIO()
        self._decompressor: Any = None
        self._step = CHUNK_BYTES
        raw.seek(start)
        head = raw.read(len(RECORD))
        if head.startswith(GZIP_MEMBER):
            self._decompressor = zlib.decompressobj(GZIP_BITS)
        elif _match_zstd(head):
            self._decompressor = create_zstd_decompressor().decompressobj()
            self._step = ZSTD_CHUNK_BYTES
        raw.seek(start)

    @property
    def end(self) -> int:
        """Position of the next section, known when this one has been read."""
        return self._raw.tell() - len(getattr(self._decompressor, "unused_data", b""))

    def tell(self) -> int:
        """Return the position in the file."""
        return self._raw.tell()

    def read(self, size: int) -> bytes:
        """Return the next bytes, `size` at most; b"" at the end. Raises ArchiveError."""
        content = self._raw.read(size) if self._decompressor is None else self._unpack(size)
        if self._budget is not None:
            self._budget -= len(content)
            if self._budget < 0:
                raise ArchiveError(f"a record has more than {HEAD_BYTES:,} bytes of headers")
        return content

    def _unpack(self, size: int) -> bytes:
        content = self._content.read(size)
        while not content and not self._decompressor.eof:
            packed = self._raw.read(self._step)
            if not packed:
                raise ArchiveError("the archive is cut off")
            self._content = io.BytesIO(self._decompressor.decompress(packed))
            content = self._content.read(size)
        return content

    def read_pages(self) -> Iterator[StoredPage]:
        """Yield the pages. Raises ArchiveError, OSError and the errors of the libraries."""
        records = WARCIterator(self, no_record_parse=True)
        records.INC_RECORD = ""  # warcio prints it
        has_record = is_packed = self._decompressor is not None
        for record in records:
            has_record = True
            self._raw.raw.restart()
            self.search_start = self._start + 1
            get_header = record.rec_headers.get_header
            self.place = StoredPage(
                id=get_header("WARC-Record-ID") or self.place.id,
                url=get_header("WARC-Target-URI") or None,
            )
            if record.length is None:
                raise ArchiveError("a record has no length")
            page = self._read_record(record)
            self._skip(record.raw_stream)
            records.read_to_end()
            if records.err_count:
                raise ArchiveError("no blank line follows the record")
            if page is not None:
                yield page
            if not is_packed:
                self._start = self.search_start = records.offset
            self.place = StoredPage(id=f"{self._name}:{self._start}")
        if not has_record:
            raise ArchiveError("no record begins here")

    def _read_record(self, record: Any) -> StoredPage | None:
        """Return the page of a record, or None. Raises ArchiveError, OSError."""
        if (record.rec_type or "").lower() not in WANTED_TYPES:
            return None
        try:
            html = self._read_html(record)
        except (BodyError, LookupError) as error:
            return replace(self.place, error=str(error))
        return None if html is None else replace(self.place, html=html)

    def _read_html(self, record: Any) -> bytes | str | None:
        """Return the HTML of a response or resource, or None. Raises BodyError, OSError."""
        content, record_type = record.raw_stream, record.content_type or ""
        is_untyped = not record_type and record.rec_type.lower() == "response"
        if not (is_untyped or record_type.lower().startswith("application/http")):
            if not record_type or not is_html(record_type):
                return None
            return decode_body(self._read_body(content), record_type)
        try:
            head = _parse_http(content)
        except (EOFError, StatusAndHeadersParserException) as error:
            raise BodyError("the record has no HTTP response") from error
        content_type = head.get_header("Content-Type")
        if not (head.get_statuscode().startswith("2") and is_html(content_type)):
            return None
        body = self._read_body(content)
        # Some crawlers unpack the body and keep the headers.
        if body.lstrip()[:1] != b"<":
            if "chunked" in head.get_header("Transfer-Encoding", "").lower():
                body = ChunkedDataReader(io.BytesIO(body)).read()
            body = decompress_body(body, head.get_header("Content-Encoding"), self._limit)
        return decode_body(body, content_type)

    def _read_body(self, content: Any) -> bytes:
        """Return the rest of a record. Raises BodyError beyond the limit."""
        if content.limit > self._limit:
            raise create_size_error(self._limit)
        self._budget = None
        body: bytes = content.read()
        return body

    def _skip(self, content: Any) -> None:
        """Read the rest of a record. Raises ArchiveError if it is cut off."""
        self._budget = None
        while content.read(CHUNK_BYTES):
            self._raw.raw.check()
        if content.limit:
            raise ArchiveError("the archive is cut off within this record")
        self._budget = HEAD_BYTES


def _skip_padding(raw: io.BufferedReader[TimedFile], start: int) -> int | None:
    """Return where zeros from `start` on end, or None at the end of the file."""
    raw.seek(start)
    while chunk := raw.read(CHUNK_BYTES):
        if rest := chunk.lstrip(b"\0"):
            return raw.tell() - len(rest)
    return None


def _find_record(raw: io.BufferedReader[TimedFile], start: int) -> int | None:
    """Return the position of the next record from `start` on, or None. Raises OSError."""
    while True:
        raw.seek(start)
        chunk = raw.read(BUFFER_BYTES)
        record_start = _find_start(chunk)
        if record_start is not None:
            start += record_start.start()
            if _begins_with_record(raw, start):
                return start
            start += 1
        elif len(chunk) < BUFFER_BYTES:
            return None
        else:
            start += len(chunk) - START_BYTES


def _begins_with_record(raw: io.BufferedReader[TimedFile], start: int) -> bool:
    try:
        return _Section(raw, start).read(len(RECORD)) == RECORD
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - each library has its own
        return False
