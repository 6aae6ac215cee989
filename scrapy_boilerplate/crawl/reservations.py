"""The field `reservations` in a crawl: the files of its sites, each requested once."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.datatypes import LocalCache

from scrapy_boilerplate.article.reservations import (
    ROBOTS_PATH,
    TDMREP_PATH,
    OriginReservations,
    ReservationError,
    merge_reservations,
    read_headers,
    read_robots,
    read_tdmrep,
)
from scrapy_boilerplate.crawl.defer import wait_for_future
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.items import Reservation

logger = logging.getLogger(__name__)

MAX_ORIGINS = 10_000  # whose files are remembered
OK, BAD_REQUEST, SERVER_ERROR = 200, 400, 500
SITE_KEY = "boilerplate_site"  # of the meta of requests of `NewsSpider`
# meta and header of a request that those for the files of its origin copy
COPIED_META = ("dont_obey_robotstxt", "download_timeout", "proxy", SITE_KEY)
PROXY_PASSWORD = b"Proxy-Authorization"
NOTHING = OriginReservations()


class SiteReservations:
    """The field `reservations` of the items of a crawl.

    Files of an origin are only requested with BOILERPLATE_RESERVATIONS or
    BOILERPLATE_RESERVED_DROP. A robots.txt that Scrapy requests is not requested again.
    """

    def __init__(
        self, crawler: Crawler, settings: CrawlSettings, count: Callable[[str], None]
    ) -> None:
        self._crawler, self._count = crawler, count
        self._is_on = settings.reservations or bool(settings.reserved_drop)
        names = ("ROBOTSTXT_USER_AGENT", "USER_AGENT")
        self._agent = next(filter(None, map(crawler.settings.get, names)), "")
        self._robots: LocalCache[str, OriginReservations] = LocalCache(MAX_ORIGINS)  # by host
        self._origins: LocalCache[str, Future[OriginReservations]] = LocalCache(MAX_ORIGINS)

    async def find(self, response: Response | None, document: Document) -> list[Reservation]:
        """Return the reservations for the page of a response."""
        if response is None:
            return list(document.reservations)
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        ]
        origin = await self._find_origin(response) if self._is_on else NOTHING
        return merge_reservations(
            origin.find(response.url),
            read_headers(headers, response.url, self._agent),
            document.reservations,
        )

    def keep_robots(self, request: Request, response: Response) -> None:
        """Read the response for a robots.txt; do nothing for other requests."""
        if not (self._is_on and is_robots(request)):
            return
        url = find_chain(request)[0]
        robots = NOTHING
        if response.status == OK:
            text = response.body.decode("utf-8-sig", "replace")
            robots = read_robots(text, url, self._agent)
        self._robots[urlsplit(url).netloc] = robots

    async def _find_origin(self, response: Response) -> OriginReservations:
        parts = urlsplit(response.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin in self._origins:
            return await wait_for_future(self._origins[origin])
        reading: Future[OriginReservations] = Future()
        self._origins[origin], known = reading, NOTHING
        try:
            known = await self._read_origin(origin, parts.netloc, response)
        finally:
            reading.set_result(known)
        return known

    async def _read_origin(self, origin: str, host: str, response: Response) -> OriginReservations:
        if host not in self._robots:  # the middleware calls `keep_robots`
            await self._download(origin + ROBOTS_PATH, response, dont_obey_robotstxt=True)
        url = origin + TDMREP_PATH
        body = await self._download(url, response)
        robots = self._robots.get(host, NOTHING)
        try:
            return replace(robots, rules=read_tdmrep(body, url)) if body else robots
        except ReservationError as error:
            self._report(url, str(error))
            return robots

    async def _download(self, url: str, first: Response, **meta: bool) -> bytes:
        request = Request(url, callback=NO_CALLBACK, meta=dict(meta))
        if first.request is not None:
            written = first.request.meta
            request.meta.update({name: written[name] for name in COPIED_META if name in written})
            if PROXY_PASSWORD in first.request.headers:
                request.headers[PROXY_PASSWORD] = first.request.headers[PROXY_PASSWORD]
        try:
            engine = self._crawler.engine
            response = await engine.download_async(request)
        except Exception as error:  # noqa: BLE001 - IgnoreRequest, and those of each downloader
            self._report(url, f"{type(error).__name__}: {error}")
            return b""
        if response.status != OK and not BAD_REQUEST <= response.status < SERVER_ERROR:
            self._report(url, f"status {response.status}")
        return response.body if response.status == OK else b""

    def _report(self, url: str, reason: str) -> None:
        self._count("reservations/unknown")
        logger.warning("%s cannot be read (%s), so its reservations are unknown", url, reason)


def find_chain(request: Request) -> list[str]:
    """Return the URLs that redirected to a request, and its own."""
    return [*request.meta.get("redirect_urls", ()), request.url]


def is_robots(request: Request) -> bool:
    """Return whether Scrapy requests a robots.txt."""
    is_internal = request.callback is NO_CALLBACK and "dont_obey_robotstxt" in request.meta
    return is_internal and urlsplit(find_chain(request)[0]).path == ROBOTS_PATH
