"""A spider for a paper with an article over three pages, a live blog and a wall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, Spider

from newsroom.embedded import resolve_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class DispatchSpider(Spider):
    """`scrapy crawl dispatch`."""

    name = "dispatch"
    custom_settings = {  # noqa: RUF012 - as spiders are written
        "BOILERPLATE_PAGES": 10,
        "BOILERPLATE_FIELDS": ["headline", "text", "pages", "entries", "stub", "partial"],
        "FEEDS": {"dispatch.jsonl": {"format": "jsonlines", "overwrite": True}},
    }

    async def start(self) -> AsyncIterator[Request]:
        """Request the front page."""
        yield Request(resolve_url(self.crawler, "/dispatch/"), self.parse)

    def parse(self, response: Response) -> Iterator[Request]:
        """Follow the articles of the front page."""
        for link in response.css("main li a::attr(href)").getall():
            yield response.follow(link, self.parse_article)

    def parse_article(self, response: Response) -> Iterator[dict[str, str]]:
        """Yield an item; the add-on requests the further pages of an article."""
        yield {"url": response.url}
