"""A spider for a paper that gets a new design halfway through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider

from newsroom.embedded import resolve_url
from newsroom.harbour_log import PAGES
from scrapy_boilerplate.crawl.signals import boilerplate_site_changed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_boilerplate.site.monitors import SiteChange


class LogSpider(Spider):
    """`scrapy crawl log`."""

    name = "log"
    custom_settings = {  # noqa: RUF012 - as spiders are written
        "BOILERPLATE_SITE_STORE": "log.sqlite",
        "BOILERPLATE_SITE_ALARM": True,
        "CONCURRENT_REQUESTS": 1,
        "AUTOTHROTTLE_ENABLED": False,  # the site runs on this machine
        "FEEDS": {"log.jsonl": {"format": "jsonlines", "overwrite": True}},
    }

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **options: Any) -> LogSpider:
        """Build the spider and connect it to the signal of redesigns."""
        spider = super().from_crawler(crawler, *arguments, **options)
        crawler.signals.connect(spider.note_change, signal=boilerplate_site_changed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Request the pages of the log, the oldest first."""
        for number in range(1, PAGES + 1):
            yield Request(resolve_url(self.crawler, f"/log/{number}.html"), priority=-number)

    def parse(self, response: Response) -> Iterator[dict[str, str]]:
        """Yield an item."""
        yield {"url": response.url}

    def note_change(self, change: SiteChange) -> None:
        """Log the redesign; a job could stop here, or send a message."""
        self.logger.info("%s looks different: %s", change.site, change.description)
