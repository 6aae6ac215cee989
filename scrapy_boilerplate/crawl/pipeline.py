"""The item pipeline: writes what the page says onto the item."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scrapy_boilerplate.crawl.analysis import Analysis, noted_analysis
from scrapy_boilerplate.crawl.duplicates import BoilerplateDuplicatesPipeline
from scrapy_boilerplate.crawl.fields import values_of
from scrapy_boilerplate.crawl.hold import Hold
from scrapy_boilerplate.crawl.inspecting import Inspector
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.site import sites_of
from scrapy_boilerplate.crawl.spider import BoilerplateSpiderMiddleware
from scrapy_boilerplate.crawl.writer import ItemWriter
from scrapy_boilerplate.crawl.zyte import ZyteArticles, is_zyte_article
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.news.article_probability import ARTICLE
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.workers.plain import BLOCKS, HTML, LATE, PROBABILITY

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TooFewWords(DropItem):
    """The text of the page is shorter than BOILERPLATE_MIN_WORDS."""


class LowConfidence(DropItem):
    """The confidence is under BOILERPLATE_MIN_CONFIDENCE."""


class NotAnArticle(DropItem):
    """BOILERPLATE_ARTICLES_ONLY is set, and the page is no article."""


def _late_fields(settings: CrawlSettings) -> frozenset[str]:
    """What workers have to build of the documents they send back, and nothing else."""
    late = set(settings.fields).intersection(LATE)
    if settings.blocks == "none":
        late.discard(BLOCKS)
    if settings.articles_only or settings.inspect_dir:
        late.add(PROBABILITY)
    return frozenset(late)


def _warn_of_duplicates(crawler: Crawler) -> None:
    """Say that BOILERPLATE_DUPLICATES alone does nothing."""
    if not crawler.settings.get("BOILERPLATE_DUPLICATES"):
        return
    placed = [one for one, order in crawler.settings["ITEM_PIPELINES"].items() if order is not None]
    classes = [one for one in map(load_object, placed) if isinstance(one, type)]
    if not any(issubclass(one, BoilerplateDuplicatesPipeline) for one in classes):
        logger.warning(
            "BOILERPLATE_DUPLICATES has no effect without its pipeline: add "
            '"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES'
        )


class BoilerplatePipeline:
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    What the spider set itself stays. A `zyte_common_items.Article` is filled under its own names
    (`crawl/zyte.py`), whatever BOILERPLATE_FIELDS says. An item whose class lacks a field goes on
    without it; an item of a page that could not be read goes on with empty fields.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.of(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        _warn_of_duplicates(crawler)
        self._crawler = crawler
        self._writer = ItemWriter(self._count)
        self._zyte_articles = ZyteArticles()
        self._late = _late_fields(self._settings)
        site = self._settings.site
        self._hold = Hold(crawler, site) if site.enabled and site.hold else None
        self._inspector = Inspector(self._settings, self._count)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built by Scrapy. Raises SettingError if a setting is wrong."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """The same item with its fields; raises DropItem where the settings ask for it."""
        response = self._response_of(item)
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        document = self._writer.take_document(adapter)
        if document is None and response is not None:
            await self._wait_until_known(response)
            document = await self._document(response, item)
        if document is None:
            self._count("items/untouched")
            return item
        self._inspector.look_at(document, response)
        self._drop_if_poor(document)
        self._writer.write(adapter, self._values(document, item))
        self._count("items/filled")
        return item

    def close_spider(self) -> None:
        """Called by Scrapy when all items are through."""
        self._inspector.close()

    async def _wait_until_known(self, response: Response) -> None:
        """Hold the item back, if the settings say so; the page is learnt first."""
        analysis = noted_analysis(response)
        read = None if self._hold is None or analysis is None else analysis.learn(response)
        if self._hold is not None and read is not None:
            extraction = sites_of(self._crawler).extraction
            if await self._hold.until_known(
                lambda: extraction.known_pages(read), len(response.body)
            ):
                self._count("site/held")

    async def _document(self, response: Response, item: Any) -> Document:
        analysis = noted_analysis(response) or Analysis()
        late = (HTML, PROBABILITY) if is_zyte_article(item) else ()
        return await analysis.document_async(response, self._late.union(late))

    def _response_of(self, item: Any) -> Response | None:
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        return None if middleware is None else middleware.ties.take(item)

    def _drop_if_poor(self, document: Document) -> None:
        if document.error is not None:
            return
        least, confidence = self._settings.min_words, document.confidence
        if least and (words := count_words(document.text)) < least:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}", log_level="INFO")
        if confidence < self._settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}", log_level="INFO")
        if self._settings.articles_only and (said := self._probability(document)) < ARTICLE:
            self._count("dropped/articles_only")
            told = f"probability {said} of an article on {document.url}"
            raise NotAnArticle(told, log_level="INFO")

    def _probability(self, document: Document) -> float:
        """That the page is an article; 1, so that the item stays, where nothing tells it."""
        try:
            said = document.article_probability
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No probability of %s: %s: %s", document.url, type(error).__name__, error)
            return 1.0
        return 1.0 if said is None else said

    def _values(self, document: Document, item: Any) -> dict[str, Any]:
        """The item's fields; empty ones if something in the page defies us."""
        try:
            if is_zyte_article(item):
                return self._zyte_articles.values(document, item)
            return values_of(document, self._settings)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No fields of %s: %s: %s", document.url, type(error).__name__, error)
            if is_zyte_article(item):
                return {}
            return values_of(Document(url=document.url, error=str(error)), self._settings)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")
