"""A spider that finds articles by following links from a front page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from newsroom.embedded import resolve_url
from newsroom.pages import is_article

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class LinksSpider(Spider):
    """`scrapy crawl links [-a start=https://news.example/]`."""

    name = "links"

    def __init__(self, start: str = "/", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first_page = start

    async def start(self) -> AsyncIterator[Request]:
        """Request the front page."""
        yield Request(resolve_url(self.crawler, self.first_page), self.parse)

    def parse(self, response: Response) -> Iterator[Request | dict[str, str]]:
        """Yield an item if the page is an article, and follow its links within the site."""
        if not isinstance(response, HtmlResponse):
            return
        if is_article(response):
            yield {"url": response.url}
        same_site = LinkExtractor(allow_domains=urlsplit(response.url).netloc)
        yield from response.follow_all(same_site.extract_links(response), self.parse)
