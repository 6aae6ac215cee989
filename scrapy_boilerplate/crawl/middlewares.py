"""The middlewares: one registers the reader of each page, one maps items to responses.

A pipeline sees only items. So the downloader middleware registers how each HTML response is read,
and the spider middleware remembers which response an item came from.
"""

from __future__ import annotations

import logging
import re
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, get_args
from weakref import ReferenceType, ref

from itemadapter import ItemAdapter
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.page_reader import (
    PageReader,
    RequestContext,
    find_context,
    has_html,
    is_skipped,
    register_request,
)
from scrapy_boilerplate.crawl.settings import PROCESS
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.workers.pool import WorkerPool

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class BoilerplateDownloaderMiddleware:
    """Gives every HTML response that is meant for a spider a reader of its page.

    The page is read when an item or a callback needs its document; pages that give only links cost
    nothing. Responses pass through unchanged.
    """

    def __init__(self, crawler: Crawler) -> None:
        context = CrawlContext.from_crawler(crawler)
        settings = context.settings
        if not settings.enabled:
            raise NotConfigured
        self._context = context
        sites = context.sites if settings.uses_site else None
        self._reader = PageReader(
            settings.options,
            context.count,
            site=None if sites is None else sites.extraction,
            watch=None if sites is None or not sites.watches else sites.watch,
            pool=WorkerPool(settings.workers) if settings.executor == PROCESS else None,
        )
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
            skipped = is_skipped(request)
            register_request(request, RequestContext(self._reader, fills_items=not skipped))
            self._context.count("skipped" if skipped else "responses")
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

    responses      the responses of items on their way
    all_responses  the same for `BoilerplateDuplicatesPipeline`, including items that are not
                   filled; None without that pipeline
    n_items        how many items passed
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not CrawlContext.from_crawler(crawler).settings.enabled:
            raise NotConfigured
        self.responses = ItemResponses()
        self.all_responses: ItemResponses | None = None
        self.n_items = 0
        self._told_of_no_html = False
        self._explained: set[tuple[str, ...]] = set()
        crawler.signals.connect(self._forget_item, signals.item_dropped)
        crawler.signals.connect(self._forget_item, signals.item_error)

    def _forget_item(self, item: Any) -> None:
        """Forget an item that an earlier pipeline dropped or failed on: it is not lost."""
        self.responses.pop(item)
        if self.all_responses is not None:
            self.all_responses.pop(item)

    def process_spider_exception(
        self,
        response: Response,  # noqa: ARG002 - Scrapy's signature
        exception: Exception,
    ) -> None:
        """Tell once what to do where a callback has an argument that only scrapy-poet gives."""
        explanation = explain_missing_document(exception, self.crawler)
        if explanation is not None and explanation not in self._explained:
            self._explained.add(explanation)
            logger.error(*explanation)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return the item unchanged; start items have no response."""
        self.n_items += 1
        if response is not None and item is not None:
            if self.all_responses is not None:
                self.all_responses.add(item, response)
            context = find_context(response)
            if context is not None and context.fills_items:
                self.responses.add(item, response)
            elif not self._told_of_no_html and _is_unfilled(item, response):
                self._told_of_no_html = True
                logger.info(NO_HTML, response.url)
        return item


MAX_ITEMS = 10_000
"""Items on their way to the pipeline at most; a crawl has a few hundred. More pile up only where
items that hold their response are dropped in between; then the oldest are let go."""


class ItemResponses:
    """Item to response, from `add` until `pop`, or until the response is gone.

    Items are compared by identity: many kinds can be neither hashed nor referenced weakly.
    Responses are held by weak references: Scrapy keeps each one alive until its items are
    processed. An item that another component drops must not keep its page in memory.

    lost        how many items were let go without `pop`
    lost_class  the class of the last one, or None
    """

    def __init__(self, limit: int = MAX_ITEMS) -> None:
        self.lost = 0
        self.lost_class: type | None = None
        self._limit = limit
        self._responses: OrderedDict[int, tuple[Any, ReferenceType[Response]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._responses)

    def add(self, item: Any, response: Response) -> None:
        """Record that `item` came from `response`; replaces an earlier response."""
        key = id(item)
        self._responses[key] = item, ref(response, lambda gone: self._forget(key, gone))
        self._responses.move_to_end(key)
        if len(self._responses) > self._limit:
            self._lose(next(iter(self._responses)))

    def pop(self, item: Any) -> Response | None:
        """Return the response of `item`, once; None if it is not known."""
        _, response = self._responses.pop(id(item), (None, None))
        return None if response is None else response()

    def _forget(self, key: int, gone: ReferenceType[Response]) -> None:
        if key in self._responses and self._responses[key][1] is gone:
            self._lose(key)

    def close(self) -> None:
        """Count the items that are still on their way as lost: the crawl is over."""
        for key in list(self._responses):
            self._lose(key)

    def _lose(self, key: int) -> None:
        item, _ = self._responses.pop(key)
        self.lost += 1
        self.lost_class = type(item)


# Callbacks with an argument of class Document, which only scrapy-poet provides

_find_missing_arguments = re.compile(r"\b(\w+)\(\) missing \d+ required .*arguments?: (.+)").search
_find_document = re.compile(r"\bDocument\b").search

WITHOUT_POET = (
    "scrapy-poet gives it to callbacks: install scrapy-poet (the extra [poet]) and add "
    '"scrapy_poet.Addon": 300 to ADDONS'
)
WITH_POET = "scrapy-poet does not give it here, as in callbacks of the rules of a CrawlSpider"
MISSING_DOCUMENT = (
    "%s.%s has an argument %r of class Document. %s. Or call boilerplate(response) in it"
)


def explain_missing_document(exception: Exception, crawler: Crawler) -> tuple[str, ...] | None:
    """Return MISSING_DOCUMENT and its values if a callback got no `Document`, else None."""
    missing = _find_missing_arguments(str(exception)) if type(exception) is TypeError else None
    if missing is None or crawler.spider is None:
        return None
    name, arguments = missing.groups()
    for argument in re.findall(r"'(\w+)'", arguments):
        if _asks_for_document(crawler.spider, name, argument):
            advice = WITH_POET if _injects(crawler) else WITHOUT_POET
            return MISSING_DOCUMENT, type(crawler.spider).__qualname__, name, argument, advice
    return None


def _asks_for_document(spider: Spider, name: str, argument: str) -> bool:
    annotation: Any = getattr(getattr(spider, name, None), "__annotations__", {}).get(argument)
    if isinstance(annotation, str):  # of a module with `from __future__ import annotations`
        return _find_document(annotation) is not None
    return annotation is Document or Document in get_args(annotation)


def _injects(crawler: Crawler) -> bool:
    """Return whether scrapy-poet is enabled; without importing it."""
    poet = sys.modules.get("scrapy_poet")
    return (
        poet is not None and crawler.get_downloader_middleware(poet.InjectionMiddleware) is not None
    )
