"""Whether an item is about the page of its response: the addresses of both, compared."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from itemadapter import ItemAdapter
from lxml import etree
from scrapy.http import Response
from w3lib.url import canonicalize_url

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.zyte import is_zyte_article
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import is_encoding, parse_html

if TYPE_CHECKING:
    from scrapy_boilerplate.crawl.page_reader import ResponseState

logger = logging.getLogger(__name__)

TRACKING_PREFIX = "utm_"
"""Start of the parameters of https://support.google.com/analytics/answer/10917952."""
TRACKING_PARAMETERS = frozenset(
    "__hsfp __hssc __hstc __s _hsenc _openstat dclid fbclid gbraid gclid hsCtaTracking igshid "
    "mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash msclkid oft_c oft_ck oft_d oft_id "
    "oft_ids oft_k oft_lk oft_sk oly_anon_id oly_enc_id rb_clickid s_cid twclid vero_conv vero_id "
    "wbraid wickedid yclid".split()
)
"""Query parameters that follow a reader, not a page: those that Firefox removes
(https://firefox.settings.services.mozilla.com, collection query-stripping), and Google's."""


def normalize_address(address: str, encoding: str = "utf-8") -> str | None:
    """Return a URL without the parts that do not identify a page; None if it is not a web URL.

    Scheme, ``www.``, default port, fragment, trailing slash, tracking parameters and the order of
    parameters do not count. URLs that only differ after ``#!`` are one page, because a server never
    sees that part. `encoding` is the encoding of the page, for unescaped letters in the query.
    """
    try:
        parts = urlsplit(canonicalize_url(address.strip(), encoding=encoding))
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


def find_item_addresses(adapter: ItemAdapter, names: Iterable[str]) -> tuple[str, list[str]]:
    """Return the first of the fields `names` with addresses, and its addresses; else "" and [].

    A `zyte_common_items.Article` has its address in `url`.
    """
    for name in ("url",) if is_zyte_article(adapter.item) else names:
        addresses = read_addresses(adapter.get(name))
        if addresses:
            return name, addresses
    return "", []


def read_addresses(value: Any) -> list[str]:
    """Return the URLs in the value of an item's field, or [].

    The value is a text, a list of texts (as of an item loader), or an object that prints as an
    URL (such as pydantic's `HttpUrl`). Raises the exceptions of ``str()`` for such an object.
    """
    values = value if isinstance(value, list | tuple) else [value]
    texts = [each if isinstance(each, str) else _print_address(each) for each in values]
    return [text for text in texts if text.strip()]


def _print_address(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if text.startswith(("http://", "https://")) else ""


def is_url_of_page(address: str, response: Response, state: ResponseState, limits: Limits) -> bool:
    """Return whether `address` is the page of `response`, or is not a web URL.

    The `state` of the response remembers the addresses of the page.
    """
    if address == response.url:
        return True
    normalized = _join_address(response, address)
    if normalized is None or normalized == _join_address(response, response.url):
        return True
    if state.addresses is None:
        state.addresses = find_page_addresses(response, limits)
    return normalized in state.addresses


def find_page_addresses(response: Response, limits: Limits) -> frozenset[str]:
    """Return the normalized addresses of a page. Never raises for a bad page.

    They include redirects, and the canonical link and ``og:url`` of the page.
    """
    addresses = [response.url]
    if response.request is not None:
        redirects = response.request.meta.get("redirect_urls") or ()
        addresses += [response.request.url, *map(str, redirects)]
    try:
        root = parse_html(response, limits)
        addresses += _read_declared_addresses(root)
    except Exception as error:
        logger.debug("Cannot read the canonical URL of %s:", response.url, exc_info=error)
    normalized = [_join_address(response, address) for address in addresses]
    return frozenset(address for address in normalized if address is not None)


def _read_declared_addresses(root: etree._Element) -> Iterator[str]:
    """Yield the addresses of canonical links and ``og:url``, as `page.declared` reads them.

    A link may have more values of `rel`. The case of names and values does not count.
    """
    for element in root.iter("link", "meta"):
        if element.tag == "link":
            is_address = "canonical" in element.get("rel", "").lower().split()
            address = element.get("href", "")
        else:
            name = element.get("property") or element.get("name") or ""
            is_address = name.strip().lower() == "og:url"
            address = element.get("content", "")
        if is_address and address.strip():
            yield address


def _join_address(response: Response, address: str) -> str | None:
    """Return an address on the page of `response` as `normalize_address` does."""
    encoding = getattr(response, "encoding", "utf-8")
    try:
        joined = response.urljoin(address.strip())
    except (ValueError, LookupError):  # LookupError: not a text encoding
        return None
    return normalize_address(joined, encoding if is_encoding(encoding) else "utf-8")


OTHER_PAGE = (
    "Skipped items whose %r differs from the URL of their response; the first is %s from %s. "
    "Follow their links and yield them there; an item that is passed on to another page needs that "
    "page's document (docs/usage/two-pages.md). To fill them from this response, use "
    'meta={"boilerplate": True} or BOILERPLATE_ITEM_URL = False'
)
UNADDRESSED = (
    "Items of %s have no URL in %s, so that each gets the text of the whole page, even if it "
    "describes another page. Write BOILERPLATE_ITEM_URL = the name of the item field with the URL, "
    "or False to fill every item from its response; or skip them with "
    "meta={'dont_boilerplate': True}"
)
UNREADABLE = (
    "Cannot read the URL of items of class %s (%s); they are not filled. Set it to a string"
)


class ItemAddresses:
    """Matches items to the page of their response by their URL, and logs each kind of mismatch."""

    def __init__(self, context: CrawlContext) -> None:
        self._names = context.settings.item_url
        self._count, self._log_once = context.count, context.log_once
        self._limits = context.settings.limits

    def match(self, adapter: ItemAdapter, response: Response, state: ResponseState) -> bool:
        """Return whether an item is about the page of its response; count it otherwise."""
        if not self._names:
            return True
        try:
            name, addresses = find_item_addresses(adapter, self._names)
        except Exception as error:  # noqa: BLE001 - a bad value never costs an item
            self._count("errors/item_url")
            self._count("items/untouched")
            kind = type(adapter.item).__qualname__
            self._log_once(logging.ERROR, UNREADABLE, kind, error)
            return False
        if not addresses:
            self._add_unaddressed(response, state)
            return True
        if any(is_url_of_page(address, response, state, self._limits) for address in addresses):
            return True
        self._count("items/other_page")
        self._log_once(logging.INFO, OTHER_PAGE, name, addresses[0], response.url)
        return False

    def _add_unaddressed(self, response: Response, state: ResponseState) -> None:
        """Warn of items without a URL, unless they are the only ones of their page."""
        state.n_unaddressed += 1
        if state.n_unaddressed == 2:
            fields = " or ".join(map(repr, self._names))
            self._log_once(logging.WARNING, UNADDRESSED, response.url, fields)
