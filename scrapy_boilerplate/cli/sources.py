"""Read one page from a file, standard input, a URL, or Scrapy's HTTP cache."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPException, HTTPResponse, responses
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from w3lib.url import safe_url_string

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.file_kinds import HAR, HEADER_BYTES, MHTML, ZIP, find_other_kind
from scrapy_boilerplate.batch.http_body import (
    MAX_BYTES,
    BodyError,
    create_size_error,
    decode_body,
    decompress_body,
)
from scrapy_boilerplate.batch.http_cache import find_responses
from scrapy_boilerplate.batch.inputs import create_input
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, StoredPage
from scrapy_boilerplate.batch.saved_pages import create_saved_page
from scrapy_boilerplate.cli.options import TIMEOUT
from scrapy_boilerplate.page.decoding import decode_html
from scrapy_boilerplate.page.text import collapse

SAVED_KINDS = (MHTML, HAR, ZIP)
# A line of a list: a URL, a path or a file name, in quotes or with a bullet.
_match_entry = re.compile(
    r"""[\s"'*,-]*(?:[a-z][a-z0-9+.-]*://\S+|(?:[a-z]:|\.{1,2}|~)?[/\\][^\s<>/\\*][^<>]*"""
    r"""|[^\s<>]+\.(?:x?html?|php|aspx?))[\s"',;]*""",
    re.IGNORECASE,
).fullmatch


class SourceError(ValueError):
    """The page cannot be read; the message says why and what to do."""


def read_source(source: str, cache: Path | None = None, seconds: float = TIMEOUT) -> StoredPage:
    """Return the page of a file or URL, or of a URL in the HTTP cache. Raises SourceError."""
    if is_url(source):
        return fetch_source(source, seconds) if cache is None else read_cached_source(source, cache)
    return next(read_pages(Path(source), MAX_BYTES))


def read_pages(path: Path, limit: int | None = None) -> Iterator[StoredPage]:
    """Yield the pages in a file: one of HTML, or those of MHTML, HAR and ZIP. Raises SourceError.

    A file of HTML has at most `limit` bytes.
    """
    try:
        with path.open("rb") as file:
            kind = find_other_kind(file.read(HEADER_BYTES))
        if kind in SAVED_KINDS:
            yield from _read_saved(path)
            return
        if limit is not None and path.stat().st_size > limit:
            raise SourceError(f"{path}: {create_size_error(limit)}")
        html = _check(path.read_bytes(), str(path))
        yield _check_saved(create_saved_page(path.name, html, DEFAULT_OPTIONS), path)
    except (OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(
            f"{path} cannot be read ({getattr(error, 'strerror', error)}): give an HTML file, or "
            "a URL that starts with http:// or https://"
        ) from error


def _read_saved(path: Path) -> Iterator[StoredPage]:
    n_pages = 0
    for page in create_input(path).read_pages():
        n_pages += 1
        yield _check_saved(page, path)
    if not n_pages:
        raise SourceError(f"{path} has no page of HTML")


def _check_saved(page: StoredPage, path: Path) -> StoredPage:
    if page.error is not None:
        raise SourceError(f"{path}: {page.error}")
    return replace(page, id=path.name)


def read_standard_input() -> StoredPage:
    """Return the page from standard input. Raises SourceError."""
    name = "standard input"
    return StoredPage(id=name, html=_check(sys.stdin.buffer.read(), name))


def fetch_source(url: str, seconds: float = TIMEOUT) -> StoredPage:
    """Return the page at a URL, which has MAX_BYTES at most, decoded as in a crawl.

    `seconds` is the maximum time from the first to the last byte. The timeout of a socket starts
    again with every byte, so a thread fetches the page. Raises SourceError.
    """
    results: SimpleQueue[tuple[bytes, str, str | None] | Exception] = SimpleQueue()

    def run() -> None:
        try:
            results.put(_fetch(url, seconds))
        except Exception as error:  # noqa: BLE001 - raised in the other thread
            results.put(error)

    Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except Empty:
        result = TimeoutError()
    if isinstance(result, tuple):
        body, found, kind = result
        return StoredPage(id=found, url=found, html=decode_body(_check(body, url, kind), kind))
    if isinstance(result, OSError | HTTPException | ValueError):
        raise SourceError(f"{url} cannot be fetched: {_describe(result, seconds)}") from result
    raise result


def read_cached_source(url: str, cache: Path) -> StoredPage:
    """Return the newest response for `url` in Scrapy's HTTP cache. Raises SourceError."""
    if not cache.is_dir():
        raise SourceError(
            f"no HTTP cache at {cache}: crawl with HTTPCACHE_ENABLED = True, or give the folder "
            "with --cache"
        )
    try:
        responses = list(find_responses(url, cache))
    except (BodyError, OSError) as error:
        raise SourceError(f"the HTTP cache at {cache} cannot be read: {error}") from error
    if not responses:
        raise SourceError(
            f"{url} is not in the HTTP cache at {cache}, which must be a FilesystemCacheStorage"
        )
    newest = max(responses, key=lambda response: response.timestamp)
    try:
        html = newest.read_html()
    except (BodyError, OSError) as error:
        raise SourceError(f"{url} cannot be read from {newest.folder}: {error}") from error
    name = f"{url} (cached)"
    _check(html.encode() if isinstance(html, str) else html, name, newest.header(b"content-type"))
    return StoredPage(id=name, url=url, html=html)


def _check(body: bytes, name: str, content_type: str | None = None) -> bytes:
    if (kind := find_other_kind(body, content_type)) is not None:
        raise SourceError(f"{name} is {kind}: give an HTML page")
    text = decode_html(body[:HEADER_BYTES])
    lines = text.splitlines()[: None if len(body) <= HEADER_BYTES else -1]
    entries = [line for line in lines if line.strip() and not line.startswith("#")]
    if entries and all(map(_match_entry, entries)):
        raise SourceError(
            f"{name} is a list of URLs or files: for URLs use --urls LIST -o FOLDER, for files "
            "xargs scrapy-boilerplate extract < LIST"
        )
    return body


# Fetch one page from a URL, within limits of time, size and redirects

SCHEMES = ("http://", "https://")
HEADERS = {
    "User-Agent": f"scrapy-boilerplate/{__version__} (Python package scrapy_boilerplate)",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}
MAX_REDIRECTS = 10
CHUNK_BYTES = 16_384
REDIRECTS = (301, 302, 303, 307, 308)


def is_url(name: str) -> bool:
    """Return whether `name` is an http or https URL."""
    return name.lower().startswith(SCHEMES)


def _fetch(url: str, seconds: float) -> tuple[bytes, str, str | None]:
    """Return the decompressed body, the URL after redirects, and the content type."""
    request = Request(safe_url_string(url), headers=HEADERS)  # noqa: S310 - http or https
    with build_opener(_RedirectHandler).open(request, timeout=seconds) as response:
        received = response.headers
        body = decompress_body(_read_body(response), received.get("Content-Encoding"))
        return body, response.geturl(), received.get("Content-Type")


def _read_body(response: HTTPResponse) -> bytes:
    length = response.length or 0
    body = bytearray()
    while length <= MAX_BYTES and (chunk := response.read1(CHUNK_BYTES)):
        body += chunk
        length = max(length, len(body))
    if length > MAX_BYTES:
        raise create_size_error(MAX_BYTES)
    if len(body) < length:
        raise ValueError("the response is cut off")
    return bytes(body)


class _RedirectHandler(HTTPRedirectHandler):
    max_redirections = MAX_REDIRECTS

    def redirect_request(  # noqa: PLR0913, PLR0917 - as urllib calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or None, which makes the redirect an error."""
        fp.close()  # urllib reads the whole body of a redirect
        if not is_url(newurl):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _describe(error: Exception, seconds: float) -> str:
    if isinstance(error, HTTPError):
        if error.code in REDIRECTS:
            if "Location" not in error.headers and "URI" not in error.headers:
                return "a redirect without a Location"
            return "a redirect loop, too many redirects, or a redirect to another scheme"
        return f"the server answers {error.code} {responses.get(error.code, '')}".rstrip()
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"no complete response within {seconds:g} s"
    return collapse(getattr(reason, "strerror", None) or str(reason)) or type(error).__name__
