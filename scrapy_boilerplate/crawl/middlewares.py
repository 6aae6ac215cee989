"""The middlewares: one registers the reader of each page, one maps items to responses.

A pipeline sees only items. So the downloader middleware registers how each HTML response is read,
and the spider middleware remembers which response an item came from.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.page_reader import (
    fills_items,
    has_html,
    is_skipped,
    register_reader,
)
from scrapy_boilerplate.document import Document

if TYPE_CHECKING:
    from typing_extensions import Self


class BoilerplateDownloaderMiddleware:
    """Gives every HTML response that is meant for a spider a reader of its page.

    The page is read when an item or a callback needs its document; pages that give only links cost
    nothing. Responses pass through unchanged.
    """

    def __init__(self, crawler: Crawler) -> None:
        context = CrawlContext.from_crawler(crawler)
        if not context.settings.enabled:
            raise NotConfigured
        self._context = context
        self._reader = context.reader
        crawler.signals.connect(context.warn_of_unused_settings, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware. Raises SettingError if a setting is wrong."""
        return cls(crawler)

    def _spider_closed(self) -> None:
        self._reader.close()
        self._context.warn_of_unmatched_rules()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Register the reader, unless the response is not a page or not for a spider."""
        if request.callback is not NO_CALLBACK and has_html(response):
            register_reader(request, self._reader)
            self._context.count("skipped" if is_skipped(request) else "responses")
        return response


def _is_unfilled(item: Any, response: Response) -> bool:
    """Return whether an item of a response without HTML holds no document of its own."""
    is_html = isinstance(response, HtmlResponse) and response.body
    return not is_html and not (
        ItemAdapter.is_item(item)
        and any(isinstance(value, Document) for value in ItemAdapter(item).values())
    )


NO_HTML = (
    "Items of responses that are no HTML, or empty, go on as they are; the first is of %s. For "
    "HTML inside of JSON see scrapy_boilerplate.Extraction"
)


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers which response each item came from, for the pipeline.

    Items and requests pass through unchanged. Items of responses without a document (no HTML, or
    `dont_boilerplate`) are not filled. It has to be the last spider middleware that sees items: one
    after it that yields copies breaks the tie between item and response.

    responses  the responses of items on their way
    n_items    how many items passed
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._context = CrawlContext.from_crawler(crawler)
        if not self._context.settings.enabled:
            raise NotConfigured
        self.responses = ItemResponses()
        self.n_items = 0
        for ended in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(self._forget_item, ended)

    def _forget_item(self, item: Any) -> None:
        self.responses.forget(item)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return the item unchanged; start items have no response."""
        self.n_items += 1
        if response is not None and item is not None:
            is_filled = fills_items(response)
            self.responses.add(item, response, is_awaited=is_filled)
            if not is_filled and _is_unfilled(item, response):
                self._context.log_once(logging.INFO, NO_HTML, response.url)
        return item


MAX_ITEMS = 10_000
"""Items on their way to the pipeline at most; a crawl has a few hundred. More pile up only where
items that hold their response are dropped in between; then the oldest are let go."""


@dataclass
class _Entry:
    """An item, its response, and whether the pipeline that fills it has not looked it up yet."""

    item: Any
    response: ReferenceType[Response]
    is_awaited: bool


class ItemResponses:
    """Item to response, until the item or the response is gone.

    Items are compared by identity: many kinds can be neither hashed nor referenced weakly.
    Responses are held by weak references: Scrapy keeps each one alive until its items are
    processed. An item that another component replaces must not keep its page in memory.

    lost        how many awaited items were gone before `find`
    lost_class  the class of the last one, or None
    """

    def __init__(self, limit: int = MAX_ITEMS) -> None:
        self.lost = 0
        self.lost_class: type | None = None
        self._limit = limit
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, item: Any, response: Response, *, is_awaited: bool = True) -> None:
        """Record that `item` came from `response`; replaces an earlier response."""
        key = id(item)
        reference = ref(response, lambda gone: self._response_gone(key, gone))
        self._entries[key] = _Entry(item, reference, is_awaited)
        self._entries.move_to_end(key)
        if len(self._entries) > self._limit:
            self._lose(next(iter(self._entries)))

    def find(self, item: Any) -> Response | None:
        """Return the response of `item`, or None."""
        entry = self._entries.get(id(item))
        if entry is None:
            return None
        entry.is_awaited = False
        return entry.response()

    def forget(self, item: Any) -> None:
        """Forget an item that was processed, dropped or failed."""
        self._entries.pop(id(item), None)

    def close(self) -> None:
        """Forget every item: the crawl is over."""
        for key in list(self._entries):
            self._lose(key)

    def _response_gone(self, key: int, gone: ReferenceType[Response]) -> None:
        if key in self._entries and self._entries[key].response is gone:
            self._lose(key)

    def _lose(self, key: int) -> None:
        entry = self._entries.pop(key)
        if entry.is_awaited:
            self.lost += 1
            self.lost_class = type(entry.item)
