"""The item pipeline that fills the fields of items from their page."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from scrapy_boilerplate.crawl.article_pages import ArticlePages
from scrapy_boilerplate.crawl.context import Component
from scrapy_boilerplate.crawl.duplicates import check_pipelines
from scrapy_boilerplate.crawl.inspector import Inspector
from scrapy_boilerplate.crawl.item_urls import ItemUrls
from scrapy_boilerplate.crawl.items import (
    ARTICLE_FIELD,
    Dropped,
    ItemPlan,
    ItemPlanner,
    PageItem,
    adapt,
)
from scrapy_boilerplate.crawl.page_reader import ResponseState, fills_items
from scrapy_boilerplate.crawl.parquet import check_feeds
from scrapy_boilerplate.crawl.settings import MARK
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.items import Reservation
from scrapy_boilerplate.joining import JoinedDocument
from scrapy_boilerplate.page.limits import MILLISECONDS, PAGES
from scrapy_boilerplate.page.text import count_words

logger = logging.getLogger(__name__)


class TooFewWords(Dropped):
    """The text of the page is shorter than BOILERPLATE_MIN_WORDS."""


class LowConfidence(Dropped):
    """The confidence is under BOILERPLATE_MIN_CONFIDENCE."""


class NotAnArticle(Dropped):
    """BOILERPLATE_ARTICLES_ONLY is set, and the page is not an article."""


class ReservedText(Dropped):
    """BOILERPLATE_RESERVED_DROP names a reservation of the page."""


class JoinedPage(Dropped):
    """BOILERPLATE_PAGES_DROP is set, and the page was joined into the item of its article."""


RESERVATIONS = "reservations"
REFUSED = "Items of class %s refuse the field %r: %s%s"
LOST = (
    "%d items (the last of class %s) were replaced by other objects before they reached "
    "BoilerplatePipeline, so their fields are not filled. Give BoilerplatePipeline the lowest "
    "order in ITEM_PIPELINES, and BoilerplateSpiderMiddleware in SPIDER_MIDDLEWARES"
)
WITHOUT_MIDDLEWARE = (
    "Items did not pass BoilerplateSpiderMiddleware, as under `scrapy parse --pipelines`, so their "
    "page is unknown and their fields are not filled. With `scrapy parse`, use -o -:json instead "
    "of --pipelines"
)
# documents that are checked for a next page, which takes .3 ms, though no item has `partial`
MAX_CHECKED = 20
UNREAD_PAGES = (
    "Articles have further pages that are not read, so their text is cut (partial: pages). To join "
    "the pages of an article, set BOILERPLATE_PAGES = 10"
)


class BoilerplatePipeline(Component):
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    Values that the spider sets are kept. A `zyte_common_items.Article` is filled under its own
    names, and BOILERPLATE_FIELDS does not apply. An item class gets the fields that it declares. An
    item about another page than its response is not filled (`crawl.item_urls`); an item of a page
    that could not be read gets empty fields. Each item is counted once: as filled, failed,
    untouched, about another page, or dropped.
    """

    def __init__(self, crawler: Crawler) -> None:
        check_feeds(crawler)
        super().__init__(crawler)
        context, settings = self._context, self._context.settings
        if not settings.enabled:
            raise NotConfigured
        check_pipelines(crawler, type(self))
        self._settings = settings
        self._reader, self._responses = context.reader, context.responses
        self._count, self._report = context.count, context.report
        self._log_once = context.log_once
        self._planner = ItemPlanner(settings)
        self._item_urls = ItemUrls(context)
        self._site_reservations = context.reservations
        self._pages = ArticlePages(context) if settings.pages > 1 else None
        self._n_to_check = MAX_CHECKED
        self._read = self._reader.read_async if self._pages is None else self._pages.read
        folder = settings.inspect_dir
        self._inspector = None if folder is None else Inspector(context, folder)

    async def process_item(self, item: Any) -> Any:
        """Return the item with its fields filled. Raises DropItem if a setting asks for it."""
        response = self._responses.find(item)
        if response is not None and not fills_items(response):
            response = None
        if not ItemAdapter.is_item(item):
            return item
        adapter = adapt(item)
        document = self._take_document(adapter)
        if document is not None or response is None:
            plan = self._planner.plan(adapter)
        else:
            state = self._reader.find_state(response)
            plan = self._planner.plan(adapter, state.fields)
            if not await self._needs_page(adapter, response, plan, state):
                return item
            document = await self._read(response, plan.lazy_fields)
        if document is None:
            self._count("items/untouched")
            if not self._responses.n_items:
                self._log_once(logging.WARNING, WITHOUT_MIDDLEWARE)
            return item
        reservations = await self._find_reservations(document, plan, response)
        document, values = self._process_document(adapter, document, plan, response)
        if document.error is None and (name := plan.fields.get(RESERVATIONS)):
            values[name] = reservations
        is_read = document.error is None and document.exceeded != MILLISECONDS
        n_written, refused = adapter.fill(values, is_read=is_read)
        if refused:
            self._report_refused(item, refused, is_frozen=not n_written)
        if document.error is not None:
            self._count("items/failed")
        else:
            is_filled = bool(values) and (n_written > 0 or not refused)
            self._count("items/filled" if is_filled else "items/untouched")
        return item

    def close_spider(self) -> None:
        """Close the crawl's resources; Scrapy calls it after the last item."""
        if self._inspector is not None:
            self._inspector.close()
        responses = self._responses
        responses.close()
        if responses.lost:
            self._count("items/lost", responses.lost)
            last_class = getattr(responses.lost_class, "__qualname__", None)
            logger.warning(LOST, responses.lost, last_class)

    def _take_document(self, adapter: PageItem) -> Document | None:
        name = adapter.find_document()
        if name is None:
            return None
        document: Document = adapter[name]
        try:
            adapter.remove(name)
        except Exception as error:  # noqa: BLE001 - frozen items: the item goes on
            self._report_refused(adapter.item, {name: error}, is_frozen=True)
        return document

    def _report_refused(
        self, item: Any, refused: Mapping[str, Exception], *, is_frozen: bool
    ) -> None:
        self._count("errors/write", len(refused))
        kind, (name, error) = type(item), next(iter(refused.items()))
        advice = "; items of a frozen class are not filled" if is_frozen else ""
        values = kind.__qualname__, name, error, advice
        self._log_once(logging.ERROR, REFUSED, *values, key=(REFUSED, kind))

    async def _needs_page(
        self, adapter: PageItem, response: Response, plan: ItemPlan, state: ResponseState
    ) -> bool:
        """Count an item that is not filled. Raises JoinedPage for a page of another item."""
        if not plan.needs_page and state.error is None:
            self._count("items/untouched")
            return False
        if state.every_item:
            return True
        if not self._item_urls.match(adapter, response, state):
            return False
        if self._pages is not None and await self._pages.is_joined(response):
            self._count("dropped/joined")
            raise JoinedPage(f"{response.url} is in the item of its article")
        return True

    async def _find_reservations(
        self, document: Document, plan: ItemPlan, response: Response | None
    ) -> list[Reservation] | None:
        if document.error is not None or RESERVATIONS not in plan.lazy_fields:
            return None
        try:
            reservations = await self._site_reservations.find(response, document)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._report(f"find the reservations of {document.url}", error)
            return None
        reserved = self._settings.reserved_drop
        for each in reservations:
            scheme, value = each["scheme"], each["value"]
            if value is not None and reserved.get(str(scheme)) == value:
                self._count("dropped/reserved")
                raise ReservedText(f"{scheme} {value} of {each['source']} for {document.url}")
        return reservations

    def _process_document(
        self, item: PageItem, document: Document, plan: ItemPlan, response: Response | None
    ) -> tuple[Document, dict[str, Any]]:
        """Inspect and check a document, and build the values of the item. Raises DropItem."""
        original = document
        try:
            if self._inspector is not None:
                self._inspector.add(document, response)
            is_article = self._check_document(document, plan)
            try:
                values = item.build_values(document, plan.fields, self._settings.blocks)
            except Exception as error:  # noqa: BLE001 - a bad page never costs an item
                self._report(f"fill the fields of {document.url}", error)
                document = Document(url=document.url, error=str(error))
                values = item.build_values(document, plan.fields, self._settings.blocks)
        finally:
            self._count_late_errors(response, original)
        self._check_next_page(document, plan, response)
        if plan.marks_article:
            values[ARTICLE_FIELD] = is_article
        return document, values

    def _check_next_page(
        self, document: Document, plan: ItemPlan, response: Response | None
    ) -> None:
        """Count a page whose next page is not read, among the first if no item has `partial`."""
        if "partial" not in plan.fields:
            if self._pages is not None or not self._n_to_check:
                return
            self._n_to_check -= 1
        try:
            if document.partial != PAGES:
                return
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._report(f"find the next page of {document.url}", error)
            return
        if response is not None:
            self._reader.count_once(self._reader.find_state(response), f"partial/{PAGES}")
        if self._pages is None:
            self._log_once(logging.WARNING, UNREAD_PAGES)

    def _check_document(self, document: Document, plan: ItemPlan) -> bool | None:
        """Decide whether the page is an article; None if neither plan nor settings ask for it.

        Raises DropItem for a page that the settings reject.
        """
        if document.error is not None or "confidence" in document.late:
            return None
        settings, confidence = self._settings, document.confidence
        if settings.min_words and (words := count_words(document.text)) < settings.min_words:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}")
        if confidence < settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}")
        is_asked = plan.marks_article or bool(settings.articles_only)
        probability = self._find_article_probability(document) if is_asked else None
        if probability is None:
            return None
        is_article = probability >= settings.article_threshold
        if not is_article and settings.articles_only not in (False, MARK):
            self._count("dropped/articles_only")
            raise NotAnArticle(f"probability {probability} of an article on {document.url}")
        return is_article

    def _find_article_probability(self, document: Document) -> float | None:
        try:
            return document.article_probability
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._report(f"compute article_probability of {document.url}", error)
            return None

    def _count_late_errors(self, response: Response | None, document: Document) -> None:
        if response is None:
            for name in document.failures:
                self._count(f"errors/fields/{name}")
            return
        first = document.first if isinstance(document, JoinedDocument) else document
        self._reader.count_errors(self._reader.find_state(response), first)
        if self._pages is not None:
            self._pages.count_late_errors(response)
