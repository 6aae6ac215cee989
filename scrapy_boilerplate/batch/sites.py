"""The site of an address, as the name of a folder."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from scrapy_boilerplate.extras import optional

UNKNOWN = "unknown"
"""The site of pages without an address."""
MAX_NAME = 200
"""Characters of a folder's name (file systems end at 255 bytes)."""


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
        """The domain of `url`; without a public suffix its host; "unknown" without any."""
        name: str = self._extract(url or "").top_domain_under_public_suffix or _host(url or "")
        return quote(name.lower(), safe="")[:MAX_NAME] or UNKNOWN


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
