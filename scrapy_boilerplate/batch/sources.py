"""Pages to look at: a file, an address, or what Scrapy's HTTP cache has kept of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from scrapy_boilerplate.batch.http_body import MAX_BYTES, BodyError, decoded, too_large, unpacked
from scrapy_boilerplate.batch.http_cache import CachedAnswer, answers_for

CACHE = Path(".scrapy") / "httpcache"
"""Where Scrapy keeps its cache unless HTTPCACHE_DIR says otherwise."""
TIMEOUT = 30
"""Seconds to wait for an address."""
SCHEMES = ("http://", "https://")


class SourceError(ValueError):
    """A page that cannot be had; the message says why and what to do."""


@dataclass(frozen=True)
class Source:
    """HTML (bytes or text), its address or None, and a name to show."""

    html: bytes | str
    url: str | None
    name: str


def source_of(named: str, cache: Path | None = None) -> Source:
    """The page that `named` names: an address (in the HTTP cache at `cache` if given), or a file.

    Raises SourceError.
    """
    if not named.startswith(SCHEMES):
        return _from_file(Path(named))
    return _fetched(named) if cache is None else cached(named, cache)


def _from_file(path: Path) -> Source:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(f"{path}: {too_large(MAX_BYTES)}: give another page")
        return Source(path.read_bytes(), None, path.name)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read ({error.strerror}): give an HTML file, or an address that "
            "starts with http:// or https://"
        ) from error


def _fetched(url: str) -> Source:
    asked = Request(url, headers={"User-Agent": "scrapy-boilerplate inspect"})  # noqa: S310
    try:
        with urlopen(asked, timeout=TIMEOUT) as answer:  # noqa: S310 - http and https alone
            body = answer.read(MAX_BYTES + 1)
            content_type = answer.headers.get("Content-Type")
            packed = answer.headers.get("Content-Encoding")
            address = answer.geturl()
        return Source(decoded(unpacked(body, packed), content_type), address, address)
    except (URLError, OSError, ValueError) as error:
        raise SourceError(f"{url} cannot be fetched: {error}") from error


def cached(url: str, cache: Path) -> Source:
    """The newest answer for `url` in Scrapy's cache (``FilesystemCacheStorage``) at `cache`.

    Its `pickled_meta` is never read. Raises SourceError.
    """
    if not cache.is_dir():
        raise SourceError(
            f"there is no HTTP cache at {cache}: crawl with HTTPCACHE_ENABLED = True, or name the "
            "folder with --cache"
        )
    found = max(_known(url, cache), key=lambda answer: answer.timestamp, default=None)
    if found is None:
        raise SourceError(
            f"{url} is not in the HTTP cache at {cache}; of the storages only the default, "
            "FilesystemCacheStorage, can be read"
        )
    try:
        return Source(decoded(found.body(), found.content_type), url, f"{url} (cached)")
    except (BodyError, OSError) as error:
        raise SourceError(f"{url} cannot be had from {found.folder}: {error}") from error


def _known(url: str, cache: Path) -> Iterator[CachedAnswer]:
    try:
        yield from answers_for(url, cache)
    except (BodyError, OSError) as error:
        raise SourceError(f"the HTTP cache at {cache} cannot be read: {error}") from error
