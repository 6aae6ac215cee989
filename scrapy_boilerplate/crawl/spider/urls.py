"""URLs of a news site: one key for each page, their shapes, and dates in their paths."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from urllib.parse import parse_qsl, urlsplit

from scrapy_boilerplate.crawl.item_addresses import normalize_address

MAX_URL = 1_000  # characters
MAX_SEGMENTS = 6  # of a path, and names of a query
# log odds that a link is an article by its context: the kind of its list, or its place on a page
FEED, NEWS, SITEMAP = "feed", "news", "sitemap"
TITLE, NEXT, TEXT, NAV, FOOT = "title", "next", "text", "nav", "foot"
LOG_ODDS = {FEED: 4, NEWS: 4, SITEMAP: 1, TITLE: 1, NEXT: -4, TEXT: -1, NAV: -2, FOOT: -3}

_drop_session = re.compile(r";(?:jsessionid|phpsessid)=[^/?#]*", re.IGNORECASE).sub
_drop_variant = re.compile(r"^amp\.|/(?:amp|print)(?=/|$)|\.amp(?=\.html$|$)").sub
_is_variant = re.compile(
    r"amp|print|printable|output(?:type)?|ref(?:_?src)?|share|replytocom|s?sid|session_?id|"
    r"phpsessid|jsessionid",
    re.IGNORECASE,
).fullmatch
# a day, or a month with a separator
_find_date = re.compile(
    r"(?<!\d)((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])"
    r"(?:\2([0-2]\d|3[01])(?!\d)|(?<=[/_-]\d\d)(?!\d))"
).search
_is_list = re.compile(
    r"/(?:tags?|topics?|themen?|authors?|autore?n?|categor(?:y|ies)|search|suche|login|calendar|"
    r"kalender|feed|rss|archives?|page)(?=[/?]|$)",
    re.IGNORECASE,
).search
is_pagination = re.compile(
    r"(?:[?&](?:page|p|paged|pg|seite|pagina|start|offset)=\d+|/(?:page|seite|p)/?\d+/?)$",
    re.IGNORECASE,
).search
"""Return a match if a URL ends with the number of a page of a list."""


def create_key(url: str) -> int | None:
    """Return 63 bits that AMP, print and tracked variants of a URL share; None for a bad URL."""
    address = normalize_address(_drop_session("", url)) if len(url) <= MAX_URL else None
    if address is None:
        return None
    path, _, query = address.partition("?")
    pairs = [pair for pair in query.split("&") if not _is_variant(pair.partition("=")[0])]
    return hash_text(f"{_drop_variant('', path)}?{'&'.join(pairs)}")


def hash_text(text: str) -> int:
    """Return 63 bits of a text, as SQLite stores them."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def find_url_date(url: str) -> float | None:
    """Return the timestamp of the end of the day or month in a path, or None."""
    match = _find_date(urlsplit(url).path)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[3]), int(match[4] or 1)
    try:
        start = datetime(year, month, day, tzinfo=timezone.utc)
    except ValueError:
        return None
    if match[4]:
        return (start + timedelta(days=1)).timestamp()
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=timezone.utc).timestamp()


def describe_shape(url: str) -> str:
    """Return the shape of a URL: folders, number of hyphens and digits of the last part, names.

    ``/sport/2026/cup-final-won-4711.html?page=2`` is ``/sport/9/3-9.html?page``.
    """
    parts = urlsplit(url)
    *folders, last = [part for part in parts.path.split("/") if part][:MAX_SEGMENTS] or [""]
    stem, dot, extension = last.rpartition(".")
    if not dot or len(extension) > 5:
        stem, dot, extension = last, "", ""
    hyphens = min(5, sum(map(stem.count, "-_+")))
    digits = sum(map(str.isdigit, stem))
    end = f"{hyphens}-{'99999' if digits >= 5 else '9' if digits else ''}{dot}{extension.lower()}"
    words = ["9" if folder.isdigit() else folder[:30].lower() for folder in folders]
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{'/'.join(('', *words, end if last else ''))}?{'&'.join(names[:MAX_SEGMENTS])}"


def estimate_article(url: str, context: str) -> float:
    """Return the probability that a link is an article, by its context and its URL."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    hyphens = last.count("-") + last.count("_")
    odds = LOG_ODDS[context] + (2.0 if hyphens >= 3 else 0.5 if hyphens else 0.0)
    odds += 1.0 if re.search(r"\d{5}", last) else 0.0
    odds -= 3.0 if _is_list(url) or not last else 0.0
    return 1 / (1 + math.exp(-odds))
