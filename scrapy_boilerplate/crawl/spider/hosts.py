"""Which hosts a crawl may ask: the rule, and the middleware that applies it to every request."""

import logging
import re
import socket
from collections.abc import Sequence
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from protego import Protego
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.datatypes import LocalCache
from w3lib.url import safe_url_string

from scrapy_boilerplate.crawl.context import Component
from scrapy_boilerplate.crawl.defer import run_in_thread
from scrapy_boilerplate.crawl.reservations import SITE_KEY, find_chain, is_robots
from scrapy_boilerplate.crawl.spider import urls
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link, Skip
from scrapy_boilerplate.site.domains import MAX_HOSTS, Domains

logger = logging.getLogger(__name__)

ORDER = 40  # before the middlewares that read robots.txt (100) and follow redirects (580, 600)
DEFAULT_PORTS = {"http": ":80", "https": ":443"}
MAX_HOPS = 5  # to another host; of a robots.txt RFC 9309, section 2.3.1.2
MAX_ROBOTS_BYTES = 500 * 1024  # RFC 9309, section 2.5: crawlers must read as many
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")  # RFC 8215


class Purpose(Enum):
    """What a request is for.

    PAGE      a page of a site
    ENTRY     a page that a feed names, perhaps through a redirector
    PART      a further page of an article, or a list that another list names
    DECLARED  a list that the home page or robots.txt of a site names
    ROBOTS    a robots.txt
    """

    PAGE, ENTRY, PART, DECLARED, ROBOTS = range(5)


class RefusedRequest(IgnoreRequest):
    """The crawl may not ask a host."""

    def __init__(self, reason: Skip) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Hosts:
    """The hosts of the sites of home pages. Raises MissingExtraError.

    A site is named by its host without ``www.``, or by its registrable domain with `subdomains`.

    starts  site to the URL from which its crawl starts
    """

    def __init__(self, homes: Sequence[str], *, subdomains: bool = False) -> None:
        self._domains = Domains("NewsSpider", "spider")
        self._subdomains = subdomains
        self.starts = {self.find_site(url): url for url in homes}
        self._homes = set(map(urls.create_key, homes))
        self._redirectors: LocalCache[str, str] = LocalCache(MAX_HOSTS)
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

    def find_purpose(self, link: Link, site: str) -> Purpose:
        """Return what the request for a link is for."""
        if link.context not in (FEEDS, SITEMAPS):
            return Purpose.ENTRY if link.context == urls.FEED else Purpose.PAGE
        is_start = urlsplit(link.found_in).path == "/robots.txt" or (
            urls.create_key(link.found_in) in self._homes
        )
        if is_start and self.find_site(link.found_in) == site:
            return Purpose.DECLARED
        is_other = self._domains(link.url) != self._domains(self.starts[site])
        is_near = is_other and _find_host(link.found_in) == _find_host(link.url)
        return Purpose.DECLARED if is_near else Purpose.PART

    def may_request(
        self, chain: Sequence[str], purpose: Purpose, site: str, found_in: str = ""
    ) -> bool:
        """Return whether the crawl of a site may ask the host of the last URL of `chain`.

        The others redirected to it; `found_in` is the feed of an entry. docs/usage/crawl.md has the
        hosts for each purpose.
        """
        first, url = chain[0], chain[-1]
        domain = self._domains(self.starts[site]) if site else ""
        others = {_find_host(each) for each in chain if self._domains(each) != domain}
        if purpose is Purpose.PAGE or (purpose is Purpose.ENTRY and self.find_site(first) == site):
            return self.find_site(url) == site
        if purpose is Purpose.PART:
            return not others
        if len(chain) > MAX_HOPS + 1 or purpose is Purpose.ROBOTS:
            return len(chain) <= MAX_HOPS + 1
        if purpose is Purpose.DECLARED:
            return len(others) <= 1
        host = self._redirectors.setdefault(found_in, _find_host(first))
        return host == _find_host(first) and others <= {host}

    async def is_private(self, url: str, *, resolves: bool) -> bool:
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
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, ValueError):  # ValueError: a name that IDNA cannot encode
        return False
    return not all(_is_public(ip_address(address[0])) for *_, address in infos)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64 or int(address) < 1 << 32:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None or address.is_site_local or address in _LOCAL_NAT64:
            return inner is not None and _is_public(inner)
    return address.is_global and not address.is_multicast


class HostsMiddleware(Component):
    """Refuses requests of a `NewsSpider` to hosts that it may not ask, redirects included.

    Requests that a subclass makes itself pass. Of a robots.txt the first MAX_ROBOTS_BYTES pass.
    """

    async def process_request(self, request: Request) -> None:
        """Raise RefusedRequest for a host that may not be asked.

        A private host may be asked only if its site began on one.
        """
        hosts: Hosts = self._context.crawler.spider.hosts  # type: ignore[union-attr]
        site, purpose, found_in = _find_purpose(request, hosts)
        if purpose is not Purpose.ROBOTS and site not in hosts.starts:
            return
        chain = find_chain(request)
        start = chain[0] if purpose is Purpose.ROBOTS else hosts.starts[site]
        if not hosts.may_request(chain, purpose, site, found_in):
            raise RefusedRequest(Skip.OTHER_SITE)
        resolves = not self._has_proxy(request)
        if await hosts.is_private(request.url, resolves=resolves) and not await hosts.is_private(
            start, resolves=resolves
        ):
            raise RefusedRequest(Skip.PRIVATE)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; of a long robots.txt, its first lines."""
        if len(response.body) <= MAX_ROBOTS_BYTES or not is_robots(request):
            return response
        logger.warning("Of %s only %d bytes are read", request.url, MAX_ROBOTS_BYTES)
        return response.replace(body=response.body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0])

    def _has_proxy(self, request: Request) -> bool:
        settings = self._context.crawler.settings
        if "proxy" in request.meta or not settings.getbool("HTTPPROXY_ENABLED"):
            return request.meta.get("proxy") is not None
        parts = urlsplit(request.url)
        return parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


def _find_host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def _find_purpose(request: Request, hosts: Hosts) -> tuple[str, Purpose, str]:
    link = request.cb_kwargs.get("link")
    if isinstance(link, Link):
        site = request.cb_kwargs["site_name"]
        return site, hosts.find_purpose(link, site), link.found_in
    if is_robots(request):
        return "", Purpose.ROBOTS, ""
    site = request.meta.get(SITE_KEY, "") if request.callback is NO_CALLBACK else ""
    return site, Purpose.PART, ""


# Wait between requests as the robots.txt of a host asks

_find_bad_delay = re.compile(
    r"^[ \t]*(?:crawl-delay[ \t]*:[ \t]*+(?!\d*\.?\d+[ \t]*(?:#|$))|"
    r"request-rate[ \t]*:[ \t]*+(?!\d+[ \t]*/[ \t]*\d))[^\r\n]*",
    re.IGNORECASE | re.MULTILINE,
).search


class Delays:
    """The delays of hosts, in seconds, at most `longest`."""

    def __init__(self, crawler: Crawler, longest: float) -> None:
        self._crawler, self._longest = crawler, longest
        self._delays: dict[str, float] = {}

    def read(self, text: str, robots: Protego, url: str) -> None:
        """Keep the ``Crawl-delay`` and ``Request-rate`` of the robots.txt at `url`."""
        settings = self._crawler.settings
        agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        rate = robots.request_rate(agent)
        seconds = max(robots.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate else 0)
        if bad := _find_bad_delay(text):
            logger.warning("%s has a line that is no delay: %s", url, bad[0].strip()[:80])
        if seconds > self._longest:
            advice = "%s asks for %g seconds between requests; waiting %g (MAX_CRAWL_DELAY)"
            logger.warning(advice, url, seconds, self._longest)
        if seconds:
            self._delays[self._find_slot(Request(url))] = min(seconds, self._longest)

    def keep(self, request: Request) -> None:
        """Set the delay of a request's host; AutoThrottle can only raise it."""
        key = request.meta.get("download_slot") or self._find_slot(request)
        slot = self._crawler.engine.downloader.slots.get(key)
        if slot is not None and (seconds := self._delays.get(key, 0.0)) > 0:
            slot.delay = max(slot.delay, seconds)
            # ``jitter`` from Scrapy 2.19 on
            setattr(slot, "jitter" if hasattr(slot, "jitter") else "randomize_delay", 0)

    def _find_slot(self, request: Request) -> str:
        return self._crawler.engine.downloader.get_slot_key(request)
