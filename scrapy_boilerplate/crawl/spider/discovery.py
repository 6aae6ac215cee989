"""What the feeds, sitemaps and pages of a site link to."""

from __future__ import annotations

import calendar
import json
import re
import zlib
from collections.abc import Iterator
from datetime import datetime, timezone
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree
from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.crawl.spider import urls
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_base_url
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.text import count_words

FEEDS, SITEMAPS = "@feed", "@sitemap"  # contexts of links to lists
MAX_SITEMAP_BYTES = 50_000_000  # unpacked; sitemaps.org allows as many
MAX_SITEMAP_ENTRIES = 50_000
MAX_FEED_BYTES = 2_000_000  # 14 s of feedparser, if they are hostile
MAX_FEED_ENTRIES = 1_000
MAX_LINKS = 3_000  # of a page
MAX_LINK_NODES = 20  # elements and texts of a link that are read
TITLE_WORDS = 4
BOM_AND_SPACE = b"\xef\xbb\xbf \t\r\n"

_CONTEXT_ORDER = (urls.TITLE, urls.NEXT, urls.TEXT, urls.NAV, urls.FOOT)
_HEADER = "header"  # links in it are navigation, headings in it are titles
_CONTAINERS = {"nav": urls.NAV, "header": _HEADER, "footer": urls.FOOT}
_HEADINGS = ("h1", "h2", "h3", "h4")
_find_root = re.compile(rb"<(?:\w+:)?(urlset|sitemapindex|rss|feed|rdf)[\s>]", re.IGNORECASE).search
_is_feed_type = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)", re.I).match
_is_feed_url = re.compile(
    r"\.(?:rss|atom|rdf)$|/(?:feed|rss|atom)(?:\.xml|\.json)?/?$", re.IGNORECASE
).search
_is_other_file = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, IGNORED_EXTENSIONS))}|js|xml|json)$", re.IGNORECASE
).search
_is_next = re.compile(r"\d{1,3}|[\u203a\u00bb>]+|next.{0,12}", re.IGNORECASE).fullmatch


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


def import_feedparser() -> Any:
    """Return the package feedparser. Raises MissingExtraError."""
    return import_optional("feedparser", "NewsSpider with feeds", "spider")


def read_list(body: bytes) -> tuple[str, list[Link]]:
    """Return ``sitemap`` or ``feed`` and the links of such a body; ``page`` and [] for others.

    Links of a sitemap index have the context SITEMAPS. Raises DiscoveryError and MissingExtraError.
    """
    body = _unpack(body).lstrip(BOM_AND_SPACE)
    start = body[:2_000].replace(b"\0", b"")
    is_json = start[:1] == b"{" and b"jsonfeed.org" in start
    root = None if is_json or b"<html" in start.lower() else _find_root(start)
    if root is None and not is_json:
        return "page", []
    if root is not None and root[1].lower() in (b"urlset", b"sitemapindex"):
        return "sitemap", list(islice(_read_sitemap(body), MAX_SITEMAP_ENTRIES))
    if len(body) > MAX_FEED_BYTES:
        raise DiscoveryError(f"more than {MAX_FEED_BYTES:,} bytes")
    return "feed", _read_json_feed(body) if is_json else _read_feed(body)


def _unpack(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    decoder = zlib.decompressobj(wbits=31)
    try:
        unpacked = decoder.decompress(body, MAX_SITEMAP_BYTES)
    except zlib.error as error:
        raise DiscoveryError(f"broken gzip: {error}") from None
    if decoder.unconsumed_tail:
        raise DiscoveryError(f"more than {MAX_SITEMAP_BYTES:,} bytes")
    return unpacked


def _read_sitemap(body: bytes) -> Iterator[Link]:
    """Yield the links of a sitemap or index. Scrapy's `Sitemap` leaves out the dates of news."""
    elements = etree.iterparse(
        BytesIO(body),
        tag=("{*}url", "{*}sitemap"),
        recover=True,
        resolve_entities=False,
        remove_comments=True,
    )
    try:
        for _, element in elements:
            url = (element.findtext("{*}loc") or "").strip()
            published = element.findtext(".//{*}publication_date")
            date = parse_timestamp(published or element.findtext("{*}lastmod") or "")
            if url and etree.QName(element).localname == "sitemap":
                yield Link(url, SITEMAPS, date)
            elif url:
                yield Link(url, urls.NEWS if published else urls.SITEMAP, date)
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:  # parsers recover from most errors, not from all
        raise DiscoveryError(f"broken XML: {error}") from None


def parse_timestamp(text: str) -> float | None:
    """Return the timestamp of an ISO 8601 date, UTC unless it has an offset; else None."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None


def _read_feed(body: bytes) -> list[Link]:
    feed = import_feedparser().parse(body, sanitize_html=False, resolve_relative_uris=False)
    if feed.bozo and not feed.entries:
        raise DiscoveryError(f"broken XML: {feed.bozo_exception}")
    links = []
    for entry in feed.entries[:MAX_FEED_ENTRIES]:
        # feedparser's `get` returns the date of publication instead, with a warning
        moment = dict.get(entry, "updated_parsed") or entry.get("published_parsed")
        if url := entry.get("link"):
            links.append(Link(url, urls.FEED, calendar.timegm(moment) if moment else None))
    return links


def _read_json_feed(body: bytes) -> list[Link]:
    links = []
    try:
        for item in json.loads(body)["items"][:MAX_FEED_ENTRIES]:
            date = item.get("date_modified") or item.get("date_published")
            if url := item.get("url"):
                links.append(Link(str(url), urls.FEED, parse_timestamp(str(date))))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DiscoveryError(f"broken JSON: {error!r}") from None
    return links


def read_links(response: Response, limits: Limits) -> list[Link]:
    """Return the links of a page to feeds, with the context FEEDS, and to other pages, in order.

    Of several links to a URL the best context counts. Linear in the size of the page.
    """
    root = parse_html(response, limits)
    base = find_base_url(root, response.url)
    own = urls.create_key(response.url)
    feeds: dict[str, Link] = {}
    links: dict[int, Link] = {}
    for element, container in islice(_walk_links(root), MAX_LINKS):
        url = (clean_url(element.get("href"), base, IMAGE_SCHEMES) or "").partition("#")[0]
        path = url.partition("?")[0]
        key = urls.create_key(url) if url else None
        if key is None:
            continue
        if element.tag == "link" or _is_feed_url(path):
            if "comment" not in url:
                feeds[url] = Link(url, FEEDS)
        elif (key != own or urls.is_pagination(url)) and not _is_other_file(path):
            context = _find_context(element, url, container)
            known = links.setdefault(key, Link(url, context))
            if _CONTEXT_ORDER.index(context) < _CONTEXT_ORDER.index(known.context):
                links[key] = known._replace(context=context)
    return [*feeds.values(), *links.values()]


def _walk_links(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield the links of a page, each with the context of its container, "" without one."""
    tags = ("a", "link", *_CONTAINERS, *_HEADINGS)
    stack = [""]
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=tags):
        if element.tag in ("a", "link"):
            is_link = element.tag == "a" or _is_feed_type(element.get("type") or "")
            if event == "start" and element.get("href") and is_link:
                yield element, stack[-1]
        elif event == "end":
            stack.pop()
        elif stack[-1] in (urls.NAV, urls.FOOT):
            stack.append(stack[-1])
        else:
            stack.append(_CONTAINERS.get(str(element.tag), urls.TITLE))


def _find_context(element: etree._Element, url: str, container: str) -> str:
    if container in (urls.NAV, urls.FOOT, _HEADER):
        return urls.FOOT if container == urls.FOOT else urls.NAV
    text = " ".join("".join(islice(element.itertext(), MAX_LINK_NODES)).split())
    if _is_next(text) or "next" in element.get("rel", "").lower() or urls.is_pagination(url):
        return urls.NEXT
    tags = {child.tag for child in islice(element.iterdescendants(), MAX_LINK_NODES)}
    has_title = container == urls.TITLE or not tags.isdisjoint(_HEADINGS)
    return urls.TITLE if has_title or count_words(text[:200]) >= TITLE_WORDS else urls.TEXT
