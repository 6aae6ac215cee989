"""Recognise an article by its text: exactly (`fingerprint`) and nearly (`simhash`).

Simhash: Charikar 2002, "Similarity estimation techniques from rounding algorithms". Manku, Jain and
Das Sarma 2007 use 64 bits and a distance of 3 for whole pages. An article with one edited paragraph
differs by more. This module uses 128 bits: unrelated texts differ by 64 +- 5.7 bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.text import count_words, split_words
from scrapy_boilerplate.site.codec import Record, check_values, is_whole
from scrapy_boilerplate.site.hashing import Hashes, hash_texts, scramble

BITS = 128
SHINGLE = 3  # words
MIN_SHINGLES = 20  # of a text with a simhash
MIN_WORDS = MIN_SHINGLES + SHINGLE - 1
MIN_LINE_WORDS = 8  # of a line in the fingerprint: dates, bylines and counters have fewer
MAX_DISTANCE = 30  # bits between near-duplicates: 1e-9 of unrelated pairs
# Bits between texts of one fingerprint: another date and byline around 200 words change 6 to 16.
MAX_EXACT_DISTANCE = 16
MAX_ARTICLES = 100_000  # of an index, 41 bytes and a key each

SIMHASH_BYTES = BITS // 8
MAX_HASH = (1 << 64) - 1
# An article of an index.
ARTICLE_COLUMNS = np.dtype(
    [
        ("simhash", np.uint64, 2),
        ("has_simhash", np.bool_),
        ("at", np.int64),
        ("page", np.uint64),
        ("site", np.uint64),
    ]
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
# set bits of every 16-bit number (`numpy.bitwise_count` needs numpy 2.0)
_SET_BITS: NDArray[np.uint8] = np.unpackbits(
    np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1
).sum(axis=1, dtype=np.uint8)


def fingerprint(text: str) -> str:
    """Return 32 hexadecimal digits; "" for a text without words.

    Texts have the same fingerprint if their lines of at least MIN_LINE_WORDS words have the same
    letters and numbers. If no line is that long, or the text has no simhash, all lines count.
    ``2:11``, ``21:1`` and ``211`` are different numbers, and so are ``-5`` and ``5``.
    """
    lines = text.casefold().splitlines()
    n_words = [count_words(line) for line in lines]
    if sum(n_words) >= MIN_WORDS and max(n_words) >= MIN_LINE_WORDS:
        lines = [line for line, n in zip(lines, n_words, strict=True) if n >= MIN_LINE_WORDS]
    tokens = _find_tokens("\n".join(lines))
    characters = "".join(token if token.isalnum() else " " for token in tokens)
    encoded = characters.encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=BITS // 8).hexdigest() if characters else ""


def simhash(text: str) -> str:
    """Return 32 hexadecimal digits that differ in few bits for texts with few differences.

    "" for a text of fewer than MIN_SHINGLES shingles.
    """
    bits = compute_simhash(text)
    return "" if bits is None else bits.astype("<u8").tobytes().hex()


def compute_simhash(text: str) -> Hashes | None:
    """Return uint64[2]: the bits of `simhash`; None for a short text."""
    words = split_words(text.casefold())
    if len(words) < MIN_WORDS:
        return None
    hashes = hash_texts(words)
    size = len(hashes) - SHINGLE + 1
    shingles = np.zeros(size, dtype=np.uint64)
    for shift in range(SHINGLE):
        shingles = scramble(shingles * _MIX[2] + hashes[shift : shift + size])
    shingles.sort()
    distinct = shingles[np.concatenate(([True], shingles[1:] != shingles[:-1]))]
    halves = np.stack((scramble(distinct), scramble(distinct ^ _MIX[1])), axis=1)
    votes = np.unpackbits(halves.view(np.uint8), axis=1).sum(axis=0, dtype=np.int32)
    return np.packbits(votes * 2 > len(distinct)).view(np.uint64)


def match_simhashes(bits: Hashes, others: Hashes) -> BoolArray:
    """Return bool[...]: which of uint64[..., 2] are near-duplicates of uint64[..., 2]."""
    parts = np.ascontiguousarray(others ^ bits).view(np.uint16)
    is_near: BoolArray = _SET_BITS[parts].sum(axis=-1, dtype=np.uint8) <= MAX_DISTANCE
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
    page         hash of its URL, and `site` of its site, 64 bits each; 0 if unknown
    """

    COLLECTION: ClassVar[str] = "articles"
    MAX_RECORDS: ClassVar[int] = MAX_ARTICLES

    fingerprint: str
    simhash: str
    page: int = 0
    site: int = 0

    @classmethod
    def from_text(cls, text: str, url: str = "", site: str = "") -> Self:
        """Return the article of a text, with its normalized URL and its site, if known."""
        page_hash, site_hash = map(_hash_place, (url, site))
        return cls(fingerprint(text), simhash(text), page_hash, site_hash)

    @property
    def key(self) -> bytes:
        """The key in stores."""
        return bytes.fromhex(self.fingerprint)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        article = cls(**{name: values[name] for name in ("fingerprint", "simhash", "page", "site")})
        check_digests(article.fingerprint, article.simhash)
        check_values(is_whole(article.page, MAX_HASH), is_whole(article.site, MAX_HASH))
        return article


def check_digests(fingerprint: str, simhash: str) -> None:
    """Raise ValueError or TypeError unless these are a fingerprint, and a simhash or ""."""
    sizes = [len(bytes.fromhex(digits)) for digits in (fingerprint, simhash)]
    check_values(sizes[0] == SIMHASH_BYTES, sizes[1] in (0, SIMHASH_BYTES))


def _hash_place(name: str) -> int:
    """Return 64 bits of a URL or a site; 0 for ""."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") if name else 0


class ArticleIndex:
    """The newest `max_articles` articles, one of each fingerprint.

    If two different articles have one fingerprint, the newer one stays, so that an updated page is
    `EXACT` when it is read again. Other pages of a template then count as new, and none is lost.
    """

    def __init__(self, max_articles: int = MAX_ARTICLES) -> None:
        self._rows: dict[str, int] = {}
        self._columns = np.zeros(max_articles, dtype=ARTICLE_COLUMNS)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and key.hex() in self._rows

    def find(self, article: Article, *, elsewhere: bool = False) -> str | None:
        """Return EXACT, UPDATED, NEAR, TEMPLATE or UNPLACED; None if no such article is known.

        Articles of one fingerprint are EXACT if their simhashes differ in at most
        MAX_EXACT_DISTANCE bits, or in no bit at two URLs of one site; else they are near. If
        several articles are near, the one at the same URL has precedence, then one on another
        site. With `elsewhere` articles at the same URL do not count.
        """
        entry = self.entry(article.fingerprint)
        if elsewhere and entry is not None and 0 != entry[1].page == article.page:
            entry = None
        if entry is not None and _is_exact(article, entry[1]):
            return EXACT
        known = self._columns[: len(self._rows)]
        is_near = np.zeros(len(known), dtype=np.bool_)
        if article.simhash:
            bits = parse_simhash(article.simhash)
            is_near = match_simhashes(bits, known["simhash"]) & known["has_simhash"]
        if entry is not None:
            is_near[self._rows[article.fingerprint]] = True
        if elsewhere and article.page:
            is_near &= known["page"] != article.page
        near = known[is_near]
        if not len(near):
            return None
        if article.page and (near["page"] == article.page).any():
            return UPDATED
        if not article.site or not near["site"].any():
            return UNPLACED
        is_elsewhere = (near["site"] != article.site) & (near["site"] != 0)
        return NEAR if is_elsewhere.any() else TEMPLATE

    def entry(self, fingerprint: str) -> tuple[int, Article] | None:
        """Return when the article was seen, and the article; None if it is not known."""
        row = self._rows.get(fingerprint)
        if row is None:
            return None
        columns = self._columns[row]
        simhash = columns["simhash"].astype("<u8").tobytes().hex() if columns["has_simhash"] else ""
        page, site = int(columns["page"]), int(columns["site"])
        return int(columns["at"]), Article(fingerprint, simhash, page, site)

    def add(self, article: Article, at: int = 0) -> None:
        """Remember an article, seen `at` milliseconds since 1970, unless it has no fingerprint.

        It replaces one of the same fingerprint that is not newer.
        """
        known_row = self._rows.get(article.fingerprint)
        if not article.fingerprint or (
            known_row is not None and at < self._columns["at"][known_row]
        ):
            return
        if known_row is not None:
            row = self._rows.pop(article.fingerprint)  # the article becomes the newest
        elif len(self._rows) == len(self._columns):
            row = self._rows.pop(next(iter(self._rows)))  # drop the oldest article
        else:
            row = len(self._rows)
        self._rows[article.fingerprint] = row
        bits = parse_simhash(article.simhash) if article.simhash else (0, 0)
        self._columns[row] = (bits, bool(article.simhash), at, article.page, article.site)


def _is_exact(article: Article, known: Article) -> bool:
    """Return whether two articles of one fingerprint also have the same short lines."""
    is_template = 0 != article.site == known.site and article.page != known.page
    most = 0 if is_template else MAX_EXACT_DISTANCE
    # without simhashes, all lines are in the fingerprint
    return is_similar(article.simhash, known.simhash, most)


def parse_simhash(text: str) -> Hashes:
    """Return uint64[2]: the bits of 32 hexadecimal digits."""
    return np.frombuffer(bytes.fromhex(text), dtype="<u8").astype(np.uint64)
