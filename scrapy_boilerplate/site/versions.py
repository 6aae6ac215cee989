"""Versions of articles: what an article said when it was last met at its address."""

from __future__ import annotations

import re
import struct
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from scrapy_boilerplate.page.text import replace_surrogates
from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    MAX_DISTANCE,
    MAX_EXACT_DISTANCE,
    NEAR,
    SIMHASH_BYTES,
    TEMPLATE,
    UNPLACED,
    Article,
    measure_distances,
    parse_simhash,
)

if TYPE_CHECKING:
    from typing_extensions import Self

NEW, UNCHANGED, CHANGED = "new", "unchanged", "updated"
"""What an article is to its last version at the same address: there was none; the same text, but
for dates, bylines and counters (as `EXACT`); another text."""

# Paragraphs that are compared. A longer article has no lists of paragraphs (our choice).
MAX_PARAGRAPHS = 200
# Characters of a paragraph that are kept, to tell which was removed (our choice: with
# MAX_PARAGRAPHS a record stays below the 64 kB of a store; 30 paragraphs take 2 kB).
MAX_EXCERPT = 60
# Versions of a site in a store, the newest (our choice: 20 MB of a site with paragraphs).
MAX_VERSIONS = 10_000
# Bytes of the versions in memory (our choice), and of what Python needs for each.
MAX_CACHE_BYTES = 32_000_000
VERSION_OVERHEAD = 400

VERSION_FORMAT = 1
_HEAD = struct.Struct("<BB?H")
"""Format, verdict, whether there is a simhash, paragraphs + 1 (0: they were not kept)."""
_PARAGRAPH = struct.Struct("<QB")
"""Hash of a paragraph, bytes of its excerpt."""
_VERDICTS = (None, EXACT, NEAR, TEMPLATE, UNPLACED)
_find_tokens = re.compile(r"[^\W_]+").findall

Paragraph = tuple[int, str]
"""64 bits of its letters and numbers, and how it begins."""


@dataclass(frozen=True)
class Version:
    """An article as it was met.

    fingerprint, simhash  32 hexadecimal digits each; the latter may be ""
    duplicate             how it was a duplicate of an article elsewhere when it was new, or None
    paragraphs            its paragraphs; None if they are not kept
    """

    fingerprint: str
    simhash: str
    duplicate: str | None = None
    paragraphs: tuple[Paragraph, ...] | None = None

    def is_same(self, other: Version) -> bool:
        """Return whether two versions of one article say the same."""
        if self.fingerprint != other.fingerprint:
            return False
        distance = _measure_distance(self, other)
        return self.simhash == other.simhash if distance is None else distance <= MAX_EXACT_DISTANCE

    def is_near(self, other: Version) -> bool:
        """Return whether one version may come from the other by changes."""
        distance = _measure_distance(self, other)
        return self.fingerprint == other.fingerprint or (
            distance is not None and distance <= MAX_DISTANCE
        )

    def pack(self) -> bytes:
        """Return what stores keep; `unpack` reads it."""
        paragraphs = self.paragraphs
        n_paragraphs = 0 if paragraphs is None else len(paragraphs) + 1
        verdict = _VERDICTS.index(self.duplicate)
        parts = [
            _HEAD.pack(VERSION_FORMAT, verdict, bool(self.simhash), n_paragraphs),
            bytes.fromhex(self.fingerprint + self.simhash),
        ]
        for hashed, excerpt in paragraphs or ():
            encoded = excerpt.encode()
            parts += (_PARAGRAPH.pack(hashed, len(encoded)), encoded)
        return b"".join(parts)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Return the version of a record. Raises ValueError for one that `pack` cannot write."""
        try:
            version = cls._unpack(data)
        except (IndexError, struct.error, UnicodeDecodeError) as error:
            raise ValueError("no version") from error
        if version.pack() != data:
            raise ValueError("no version")
        return version

    @classmethod
    def _unpack(cls, data: bytes) -> Self:
        _, verdict, has_simhash, n_paragraphs = _HEAD.unpack_from(data)
        start = _HEAD.size + SIMHASH_BYTES
        key, end = data[_HEAD.size : start], start + SIMHASH_BYTES * has_simhash
        if n_paragraphs > MAX_PARAGRAPHS + 1 or len(data) < end:
            raise ValueError("no version")
        paragraphs, place = [], end
        for _ in range(n_paragraphs - 1):
            hashed, size = _PARAGRAPH.unpack_from(data, place)
            place += _PARAGRAPH.size
            excerpt = data[place : place + size].decode()
            if len(excerpt) > MAX_EXCERPT:
                raise ValueError("no version")
            paragraphs.append((hashed, excerpt))
            place += size
        listed = tuple(paragraphs) if n_paragraphs else None
        return cls(key.hex(), data[start:end].hex(), _VERDICTS[verdict], listed)


def _measure_distance(one: Version, other: Version) -> int | None:
    if not one.simhash or not other.simhash:
        return None
    others = parse_simhash(other.simhash)[np.newaxis]
    return int(measure_distances(parse_simhash(one.simhash), others)[0])


def hash_paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a text that have letters or numbers.

    Spaces, punctuation and case are not hashed.
    """
    paragraphs = []
    for paragraph in text.split("\n\n"):
        tokens = " ".join(_find_tokens(paragraph.casefold()))
        if tokens:
            digest = blake2b(tokens.encode(), digest_size=8).digest()
            excerpt = " ".join(paragraph.split())
            if len(excerpt) > MAX_EXCERPT:
                excerpt = excerpt[: MAX_EXCERPT - 1] + "…"
            paragraphs.append((int.from_bytes(digest, "little"), excerpt))
    return paragraphs


@dataclass(frozen=True)
class Sighting:
    """An article that is met at an address of a site; `key` is that of its versions.

    `version` has no verdict yet.
    """

    article: Article
    text: str
    site: str
    key: bytes
    version: Version

    @classmethod
    def from_text(cls, text: str, address: str, site: str, *, with_paragraphs: bool) -> Self:
        """Return the sighting of a text, which has words, at a normalized address."""
        text = replace_surrogates(text)  # its paragraphs are stored, and come back in items
        article = Article.from_text(text, address, site)
        paragraphs = tuple(hash_paragraphs(text)) if with_paragraphs else None
        if paragraphs is not None and len(paragraphs) > MAX_PARAGRAPHS:
            paragraphs = None
        version = Version(article.fingerprint, article.simhash, paragraphs=paragraphs)
        return cls(article, text, site, hash_address(address), version)


@dataclass(frozen=True)
class Change:
    """What became of an article since it was last met at its address.

    change     NEW, UNCHANGED or CHANGED
    duplicate  how it is a duplicate of an article elsewhere
    previous   its last version, seen `seen` milliseconds since 1970; None and 0 if it is NEW
    added      the paragraphs that the last version does not have; None if that is not known
    removed    how those began that it alone has; None as `added`
    """

    change: str
    duplicate: str | None
    previous: Version | None = None
    seen: int = 0
    added: tuple[str, ...] | None = None
    removed: tuple[str, ...] | None = None


def compare_paragraphs(
    sighting: Sighting, previous: Version
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return the paragraphs that are new, and how those began that are lost.

    Moved paragraphs are neither. Both are None where one of the versions has no paragraphs.
    """
    version = sighting.version
    if version.paragraphs is None or previous.paragraphs is None:
        return None, None
    kept = {hashed for hashed, _ in version.paragraphs}
    known = {hashed for hashed, _ in previous.paragraphs}
    paragraphs = [each for each in sighting.text.split("\n\n") if hash_paragraphs(each)]
    hashes = (hashed for hashed, _ in version.paragraphs)
    added = (each for hashed, each in zip(hashes, paragraphs, strict=True) if hashed not in known)
    removed = (excerpt for hashed, excerpt in previous.paragraphs if hashed not in kept)
    return tuple(added), tuple(removed)


class VersionCache:
    """The packed versions that were used last, by site and key, in at most `max_bytes`."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._records: OrderedDict[tuple[str, bytes], tuple[int, bytes]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._records)

    def get(self, site: str, key: bytes) -> tuple[int, bytes] | None:
        """Return when a version was seen, and what `Version.pack` gave."""
        return self._records.get((site, key))

    def put(self, site: str, key: bytes, at: int, data: bytes) -> None:
        """Keep a version in place of an earlier one."""
        replaced = self._records.pop((site, key), None)
        self._size -= 0 if replaced is None else VERSION_OVERHEAD + len(replaced[1])
        self._records[site, key] = at, data
        self._size += VERSION_OVERHEAD + len(data)
        while self._size > self._max_bytes:
            _, (_, dropped) = self._records.popitem(last=False)
            self._size -= VERSION_OVERHEAD + len(dropped)

    @property
    def ids(self) -> Sequence[tuple[str, bytes]]:
        """Site and key of each, the least recent first."""
        return list(self._records)


def hash_address(address: str) -> bytes:
    """Return the key of the versions of a normalized address."""
    return blake2b(address.encode("utf-8", "surrogatepass"), digest_size=SIMHASH_BYTES).digest()
