"""One page to inspect: from a file, a URL, or Scrapy's HTTP cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from scrapy_boilerplate.batch.http_body import (
    MAX_BYTES,
    BodyError,
    create_size_error,
    decode_body,
    decompress_body,
)
from scrapy_boilerplate.batch.http_cache import find_responses

# Seconds to wait for an address.
TIMEOUT = 30
SCHEMES = ("http://", "https://")


class SourceError(ValueError):
    """The page cannot be read; the message says why and what to do."""


@dataclass(frozen=True)
class PageSource:
    """HTML (bytes or text), its address or None, and a name to show."""

    html: bytes | str
    url: str | None
    name: str


def read_source(address: str, cache: Path | None = None) -> PageSource:
    """Return the page of a file, or at an address: from the HTTP cache at `cache`, if given.

    Raises SourceError.
    """
    if address.startswith(SCHEMES):
        return _fetch(address) if cache is None else read_cached_source(address, cache)
    path = Path(address)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(f"{path}: {create_size_error(MAX_BYTES)}: give another page")
        return PageSource(path.read_bytes(), None, path.name)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read ({error.strerror}): give an HTML file, or an address that "
            "starts with http:// or https://"
        ) from error


def _fetch(url: str) -> PageSource:
    request = Request(url, headers={"User-Agent": "scrapy-boilerplate inspect"})  # noqa: S310
    try:
        with urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310 - http and https alone
            body = response.read(MAX_BYTES + 1)
            content_type = response.headers.get("Content-Type")
            content_encoding = response.headers.get("Content-Encoding")
            url_reached = response.geturl()
        html = decode_body(decompress_body(body, content_encoding), content_type)
        return PageSource(html, url_reached, url_reached)
    except (URLError, OSError, ValueError) as error:
        raise SourceError(f"{url} cannot be fetched: {error}") from error


def read_cached_source(url: str, cache: Path) -> PageSource:
    """Return the newest response for `url` in Scrapy's HTTP cache at `cache`.

    Its `pickled_meta` is never read. Raises SourceError.
    """
    if not cache.is_dir():
        raise SourceError(
            f"there is no HTTP cache at {cache}: crawl with HTTPCACHE_ENABLED = True, or name the "
            "folder with --cache"
        )
    try:
        responses = list(find_responses(url, cache))
    except (BodyError, OSError) as error:
        raise SourceError(f"the HTTP cache at {cache} cannot be read: {error}") from error
    if not responses:
        raise SourceError(
            f"{url} is not in the HTTP cache at {cache}; of the storages only the default, "
            "FilesystemCacheStorage, can be read"
        )
    newest = max(responses, key=lambda response: response.timestamp)
    try:
        return PageSource(newest.read_html(), url, f"{url} (cached)")
    except (BodyError, OSError) as error:
        raise SourceError(f"{url} cannot be had from {newest.folder}: {error}") from error
