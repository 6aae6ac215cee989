"""What the feeds, sitemaps and pages of a site link to."""

from __future__ import annotations

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
MAX_FEED_BYTES = 2_000_000  # 14 s of feedparser, if they are hostile
MAX_FEED_ENTRIES = 1_000
MAX_LINKS = 3_000  # of a page
MAX_LINK_NODES = 20  # elements and texts of a link that are read
TITLE_WORDS = 4
BOM_AND_SPACE = b"\xef\xbb\xbf \t\r\n"

_CONTEXT_ORDER = (TITLE, NEXT, TEXT, NAV, FOOT)
_HEADER = "header"  # links in it are navigation, headings in it are titles
_CONTAINERS = {"nav": NAV, "header": _HEADER, "footer": FOOT, "aside": TEXT}
_HEADINGS = ("h1", "h2", "h3", "h4")
_find_root = re.compile(rb"<(?:\w+:)?(urlset|sitemapindex|rss|feed|rdf)[\s>]", re.IGNORECASE).search
_is_feed_type = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)", re.I).match
_is_feed_url = re.compile(
    r"\.(?:rss|atom|rdf)$|/(?:feed|rss|atom)(?:\.xml|\.json)?/?$", re.IGNORECASE
).search
_is_other_file = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, IGNORED_EXTENSIONS))}|js|xml|json)$", re.IGNORECASE
).search
_is_media = re.compile(r"\{[^}]*sitemap-(?:image|video)").match
_is_next = re.compile(r"\d{1,3}|[\u203a\u00bb>]+|next.{0,12}", re.IGNORECASE).fullmatch
_find_months = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:[-_/]?(0[1-9]|1[0-2]))?(?!\d)").findall


class DiscoveryError(ValueError):
    """A feed or sitemap cannot be read; the message says why."""


class Link(NamedTuple):
    """A URL with the context of its link, and the declared timestamp of its page, or None."""

    url: str
    context: str
    date: float | None = None


def import_feedparser() -> Any:
    """Return the package feedparser. Raises MissingExtraError."""
    return import_optional("feedparser", "NewsSpider with feeds", "spider")


def detect_kind(body: bytes) -> str:
    """Return ``sitemap``, ``feed`` or ``page`` by the start of a body."""
    start = body[:2_000].lstrip(BOM_AND_SPACE).replace(b"\0", b"")
    if start[:1] == b"{":
        return "feed" if b"jsonfeed.org" in start else "page"
    root = None if b"<html" in start.lower() else _find_root(start)
    if root is None:
        return "page"
    return "sitemap" if root[1].lower() in (b"urlset", b"sitemapindex") else "feed"


def unpack(body: bytes) -> bytes:
    """Return a body without gzip, of at most MAX_SITEMAP_BYTES. Raises DiscoveryError."""
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


def read_sitemap(body: bytes) -> tuple[bool, Iterator[Link]]:
    """Return whether a sitemap is an index, and its first MAX_SITEMAP_ENTRIES links.

    Scrapy's `Sitemap` leaves out the dates of news sitemaps. Raises DiscoveryError, also while the
    links are read.
    """
    events = etree.iterparse(
        BytesIO(body),
        events=("start", "end"),
        recover=True,
        resolve_entities=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        _, root = next(events)
    except (StopIteration, etree.XMLSyntaxError) as error:
        raise DiscoveryError(f"broken XML: {error}") from None
    return _get_name(root).lower() == "sitemapindex", islice(
        _read_entries(events), MAX_SITEMAP_ENTRIES
    )


def _read_entries(events: Iterator[tuple[str, etree._Element]]) -> Iterator[Link]:
    values: dict[str, str] = {}
    try:
        for event, element in events:
            name = _get_name(element) if event == "end" else ""
            if name in ("url", "sitemap"):
                published = values.get("publication_date")
                date = parse_timestamp(published or values.get("lastmod", ""))
                if url := values.get("loc"):
                    yield Link(url, NEWS if published else SITEMAP, date)
                values = {}
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
            elif name and not _is_media(str(element.tag)):
                values.setdefault(name, (element.text or "").strip())
    except etree.XMLSyntaxError as error:  # parsers recover from most errors, not from all
        raise DiscoveryError(f"broken XML: {error}") from None


def _get_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def parse_timestamp(text: str) -> float | None:
    """Return the timestamp of an ISO 8601 date, UTC unless it has an offset; else None."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None


def find_archive_date(url: str) -> float | None:
    """Return the timestamp of the end of the year or month in the URL of a sitemap, or None."""
    months = _find_months(url)
    if not months:
        return None
    year, month = (int(number or 12) for number in months[-1])
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=timezone.utc).timestamp()


def read_feed(body: bytes) -> list[Link]:
    """Return the first MAX_FEED_ENTRIES links of an RSS, Atom or JSON feed.

    Raises DiscoveryError and MissingExtraError.
    """
    if len(body) > MAX_FEED_BYTES:
        raise DiscoveryError(f"more than {MAX_FEED_BYTES:,} bytes")
    if body.lstrip(BOM_AND_SPACE).startswith(b"{"):
        return _read_json_feed(body)
    feed = import_feedparser().parse(body, sanitize_html=False, resolve_relative_uris=False)
    if feed.bozo and not feed.entries:
        raise DiscoveryError(f"broken XML: {feed.bozo_exception}")
    links = []
    for entry in feed.entries[:MAX_FEED_ENTRIES]:
        # feedparser's `get` returns the date of publication instead, with a warning
        moment = dict.get(entry, "updated_parsed") or entry.get("published_parsed")
        date = parse_timestamp("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}".format(*moment or [0] * 6))
        if url := entry.get("link"):
            links.append(Link(url, FEED, date))
    return links


def _read_json_feed(body: bytes) -> list[Link]:
    try:
        items = json.loads(body)["items"][:MAX_FEED_ENTRIES]
        dates = [item.get("date_modified") or item.get("date_published") for item in items]
        return [
            Link(str(item["url"]), FEED, parse_timestamp(str(date)))
            for item, date in zip(items, dates, strict=True)
            if item.get("url")
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DiscoveryError(f"broken JSON: {error!r}") from None


def read_links(response: Response, limits: Limits) -> tuple[list[str], list[Link]]:
    """Return the feeds of a page, and its links to other pages in their order.

    Of several links to a URL the best context counts. Linear in the size of the page.
    """
    root = parse_html(response, limits)
    base = find_base_url(root, response.url)
    own = create_key(response.url)
    feeds: dict[str, None] = {}
    links: dict[int, Link] = {}
    for element, container in islice(_walk_links(root), MAX_LINKS):
        url = (clean_url(element.get("href"), base, IMAGE_SCHEMES) or "").partition("#")[0]
        path = url.partition("?")[0]
        key = create_key(url) if url else None
        if element.tag == "link" or _is_feed_url(path):
            feeds.update({url: None} if "comment" not in url else {})
        elif key is not None and (key != own or is_pagination(url)) and not _is_other_file(path):
            link = Link(url, _find_context(element, url, container))
            known = links.setdefault(key, link)
            if _CONTEXT_ORDER.index(link.context) < _CONTEXT_ORDER.index(known.context):
                links[key] = known._replace(context=link.context)
    return list(filter(None, feeds)), list(links.values())


def _walk_links(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield the links of a page, each with the context of its container, "" without one."""
    tags = ("a", "link", *_CONTAINERS, *_HEADINGS)
    stack = [""]
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=tags):
        tag = str(element.tag)
        if tag in ("a", "link"):
            is_link = tag == "a" or _is_feed_type(element.get("type") or "")
            if event == "start" and element.get("href") and is_link:
                yield element, stack[-1]
        elif event == "end":
            stack.pop()
        elif tag in _HEADINGS:
            stack.append(stack[-1] if stack[-1] in (NAV, FOOT) else TITLE)
        else:
            stack.append(stack[-1] if stack[-1] in (NAV, FOOT) else _CONTAINERS[tag])


def _find_context(element: etree._Element, url: str, container: str) -> str:
    if container in (NAV, FOOT, _HEADER):
        return FOOT if container == FOOT else NAV
    text = " ".join("".join(islice(element.itertext(), MAX_LINK_NODES)).split())
    is_next = _is_next(text) or "next" in element.get("rel", "").lower()
    if is_next or is_pagination(url):
        return NEXT
    tags = {child.tag for child in islice(element.iterdescendants(), MAX_LINK_NODES)}
    has_title = container == TITLE or not tags.isdisjoint(_HEADINGS)
    return TITLE if has_title or count_words(text[:200]) >= TITLE_WORDS else TEXT
