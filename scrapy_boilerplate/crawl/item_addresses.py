"""Whether an item is about the page of its response: the addresses of both, compared."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from lxml import etree
from scrapy.http import Response
from w3lib.url import canonicalize_url

from scrapy_boilerplate.page.encoding import is_encoding
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html

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
    """Return an address without what makes no other page of it; None if it is no web address.

    Scheme, ``www.``, default port, fragment, trailing slash, tracking parameters and the order of
    parameters do not count. Hence addresses that differ after ``#!`` alone are one page: a server
    never sees that part. `encoding` is that of the page: letters of the query that are not escaped
    are in it.
    """
    try:
        parts = urlsplit(canonicalize_url(address.strip(), encoding=encoding))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    # not decoded: bytes that are no UTF-8 tell pages apart
    query = "&".join(pair for pair in parts.query.split("&") if not _is_tracking(pair))
    shown_port = "" if port in (None, 80, 443) else f":{port}"
    return f"{host.removeprefix('www.')}{shown_port}{parts.path.rstrip('/')}?{query}"


def _is_tracking(pair: str) -> bool:
    name = pair.partition("=")[0]
    return name in TRACKING_PARAMETERS or name.lower().startswith(TRACKING_PREFIX)


def read_addresses(value: Any) -> list[str]:
    """Return the addresses in the value of an item's field; [] if it has none.

    The value is a text, a list of texts (as of an item loader), or an object that prints as an
    address (as pydantic's `HttpUrl`).
    """
    values = value if isinstance(value, list | tuple) else [value]
    texts = [each if isinstance(each, str) else _print_address(each) for each in values]
    return [text for text in texts if text.strip()]


def _print_address(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if text.startswith(("http://", "https://")) else ""


class PageAddresses:
    """Says whether an address names the page of a response; reads each page once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._addresses: WeakKeyDictionary[Response, frozenset[str]] = WeakKeyDictionary()

    def include(self, address: str, response: Response) -> bool:
        """Return whether `address` names the page of `response`; so does what is no web address."""
        if address == response.url:
            return True
        normalized = _join_address(response, address)
        if normalized is None or normalized == _join_address(response, response.url):
            return True
        if response not in self._addresses:
            self._addresses[response] = find_page_addresses(response, self._limits)
        return normalized in self._addresses[response]


def find_page_addresses(response: Response, limits: Limits) -> frozenset[str]:
    """Return the normalized addresses of a page. Never raises for a bad page.

    They are those of its redirects, of the response, and those that the page declares: canonical
    link and ``og:url``.
    """
    addresses = [response.url]
    if response.request is not None:
        redirects = response.request.meta.get("redirect_urls") or ()
        addresses += [response.request.url, *map(str, redirects)]
    try:
        root = parse_html(response, limits)
        addresses += _read_declared_addresses(root)
    except Exception as error:
        logger.debug("No addresses in %s:", response.url, exc_info=error)
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
    except (ValueError, LookupError):  # the latter of an encoding that is none of text
        return None
    return normalize_address(joined, encoding if is_encoding(encoding) else "utf-8")
