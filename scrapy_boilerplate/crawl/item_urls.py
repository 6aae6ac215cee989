"""Whether an item is about the page of its response: the URLs of both, compared."""

import logging
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from lxml import etree
from scrapy.http import Response
from w3lib.url import canonicalize_url

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.items import PageItem
from scrapy_boilerplate.crawl.page_reader import ResponseState
from scrapy_boilerplate.page.decoding import is_encoding
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html

logger = logging.getLogger(__name__)

MAX_URLS = 100  # of an item, and declared by a page, that are compared
# Start of the parameters of https://support.google.com/analytics/answer/10917952
TRACKING_PREFIX = "utm_"
# Query parameters that follow a reader, not a page: those that Firefox removes
# (https://firefox.settings.services.mozilla.com, collection query-stripping), and Google's.
TRACKING_PARAMETERS = frozenset(
    "__hsfp __hssc __hstc __s _hsenc _openstat dclid fbclid gbraid gclid hsCtaTracking igshid "
    "mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash msclkid oft_c oft_ck oft_d oft_id "
    "oft_ids oft_k oft_lk oft_sk oly_anon_id oly_enc_id rb_clickid s_cid twclid vero_conv vero_id "
    "wbraid wickedid yclid".split()
)


def normalize_url(url: str, encoding: str = "utf-8") -> str | None:
    """Return a URL without the parts that do not identify a page; None if it is not a web URL.

    Scheme, ``www.``, default port, fragment, trailing slash, tracking parameters and the order of
    parameters do not count. URLs that only differ after ``#!`` are one page, because a server never
    sees that part. `encoding` is the encoding of the page, for unescaped letters in the query.
    """
    try:
        parts = urlsplit(canonicalize_url(url.strip(), encoding=encoding))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    # not decoded: bytes that are not UTF-8 distinguish pages
    query = "&".join(pair for pair in parts.query.split("&") if not _is_tracking(pair))
    shown_port = "" if port in (None, 80, 443) else f":{port}"
    return f"{host.removeprefix('www.')}{shown_port}{parts.path.rstrip('/')}?{query}"


def _is_tracking(pair: str) -> bool:
    name = pair.partition("=")[0]
    return name in TRACKING_PARAMETERS or name.lower().startswith(TRACKING_PREFIX)


def find_item_urls(adapter: PageItem, names: Iterable[str]) -> tuple[str, list[str]]:
    """Return the first field with URLs, and its URLs; else "" and [].

    The fields are those of the kind of item, or `names`.
    """
    for name in adapter.url_fields or names:
        urls = read_urls(adapter.get(name))
        if urls:
            return name, urls
    return "", []


def read_urls(value: Any) -> list[str]:
    """Return the URLs in the value of an item's field, or [].

    The value is a text, a list of texts (as of an item loader), or an object that prints as a
    URL (such as pydantic's `HttpUrl`). Raises the exceptions of ``str()`` for such an object.
    """
    if isinstance(value, str):
        return [value] if value.strip() else []
    values = value if isinstance(value, list | tuple) else [value]
    texts = [each if isinstance(each, str) else _print_url(each) for each in values]
    return [text for text in texts if text.strip()]


def _print_url(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if text.startswith(("http://", "https://")) else ""


def is_url_of_page(url: str, response: Response, state: ResponseState) -> bool:
    """Return whether `url` is the page of `response`, or is not a web URL."""
    normalized = _join_url(response, url)
    if normalized is None or normalized == _join_url(response, response.url):
        return True
    if state.urls is None:
        state.urls = find_page_urls(response, state.options.limits)
    return normalized in state.urls


def find_page_urls(response: Response, limits: Limits) -> frozenset[str]:
    """Return the normalized URLs of a page. Never raises for a bad page.

    They include redirects, and the canonical link and ``og:url`` of the page.
    """
    urls = [response.url]
    if response.request is not None:
        redirects = response.request.meta.get("redirect_urls") or ()
        urls += [response.request.url, *map(str, redirects)]
    try:
        root = parse_html(response, limits)
        urls += islice(_read_declared_urls(root), MAX_URLS)
    except Exception as error:
        logger.debug("Cannot read the canonical URL of %s:", response.url, exc_info=error)
    normalized = [_join_url(response, url) for url in urls]
    return frozenset(url for url in normalized if url is not None)


def _read_declared_urls(root: etree._Element) -> Iterator[str]:
    """Yield the URLs of canonical links and ``og:url``, as `page.declared` reads them.

    A link may have more values of `rel`. The case of names and values does not count.
    """
    for element in root.iter("link", "meta"):
        if element.tag == "link":
            is_url = "canonical" in element.get("rel", "").lower().split()
            url = element.get("href", "")
        else:
            name = element.get("property") or element.get("name") or ""
            is_url = name.strip().lower() == "og:url"
            url = element.get("content", "")
        if is_url and url.strip():
            yield url


def _join_url(response: Response, url: str) -> str | None:
    encoding = getattr(response, "encoding", "utf-8")
    try:
        joined = response.urljoin(url.strip())
    except (ValueError, LookupError):  # LookupError: not a text encoding
        return None
    return normalize_url(joined, encoding if is_encoding(encoding) else "utf-8")


OTHER_PAGE = (
    "Skipped items whose %r differs from the URL of their response; the first is %s from %s. "
    "Follow their links and yield them there; an item that is passed on to another page needs that "
    "page's document (docs/usage/sections.md). To fill them from this response, use "
    'meta={"boilerplate": True} or BOILERPLATE_ITEM_URL = False'
)
WITHOUT_URL = (
    "Items of %s have no URL in %s, so that each gets the text of the whole page, even if it "
    "describes another page. Write BOILERPLATE_ITEM_URL = the name of the item field with the URL, "
    "or False to fill every item from its response; or skip them with "
    "meta={'dont_boilerplate': True}"
)
UNREADABLE = (
    "Cannot read the URL of items of class %s (%s); they are not filled. Set it to a string"
)


class ItemUrls:
    """Matches items to the page of their response by their URL, and logs each kind of mismatch."""

    def __init__(self, context: CrawlContext) -> None:
        self._names = context.settings.item_url
        self._count, self._log_once = context.count, context.log_once

    def match(self, adapter: PageItem, response: Response, state: ResponseState) -> bool:
        """Return whether an item is about the page of its response; count it otherwise."""
        if not self._names:
            return True
        try:
            name, urls = find_item_urls(adapter, self._names)
        except Exception as error:  # noqa: BLE001 - a bad value never costs an item
            self._count("errors/item_url")
            self._count("items/untouched")
            kind = type(adapter.item).__qualname__
            self._log_once(logging.ERROR, UNREADABLE, kind, error)
            return False
        if response.url in urls:
            return True
        if not urls:
            self._count_without_url(response, state)
            return True
        if any(is_url_of_page(url, response, state) for url in urls[:MAX_URLS]):
            return True
        self._count("items/other_page")
        self._log_once(logging.INFO, OTHER_PAGE, name, urls[0], response.url)
        return False

    def _count_without_url(self, response: Response, state: ResponseState) -> None:
        """Warn of items without a URL, unless they are the only ones of their page."""
        state.n_without_url += 1
        if state.n_without_url == 2:
            fields = " or ".join(map(repr, self._names))
            self._log_once(logging.WARNING, WITHOUT_URL, response.url, fields)
