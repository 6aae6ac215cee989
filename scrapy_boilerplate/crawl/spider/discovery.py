"""What the feeds, sitemaps and pages of a site link to."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import islice
from typing import Any

from lxml import etree
from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.sitemap import Sitemap

from scrapy_boilerplate.crawl.spider.urls import (
    FEED,
    FOOT,
    NAV,
    NEWS,
    NEXT,
    SITEMAP,
    TEXT,
    TITLE,
    create_key,
    is_pagination,
)
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_base_url
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.text import count_words

MAX_SITEMAP_BYTES = 50_000_000  # unpacked; sitemaps.org allows as many
MAX_SITEMAP_ENTRIES = 50_000
MAX_FEED_BYTES = 5_000_000
MAX_FEED_ENTRIES = 1_000
MAX_LINKS = 3_000  # of a page
MAX_LINK_TEXTS = 20  # pieces of the text of a link that are read
TITLE_WORDS = 4
TITLE_CHARACTERS = 200
FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
)
GZIP = b"\x1f\x8b"

_CONTEXT_ORDER = (TITLE, NEXT, TEXT, NAV, FOOT)
_HEADER = "header"  # links in it are navigation, headings in it are titles
_CONTAINERS = {"nav": NAV, "header": _HEADER, "footer": FOOT, "aside": TEXT}
_HEADINGS = ("h1", "h2", "h3", "h4")
_find_root = re.compile(rb"<(?:\w+:)?(urlset|sitemapindex|rss|feed|rdf)[\s>]", re.IGNORECASE).search
_is_feed_url = re.compile(
    r"\.(?:rss|atom|rdf)$|/(?:feed|rss|atom)(?:\.xml|\.json)?/?$", re.IGNORECASE
).search
_is_other_file = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, IGNORED_EXTENSIONS))}|js|xml|json)$", re.IGNORECASE
).search
_is_next = re.compile(r"\d{1,3}|[\u203a\u00bb>]+|next.{0,12}", re.IGNORECASE).fullmatch
_find_months = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:[-_/]?(0[1-9]|1[0-2]))?(?!\d)").finditer


class DiscoveryError(ValueError):
    """A feed or sitemap cannot be read; the message says why."""


@dataclass(frozen=True)
class Link:
    """A URL with the context of its link, and the declared timestamp of its page, or None."""

    url: str
    context: str
    date: float | None = None


def is_feed_url(url: str) -> bool:
    """Return whether a URL looks like that of a feed."""
    return _is_feed_url(url) is not None


def import_feedparser() -> Any:
    """Return the package feedparser. Raises MissingExtraError."""
    return import_optional("feedparser", "NewsSpider with feeds", "spider")


def find_kind(body: bytes) -> str:
    """Return ``sitemap``, ``feed`` or ``page`` by the start of a body."""
    start = body[:2_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"{" and b"jsonfeed.org/version" in start:
        return "feed"
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        start = start.replace(b"\0", b"")
    root = None if b"<html" in start.lower() else _find_root(start)
    if root is None:
        return "page"
    return "sitemap" if root[1].lower() in (b"urlset", b"sitemapindex") else "feed"


def unpack(body: bytes) -> bytes:
    """Return a body without gzip, up to MAX_SITEMAP_BYTES. Raises DiscoveryError."""
    if not body.startswith(GZIP):
        return body
    decoder = zlib.decompressobj(wbits=31)
    try:
        unpacked = decoder.decompress(body, MAX_SITEMAP_BYTES)
    except zlib.error as error:
        raise DiscoveryError(f"broken gzip: {error}") from None
    if decoder.unconsumed_tail:
        raise DiscoveryError(f"more than {MAX_SITEMAP_BYTES:,} bytes")
    return unpacked


class _NewsSitemap(Sitemap):
    """A sitemap with the publication dates of news sitemaps, which Scrapy leaves out."""

    def _process_sitemap_element(self, elem: etree._Element) -> dict[str, Any] | None:
        published = next(elem.iter("{*}publication_date"), None)
        text = None if published is None else published.text
        entry = super()._process_sitemap_element(elem)
        if entry is not None and text:
            entry["published"] = text.strip()
        return entry


def read_sitemap(body: bytes) -> tuple[bool, Iterator[Link]]:
    """Return whether a sitemap is an index, and its first MAX_SITEMAP_ENTRIES links.

    Raises DiscoveryError.
    """
    try:
        sitemap = _NewsSitemap(body)
    except (StopIteration, etree.XMLSyntaxError) as error:
        raise DiscoveryError(f"broken XML: {error}") from None
    return sitemap.type == "sitemapindex", _read_entries(sitemap)


def _read_entries(sitemap: Sitemap) -> Iterator[Link]:
    try:
        for entry in islice(sitemap, MAX_SITEMAP_ENTRIES):
            published = entry.get("published")
            date = parse_timestamp(published or entry.get("lastmod", ""))
            yield Link(entry["loc"], NEWS if published else SITEMAP, date)
    except etree.XMLSyntaxError:  # `recover` does not cover every error
        return


def parse_timestamp(text: str) -> float | None:
    """Return the timestamp of an ISO 8601 date; UTC unless it has an offset."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None


def find_archive_date(url: str) -> float | None:
    """Return the timestamp of the end of the year or month in the URL of a sitemap, or None."""
    last = None
    for last in _find_months(url):
        pass
    if last is None:
        return None
    year, month = int(last[1]), int(last[2] or 12)
    end = (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)
    return datetime(*end, tzinfo=timezone.utc).timestamp()


def read_feed(body: bytes) -> list[Link]:
    """Return the links of an RSS, Atom or JSON feed. Raises DiscoveryError and MissingExtraError.

    At most MAX_FEED_ENTRIES; the feed has at most MAX_FEED_BYTES.
    """
    if len(body) > MAX_FEED_BYTES:
        raise DiscoveryError(f"more than {MAX_FEED_BYTES:,} bytes")
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _read_json_feed(body)
    feed = import_feedparser().parse(body, sanitize_html=False, resolve_relative_uris=False)
    if feed.bozo and not feed.entries:
        raise DiscoveryError(f"broken XML: {feed.bozo_exception}")
    links = []
    for entry in feed.entries[:MAX_FEED_ENTRIES]:
        moment = entry.get("updated_parsed") or entry.get("published_parsed")
        try:
            date = None if moment is None else datetime(*moment[:6], tzinfo=timezone.utc)
        except ValueError:
            date = None
        if url := entry.get("link"):
            links.append(Link(url, FEED, None if date is None else date.timestamp()))
    return links


def _read_json_feed(body: bytes) -> list[Link]:
    try:
        items = json.loads(body)["items"][:MAX_FEED_ENTRIES]
        return [
            Link(
                str(item["url"]),
                FEED,
                parse_timestamp(str(item.get("date_modified") or item.get("date_published") or "")),
            )
            for item in items
            if item.get("url")
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DiscoveryError(f"broken JSON: {error!r}") from None


def read_links(response: Response, limits: Limits) -> tuple[list[str], list[Link]]:
    """Return the feeds that a page declares, and its links to other pages in their order.

    A page that has several links to a URL gives it the best context. Linear in the page's size.
    """
    root = parse_html(response, limits)
    base = find_base_url(root, response.url)
    feeds: dict[str, None] = {}
    contexts: dict[int, Link] = {}
    own = create_key(response.url)
    for element, context in islice(_walk_links(root), MAX_LINKS):
        url = clean_url(element.get("href"), base, IMAGE_SCHEMES)
        if url is None:
            continue
        url = url.partition("#")[0]
        if element.tag == "link" or is_feed_url(url):
            feeds[url] = None
            continue
        key = create_key(url)
        path = url.partition("?")[0]
        if key is None or (key == own and not is_pagination(url)) or _is_other_file(path):
            continue
        link = Link(url, _find_context(element, url, context))
        known = contexts.setdefault(key, link)
        if _CONTEXT_ORDER.index(link.context) < _CONTEXT_ORDER.index(known.context):
            contexts[key] = Link(known.url, link.context)
    return list(feeds), list(contexts.values())


def _walk_links(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield the links of a page, each with the context of its container, "" without one."""
    tags = ("a", "link", *_CONTAINERS, *_HEADINGS)
    stack = [""]
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=tags):
        tag = str(element.tag)
        if tag in ("a", "link"):
            if event == "start" and element.get("href") and (tag == "a" or _is_feed_link(element)):
                yield element, stack[-1]
        elif event == "end":
            stack.pop()
        elif tag in _HEADINGS:
            stack.append(TITLE if stack[-1] in ("", _HEADER, TEXT) else stack[-1])
        else:
            stack.append(_CONTAINERS[tag] if stack[-1] not in (NAV, FOOT) else stack[-1])


def _is_feed_link(element: etree._Element) -> bool:
    kind = (element.get("type") or "").partition(";")[0].strip().lower()
    is_comments = "comment" in (element.get("href") or "").lower()
    return kind in FEED_TYPES and "alternate" in element.get("rel", "").lower() and not is_comments


def _find_context(element: etree._Element, url: str, container: str) -> str:
    if container in (NAV, FOOT, _HEADER):
        return NAV if container == _HEADER else container
    pieces = islice(element.itertext(), MAX_LINK_TEXTS)
    text = " ".join("".join(pieces).split())[:TITLE_CHARACTERS]
    if is_pagination(url) or "next" in element.get("rel", "").lower():
        return NEXT
    if _is_next(text):
        return NEXT
    has_heading = any(
        str(child.tag) in _HEADINGS for child in islice(element.iterdescendants(), MAX_LINK_TEXTS)
    )
    if container == TITLE or has_heading or count_words(text) >= TITLE_WORDS:
        return TITLE
    return TEXT
