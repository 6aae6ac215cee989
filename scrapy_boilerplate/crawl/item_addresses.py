"""Whether an item is about the page of its response: the addresses of both, compared."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from scrapy.http import Response
from w3lib.url import canonicalize_url

from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import parse_html

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


def normalize_address(address: str) -> str | None:
    """Return an address without what makes no other page of it; None if it is no web address.

    Scheme, ``www.``, default port, fragment, trailing slash, tracking parameters and the order of
    parameters do not count.
    """
    try:
        parts = urlsplit(canonicalize_url(address.strip()))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    query = urlencode(
        [
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if name not in TRACKING_PARAMETERS and not name.lower().startswith(TRACKING_PREFIX)
        ]
    )
    shown_port = "" if port in (None, 80, 443) else f":{port}"
    return f"{host.removeprefix('www.')}{shown_port}{parts.path.rstrip('/')}?{query}"


def find_page_addresses(response: Response, limits: Limits) -> frozenset[str]:
    """Return the normalized addresses of a page.

    They are those of its redirects, of the response, and those that the page declares: canonical
    link and ``og:url``.
    """
    addresses = [response.url]
    if response.request is not None:
        redirects = response.request.meta.get("redirect_urls") or ()
        addresses += [response.request.url, *map(str, redirects)]
    root = parse_html(response, limits)
    for path in DECLARED:
        addresses += [urljoin(response.url, str(value).strip()) for value in root.xpath(path)]
    return frozenset(filter(None, map(normalize_address, addresses)))


DECLARED = (
    "//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href",
    "//meta[@property='og:url']/@content",
)
"""XPaths of the addresses that a page declares for itself."""
