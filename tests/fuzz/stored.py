"""Fuzzed records and archives."""

from __future__ import annotations

import atexit
import gzip
import json
import lzma
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from scrapy_boilerplate import is_installed
from scrapy_boilerplate.batch.http_cache import BODY, HEADERS, META, read_cache
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.rows import create_row
from scrapy_boilerplate.batch.warc import read_warc
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.site.codec import Record, RecordError, decode_record, encode_record
from scrapy_boilerplate.site.fingerprints import Article
from scrapy_boilerplate.site.monitors import SiteMonitor
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.versions import Version

SEPARATOR = b"\xff|\xff|"
"""Stands between the parts of an input: gzip members, files of an entry."""
MAX_PARTS = 50
LIMIT = 100_000
"""Bytes of a page, packed or not."""
OPTIONS = ReadOptions(max_bytes=LIMIT, seconds=10)

RECORDS: tuple[type[Record], ...] = (PageRecord, Article, Version, SiteMonitor)


def check_store(content: bytes) -> None:
    """Bytes of a record in a store: they are rejected, or decoded to what can be encoded again."""
    kind = RECORDS[(content or b"\0")[0] % len(RECORDS)]
    try:
        at, record = decode_record(kind, content[1:])
    except RecordError:
        return
    if decode_record(kind, encode_record(record, at))[1].to_values() != record.to_values():
        raise AssertionError("a record changed on its way")


def _join_members(content: bytes) -> bytes:
    return b"".join(gzip.compress(part, 1) for part in content.split(SEPARATOR)[:MAX_PARTS])


def _join_streams(content: bytes) -> bytes:
    return b"".join(lzma.compress(part, preset=0) for part in content.split(SEPARATOR)[:MAX_PARTS])


def _join_frames(content: bytes) -> bytes:
    compress: Callable[[bytes, int], bytes] = import_module("zstandard").compress
    return b"".join(compress(part, 1) for part in content.split(SEPARATOR)[:MAX_PARTS])


Reader = Callable[[Path, ReadOptions], Iterator[StoredPage]]
ZSTD_ARCHIVES: tuple[tuple[str, Reader, Callable[[bytes], bytes]], ...] = (
    ("a.warc.zst", read_warc, bytes),
    ("a.warc.zst", read_warc, _join_frames),
)
ARCHIVES: tuple[tuple[str, Reader, Callable[[bytes], bytes]], ...] = (
    ("a.warc", read_warc, bytes),
    ("a.warc.gz", read_warc, bytes),
    ("a.warc.gz", read_warc, _join_members),
    ("a.jsonl", read_json_lines, bytes),
    ("a.jsonl.gz", read_json_lines, bytes),
    ("a.jsonl.gz", read_json_lines, _join_members),
    ("a.jsonl.xz", read_json_lines, bytes),
    ("a.jsonl.xz", read_json_lines, _join_streams),
    *(ZSTD_ARCHIVES if is_installed("zstandard") else ()),
)
"""Name of a file, its reader, and how its bytes are made of an input."""


def check_archive(content: bytes) -> None:
    """A file of any bytes: pages within the limit, or errors."""
    name, read, pack = ARCHIVES[content[0] % len(ARCHIVES)]
    path = _create_folder() / name
    path.write_bytes(pack(content[1:]))
    for page in read(path, OPTIONS):
        check_stored_page(page)


def check_cache(content: bytes) -> None:
    """An entry of Scrapy's HTTP cache, packed or not."""
    is_packed, files = content[0] & 1, content[1:].split(SEPARATOR)
    folder = _create_folder() / "cache"
    entry = folder / "spider" / "ab" / "abcd"
    entry.mkdir(parents=True, exist_ok=True)
    for name, part in zip((META, HEADERS, BODY), (*files, b"", b""), strict=False):
        (entry / name).write_bytes(gzip.compress(part, 1) if is_packed else part)
    for page in read_cache(folder, OPTIONS):
        check_stored_page(page)


def check_stored_page(page: StoredPage) -> None:
    """It is a page within the limit or an error, and becomes a row of JSON."""
    if page.error == "":
        raise AssertionError("an error without a reason")
    if len(page.html) > LIMIT:
        raise AssertionError(f"a page of {len(page.html)}")
    row = json.loads(create_row(page, lambda page: Document(url=page.url)))
    if (row["error"] is None) != (page.error is None):
        raise AssertionError(f"{row['error']} instead of {page.error}")


@cache
def _create_folder() -> Path:
    """Return a folder of this process, which goes with it."""
    folder = tempfile.mkdtemp(prefix="fuzz-stored-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
