"""The spider `links` with URLs from Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy_redis.spiders import RedisMixin

from newsroom.spiders.links import LinksSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Request
    from scrapy.crawler import Crawler


class SharedSpider(RedisMixin, LinksSpider):  # type: ignore[misc]
    """`scrapy crawl shared -a worker=1`, as often as there are workers.

    Takes `{"url": "https://news.example/"}` from the list `shared:start_urls`.
    """

    name = "shared"

    def __init__(self, worker: str = "1", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.worker = worker

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider and connect it with Redis."""
        spider: Self = super().from_crawler(crawler, *args, **kwargs)
        spider.setup_redis(crawler)
        spider.server.incr("shared:workers")
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Request the URLs in Redis; an idle worker takes more."""
        for request in self.next_requests():
            yield request
