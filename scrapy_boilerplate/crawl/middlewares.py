"""The middlewares: one registers the reader of each page, one maps items to responses.

An item pipeline does not see responses, so it depends on both.
"""

import logging
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.crawl.context import Component, CrawlContext
from scrapy_boilerplate.crawl.items import adapt
from scrapy_boilerplate.crawl.page_reader import (
    explain_missing_html,
    fills_items,
    has_html,
    is_skipped,
    register_reader,
)


class BoilerplateDownloaderMiddleware(Component):
    """Registers the page reader for every HTML response to a request with a callback.

    The page is read when an item or a callback needs its document; pages that give only links cost
    nothing. Responses pass through unchanged.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self._context.settings.enabled:
            raise NotConfigured
        self._reader = self._context.reader
        crawler.signals.connect(self._context.warn_of_unused_settings, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    def _spider_closed(self) -> None:
        self._reader.close()
        self._context.warn_of_unmatched_rules()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Register the reader, unless the response is not a page or not for a spider."""
        self._context.finished.watch(response)
        self._context.reservations.keep_robots(request, response)
        if request.callback is not NO_CALLBACK and has_html(response):
            register_reader(request, self._reader)
            self._context.count("skipped" if is_skipped(request) else "responses")
        return response


def _has_document(item: Any) -> bool:
    return ItemAdapter.is_item(item) and adapt(item).find_document() is not None


NO_HTML = "Items of responses such as %s are not filled: %s"


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers which response each item came from, for the pipeline.

    Items and requests pass through unchanged. Items of responses without a document (no HTML, or
    `dont_boilerplate`) are not filled. It must be the last spider middleware that processes items:
    if a later one replaces an item, the response of the new item is unknown.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._context = CrawlContext.from_crawler(crawler)
        if not self._context.settings.enabled:
            raise NotConfigured
        self._responses = self._context.responses
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(self._responses.forget, signal)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return the item unchanged; start items have no response."""
        self._responses.n_items += 1
        if response is not None and item is not None:
            is_filled = fills_items(response)
            self._responses.add(item, response, is_awaited=is_filled)
            if not is_filled and not has_html(response) and not _has_document(item):
                why = explain_missing_html(response)
                kind = type(response).__name__
                self._context.log_once(logging.INFO, NO_HTML, response.url, why, key=kind)
        return item
