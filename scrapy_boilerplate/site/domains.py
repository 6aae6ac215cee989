"""The site of an address: its registrable domain."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from scrapy_boilerplate.extras import import_optional

# Hosts whose sites are remembered (our choice: a megabyte).
MAX_HOSTS = 10_000
# The site of pages without an address.
UNKNOWN = "unknown"
# Characters of a folder's name (file systems end at 255 bytes).
MAX_FOLDER_NAME = 200


class Domains:
    """Tells sites apart by the Public Suffix List that comes with tldextract; nothing is fetched.

    Private suffixes count: the blogs of one host have templates of their own. The newest answers
    are remembered by host, MAX_HOSTS at most. Raises MissingExtraError, which names `purpose` and
    `extra`.
    """

    def __init__(self, purpose: str = "site knowledge", extra: str = "evaluate") -> None:
        self._sites: dict[str, str] = {}
        tldextract = import_optional("tldextract", purpose, extra)
        self._extract = tldextract.TLDExtract(
            suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
        )

    def __call__(self, url: str | None) -> str:
        """Return the registrable domain of `url`; of a bare host or address that, with its port."""
        address = url or ""
        try:
            location = urlsplit(address if "//" in address else f"//{address}").netloc
        except ValueError:
            location = ""
        host = location.rpartition("@")[2].lower()
        if host not in self._sites:
            if len(self._sites) >= MAX_HOSTS:
                del self._sites[next(iter(self._sites))]
            parts = self._extract(host)
            domain = parts.top_domain_under_public_suffix
            if not domain and parts.subdomain and not parts.suffix:
                # ``paper.example``: where no rule of the list fits, the last label is the suffix
                domain = f"{parts.subdomain.rpartition('.')[2]}.{parts.domain}"
            self._sites[host] = domain or host or UNKNOWN
        return self._sites[host]


def folder_name(site: str) -> str:
    """Return a site as the name of a folder, on every file system: other characters are escaped."""
    return quote(site, safe="")[:MAX_FOLDER_NAME].replace("..", "%2E%2E")
