"""WARC and ARC (plain, gzip or zstd): warcio parses the records, this module resumes after errors.

A file is read in sections: a gzip member or a zstd frame, with those that continue its last record,
or a plain file.
"""

from __future__ import annotations

import heapq
import io
import logging
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warcio.bufferedreaders import ChunkedDataReader
from warcio.limitreader import LimitReader
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from scrapy_boilerplate import MissingExtraError, import_optional, is_installed
from scrapy_boilerplate.article.reservations import select_headers
from scrapy_boilerplate.batch.file_kinds import begins_with_html, has_no_kind, is_html, is_markup
from scrapy_boilerplate.batch.http_body import (
    BodyError,
    create_size_error,
    create_zstd_decompressor,
    decode_body,
    decompress_body,
)
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage, TimedFile
from scrapy_boilerplate.page.limits import TRUNCATED

if TYPE_CHECKING:
    from typing_extensions import Buffer
    from warcio.statusandheaders import StatusAndHeaders

# Bytes that are read from a file and unpacked at once: 16 MB of gzip and 8 MB of zstd at most. A
# gzip member begins with fewer, so that a broken one does not cover the records after it.
CHUNK_BYTES = 16_384
FIRST_BYTES = 1_024
ZSTD_CHUNK_BYTES = 256
# Bytes of the buffer of a file.
BUFFER_BYTES = 65_536
# Maximum bytes of the headers of a record, and of its HTTP response (servers refuse 64 kB).
HEAD_BYTES = 1_000_000
# Packed bytes within which a record must begin to be found after an error.
PROBE_BYTES = 1_024
# Broken members that may overlap; what more of them cover is skipped, so that time stays linear.
MAX_OVERLAP = 256
# Maximum characters of an error; warcio quotes lines of the file.
MESSAGE_LENGTH = 200
CUT_OFF = "the archive is cut off within this record"
GZIP_BITS = 31
GZIP_MEMBER = b"\x1f\x8b\x08"
ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
# The frame of a dictionary, which is the first of its file; maximum bytes of the dictionary.
DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"
DICTIONARY_BYTES = 20_000_000
# Bytes of the magic number and the size of a skippable zstd frame.
SKIPPABLE_HEAD = 8
RECORD = b"WARC/"
FIRST_OF_ARC = b"filedesc://"
WANTED_TYPES = ("response", "resource")

_match_skippable = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18").match
# URL, IP address, time, type and length: a record of ARC version 1
_match_arc = re.compile(rb"[a-z][a-z0-9+.-]*:\S.* \S+ [0-9]{8,17} \S+ [0-9]+\r?\n").fullmatch
_find_starts = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|WARC/[01]\.[0-9]+\r?\n").finditer
_find_end_of_head = re.compile(rb"\n[ \t]*\r?\n|(WARC/[01]\.[0-9]+\r?\n)").search
_find_other_record = re.compile(rb"\nWARC/[01]\.[0-9]+\r?\n").search
_parse_record = ArcWarcRecordLoader().parse_record_stream
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
    ends = [0] * MAX_OVERLAP  # of the broken members that reach furthest
    start: int | None = 0
    n_texts = 0
    with io.BufferedReader(timed, BUFFER_BYTES) as raw:
        try:
            dictionary = _read_dictionary(raw)
            while start is not None and (start := _skip_padding(raw, start)) is not None:
                section = _Section(raw, start, path.name, options.max_bytes, dictionary)
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
                    heapq.heappushpop(ends, raw.tell() if section.is_packed else 0)
                    start = _find_record(raw, max(section.start + 1, ends[0]), dictionary)
                finally:
                    place = section.place
                    n_texts += section.n_texts
            if n_texts:
                message = f"skipped {n_texts:,} records of the type conversion, which have no HTML"
                yield StoredPage(id=path.name, error=message)
        except (OSError, BodyError, MissingExtraError) as error:
            yield _create_error(place, path.name, error)


def _create_error(place: StoredPage, name: str, error: Exception) -> StoredPage:
    message = str(error)[:MESSAGE_LENGTH] or type(error).__name__
    return replace(place, error=f"{name} cannot be read further: {message}")


class _Unpacked(io.RawIOBase):
    """The content of the gzip member or zstd frame at `start`, and of further ones if `continues`.

    continues  whether a record is being read, which the next member may continue
    """

    continues = False

    def __init__(self, raw: io.BufferedReader[TimedFile], start: int, dictionary: Any) -> None:
        self._raw = raw
        self._dictionary = dictionary
        self._content = io.BytesIO()
        self._open(start)

    def _open(self, start: int) -> None:
        self._raw.seek(start)
        self._decompressor: Any
        if self._raw.peek(len(GZIP_MEMBER)).startswith(GZIP_MEMBER):
            self._decompressor, self._step = zlib.decompressobj(GZIP_BITS), FIRST_BYTES
        else:
            zstd = create_zstd_decompressor(self._dictionary)
            self._decompressor, self._step = zstd.decompressobj(), ZSTD_CHUNK_BYTES
        self.start, self.end = start, start
        self._is_unread = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        while not (size := self._content.readinto(view)) and self._has_more():
            packed = self._raw.read(self._step)
            if not packed:
                raise ArchiveError("the archive is cut off")
            content = self._decompressor.decompress(packed)
            if self._step > ZSTD_CHUNK_BYTES:
                self._step = CHUNK_BYTES
            if content and self._is_unread:
                self._is_unread = False
                if self.continues and content.startswith(RECORD):
                    raise ArchiveError(CUT_OFF)
            if self._decompressor.eof:
                self.end = self._raw.tell() - len(self._decompressor.unused_data)
            self._content = io.BytesIO(content)
        return size

    def _has_more(self) -> bool:
        if not self._decompressor.eof:
            return True
        following = _skip_padding(self._raw, self.end) if self.continues else None
        if following is None or not _is_packed(self._raw, following):
            return False
        self._open(following)
        return True


class _Section:
    """The pages of the section of `raw` that begins at `start`.

    is_packed  whether it is a gzip member or a zstd frame
    place      the record that is read, or the place where one should begin
    start      where the current record begins, or its member
    n_texts    number of records without HTML, only its text
    """

    n_texts = 0

    def __init__(
        self, raw: io.BufferedReader[TimedFile], start: int, name: str, limit: int, dictionary: Any
    ) -> None:
        self._raw = raw
        self._name = name
        self._limit = limit
        raw.seek(start)
        self.is_packed = _is_packed(raw, start)
        self._packed = packed = _Unpacked(raw, start, dictionary) if self.is_packed else None
        self._content: Any = raw if packed is None else io.BufferedReader(packed, CHUNK_BYTES)
        self.start = start
        self.place = StoredPage(id=f"{name}:{start}")

    @property
    def end(self) -> int:
        """Position of the next section, known when this one has been read."""
        return self.start if self._packed is None else self._packed.end

    def read_pages(self) -> Iterator[StoredPage]:
        """Yield the pages. Raises ArchiveError, OSError and the errors of the libraries."""
        line = self._read_line()
        has_record = _begins_record(line)
        while _begins_record(line):
            self._raw.raw.restart()
            page = self._read_page(self._read_record_head(line))
            # at the end of a member, its checksum is compared
            line = self._read_line()
            if page is not None:
                yield page
        # what follows a plain record may be packed
        if not has_record if self._packed is None else line:
            raise ArchiveError("no record begins here")

    def _read_line(self) -> bytes:
        if self._packed is not None:
            self._packed.continues = False
        while (line := self._content.readline(HEAD_BYTES)) and not line.strip():
            pass
        if self._packed is None:
            self.start = self._raw.tell() - len(line)
        else:
            self.start = self._packed.start
            self._packed.continues = bool(line)
            if line and not line.endswith(b"\n"):
                line += self._content.readline(HEAD_BYTES)
        self.place = StoredPage(id=f"{self._name}:{self.start}")
        return bytes(line)

    def _read_record_head(self, line: bytes) -> bytes:
        # ARC has one line of headers, three in the first record
        if line.startswith(RECORD):
            return _read_head(self._content, line)
        n_more = 2 * line.startswith(FIRST_OF_ARC)
        return line + b"".join(self._content.readline(HEAD_BYTES) for _ in range(n_more))

    def _read_page(self, head: bytes) -> StoredPage | None:
        is_warc = head.startswith(RECORD)
        record = _parse_record(
            io.BytesIO(head), known_format="warc" if is_warc else "arc", no_record_parse=True
        )
        get_header = record.rec_headers.get_header
        self.place = StoredPage(
            # warcio makes an id for a record of ARC
            id=get_header("WARC-Record-ID" if is_warc else "") or self.place.id,
            url=get_header("WARC-Target-URI") or None,
            partial=TRUNCATED if get_header("WARC-Truncated") else None,
        )
        if _find_other_record(head):
            raise ArchiveError("the headers of the record are cut off")
        if record.length is None:
            raise ArchiveError("a record has no length")
        if self._packed is None:
            self._check_length(record.length)
        record.raw_stream = LimitReader(self._content, record.length)
        page = self._decode_page(record)
        while record.raw_stream.read(CHUNK_BYTES):
            self._raw.raw.check()
        if record.raw_stream.limit:
            raise ArchiveError(CUT_OFF)
        if self._packed is not None:
            self._packed.continues = False
        if self._content.readline(HEAD_BYTES).strip():
            raise ArchiveError("no blank line follows the record")
        return page

    def _check_length(self, length: int) -> None:
        start = self._raw.tell()
        if start + length > _find_size(self._raw):
            raise ArchiveError(CUT_OFF)
        self._raw.seek(start + length)
        if self._raw.readline(HEAD_BYTES).strip():
            raise ArchiveError("no blank line follows the record")
        self._raw.seek(start)

    def _decode_page(self, record: Any) -> StoredPage | None:
        record_type = (record.rec_type or "").lower()
        self.n_texts += record_type == "conversion"
        if record_type not in WANTED_TYPES or (self.place.url or "").startswith("dns:"):
            return None
        try:
            html = self._read_html(record)
        except (BodyError, LookupError) as error:
            return replace(self.place, error=str(error))
        return None if html is None else replace(self.place, html=html)

    def _read_html(self, record: Any) -> bytes | str | None:
        content, record_type = record.raw_stream, record.content_type or ""
        is_untyped = not record_type and record.rec_type.lower() == "response"
        head, content_type, is_page = None, record_type, bool(record_type)
        if is_untyped or record_type.lower().startswith("application/http"):
            try:
                head = _parse_http(io.BytesIO(_read_head(content)))
            except (EOFError, StatusAndHeadersParserException) as error:
                raise BodyError("the record has no HTTP response") from error
            self.place = replace(self.place, headers=select_headers(head.headers))
            content_type = head.get_header("Content-Type")
            is_page = head.get_statuscode().startswith("2")
        is_declared = is_html(content_type)
        may_be_html = has_no_kind(content_type) and content.limit <= self._limit
        if not (is_page and (is_declared or may_be_html)):
            return None
        body = self._read_body(content)
        try:
            body = body if head is None else self._unpack(body, head)
        except BodyError:
            if is_declared:
                raise
            return None
        return decode_body(body, content_type) if is_declared or begins_with_html(body) else None

    def _unpack(self, body: bytes, head: StatusAndHeaders) -> bytes:
        transfer = head.get_header("Transfer-Encoding", "").lower()
        # some crawlers take the chunks apart and keep the header; markup is no chunk
        if "chunked" in transfer and not is_markup(body):
            body = ChunkedDataReader(io.BytesIO(body)).read()
        is_cut = self.place.partial is not None
        for codings in (transfer.replace("chunked", ""), head.get_header("Content-Encoding")):
            body = decompress_body(body, codings, self._limit, is_cut=is_cut)
        return body

    def _read_body(self, content: Any) -> bytes:
        if content.limit > self._limit:
            raise create_size_error(self._limit)
        return bytes(content.read())


def _begins_record(line: bytes) -> bool:
    return line.startswith(RECORD) or _match_arc(line) is not None


def _is_packed(raw: io.BufferedReader[TimedFile], start: int) -> bool:
    raw.seek(start)
    return raw.peek(len(ZSTD_FRAME)).startswith((GZIP_MEMBER, ZSTD_FRAME))


def _read_dictionary(raw: io.BufferedReader[TimedFile]) -> Any:
    # https://iipc.github.io/warc-specifications/specifications/warc-zstd/
    head = raw.read(SKIPPABLE_HEAD)
    if not head.startswith(DICTIONARY_FRAME):
        return None
    content = raw.read(min(int.from_bytes(head[4:], "little"), DICTIONARY_BYTES))
    if content.startswith(ZSTD_FRAME):
        content = decompress_body(content, "zstd", DICTIONARY_BYTES)
    return import_optional("zstandard", "zstd", "batch").ZstdCompressionDict(content)


def _read_head(stream: Any, first: bytes = b"") -> bytes:
    head = bytearray(first)
    while line := stream.readline(HEAD_BYTES):
        head += line
        if len(head) > HEAD_BYTES:
            raise BodyError(f"the record has more than {HEAD_BYTES:,} bytes of headers")
        if not line.strip():
            break
    return bytes(head)


def _find_size(raw: io.BufferedReader[TimedFile]) -> int:
    return os.fstat(raw.fileno()).st_size


def _skip_padding(raw: io.BufferedReader[TimedFile], start: int) -> int | None:
    size = _find_size(raw)
    while start < size:
        raw.seek(start)
        chunk = raw.read(CHUNK_BYTES)
        rest = chunk.lstrip(b"\0")
        start += len(chunk) - len(rest)
        if rest:
            raw.seek(start)
            head = raw.read(SKIPPABLE_HEAD)
            end = start + SKIPPABLE_HEAD + int.from_bytes(head[4:], "little")
            if not _match_skippable(head) or end > size:
                return start
            start = end
    return None


def _find_record(raw: io.BufferedReader[TimedFile], start: int, dictionary: Any) -> int | None:
    # one for all frames: to create it takes longer than to use it
    zstd = create_zstd_decompressor(dictionary) if is_installed("zstandard") else None
    while True:
        raw.seek(start)
        chunk = raw.read(BUFFER_BYTES)
        is_last = len(chunk) < BUFFER_BYTES
        end = len(chunk) if is_last else len(chunk) - PROBE_BYTES
        for match in _find_starts(chunk):
            if match.start() < end and _begins_with_record(chunk, match, zstd):
                return start + match.start()
        if is_last:
            return None
        start += end


def _begins_with_record(chunk: bytes, match: re.Match[bytes], zstd: Any) -> bool:
    if match[0].startswith(RECORD):
        end_of_head = _find_end_of_head(chunk, match.end() - 1)
        return end_of_head is None or end_of_head[1] is None
    packed = chunk[match.start() : match.start() + PROBE_BYTES]
    try:
        if match[0] == ZSTD_FRAME:
            content = zstd.stream_reader(packed).read(len(RECORD))
        else:
            content = zlib.decompressobj(GZIP_BITS).decompress(packed, len(RECORD))
    except Exception:  # noqa: BLE001 - each library has its own
        return False
    return bool(content == RECORD)
