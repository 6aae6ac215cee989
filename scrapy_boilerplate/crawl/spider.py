"""The spider middleware: ties each item to the response it came from."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.crawl.analysis import noted_analysis
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.ties import ItemTies


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Ties items to responses, so that the pipeline, which sees only items, finds the page.

    Items and requests pass through unchanged; items of responses without an analysis (no HTML,
    or `dont_boilerplate`) are left alone.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not CrawlSettings.of(crawler.settings).enabled:
            raise NotConfigured
        self.ties = ItemTies()

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Called by Scrapy with every item; start items have no response."""
        analysis = None if response is None else noted_analysis(response)
        if response is not None and analysis is not None and analysis.fills_items:
            self.ties.tie(item, response)
        return item
