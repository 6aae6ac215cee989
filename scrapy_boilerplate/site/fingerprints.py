"""Recognise an article by its text: exactly (fingerprint) and nearly (simhash).

Simhash: Charikar 2002, "Similarity estimation techniques from rounding algorithms". Manku, Jain and
Das Sarma 2007 use 64 bits and a distance of 3 for whole pages. An article with one edited paragraph
differs by more. This module uses 128 bits: unrelated texts differ by 64 +- 5.7 bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, compress
from struct import Struct
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate import native
from scrapy_boilerplate.page.labels import BoolArray, IntArray
from scrapy_boilerplate.page.text import replace_surrogates, split_words
from scrapy_boilerplate.site.hashing import Hashes, hash_name, hash_texts, scramble
from scrapy_boilerplate.site.stores import Record, check_values, is_whole

BITS = 128
SHINGLE = 3  # words
MIN_SHINGLES = 20  # of a text with a simhash
MIN_WORDS = MIN_SHINGLES + SHINGLE - 1
MIN_LINE_WORDS = 8  # of a line in the fingerprint: dates, bylines and counters have fewer
MAX_DISTANCE = 30  # bits between near-duplicates: 1e-9 of unrelated pairs
# Bits between texts of one fingerprint: another date and byline around 200 words change 6 to 16.
MAX_EXACT_DISTANCE = 16
MAX_ARTICLES = 100_000  # of an index
MAX_URL = 300  # characters of a URL that is remembered
BLOCK = 16_384  # articles that are compared at once: their simhashes fit in a processor's cache

SIMHASH_BYTES = BITS // 8
_SIMHASH = Struct("<2Q")
MAX_HASH = (1 << 64) - 1
# An article of an index, without its simhash.
ARTICLE_COLUMNS = np.dtype(
    [("has_simhash", np.bool_), ("at", np.int64), ("page", np.uint64), ("site", np.uint64)]
)

# Kinds of duplicates: the same text; nearly the same text on another site (a syndicated copy), at
# the same URL, at another URL of the site (such as weather reports), or if the site of one of the
# two articles is unknown.
EXACT, NEAR, UPDATED, TEMPLATE = "exact", "near", "updated", "template"
UNPLACED = "unplaced"

# Runs of letters and digits, minus signs, and separators of two numbers.
_find_tokens = re.compile(
    r"[^\W_]+|(?<!\w)[-\u2013\u2212](?=\d)|(?<=\d)[\W_]+?(?=[-\u2013\u2212]?\d)"
).findall
_MIX = tuple(np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))


def digest_text(text: str) -> tuple[str, str]:
    """Return the fingerprint and the simhash of a text, 32 hexadecimal digits each.

    Texts have the same fingerprint if their lines of at least MIN_LINE_WORDS words have the same
    letters and numbers. If no line is that long, or the text has no simhash, all lines count.
    ``2:11``, ``21:1`` and ``211`` are different numbers, and so are ``-5`` and ``5``. The simhash
    differs in few bits for texts with few differences. Without words the fingerprint is "", and so
    is the simhash with fewer than MIN_SHINGLES shingles.
    """
    characters, bits = _digest_lines(text.casefold().splitlines(), MIN_WORDS, MIN_LINE_WORDS)
    encoded = characters.encode("utf-8", "surrogatepass")
    digest = blake2b(encoded, digest_size=SIMHASH_BYTES).hexdigest() if characters else ""
    return digest, "" if bits is None else _SIMHASH.pack(*bits).hex()


# The letters and numbers of case-folded lines, and their simhash; see `digest_lines` of `_near`.
_Digest = tuple[str, tuple[int, int] | None]


def _digest_natively(lines: list[str], min_words: int, min_line_words: int) -> _Digest:
    digest: _Digest = native.near.digest_lines(lines, min_words, min_line_words)
    return digest


def _digest_in_numpy(lines: list[str], min_words: int, min_line_words: int) -> _Digest:
    words = list(map(split_words, lines))
    bits = None
    if sum(map(len, words)) >= min_words:
        bits = _compute_simhash(list(chain.from_iterable(words)))
        is_long = [len(of_line) >= min_line_words for of_line in words]
        lines = list(compress(lines, is_long)) or lines
    tokens = _find_tokens("\n".join(lines))
    return "".join([token if token.isalnum() else " " for token in tokens]), bits


_digest_lines = native.choose("near", _digest_natively, _digest_in_numpy)


def _compute_simhash(words: Sequence[str]) -> tuple[int, int]:
    hashes = hash_texts(words)
    size = len(hashes) - SHINGLE + 1
    shingles = np.zeros(size, dtype=np.uint64)
    for shift in range(SHINGLE):
        shingles = scramble(shingles * _MIX[2] + hashes[shift : shift + size])
    shingles.sort()
    distinct = shingles[np.concatenate(([True], shingles[1:] != shingles[:-1]))]
    halves = np.stack((scramble(distinct), scramble(distinct ^ _MIX[1])), axis=1)
    votes = np.unpackbits(halves.view(np.uint8), axis=1).sum(axis=0, dtype=np.int32)
    first, second = np.packbits(votes * 2 > len(distinct)).view(np.uint64).tolist()
    return first, second


def parse_simhash(text: str) -> Hashes:
    """Return uint64[2]: the bits of 32 hexadecimal digits."""
    return np.frombuffer(bytes.fromhex(text), dtype="<u8").astype(np.uint64)


def count_set_bits(numbers: Hashes) -> NDArray[np.uint8]:
    """Return the number of set bits of each number, as `numpy.bitwise_count` of numpy 2 does."""
    pairs = numbers - (numbers >> 1 & np.uint64(0x5555555555555555))
    fours = (pairs & _FOURS) + (pairs >> 2 & _FOURS)
    bytewise = fours + (fours >> 4) & np.uint64(0x0F0F0F0F0F0F0F0F)
    counts: NDArray[np.uint8] = (bytewise * np.uint64(0x0101010101010101) >> 56).astype(np.uint8)
    return counts


_FOURS = np.uint64(0x3333333333333333)
_count_bits = getattr(np, "bitwise_count", count_set_bits)


def match_simhashes(bits: Hashes, others: Hashes) -> BoolArray:
    """Return bool[...]: which of uint64[..., 2] are near-duplicates of uint64[..., 2]."""
    is_near: BoolArray = _count_bits(others ^ bits).sum(axis=-1, dtype=np.uint8) <= MAX_DISTANCE
    return is_near


def is_similar(one: str, other: str, most: int = MAX_EXACT_DISTANCE) -> bool:
    """Return whether two simhashes differ in at most `most` bits; "" is similar to "" only."""
    if not one or not other:
        return one == other
    return (int(one, 16) ^ int(other, 16)).bit_count() <= most


@dataclass(frozen=True)
class Article(Record):
    """The stored values of an article.

    fingerprint  32 hexadecimal digits; "" for an article that is not remembered
    simhash      32 hexadecimal digits, or ""
    page         hash of its normalized URL, and `site` of its site, 64 bits each; 0 if unknown
    url          its URL for log messages; "" if it is unknown or long
    """

    COLLECTION: ClassVar[str] = "articles"
    MAX_RECORDS: ClassVar[int] = MAX_ARTICLES

    fingerprint: str
    simhash: str
    page: int = 0
    site: int = 0
    url: str = field(default="", compare=False)

    @classmethod
    def from_text(cls, text: str, page: str = "", site: str = "", url: str = "") -> Self:
        """Return the article of a text, with its normalized URL, its site and its URL, if known."""
        page_hash, site_hash = map(_hash_place, (page, site))
        return cls(*digest_text(text), page_hash, site_hash, url if len(url) <= MAX_URL else "")

    @property
    def key(self) -> bytes:
        return bytes.fromhex(self.fingerprint)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        names = ("fingerprint", "simhash", "page", "site")
        article = cls(**{name: values[name] for name in names}, url=values.get("url", ""))
        check_digests(article.fingerprint, article.simhash)
        check_values(
            is_whole(article.page, MAX_HASH),
            is_whole(article.site, MAX_HASH),
            isinstance(article.url, str) and len(article.url) <= MAX_URL,
        )
        return article


def check_digests(fingerprint: str, simhash: str) -> None:
    """Raise ValueError or TypeError unless these are a fingerprint, and a simhash or ""."""
    sizes = [len(bytes.fromhex(digits)) for digits in (fingerprint, simhash)]
    check_values(sizes[0] == SIMHASH_BYTES, sizes[1] in (0, SIMHASH_BYTES))


def _hash_place(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") if name else 0


class Duplicate(NamedTuple):
    """How an article is a duplicate of an earlier one, and the URL of that; "" if unknown."""

    kind: str
    url: str = ""


class ArticleIndex:
    """The newest `max_articles` articles, one of each fingerprint.

    If two different articles have one fingerprint, the newer one stays, so that an updated page is
    `EXACT` when it is read again. Other pages of a template then count as new, and none is lost.

    Near-duplicates are found in one pass over all simhashes. Its time depends on the number of
    articles only, not on their texts. Bands are not faster: 30 of 128 bits leave only a band of 4
    bits equal, and bands of 16 bits with up to 3 differences need 5,000 lookups.
    """

    def __init__(self, max_articles: int = MAX_ARTICLES) -> None:
        self._rows: dict[bytes, int] = {}  # by key, the oldest first
        self._urls: list[str] = []
        self._columns = np.zeros(max_articles, dtype=ARTICLE_COLUMNS)
        self._simhashes = np.zeros((2, max_articles), dtype=np.uint64)
        self._found = np.empty(max_articles, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def find(self, article: Article, *, elsewhere: bool = False) -> Duplicate | None:
        """Return how an article is a duplicate: EXACT, UPDATED, NEAR, TEMPLATE or UNPLACED.

        None if no such article is known. Articles of one fingerprint are EXACT if their simhashes
        differ in at most MAX_EXACT_DISTANCE bits, or in no bit at two URLs of one site; else they
        are near. If several articles are near, the one at the same URL has precedence, then one on
        another site. With `elsewhere` articles at the same URL do not count.
        """
        entry = self.entry(article.fingerprint)
        if elsewhere and entry is not None and 0 != entry[1].page == article.page:
            entry = None
        if entry is not None and _is_exact(article, entry[1]):
            return Duplicate(EXACT, entry[1].url)
        near = self._find_near(article)
        if entry is not None:
            near = np.append(near, self._rows[article.key])
        if elsewhere and article.page:
            near = near[self._columns["page"][near] != article.page]
        return self._judge(article, near) if len(near) else None

    def _judge(self, article: Article, near: IntArray) -> Duplicate:
        sites = self._columns["site"][near]
        is_here = (self._columns["page"][near] == article.page) & bool(article.page)
        is_on_another = (sites != article.site) & (sites != 0)
        kind, is_kind = TEMPLATE, sites != 0
        if is_here.any():
            kind, is_kind = UPDATED, is_here
        elif not article.site or not sites.any():
            kind = UNPLACED
        elif is_on_another.any():
            kind, is_kind = NEAR, is_on_another
        return Duplicate(kind, self._urls[near[is_kind.argmax()]])

    def entry(self, fingerprint: str) -> tuple[int, Article] | None:
        """Return when the article was seen, and the article; None if it is not known."""
        row = self._rows.get(bytes.fromhex(fingerprint))
        if row is None:
            return None
        columns = self._columns[row]
        bits = self._simhashes[:, row].astype("<u8").tobytes()
        simhash = bits.hex() if columns["has_simhash"] else ""
        page, site = int(columns["page"]), int(columns["site"])
        return int(columns["at"]), Article(fingerprint, simhash, page, site, self._urls[row])

    def add(self, article: Article, at: int = 0) -> None:
        """Remember an article, seen `at` milliseconds since 1970, unless it has no fingerprint.

        It replaces one of the same fingerprint that is not newer.
        """
        key = article.key
        row = self._rows.get(key)
        if not key or (row is not None and at < self._columns["at"][row]):
            return
        if row is not None:
            del self._rows[key]  # the article becomes the newest
        elif len(self._rows) == len(self._columns):
            row = self._rows.pop(next(iter(self._rows)))  # drop the oldest article
        else:
            row = len(self._rows)
            self._urls.append("")
        self._rows[key] = row
        self._urls[row] = article.url
        self._columns[row] = (bool(article.simhash), at, article.page, article.site)
        self._simhashes[:, row] = parse_simhash(article.simhash) if article.simhash else 0

    def _find_near(self, article: Article) -> IntArray:
        if not article.simhash:
            return self._found[:0]
        simhashes = self._simhashes, len(self), parse_simhash(article.simhash)
        rows = self._found[: _find_near_rows(*simhashes, self._found)]
        near: IntArray = rows[self._columns["has_simhash"][rows]]
        return near


def _find_near_natively(simhashes: Hashes, n: int, bits: Hashes, found: IntArray) -> int:
    size: int = native.near.find_near(simhashes, n, bits, MAX_DISTANCE, found)
    return size


def _find_near_in_numpy(simhashes: Hashes, n: int, bits: Hashes, found: IntArray) -> int:
    size = 0
    for first in range(0, n, BLOCK):
        differences = simhashes[:, first : min(first + BLOCK, n)] ^ bits[:, np.newaxis]
        # bits that differ in one half at least: no more than in both, and counted at once
        if _count_bits(differences[0] | differences[1]).min() <= MAX_DISTANCE:
            counts = _count_bits(differences).sum(axis=0, dtype=np.uint8)
            rows = np.flatnonzero(counts <= MAX_DISTANCE)
            found[size : size + len(rows)] = rows + first
            size += len(rows)
    return size


_find_near_rows = native.choose("near", _find_near_natively, _find_near_in_numpy)


def _is_exact(article: Article, known: Article) -> bool:
    """Return whether two articles of one fingerprint also have the same short lines."""
    is_template = 0 != article.site == known.site and article.page != known.page
    most = 0 if is_template else MAX_EXACT_DISTANCE
    # without simhashes, all lines are in the fingerprint
    return is_similar(article.simhash, known.simhash, most)


# Versions of articles: the text of an article when it was last crawled at its URL

# Changes of an article since its last version at the same URL: no earlier version; the same text
# except for dates, bylines and counters (as `EXACT`); another text.
NEW, UNCHANGED, CHANGED = "new", "unchanged", "updated"

MAX_PARAGRAPHS = 200  # of an article whose paragraphs are compared
MAX_EXCERPT = 60  # characters of a paragraph in a store
_VERDICTS = (None, EXACT, NEAR, TEMPLATE, UNPLACED)
_find_words = re.compile(r"[^\W_]+").findall

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
        tokens = " ".join(_find_words(paragraph.casefold()))
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
