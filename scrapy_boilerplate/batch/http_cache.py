"""Scrapy's HTTP cache (``FilesystemCacheStorage``), read as text: its pickles are never opened."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from scrapy_boilerplate.batch.file_kinds import is_html
from scrapy_boilerplate.batch.http_body import (
    MAX_BYTES,
    BodyError,
    decode_body,
    decompress_body,
    read_file,
)
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage, check_link

# Files of an entry: a dict as a Python literal (`pickled_meta` holds the same), headers, the body.
META = "meta"
HEADERS = "response_headers"
BODY = "response_body"
# Maximum bytes of META; its parser needs a hundred times as much memory.
META_BYTES = 1_000_000
# Errors of META that is no dict, or nested too deeply.
NO_LITERAL = (LookupError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError)


@dataclass(frozen=True)
class CachedResponse:
    """An entry: URLs of request and response, HTTP status, Unix time in seconds, headers."""

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

    def list_headers(self) -> Iterator[tuple[str, str]]:
        """Yield the name and value of every header."""
        for name, values in self.headers.items():
            for value in values:
                yield name.decode("latin-1"), value.decode("latin-1")

    def read_html(self, limit: int = MAX_BYTES) -> bytes | str:
        """Return the decompressed body, as text where a header declares its encoding.

        `limit` in bytes. Raises BodyError, OSError.
        """
        body = _read_file(self.folder / BODY, limit)
        body = decompress_body(body, self.header(b"content-encoding"), limit)
        return decode_body(body, self.header(b"content-type"))


def is_cache(folder: Path) -> bool:
    """Return whether a folder is a cache: ``<spider>/<two digits>/<fingerprint>/`` with entries."""
    return next(_find_entries(folder, "*/??/*/"), None) is not None


def list_entries(cache: Path) -> Iterator[Path]:
    """Yield the folders of all entries, sorted by path."""
    for folder in sorted(cache.glob("*/??")):
        yield from sorted(_find_entries(folder, "*/"))


def _find_entries(folder: Path, pattern: str) -> Iterator[Path]:
    # a mirrored site may have a folder named META
    for meta in folder.glob(pattern + META):
        if meta.is_file() and meta.with_name(BODY).is_file():
            yield meta.parent


def read_entry(folder: Path) -> CachedResponse:
    """Return the entry in `folder`, its body unread. Raises BodyError, OSError."""
    from w3lib.http import headers_raw_to_dict  # noqa: PLC0415 - as `reservations`

    content = _read_file(folder / META, META_BYTES)
    headers = headers_raw_to_dict(_read_file(folder / HEADERS)) or {}
    try:
        meta = ast.literal_eval(content.decode("utf-8"))
        return CachedResponse(
            folder=folder,
            url=str(meta["url"]),
            response_url=str(meta["response_url"]),
            status=int(meta["status"]),
            timestamp=float(meta["timestamp"]),
            headers={name.lower(): values for name, values in headers.items()},
        )
    except NO_LITERAL as error:
        raise BodyError("not an entry of FilesystemCacheStorage") from error


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
    from scrapy_boilerplate.article.reservations import select_headers  # noqa: PLC0415

    for folder in list_entries(path):
        page = StoredPage(id=f"{folder.parent.parent.name}/{folder.name}")
        try:
            for name in (META, HEADERS, BODY):
                check_link(folder / name, path, options)
            response = read_entry(folder)
            page = replace(page, url=response.response_url)
            if is_html(response.header(b"content-type")) and 200 <= response.status < 300:
                html = response.read_html(options.max_bytes)
                yield replace(page, html=html, headers=select_headers(response.list_headers()))
        except (OSError, LookupError, ValueError) as error:
            yield replace(page, error=str(error))


def _read_file(file: Path, limit: int = MAX_BYTES) -> bytes:
    # HTTPCACHE_GZIP compresses the files
    return decompress_body(read_file(file, limit), "gzip", limit)
