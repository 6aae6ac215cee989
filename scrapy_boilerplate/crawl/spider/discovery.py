"""Read the links in feeds, sitemaps and pages of a site."""

from __future__ import annotations

import calendar
import json
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree
from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.gz import gunzip

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
MAX_LINKS = 50_000  # of a page, as of a sitemap
MAX_LINK_NODES = 20  # elements and comments that are read inside a link
MAX_LINK_TEXT = 200  # characters
TITLE_WORDS = 4
GZIP = b"\x1f\x8b"
BOM_AND_SPACE = b"\xef\xbb\xbf \t\r\n"

_HEADINGS = ("h1", "h2", "h3", "h4")
_CONTAINERS = ("nav", "header", "footer", *_HEADINGS)
_find_root = re.compile(
    rb"<(?:\w+:)?(urlset|sitemapindex|rss|feed|rdf)[\s>]|^\{(?s:.*?)jsonfeed\.org"
).search
_is_feed_type = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)", re.I).match
_is_other_file = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, IGNORED_EXTENSIONS))}|js|json)$", re.IGNORECASE
).search


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


def import_feedparser() -> Any:
    """Return the package feedparser. Raises MissingExtraError."""
    return import_optional("feedparser", "NewsSpider with feeds", "spider")


def read_list(body: bytes) -> tuple[str, list[Link]]:
    """Return ``sitemap`` or ``feed`` and the links of its body; ``page`` and [] for other bodies.

    Links of a sitemap index have the context SITEMAPS. Raises DiscoveryError and MissingExtraError.
    """
    if body.startswith(GZIP):
        try:
            body = gunzip(body, max_size=MAX_SITEMAP_BYTES)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise DiscoveryError(f"broken or large gzip: {error!r}") from None
    body = body.lstrip(BOM_AND_SPACE)
    start = body[:2_000].replace(b"\0", b"").lower()
    root = None if b"<html" in start else _find_root(start)
    if root is None:
        return "page", []
    if root[1] in (b"urlset", b"sitemapindex"):
        return "sitemap", list(islice(_read_sitemap(body), MAX_SITEMAP_ENTRIES))
    if len(body) > MAX_FEED_BYTES:
        raise DiscoveryError(f"more than {MAX_FEED_BYTES:,} bytes")
    return "feed", _read_feed(body) if root[1] else _read_json_feed(body)


def _read_sitemap(body: bytes) -> Iterator[Link]:
    """Yield the links of a sitemap or index. Scrapy's `Sitemap` leaves out the dates of news."""
    tags = ("{*}url", "{*}sitemap")
    try:
        for _, element in etree.iterparse(
            BytesIO(body), tag=tags, recover=True, resolve_entities=False, remove_comments=True
        ):
            url = (element.findtext("{*}loc") or "").strip()
            published = element.findtext(".//{*}publication_date")
            date = parse_timestamp(published or element.findtext("{*}lastmod") or "")
            context = urls.NEWS if published else urls.SITEMAP
            if url:
                is_index = etree.QName(element).localname == "sitemap"
                yield Link(url, SITEMAPS if is_index else context, date)
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:  # parsers recover from most errors, not from all
        raise DiscoveryError(f"broken XML: {error}") from None


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

    Of several links to a URL the best context counts.
    """
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
    """Return the context of a link; None if it does not lead to a page or feed."""
    if _is_feed_type(element.get("type") or ""):
        return None if "comment" in url else FEEDS
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
