"""Scrapy's HTTP cache (``FilesystemCacheStorage``), read as text: its pickles are never opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w3lib.http import headers_raw_to_dict

from scrapy_boilerplate.batch.http_body import MAX_BYTES, BodyError, gunzipped, too_large, unpacked

META = "meta"
"""The file of an entry that holds a literal dict; `pickled_meta` beside it says the same."""
BODY = "response_body"
"""The file beside it."""


@dataclass(frozen=True)
class CachedAnswer:
    """What an entry holds: addresses of request and answer, HTTP status, Unix time in seconds."""

    folder: Path
    url: str
    response_url: str
    status: int
    timestamp: float
    headers: dict[bytes, list[bytes]]

    def header(self, name: bytes) -> str | None:
        """The first header of this lower-case name, or None."""
        values = self.headers.get(name)
        return values[0].decode("latin-1") if values else None

    @property
    def content_type(self) -> str | None:
        """The header of this name, or None."""
        return self.header(b"content-type")

    def body(self, limit: int = MAX_BYTES) -> bytes:
        """The unpacked body; `limit` in bytes. Raises BodyError, OSError."""
        raw = _content(self.folder / BODY, limit)
        return unpacked(raw, self.header(b"content-encoding"), limit)


def is_cache(folder: Path) -> bool:
    """Whether a folder is a cache: ``<spider>/<two digits>/<fingerprint>/`` with entries."""
    return next(_found(folder, "*/??/*/"), None) is not None


def entries(cache: Path) -> Iterator[Path]:
    """The folders of all entries, sorted by path."""
    for shelf in sorted(cache.glob("*/??")):
        yield from sorted(_found(shelf, "*/"))


def _found(folder: Path, pattern: str) -> Iterator[Path]:
    """Folders with both files: mirrors of sites have folders that are named so."""
    for meta in folder.glob(pattern + META):
        if meta.is_file() and meta.with_name(BODY).is_file():
            yield meta.parent


def read_entry(folder: Path) -> CachedAnswer:
    """What the entry says, without its body. Raises BodyError, OSError."""
    facts = _facts(_content(folder / META))
    raw = headers_raw_to_dict(_content(folder / "response_headers")) or {}
    try:
        return CachedAnswer(
            folder=folder,
            url=str(facts["url"]),
            response_url=str(facts["response_url"]),
            status=int(facts["status"]),
            timestamp=float(facts["timestamp"]),
            headers={name.lower(): values for name, values in raw.items()},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BodyError("the entry is none of FilesystemCacheStorage") from error


def answers_for(url: str, cache: Path) -> Iterator[CachedAnswer]:
    """The answers that were asked for at `url`, or came from there. Raises BodyError, OSError."""
    wanted = repr(url).encode()
    for folder in entries(cache):
        if wanted in _content(folder / META):
            answer = read_entry(folder)
            if url in (answer.url, answer.response_url):
                yield answer


def _facts(written: bytes) -> dict[str, Any]:
    """The literal that Scrapy has written; {} if it is something else."""
    try:
        facts = ast.literal_eval(written.decode("utf-8"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _content(file: Path, limit: int = MAX_BYTES) -> bytes:
    """What a file of the cache holds; with HTTPCACHE_GZIP it is packed."""
    with file.open("rb") as opened:
        raw = opened.read(limit + 1)
    if len(raw) > limit:
        raise too_large(limit)
    return gunzipped(raw, limit)
