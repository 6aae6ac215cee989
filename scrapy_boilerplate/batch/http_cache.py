"""Scrapy's HTTP cache (``FilesystemCacheStorage``), read as text: its pickles are never opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from w3lib.http import headers_raw_to_dict

from scrapy_boilerplate.batch.http_body import (
    MAX_BYTES,
    BodyError,
    create_size_error,
    decode_body,
    decompress_body,
    gunzip,
    is_html,
)
from scrapy_boilerplate.batch.pages import (
    DEFAULT_OPTIONS,
    LINK_ERROR,
    ReadOptions,
    StoredPage,
    leads_out,
)

# Files of an entry: a dict as a Python literal (`pickled_meta` holds the same), and the body.
META = "meta"
BODY = "response_body"
HEADERS = "response_headers"
# Bytes of what stands beside a body (our choice). Parsing META takes 500 times its bytes at most.
META_BYTES, HEADER_BYTES = 100_000, 300_000
# What a META of other content raises.
PARSE_ERRORS = (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError,
                ValueError)  # fmt: skip


@dataclass(frozen=True)
class CachedResponse:
    """An entry: addresses of request and response, HTTP status, Unix time in seconds, headers."""

    folder: Path
    url: str
    response_url: str
    status: int
    timestamp: float
    headers: dict[bytes, list[bytes]]

    def header(self, name: bytes) -> str | None:
        """Return the first header of this lower-case name, or None."""
        values = self.headers.get(name)
        return values[0].decode("latin-1") if values else None

    @property
    def content_type(self) -> str | None:
        """The header of this name, or None."""
        return self.header(b"content-type")

    def read_html(self, limit: int = MAX_BYTES) -> bytes | str:
        """Return the decompressed body, as text where a header declares its encoding.

        `limit` in bytes. Raises BodyError, OSError.
        """
        body = _read_file(self.folder / BODY, limit)
        body = decompress_body(body, self.header(b"content-encoding"), limit)
        return decode_body(body, self.content_type)


def is_cache(folder: Path) -> bool:
    """Return whether a folder is a cache: ``<spider>/<two digits>/<fingerprint>/`` with entries."""
    return next(_find_entries(folder, "*/??/*/"), None) is not None


def list_entries(cache: Path) -> Iterator[Path]:
    """Yield the folders of all entries, sorted by path."""
    for folder in sorted(cache.glob("*/??")):
        yield from sorted(_find_entries(folder, "*/"))


def _find_entries(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield folders with both files: a mirrored site may have a folder named META."""
    for meta in folder.glob(pattern + META):
        if meta.is_file() and meta.with_name(BODY).is_file():
            yield meta.parent


def read_entry(folder: Path) -> CachedResponse:
    """Return the entry in `folder`, its body unread. Raises BodyError, OSError."""
    content = _read_file(folder / META, META_BYTES)
    headers = _read_file(folder / HEADERS, HEADER_BYTES)
    raw_headers = headers_raw_to_dict(headers) or {}
    try:
        meta = ast.literal_eval(content.decode("utf-8"))
        return CachedResponse(
            folder=folder,
            url=str(meta["url"]),
            response_url=str(meta["response_url"]),
            status=int(meta["status"]),
            timestamp=float(meta["timestamp"]),
            headers={name.lower(): values for name, values in raw_headers.items()},
        )
    except PARSE_ERRORS as error:
        raise BodyError("the entry is none of FilesystemCacheStorage") from error


def find_responses(url: str, cache: Path) -> Iterator[CachedResponse]:
    """Yield the responses whose request or response has this URL. Raises BodyError, OSError."""
    pattern = repr(url).encode()
    for folder in list_entries(cache):
        if pattern in _read_file(folder / META, META_BYTES):
            response = read_entry(folder)
            if url in (response.url, response.response_url):
                yield response


def read_cache(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the HTML responses with status 200 to 299 of a cache.

    The id is ``<spider>/<fingerprint>``.
    """
    for folder in list_entries(path):
        page_id = f"{folder.parent.parent.name}/{folder.name}"
        size, url = 0, None
        try:
            if not options.follow_links:
                _refuse_links(folder, path)
            response = read_entry(folder)
            url = response.response_url
            if is_html(response.content_type) and 200 <= response.status < 300:
                size = (folder / BODY).stat().st_size
                html = response.read_html(options.max_bytes)
                yield StoredPage(id=page_id, url=url, html=html, size=size)
        except (BodyError, OSError, LookupError, ValueError) as error:
            yield StoredPage(id=page_id, url=url, error=str(error), size=size)


def _refuse_links(folder: Path, cache: Path) -> None:
    """Raise BodyError if a file of an entry is a link that leads out of the cache."""
    if any(leads_out(folder / name, cache) for name in (META, HEADERS, BODY)):
        raise BodyError(LINK_ERROR)


def _read_file(file: Path, limit: int) -> bytes:
    """Return the content of a file of the cache, which HTTPCACHE_GZIP compresses."""
    if not S_ISREG(file.stat().st_mode):  # a pipe would never end
        raise BodyError(f"{file.name} is no file")
    with file.open("rb") as opened:
        content = opened.read(limit + 1)
    if len(content) > limit:
        raise create_size_error(limit)
    return gunzip(content, limit)
