"""The site of a URL: its registrable domain."""

from functools import lru_cache
from urllib.parse import quote, urlsplit

from scrapy_boilerplate import import_optional

MAX_HOSTS = 10_000  # in the cache
UNKNOWN = "unknown"  # the site of pages without a URL
MAX_HOST = 260  # characters, with the port (RFC 1035 allows 253)
MAX_FOLDER_NAME = 200  # characters (file systems allow 255 bytes)


class Domains:
    """Map URLs to sites by the Public Suffix List of tldextract, without any download.

    Private suffixes count, because each blog of one host has its own template. A cache by host
    keeps the newest MAX_HOSTS results. Raises MissingExtraError, which names `purpose` and `extra`.
    """

    def __init__(self, purpose: str = "the site of a page", extra: str = "evaluate") -> None:
        tldextract = import_optional("tldextract", purpose, extra)
        self._extract = tldextract.TLDExtract(
            suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
        )
        self._find = lru_cache(MAX_HOSTS)(self._find_domain)  # threads may call it

    def __call__(self, url: str | None) -> str:
        """Return the registrable domain of `url`, or a bare host or IP address with its port."""
        from scrapy_boilerplate.page.text import replace_surrogates  # noqa: PLC0415

        url = url or ""
        try:
            location = urlsplit(url if "//" in url else f"//{url}").netloc
        except ValueError:
            location = ""
        # no store can hold a lone surrogate
        return self._find(replace_surrogates(location.rpartition("@")[2][:MAX_HOST].lower()))

    def _find_domain(self, host: str) -> str:
        parts = self._extract(host)
        domain: str = parts.top_domain_under_public_suffix
        if not domain and parts.subdomain and not parts.suffix:
            # ``paper.example``: where no rule of the list fits, the last label is the suffix
            domain = f"{parts.subdomain.rpartition('.')[2]}.{parts.domain}"
        return domain or host or UNKNOWN


def create_folder_name(site: str) -> str:
    """Return a folder name for a site; characters that some file system forbids are escaped."""
    return quote(site, safe="")[:MAX_FOLDER_NAME].replace("..", "%2E%2E")
