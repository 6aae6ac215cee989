"""The site of an address: its registrable domain."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy_boilerplate.extras import optional

UNKNOWN = "unknown"
"""The site of pages without an address."""


class Domains:
    """Tells sites apart by the Public Suffix List that comes with tldextract; nothing is fetched.

    Private suffixes count: the blogs of one host have templates of their own.
    """

    def __init__(self) -> None:
        tldextract = optional("tldextract", "site knowledge", "evaluate")
        self._extract = tldextract.TLDExtract(
            suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
        )

    def __call__(self, url: str | None) -> str:
        """The registrable domain of `url`; of a bare host or address that, with its port."""
        parts = self._extract((url or "").lower())
        found: str = parts.top_domain_under_public_suffix
        if not found and parts.subdomain and not parts.suffix:
            # ``paper.example``: where no rule of the list fits, the last label is the suffix
            found = f"{parts.subdomain.rpartition('.')[2]}.{parts.domain}"
        return found or _host(url or "") or UNKNOWN


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
