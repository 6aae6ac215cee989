"""A spider that takes its articles from a sitemap or from an RSS or Atom feed."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from scrapy import Request, Selector, Spider
from scrapy.http import HtmlResponse

from newsroom.embedded import resolve_url
from newsroom.pages import is_article

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

INDEXES = "/sitemapindex/sitemap/loc/text()"
PAGES = "/urlset/url/loc/text()"
ENTRIES = (
    "/rss/channel/item/link/text() | /RDF/item/link/text()"
    " | /feed/entry/link[not(@rel) or @rel='alternate']/@href"
)


class FeedSpider(Spider):
    """`scrapy crawl feed [-a start=https://news.example/sitemap.xml]`."""

    name = "feed"

    def __init__(self, start: str = "/sitemap.xml", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first_feed = start

    async def start(self) -> AsyncIterator[Request]:
        """Request the sitemap or feed."""
        yield Request(resolve_url(self.crawler, self.first_feed), self.parse)

    def parse(self, response: Response) -> Iterator[Request]:
        """Follow a sitemap or a feed; a sitemap also lists pages that are not articles."""
        feed = read_xml(response.body)
        for xpath, callback in (
            (INDEXES, self.parse),
            (PAGES, self.parse_page),
            (ENTRIES, self.parse_article),
        ):
            for url in feed.xpath(xpath).getall():
                yield response.follow(url.strip(), callback)

    def parse_page(self, response: Response) -> Iterator[dict[str, str]]:
        """Yield an item if the page is an article."""
        if isinstance(response, HtmlResponse) and is_article(response):
            yield from self.parse_article(response)

    def parse_article(self, response: Response) -> Iterator[dict[str, str]]:
        """Yield an item; the add-on fills its fields from the page."""
        yield {"url": response.url}


def read_xml(body: bytes) -> Selector:
    """Parse a feed, packed or not, without its namespaces."""
    if body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    feed = Selector(body=body, type="xml")
    feed.remove_namespaces()
    return feed
