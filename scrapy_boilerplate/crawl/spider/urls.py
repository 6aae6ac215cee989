"""URLs of a news site: one key for each page, their shapes, and dates in their paths."""

import math
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from scrapy_boilerplate.crawl.item_urls import normalize_url
from scrapy_boilerplate.site.hashing import hash_name

MAX_URL = 1_000  # characters
MAX_SEGMENTS = 6  # of a path, and names of a query
MAX_FORM = 12  # characters
# log odds that a link is an article by its context: the kind of its list, or its place on a page
FEED, NEWS, SITEMAP = "feed", "news", "sitemap"
TITLE, TEXT, NAV = "title", "text", "nav"
LOG_ODDS = {FEED: 4, NEWS: 4, SITEMAP: 1, TITLE: 0, TEXT: -1, NAV: -2}

_drop_session = re.compile(r";(?:jsessionid|phpsessid)=[^/?#]*", re.IGNORECASE).sub
_drop_variant = re.compile(r"^amp\.|/(?:amp|print)(?=/|$)|\.amp(?=\.html$|$)").sub
# a flag; a reference or a session that is no small number, which could be the name of an article
_is_variant = re.compile(
    r"(?:amp|print(?:able|er)?|output(?:type)?)(?:=(?:|1|true|yes|on|amp|print|html))?|"
    r"(?:share|replytocom|phpsessid|jsessionid|aspsessionid\w*)(?:=.*)?|"
    r"ref(?:_?(?:src|url))?(?:=(?!\d+$).*)?|"
    r"(?:s?sid|sess(?:ion)?(?:_?id)?)=(?=[^\d]*\d)(?=[\d]*[^\d])[\da-z]{16,}",
    re.IGNORECASE,
).fullmatch
# a day, or a month with a separator
_find_date = re.compile(
    r"(?<!\d)((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])"
    r"(?:\2([0-2]\d|3[01])(?!\d)|(?<=[/_-]\d\d)(?!\d))"
).search
_replace_digits = re.compile(r"\d+").sub
_replace_letters = re.compile(r"[^\W\d_]+").sub
_shorten = re.compile(r"(?:a[-_+]){3,}").sub
_is_list = re.compile(
    r"/(?:tags?|topics?|themen?|authors?|autore?n?|categor(?:y|ies)|search|suche|login|calendar|"
    r"kalender|feed|rss|archives?|page)(?=[/?]|$)",
    re.IGNORECASE,
).search
_is_service = re.compile(
    r"/(?:about(?:[-_]?(?:us|me))?|contacts?|contact[-_]us|kontakt|impressum|imprint|legal|privacy|"
    r"privacy[-_]policy|datenschutz|terms|ueber[-_]uns|a[-_]propos|mentions[-_]legales|faq|help|"
    r"newsletter|subscribe|cookies)(?:/index)?(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
).search
# a further page of a list, or of an article; the index of a site by its name
_is_index = re.compile(
    r"/(?:(?:index|page|seite)[-_/]?\d+|(?:blog|news|posts|articles|archives?|tags|authors|categories)"
    r"(?:/index)?)(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
).search


def names_no_article(url: str) -> bool:
    """Return whether a path ends with the name of an index, or of a page about the site."""
    path = urlsplit(url).path
    return bool(_is_index(path) or _is_service(path))


def create_key(url: str) -> bytes | None:
    """Return a hash that AMP, print and tracked variants of a URL share; None for a wrong URL."""
    normalized = normalize_url(_drop_session("", url)) if len(url) <= MAX_URL else None
    if normalized is None:
        return None
    path, _, query = normalized.partition("?")
    pairs = [pair for pair in query.split("&") if not _is_variant(pair)]
    return hash_name(f"{_drop_variant('', path)}?{'&'.join(pairs)}")


def find_variants(url: str) -> dict[str, bytes]:
    """Return each parameter of a URL with a hash of the URL without its value."""
    parts = urlsplit(url)
    pairs = parts.query.split("&")[:MAX_SEGMENTS] if parts.query else []
    variants = {}
    for pair in pairs:
        name = pair.partition("=")[0]
        query = "&".join(name if each == pair else each for each in pairs)
        if (key := create_key(parts._replace(query=query).geturl())) is not None:
            variants[name] = key
    return variants


def find_url_date(url: str) -> float | None:
    """Return the latest timestamp of the day or month in a path, or None."""
    match = _find_date(urlsplit(url).path)
    if match is None:
        return None
    try:
        start = datetime(int(match[1]), int(match[3]), int(match[4] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return (start + timedelta(days=1 if match[4] else 31)).timestamp()


def describe_shape(url: str) -> str:
    """Return the shape of a URL: its folders, how its last part is built, and names of its query.

    ``/sport/2026/cup-final-won-4711.html?page=2`` is ``/sport/9/a-a-a-9.a?page``.
    """
    parts = urlsplit(url)
    *folders, last = (parts.path or "/").split("/")[1 : MAX_SEGMENTS + 1]
    words = ["9" if folder.isdigit() else folder[:30].lower() for folder in folders]
    form = _shorten("a-a-a-", _replace_letters("a", _replace_digits("9", last)))[:MAX_FORM]
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{'/'.join(('', *words, form))}?{'&'.join(names[:MAX_SEGMENTS])}"


def estimate_article(url: str, context: str) -> float:
    """Return the probability that a link is an article, by its context and its URL."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    hyphens = last.count("-") + last.count("_")
    odds = LOG_ODDS[context] + (2.0 if hyphens >= 3 else 0.5 if hyphens else 0.0)
    odds += 1.0 if re.search(r"\d{5}", last) or find_url_date(url) else 0.0
    odds -= 3.0 if _is_list(url) or _is_service(urlsplit(url).path) or not last else 0.0
    return 1 / (1 + math.exp(-odds))
