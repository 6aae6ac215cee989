"""Fuzzed archives."""

from __future__ import annotations

import atexit
import gzip
import json
import lzma
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from scrapy_boilerplate import is_installed
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.rows import create_row
from scrapy_boilerplate.batch.warc import read_warc
from scrapy_boilerplate.document import Document

SEPARATOR = b"\xff|\xff|"
"""Stands between the parts of an input that are compressed one by one."""
MAX_PARTS = 50
LIMIT = 100_000
"""Bytes of a page, packed or not."""
OPTIONS = ReadOptions(max_bytes=LIMIT, seconds=10)


def _compress_zstd(data: bytes) -> bytes:
    packed: bytes = import_module("zstandard").compress(data, 1)
    return packed


Reader = Callable[[Path, ReadOptions], Iterator[StoredPage]]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": partial(gzip.compress, compresslevel=1),
    ".xz": partial(lzma.compress, preset=0),
    ".zst": _compress_zstd,
}
"""End of the name of a file to what compresses each of its parts."""
ARCHIVES: list[tuple[str, Reader, bool]] = [
    (f"a{kind}{coding}", reader, is_packed)
    for kind, reader, codings in (
        (".warc", read_warc, ("", ".gz", *([".zst"] if is_installed("zstandard") else []))),
        (".jsonl", read_json_lines, ("", ".gz", ".xz")),
    )
    for coding in codings
    for is_packed in ([False, True] if coding else [False])
]
"""Name of a file, its reader, and whether the parts of an input are compressed."""


def check_archive(content: bytes) -> None:
    """A file of any bytes: pages within the limit, or errors, and a row of JSON for each."""
    name, read, is_packed = ARCHIVES[(content or b"\0")[0] % len(ARCHIVES)]
    path, data = _create_folder() / name, content[1:]
    if is_packed:
        data = b"".join(map(PACKERS[path.suffix], data.split(SEPARATOR)[:MAX_PARTS]))
    path.write_bytes(data)
    for page in read(path, OPTIONS):
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
