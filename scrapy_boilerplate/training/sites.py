"""The site of a page: its registered domain, by the Public Suffix List."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from scrapy_boilerplate.training.extras import optional

_own_address = re.compile(
    r"<link\b[^>]*\brel\s*=\s*[\"']?canonical\b[^>]*>|"
    r"<meta\b[^>]*\bproperty\s*=\s*[\"']?og:url\b[^>]*>",
    re.IGNORECASE,
).search
_absolute = re.compile(r"(?:href|content)\s*=\s*[\"']?\s*(https?://[^\"'\s>]+)", re.I).search


def site_of(url: str | None, html: str = "") -> str | None:
    """The registered domain of `url` (of a bare host or address: that itself).

    Without `url` it is that of the address which the page gives itself (canonical link, og:url),
    if that one has a public suffix. None where nothing says.
    """
    if url:
        return _registered(url) or _host(url)
    tag = _own_address(html)
    address = _absolute(tag[0]) if tag else None
    return _registered(address[1]) if address else None


def _registered(url: str) -> str | None:
    return _extractor()(url).top_domain_under_public_suffix or None


def _host(url: str) -> str | None:
    """The last two labels of a host without a public suffix (``paper.example``): the list's own
    rule for such hosts is that the last label is the suffix. A bare host or address itself."""
    parts = _extractor()(url)
    if not parts.subdomain:
        return parts.domain or None
    return f"{parts.subdomain.rpartition('.')[2]}.{parts.domain}"


@cache
def _extractor() -> Any:
    """tldextract over the list that comes with the package; nothing is fetched, nothing is cached.

    Private suffixes (blogspot.com, github.io) are not followed: all blogs of one host are one
    site, which can only make splits safer.
    """
    tldextract = optional("tldextract", "telling sites apart")
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
