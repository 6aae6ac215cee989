"""The site of an address: its registrable domain."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from scrapy_boilerplate.extras import optional

MAX_HOSTS = 10_000
"""Hosts whose sites are remembered (our choice: a megabyte)."""
UNKNOWN = "unknown"
"""The site of pages without an address."""
MAX_FOLDER_NAME = 200
"""Characters of a folder's name (file systems end at 255 bytes)."""


class Domains:
    """Tells sites apart by the Public Suffix List that comes with tldextract; nothing is fetched.

    Private suffixes count: the blogs of one host have templates of their own. The newest answers
    are remembered by host, MAX_HOSTS at most. Raises MissingExtraError, which says `purpose` and
    `extra`.
    """

    def __init__(self, purpose: str = "site knowledge", extra: str = "evaluate") -> None:
        self._known: dict[str, str] = {}
        tldextract = optional("tldextract", purpose, extra)
        self._extract = tldextract.TLDExtract(
            suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
        )

    def __call__(self, url: str | None) -> str:
        """The registrable domain of `url`; of a bare host or address that, with its port."""
        host = _host(url or "")
        if host not in self._known:
            if len(self._known) >= MAX_HOSTS:
                del self._known[next(iter(self._known))]
            self._known[host] = self._registrable(host) or host or UNKNOWN
        return self._known[host]

    def _registrable(self, host: str) -> str:
        parts = self._extract(host)
        found: str = parts.top_domain_under_public_suffix
        if not found and parts.subdomain and not parts.suffix:
            # ``paper.example``: where no rule of the list fits, the last label is the suffix
            found = f"{parts.subdomain.rpartition('.')[2]}.{parts.domain}"
        return found


def folder_name(site: str) -> str:
    """A site as the name of a folder, on every file system: what is no letter of one is escaped."""
    return quote(site, safe="")[:MAX_FOLDER_NAME].replace("..", "%2E%2E")


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
