"""The site of an address, as the name of a folder."""

from __future__ import annotations

from urllib.parse import quote

from scrapy_boilerplate.extras import optional

UNKNOWN = "unknown"
"""The site of pages without an address."""


class SiteNames:
    """Registrable domains by the Public Suffix List that comes with tldextract; nothing is fetched.

    Private suffixes count: the blogs of one host are sites of their own. Raises MissingExtraError.
    """

    def __init__(self) -> None:
        tldextract = optional("tldextract", "parts by site", "batch")
        self._extract = tldextract.TLDExtract(
            suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
        )

    def __call__(self, url: str | None) -> str:
        """The domain of `url`; of a bare host or an IP address that itself; "unknown" without."""
        found = self._extract(url or "")
        name: str = found.top_domain_under_public_suffix or found.fqdn or found.domain
        return quote(name.lower(), safe="")[:200] or UNKNOWN
