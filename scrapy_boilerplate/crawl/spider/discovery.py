"""Read the links in feeds, sitemaps and pages of a site."""

import calendar
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from lxml import etree
from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.gz import gunzip

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.crawl.spider import urls
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_base_url
from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.text import count_words

FEEDS, SITEMAPS = "@feed", "@sitemap"  # contexts of links to lists
MAX_SITEMAP_BYTES = 50_000_000  # unpacked; sitemaps.org allows as many
MAX_SITEMAP_ENTRIES = 50_000
MAX_FEED_BYTES = 2_000_000  # 14 s of feedparser, if they are hostile
MAX_FEED_ENTRIES = 1_000
MAX_LANGUAGES = 50  # of an entry of a sitemap
MAX_LINE = 4_000  # bytes
MAX_ESCAPES = 3  # of a URL in another
MAX_LINKS = 50_000  # of a page, as of a sitemap
MAX_LINK_NODES = 20  # elements and comments that are read inside a link
MAX_LINK_TEXT = 200  # characters
TITLE_WORDS = 4
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
MAX_PROLOG = 100_000  # bytes before the root of a list
MAX_JUNK = 2_000  # bytes before an XML declaration, such as warnings of PHP
# hours from UTC; feedparser knows none of Europe, and our parser none
_ZONES = (
    "WET 0 WEST 1 BST 1 CET 1 MET 1 CEST 2 MEST 2 EET 2 EEST 3 MSK 3 JST 9 KST 9 AEST 10 AEDT 11 "
    "NZST 12 NZDT 13 EDT -4 EST -5 CDT -5 CST -6 MDT -6 MST -7 PDT -7 PST -8"
).split()
ZONES = dict(zip(_ZONES[::2], map(int, _ZONES[1::2]), strict=True))

_HEADINGS = ("h1", "h2", "h3", "h4")
_CONTAINERS = ("nav", "header", "footer", *_HEADINGS)
_match_root = re.compile(
    rb"(?:[^<]+|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[.*?\]\s*)?>)*+"
    rb"<(?:[\w.-]+:)?(urlset|sitemapindex|rss|feed|rdf)[\s/>]",
    re.DOTALL,
).match
_match_url = re.compile(r"https?://\S+$", re.IGNORECASE).match
_find_escaped = re.compile(r"https?%(?:25)*3A%(?:25)*2F[^&#]+", re.IGNORECASE).search
_escape_ampersands = re.compile(
    rb"(<!\[CDATA\[(?:.*?\]\]>|.*))|&(?!(?:#\d+|#[xX][\da-fA-F]+|[A-Za-z]\w*);)", re.DOTALL
).sub
# the year of RFC 822, which has two digits
_expand_year = partial(re.compile(r"(\d [A-Z][a-z]{2}) (\d\d)(?= \d\d?:)").sub, r"\1 20\2")
_find_zone = re.compile(r"\d\s*\(?([A-Z]{3,4})\)?\s*$").search
_is_feed_type = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)", re.I).match
_is_comments_feed = re.compile(r"(?<![a-z])comments(?![a-z])", re.IGNORECASE).search
_is_other_file = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, IGNORED_EXTENSIONS))}|js|json)$", re.IGNORECASE
).search


class Skip(StrEnum):
    """Why a URL gives no item, and what that means."""

    meaning: str

    OTHER_SITE = "other site", "on a host that the crawl may not ask"
    PRIVATE = "private address", "on a host of a private network"
    DISALLOWED = "disallowed by robots.txt", "the site wants no request"
    FILTERED = "filtered", "another middleware dropped the request"
    NO_ANSWER = "no answer", "the next run requests them again"
    BROKEN_LIST = "broken list", "feeds or sitemaps that cannot be read"
    NO_PAGE = "not a page", "no HTML, or no feed or sitemap where one was declared"
    NO_ARTICLE = "not an article", "pages without a text of their own or new links"
    DUPLICATE = "duplicate", "the article has an item under another URL"
    DROPPED = "dropped", "by an item pipeline"
    TOO_OLD = "too old", "dated before `since`"
    OLD_LIST = "old list", "in a list whose last articles were all before `since`"
    TRAP = "trap", "like other URLs that led to no article"
    QUEUE_FULL = "queue full", "too many URLs wait"
    TOO_DEEP = "too deep", "beyond `DEPTH_LIMIT`"
    BAD_URL = "bad URL", "not a URL of a web page"
    STRATEGY = "strategy", "of a kind that `strategy` excludes; not counted"
    KNOWN = "known", "waiting, or requested before; not counted"

    def __new__(cls, value: str, meaning: str) -> Self:
        """Build a member."""
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member


class DiscoveryError(ValueError):
    """A feed or sitemap cannot be read; the message says why."""


class Link(NamedTuple):
    """A URL to request.

    context   of its link: a key of `urls.LOG_ODDS`, or one of `frontier.SOURCES`
    date      timestamp of its publication or last change, perhaps an estimate, or None
    depth     links from the home page to it
    found_in  URL of the feed, sitemap or page that links to it
    """

    url: str
    context: str
    date: float | None = None
    depth: int = 0
    found_in: str = ""


def parse_timestamp(text: str) -> float | None:
    """Return the timestamp of an ISO 8601 date, UTC unless it has an offset; else None."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def read_date(text: str, language: str | None = None) -> float | None:
    """Return the timestamp of a date in any notation, UTC unless it has a zone; else None."""
    date, text = parse_timestamp(text), _expand_year(text)
    if date is None and (written := parse_date(text, language)):
        date = parse_timestamp(written)
        zone = _find_zone(text)
        if date is not None and zone and written[-6:-5] not in ("+", "-"):
            date -= 3_600 * ZONES.get(zone[1], 0)
    return date


def import_feedparser() -> Any:
    """Return the package feedparser. Raises MissingExtraError."""
    return import_optional("feedparser", "NewsSpider with feeds", "spider")


def read_list(
    body: bytes, is_own: Callable[[str], bool] = bool, *, alternates: bool = False
) -> tuple[str, list[Link]]:
    """Return ``sitemap`` or ``feed`` and the links of its body; ``page`` and [] for other bodies.

    Of the URLs of an entry of a feed, the first for which `is_own` holds counts, or else the first.
    With `alternates`, a sitemap also gives the versions of a page in other languages. Links of a
    sitemap index have the context SITEMAPS. Raises DiscoveryError and MissingExtraError.
    """
    if body.startswith(GZIP):
        try:
            body = gunzip(body, max_size=MAX_SITEMAP_BYTES)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise DiscoveryError(f"broken or large gzip: {error!r}") from None
    body = body.removeprefix(BOM).lstrip()
    body = body[max(0, body.find(b"<?xml", 0, MAX_JUNK)) :]
    root = _match_root(body[:MAX_PROLOG].replace(b"\0", b"").lower())
    if root is None and body.startswith(b"{"):
        entries = _read_json_feed(body, is_own)
        return ("page", []) if entries is None else ("feed", entries)
    if root is None:
        lines = list(islice(_read_lines(body), MAX_SITEMAP_ENTRIES))
        return ("sitemap" if lines else "page"), lines
    if root[1] in (b"urlset", b"sitemapindex"):
        return "sitemap", list(islice(_read_sitemap(body, alternates), MAX_SITEMAP_ENTRIES))
    return "feed", _read_feed(body, is_own)


def _read_lines(body: bytes) -> Iterator[Link]:
    encoding = "utf-16" if body.startswith(UTF_16_BOMS) else "utf-8"
    start = body[:MAX_LINE].decode(encoding, "ignore").split(maxsplit=1)
    if start and _match_url(start[0]):
        lines = map(str.strip, body.decode(encoding, "replace").splitlines())
        yield from (Link(line, urls.SITEMAP) for line in lines if _match_url(line))


def _read_sitemap(body: bytes, alternates: bool) -> Iterator[Link]:
    if not body.startswith(UTF_16_BOMS):
        body = _escape_ampersands(lambda match: match[1] or b"&amp;", body)
    tags = ("{*}url", "{*}sitemap")
    try:
        for _, element in etree.iterparse(
            BytesIO(body), tag=tags, recover=True, resolve_entities=False, remove_comments=True
        ):
            yield from _read_entry(element, alternates)
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:  # parsers recover from most errors, not from all
        raise DiscoveryError(f"broken XML: {error}") from None


def _read_entry(element: etree._Element, alternates: bool) -> Iterator[Link]:
    published = element.findtext("{*}news/{*}publication_date")
    dates = [read_date(text) for text in (published, element.findtext("{*}lastmod")) if text]
    date = max((each for each in dates if each is not None), default=None)
    context = urls.NEWS if published else urls.SITEMAP
    if etree.QName(element).localname == "sitemap":
        context = SITEMAPS
    locations = [(element.findtext("{*}loc") or "").strip()]
    if alternates:
        others = islice(element.iterfind("{*}link[@hreflang]"), MAX_LANGUAGES)
        locations += [(each.get("href") or "").strip() for each in others]
    for url in filter(None, dict.fromkeys(locations)):
        yield Link(url, context, date)


def _read_feed(body: bytes, is_own: Callable[[str], bool]) -> list[Link]:
    _check_size(body)
    feed = import_feedparser().parse(body, sanitize_html=False, resolve_relative_uris=False)
    if feed.bozo and not feed.entries:
        raise DiscoveryError(f"broken XML: {feed.bozo_exception}")
    language = str(feed.feed.get("language") or "")[:2].lower()
    links = []
    for entry in feed.entries[:MAX_FEED_ENTRIES]:
        # feedparser's `get` returns the date of publication instead, with a warning
        name = "updated" if dict.get(entry, "updated_parsed") else "published"
        moment = dict.get(entry, f"{name}_parsed")
        date = read_date(str(dict.get(entry, name) or ""), language)
        if date is None and moment:
            date = calendar.timegm(moment)
        guid = str(entry.get("id") or "")
        candidates = (entry.get("link"), entry.get("feedburner_origlink"), guid)
        links += _choose_url(candidates, is_own, date)
    return links


def _choose_url(
    candidates: Iterable[object], is_own: Callable[[str], bool], date: float | None
) -> list[Link]:
    """Return the link of an entry of a feed in a list, or [] without a URL.

    An identifier counts if it is a URL of the site, and so does the URL that a link holds escaped.
    """
    link, *others = [str(url or "").strip() for url in candidates]
    own = (url for url in (link, *others, _decode_inner(link)) if url and is_own(url))
    url = next(own, link or next((url for url in others if _match_url(url)), ""))
    return [Link(url, urls.FEED, date)] if url else []


def _decode_inner(link: str) -> str:
    match = _find_escaped(link, 1)
    inner = match[0] if match else ""
    for _ in range(MAX_ESCAPES):
        inner = inner if _match_url(inner) else unquote(inner)
    return inner


def _read_json_feed(body: bytes, is_own: Callable[[str], bool]) -> list[Link] | None:
    links: list[Link] = []
    try:
        _check_size(body)
        feed = json.loads(body)
        if "jsonfeed.org" not in str(feed.get("version"))[:MAX_LINE]:
            return None
        for item in feed["items"][:MAX_FEED_ENTRIES]:
            date = read_date(str(item.get("date_modified") or item.get("date_published") or ""))
            candidates = [item.get(name) for name in ("url", "external_url", "id")]
            links += _choose_url(candidates, is_own, date)
    except DiscoveryError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if b"jsonfeed.org" not in body:
            return None
        raise DiscoveryError(f"broken JSON: {error!r}") from None
    return links


def _check_size(body: bytes) -> None:
    if len(body) > MAX_FEED_BYTES:
        raise DiscoveryError(f"more than {MAX_FEED_BYTES:,} bytes")


def read_links(response: Response, limits: Limits) -> list[Link]:
    """Return the links of a page to feeds (FEEDS) and pages, each by its best context."""
    root = parse_html(response, limits)
    base = find_base_url(root, response.url)
    own = urls.create_key(response.url)
    links: dict[bytes, Link] = {}
    for element in islice(root.iter("a", "link"), MAX_LINKS):
        url = (clean_url(element.get("href"), base, IMAGE_SCHEMES) or "").partition("#")[0]
        key = urls.create_key(url) if url else None
        context = None if key in (None, own) else _find_context(element, url)
        if key is not None and context is not None:
            known = links.setdefault(key, Link(url, context))
            if urls.LOG_ODDS.get(context, 0) > urls.LOG_ODDS.get(known.context, 0):
                links[key] = known._replace(context=context)
    return list(links.values())


def _find_context(element: etree._Element, url: str) -> str | None:
    if _is_feed_type(element.get("type") or ""):
        return None if _is_comments_feed(urlsplit(url)._replace(netloc="").geturl()) else FEEDS
    if element.tag == "link" or _is_other_file(url.partition("?")[0]):
        return None
    containers = {each.tag for each in islice(element.iterancestors(*_CONTAINERS), MAX_LINK_NODES)}
    is_in_header = "header" in containers and containers.isdisjoint(_HEADINGS)
    if is_in_header or not containers.isdisjoint(("nav", "footer")):
        return urls.NAV
    first, *others = islice(element.iter(), MAX_LINK_NODES)
    containers |= {node.tag for node in others}
    texts = [first.text, *(node.text for node in others if isinstance(node.tag, str))]
    texts += [node.tail for node in others]
    text = " ".join(each[:MAX_LINK_TEXT] for each in texts if each)
    has_title = not containers.isdisjoint(_HEADINGS) or count_words(text) >= TITLE_WORDS
    return urls.TITLE if has_title else urls.TEXT
