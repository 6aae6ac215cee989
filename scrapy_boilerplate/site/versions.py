"""Versions of articles: the text of an article when it was last crawled at its URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Self

from scrapy_boilerplate.page.text import replace_surrogates
from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    MAX_DISTANCE,
    NEAR,
    TEMPLATE,
    UNPLACED,
    Article,
    check_digests,
    is_similar,
)
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.stores import Record, check_values

# Changes of an article since its last version at the same URL: no earlier version; the same text
# except for dates, bylines and counters (as `EXACT`); another text.
NEW, UNCHANGED, CHANGED = "new", "unchanged", "updated"

MAX_PARAGRAPHS = 200  # of an article whose paragraphs are compared
MAX_EXCERPT = 60  # characters of a paragraph in a store
_VERDICTS = (None, EXACT, NEAR, TEMPLATE, UNPLACED)
_find_tokens = re.compile(r"[^\W_]+").findall

# A hash of its letters and numbers (64 bits), and its first characters.
Paragraph = tuple[int, str]


@dataclass(frozen=True)
class Version(Record):
    """The state of an article in one crawl.

    fingerprint, simhash  32 hexadecimal digits each; the latter may be ""
    duplicate             its kind of duplicate of an article elsewhere when it was new, or None
    paragraphs            its paragraphs; None if they are not kept
    """

    COLLECTION: ClassVar[str] = "versions"
    MAX_RECORDS: ClassVar[int] = 10_000  # of a site

    fingerprint: str
    simhash: str
    duplicate: str | None = None
    paragraphs: tuple[Paragraph, ...] | None = None

    def is_same(self, other: Version) -> bool:
        """Return whether two versions of one article have the same text."""
        return self.fingerprint == other.fingerprint and is_similar(self.simhash, other.simhash)

    def is_near(self, other: Version) -> bool:
        """Return whether one version may be a changed form of the other."""
        is_near = bool(self.simhash) and is_similar(self.simhash, other.simhash, MAX_DISTANCE)
        return is_near or self.fingerprint == other.fingerprint

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        written = values["paragraphs"]
        paragraphs = (
            None
            if written is None
            else tuple((int(h), replace_surrogates(str(e))) for h, e in written)
        )
        version = cls(values["fingerprint"], values["simhash"], values["duplicate"], paragraphs)
        check_digests(version.fingerprint, version.simhash)
        check_values(version.duplicate in _VERDICTS)
        return version


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
    """An article found at a URL of a site; its versions have the key `key`.

    `version` has no `duplicate` yet.
    """

    article: Article
    text: str
    site: str
    key: bytes
    version: Version

    @classmethod
    def from_text(
        cls, text: str, page: str, site: str, url: str = "", *, with_paragraphs: bool
    ) -> Self:
        """Return the sighting of a text, which has words, at a normalized URL."""
        text = replace_surrogates(text)  # its paragraphs are stored, and come back in items
        article = Article.from_text(text, page, site, url)
        paragraphs = tuple(hash_paragraphs(text)) if with_paragraphs else None
        if paragraphs is not None and len(paragraphs) > MAX_PARAGRAPHS:
            paragraphs = None
        version = Version(article.fingerprint, article.simhash, paragraphs=paragraphs)
        return cls(article, text, site, hash_name(page), version)


@dataclass(frozen=True)
class Change:
    """The change of an article since it was last crawled at its URL.

    change        NEW, UNCHANGED or CHANGED
    duplicate     its kind of duplicate of an article elsewhere
    duplicate_of  the URL of that article; "" if unknown
    previous      its last version, seen `seen` milliseconds since 1970; None and 0 if it is NEW
    added         the paragraphs that the last version does not have; None if unknown
    removed       the starts of the paragraphs that only the last version has; None if unknown
    """

    change: str
    duplicate: str | None
    duplicate_of: str = ""
    previous: Version | None = None
    seen: int = 0
    added: tuple[str, ...] | None = None
    removed: tuple[str, ...] | None = None


def compare_paragraphs(
    sighting: Sighting, previous: Version
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return the new paragraphs, and the starts of the removed ones.

    Moved paragraphs are in neither. Both are None if one of the versions has no paragraphs.
    """
    if sighting.version.paragraphs is None or previous.paragraphs is None:
        return None, None
    kept, known = dict(sighting.version.paragraphs), dict(previous.paragraphs)
    added = tuple(
        paragraph
        for paragraph in sighting.text.split("\n\n")
        for hashed, _ in hash_paragraphs(paragraph)
        if hashed not in known
    )
    return added, tuple(excerpt for hashed, excerpt in previous.paragraphs if hashed not in kept)
