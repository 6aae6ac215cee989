"""Which hosts a crawl may ask: the rule, and the middleware that applies it to every request."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterable
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.datatypes import LocalCache
from w3lib.url import safe_url_string

from scrapy_boilerplate.crawl.defer import run_in_thread
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link
from scrapy_boilerplate.site.domains import MAX_HOSTS, Domains

if TYPE_CHECKING:
    from typing import Self

logger = logging.getLogger(__name__)

OTHER_SITE, PRIVATE = "other site", "private address"
ORDER = 40  # before the middlewares that read robots.txt (100) and follow redirects (580, 600)
SITE_KEY = "boilerplate_site"  # of the meta of requests; further pages of an article copy it
DEFAULT_PORTS = {"http": ":80", "https": ":443"}
MAX_ROBOTS_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
MAX_ROBOTS_BYTES = 500 * 1024  # RFC 9309, section 2.5: crawlers must read as many
_NAT64 = IPv6Network("64:ff9b::/96")


class Purpose(Enum):
    """What a request is for: a page of a site, more of what a page declares, or robots.txt."""

    PAGE, PART, ROBOTS = range(3)

    @classmethod
    def of_link(cls, link: Link) -> Purpose:
        """Return what the request for a link is for."""
        return cls.PART if link.context in (FEEDS, SITEMAPS) else cls.PAGE


class RefusedRequest(IgnoreRequest):
    """The crawl may not ask a host. The message is the reason."""


class Hosts:
    """The hosts of the sites of `urls`. Raises MissingExtraError.

    A site is named by its host without ``www.``, or by its registrable domain with `subdomains`.

    starts  site to the URL from which its crawl starts
    """

    def __init__(self, urls: Iterable[str], *, subdomains: bool = False) -> None:
        self._domains = Domains("NewsSpider", "spider")
        self._subdomains = subdomains
        self.starts = {self.find_site(url): url for url in urls}
        self._private: LocalCache[tuple[str, bool], bool] = LocalCache(MAX_HOSTS)

    def find_site(self, url: str) -> str:
        """Return the name of the site of a URL; "" without a host."""
        try:
            parts = urlsplit(url)
            if not parts.netloc.isascii():
                parts = urlsplit(safe_url_string(url))
        except ValueError:  # such as http://[
            return ""
        if self._subdomains:
            return self._domains(parts.geturl())
        host = parts.netloc.rpartition("@")[2].lower()
        return host.removesuffix(DEFAULT_PORTS.get(parts.scheme, "")).removeprefix("www.")

    def may_request(self, url: str, purpose: Purpose, site: str) -> bool:
        """Return whether the crawl of a site may ask the host of `url`.

        Pages are on the hosts of the site. Feeds, sitemaps and further pages of an article can be
        on any host of its registrable domain. A robots.txt can redirect to any host.
        """
        if purpose is Purpose.PAGE:
            return self.find_site(url) == site
        return purpose is Purpose.ROBOTS or self._domains(url) == self._domains(self.starts[site])

    async def is_private(self, url: str, *, resolves: bool) -> bool:
        """Return whether `has_private_address` holds for the host of a URL."""
        key = urlsplit(url).hostname or "", resolves
        if key not in self._private:
            self._private[key] = await run_in_thread(has_private_address, *key)
        return self._private[key]


def has_private_address(host: str, resolves: bool) -> bool:
    """Return whether a host is an address that is not public, in any notation, or a name of one.

    A name is only looked up if `resolves`. A name that is not found is not private.
    """
    if host.rstrip(".").rpartition(".")[2] == "localhost":
        return True
    flags = 0 if resolves else socket.AI_NUMERICHOST
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, ValueError):  # ValueError: a name that IDNA cannot encode
        return False
    return not all(_is_public(ip_address(address[0])) for *_, address in found)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64 or int(address) < 1 << 32:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None or address.is_site_local:
            return inner is not None and _is_public(inner)
    return address.is_global and not address.is_multicast


class HostsMiddleware:
    """Refuses requests of a `NewsSpider` to hosts that it may not ask, redirects included.

    Requests that a subclass makes itself pass. Of a robots.txt the first MAX_ROBOTS_BYTES pass.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise RefusedRequest for a host that may not be asked.

        A private host is only asked if the crawl of its site started on one.
        """
        hosts: Hosts = self._crawler.spider.hosts  # type: ignore[union-attr]
        site, purpose = _find_purpose(request)
        if purpose is not Purpose.ROBOTS and site not in hosts.starts:
            return
        start = find_first_url(request) if purpose is Purpose.ROBOTS else hosts.starts[site]
        is_far = request.meta.get("redirect_times", 0) > MAX_ROBOTS_REDIRECTS
        is_loop = is_far and purpose is Purpose.ROBOTS
        if is_loop or not hosts.may_request(request.url, purpose, site):
            raise RefusedRequest(OTHER_SITE)
        resolves = not self._has_proxy(request)
        if await hosts.is_private(request.url, resolves=resolves) and not await hosts.is_private(
            start, resolves=resolves
        ):
            raise RefusedRequest(PRIVATE)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; of a long robots.txt, its first lines."""
        if len(response.body) <= MAX_ROBOTS_BYTES or not _is_robots(request):
            return response
        logger.warning("Of %s only %d bytes are read", request.url, MAX_ROBOTS_BYTES)
        return response.replace(body=response.body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0])

    def _has_proxy(self, request: Request) -> bool:
        """Return whether a proxy looks up the host, as `HttpProxyMiddleware` decides it."""
        if "proxy" in request.meta or not self._crawler.settings.getbool("HTTPPROXY_ENABLED"):
            return request.meta.get("proxy") is not None
        parts = urlsplit(request.url)
        return parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


def find_first_url(request: Request) -> str:
    """Return the URL of a request before redirects."""
    first: str = [*request.meta.get("redirect_urls", ()), request.url][0]
    return first


def _is_robots(request: Request) -> bool:
    """Return whether Scrapy requests a robots.txt."""
    is_internal = request.callback is NO_CALLBACK and "dont_obey_robotstxt" in request.meta
    return is_internal and urlsplit(find_first_url(request)).path == "/robots.txt"


def _find_purpose(request: Request) -> tuple[str, Purpose]:
    """Return for which site and what a request is; "" for a request of a subclass."""
    link = request.cb_kwargs.get("link")
    if isinstance(link, Link):
        return request.cb_kwargs["site_name"], Purpose.of_link(link)
    if _is_robots(request):
        return "", Purpose.ROBOTS
    return request.meta.get(SITE_KEY, "") if request.callback is NO_CALLBACK else "", Purpose.PART
