"""URLs of a news site: one key for each page, shapes, and dates in paths."""

from __future__ import annotations

import math
import re
from datetime import datetime, timezone
from hashlib import blake2b
from urllib.parse import parse_qsl, urlsplit

from scrapy_boilerplate.crawl.item_addresses import normalize_address

MAX_URL = 1_000  # characters
MAX_SEGMENTS = 6
# contexts of links: lists of a site, and places of a page
FEED, NEWS, SITEMAP = "feed", "news", "sitemap"
TITLE, TEXT, NEXT, NAV, FOOT = "title", "text", "next", "nav", "foot"
# Log odds that a link is an article, before the site has shown any.
CONTEXT_LOG_ODDS = {
    FEED: 4.0,
    NEWS: 4.0,
    SITEMAP: 1.0,
    TITLE: 1.0,
    TEXT: -1.0,
    NEXT: -4.0,
    NAV: -2.0,
    FOOT: -3.0,
}

_drop_session = re.compile(r";(?:jsessionid|phpsessid)=[^/?#]*", re.IGNORECASE).sub
_variant_parameter = re.compile(
    r"(?:amp|print|printable|output(?:type)?|ref|ref_?src|share|replytocom|sid|s?session_?id"
    r"|phpsessid|jsessionid)",
    re.IGNORECASE,
).fullmatch
_drop_variant = re.compile(r"^amp\.|/(?:amp|print)(?=/|$)|\.amp(?=\.html$|$)").sub
_find_date = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])(?:[/-]?([0-2]\d|3[01]))?(?!\d)"
)
_is_list = re.compile(
    r"/(?:tags?|topics?|themen?|authors?|autore?n?|categor(?:y|ies)|search|suche|login|calendar|"
    r"kalender|feed|rss|archives?|page)(?=[/?]|$)",
    re.IGNORECASE,
).search
_is_page = re.compile(
    r"(?:[?&](?:page|p|paged|pg|seite|pagina|start|offset)=\d+|/(?:page|seite|p)/?\d+/?)$",
    re.IGNORECASE,
).search


def create_key(url: str) -> int | None:
    """Return 63 bits that AMP, print and tracked variants of a URL share; None for a bad URL."""
    address = normalize_address(_drop_session("", url)) if len(url) <= MAX_URL else None
    if address is None:
        return None
    path, _, query = address.partition("?")
    pairs = [pair for pair in query.split("&") if not _variant_parameter(pair.partition("=")[0])]
    return hash_text(f"{_drop_variant('', path)}?{'&'.join(pairs)}")


def hash_text(text: str) -> int:
    """Return 63 bits of a text, as SQLite stores them."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def is_pagination(url: str) -> bool:
    """Return whether a URL ends with the number of a page of a list."""
    return _is_page(url) is not None


def find_url_date(url: str) -> float | None:
    """Return the timestamp of the year, month and day in a path, or None."""
    match = _find_date.search(urlsplit(url).path)
    if match is None or match[3] is None:
        return None
    try:
        day = datetime(int(match[1]), int(match[2]), int(match[3]), 12, tzinfo=timezone.utc)
    except ValueError:
        return None
    return day.timestamp()


def describe_shape(url: str) -> tuple[str, str]:
    """Return the shape of a URL, and the same without its words.

    ``/sport/2026/11/cup-final-won-4711.html?page=2`` is ``/sport/9/9/3-9.html?page``: numbers are
    9, the last part is its number of hyphens up to 5.
    """
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment][:MAX_SEGMENTS]
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    query = f"?{'&'.join(names[:MAX_SEGMENTS])}" if names else ""
    if not segments:
        return f"/{query}", f"/{query}"
    *folders, last = segments
    end = _describe_last(last) + ("/" if parts.path.endswith("/") else "")
    words = ["9" if folder.isdigit() else folder[:30].lower() for folder in folders]
    kinds = [_describe_last(folder) for folder in folders]
    return "/".join(("", *words, end)) + query, "/".join(("", *kinds, end)) + query


def _describe_last(segment: str) -> str:
    stem, dot, extension = segment.rpartition(".")
    if not dot or len(extension) > 5:
        stem, extension = segment, ""
    hyphens = min(5, stem.count("-") + stem.count("_") + stem.count("+"))
    number = "9" if any(map(str.isdigit, stem)) else ""
    if stem.isdigit():
        number = "99999" if len(stem) >= 5 else "9"
    words = "" if stem.isdigit() else str(hyphens) if hyphens else "w"
    return f"{words}{number}{dot and extension and f'.{extension.lower()}'}"


def estimate_article(url: str, context: str) -> float:
    """Return the probability that a link is an article, by its context and the URL alone."""
    parts = urlsplit(url)
    last = parts.path.rstrip("/").rpartition("/")[2]
    hyphens = last.count("-") + last.count("_")
    odds = CONTEXT_LOG_ODDS[context]
    odds += 2.0 if hyphens >= 3 else 0.5 if hyphens else 0.0
    odds += 1.0 if re.search(r"\d{5}", last) else 0.0
    odds += 1.0 if _find_date.search(parts.path) and hyphens >= 2 else 0.0
    odds += 0.5 if last.endswith((".html", ".htm", ".shtml", ".php", ".ece")) else 0.0
    odds -= 3.0 if _is_list(url) or not last else 0.0
    return 1 / (1 + math.exp(-odds))
