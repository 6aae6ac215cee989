"""Pages to look at: a file, an address, or what Scrapy's HTTP cache has kept of one."""

from __future__ import annotations

import ast
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from w3lib.encoding import html_to_unicode
from w3lib.http import headers_raw_to_dict

from scrapy_boilerplate.extras import is_installed, optional

CACHE = Path(".scrapy") / "httpcache"
"""Where Scrapy keeps its cache unless HTTPCACHE_DIR says otherwise."""
MAX_BYTES = 50_000_000
"""Of a page, packed or not (our choice: the longest of the corpora has under 10 MB)."""
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
            raise SourceError(f"{path} has more than {MAX_BYTES:,} bytes: give the page alone")
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
    except (URLError, OSError, ValueError) as error:
        raise SourceError(f"{url} cannot be fetched: {error}") from error
    return Source(_decoded(_unpacked(body, packed, url), content_type), address, address)


def cached(url: str, cache: Path) -> Source:
    """The newest answer for `url` in Scrapy's cache (``FilesystemCacheStorage``) at `cache`.

    Its `pickled_meta` is never read. Raises SourceError.
    """
    if not cache.is_dir():
        raise SourceError(
            f"there is no HTTP cache at {cache}: crawl with HTTPCACHE_ENABLED = True, or name the "
            "folder with --cache"
        )
    found = max(_entries(url, cache), key=lambda entry: entry[0], default=None)
    if found is None:
        raise SourceError(
            f"{url} is not in the HTTP cache at {cache}; of the storages only the default, "
            "FilesystemCacheStorage, can be read"
        )
    folder = found[1]
    headers = headers_raw_to_dict(_content(folder / "response_headers")) or {}
    known = {name.lower(): values for name, values in headers.items()}
    body = _unpacked(
        _content(folder / "response_body"), _header(known, b"content-encoding"), str(folder)
    )
    return Source(_decoded(body, _header(known, b"content-type")), url, f"{url} (cached)")


def _entries(url: str, cache: Path) -> Iterator[tuple[float, Path]]:
    """(time, folder) of the answers for `url`."""
    wanted = repr(url).encode()
    for meta in cache.glob("*/*/*/meta"):
        written = _content(meta)
        if wanted in written:
            facts = _facts(written)
            if url in (facts.get("url"), facts.get("response_url")):
                yield float(facts.get("timestamp", 0)), meta.parent


def _facts(written: bytes) -> dict[str, Any]:
    """The literal that Scrapy has written; {} if it is something else."""
    try:
        facts = ast.literal_eval(written.decode("utf-8"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _content(file: Path) -> bytes:
    """What a file of the cache holds; with HTTPCACHE_GZIP it is packed."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read ({error.strerror})") from error
    return _limited(zlib.decompressobj(wbits=31), raw, str(file)) if raw[:2] == GZIP else raw


GZIP = b"\x1f\x8b"


def _header(headers: dict[bytes, list[bytes]], name: bytes) -> str | None:
    values = headers.get(name)
    return values[0].decode("latin-1") if values else None


def _unpacked(body: bytes, packed: str | None, where: str) -> bytes:
    if len(body) > MAX_BYTES:
        raise SourceError(f"{where} has more than {MAX_BYTES:,} bytes")
    for coding in reversed([one.strip().lower() for one in (packed or "").split(",")]):
        body = _without(coding, body, where)
    return body


def _without(coding: str, body: bytes, where: str) -> bytes:
    if coding in ("", "identity"):
        return body
    if coding in ("gzip", "x-gzip"):
        # the body of a cache with HTTPCACHE_GZIP has been unpacked once already
        return _limited(zlib.decompressobj(wbits=31), body, where) if body[:2] == GZIP else body
    if coding == "deflate":
        return _limited(zlib.decompressobj(wbits=15 if body[:1] == b"\x78" else -15), body, where)
    package = {"br": "brotli", "zstd": "zstandard"}.get(coding)
    if package is None or not is_installed(package):
        told = f": pip install {package}" if package else ""
        raise SourceError(f"{where} is packed as {coding}, which cannot be read here{told}")
    module = optional(package, "a cached page", "html")
    try:
        if coding == "zstd":
            plain: bytes = module.ZstdDecompressor().decompress(body, max_output_size=MAX_BYTES)
        else:
            plain = module.decompress(body)
    except Exception as error:
        raise SourceError(f"{where} cannot be unpacked: {error}") from error
    return plain


def _limited(unpacker: Any, body: bytes, where: str) -> bytes:
    try:
        plain: bytes = unpacker.decompress(body, MAX_BYTES)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"{where} cannot be unpacked: {error}") from error
    if unpacker.unconsumed_tail:
        raise SourceError(f"{where} has more than {MAX_BYTES:,} bytes")
    return plain


def _decoded(body: bytes, content_type: str | None) -> bytes | str:
    """Text where the answer declares its encoding; else bytes, which declare their own."""
    if content_type is None or "charset" not in content_type.lower():
        return body
    return html_to_unicode(content_type, body)[1]
