"""Fetch a list of URLs with Scrapy, as robots.txt allows."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

ALONE = {
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 0.5,  # seconds
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
    "TELNETCONSOLE_ENABLED": False,
}

Handler = Callable[[str, Response | None, str | None], None]
"""Called with a URL and its response, or None and an error."""


class UrlListSpider(Spider):
    """Requests `urls` and calls `handle` for each."""

    name = "urls"

    def __init__(self, urls: Sequence[str], handle: Handler, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._urls = urls
        self._handle = handle

    async def start(self) -> AsyncIterator[Request]:
        for url in self._urls:
            yield Request(url, errback=self.report, cb_kwargs={"url": url})

    def parse(self, response: Response, url: str) -> None:
        self._handle(url, response, None)

    def report(self, failure: Failure) -> None:
        """Tell why a URL has no response."""
        error = failure.value
        message = str(error) or type(error).__name__
        if isinstance(error, HttpError):
            message = f"the server answers {error.response.status}"
        elif isinstance(error, IgnoreRequest):
            message = "robots.txt forbids it"
        self._handle(failure.request.cb_kwargs["url"], None, message)  # type: ignore[attr-defined]


def fetch_urls(urls: Sequence[str], handle: Handler, seconds: float) -> None:
    """Request all URLs in this process, and call `handle` for each."""
    settings = {**ALONE, "LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": seconds}
    process = AsyncCrawlerProcess(settings)
    process.crawl(UrlListSpider, urls=urls, handle=handle)
    process.start()
