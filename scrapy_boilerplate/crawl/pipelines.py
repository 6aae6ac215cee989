"""The item pipelines: one fills the fields of items from their page, one finds duplicates."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scrapy_boilerplate.crawl.documents import LazyDocument, find_lazy_document
from scrapy_boilerplate.crawl.inspector import Inspector
from scrapy_boilerplate.crawl.item_values import ItemWriter, build_item_values
from scrapy_boilerplate.crawl.middlewares import BoilerplateSpiderMiddleware
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.site import SiteHold, open_sites
from scrapy_boilerplate.crawl.zyte import ZyteArticles, is_zyte_article
from scrapy_boilerplate.document import LAZY_FIELDS, Document
from scrapy_boilerplate.news.article_probability import ARTICLE_THRESHOLD
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TooFewWords(DropItem):
    """The text of the page is shorter than BOILERPLATE_MIN_WORDS."""


class LowConfidence(DropItem):
    """The confidence is under BOILERPLATE_MIN_CONFIDENCE."""


class NotAnArticle(DropItem):
    """BOILERPLATE_ARTICLES_ONLY is set, and the page is not an article."""


class DuplicateArticle(DropItem):
    """The article of the item is a duplicate, exact or near, of an earlier one."""


class BoilerplatePipeline:
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    What the spider sets is kept. A `zyte_common_items.Article` is filled under its own names
    (`crawl.zyte`), whatever BOILERPLATE_FIELDS says. An item whose class lacks a field goes on
    without it; an item of a page that could not be read goes on with empty fields.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.from_settings(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        _warn_of_missing_pipeline(crawler)
        self._crawler = crawler
        self._wanted_fields = _find_wanted_fields(self._settings)
        holds = self._settings.uses_site and self._settings.site_hold
        self._hold = SiteHold(crawler, self._settings) if holds else None
        self._inspector = Inspector(self._settings, self._count)
        self._zyte_articles = ZyteArticles()
        self._writer = ItemWriter(self._count)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline. Raises SettingError if a setting is wrong."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Return the same item with its fields. Raises DropItem where the settings ask for it."""
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        response = None if middleware is None else middleware.responses.pop(item)
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        document = self._writer.take_document(adapter)
        if document is None and response is not None:
            await self._wait_for_site(response)
            lazy_document = find_lazy_document(response) or LazyDocument()
            zyte_fields = ("html", "article_probability") if is_zyte_article(item) else ()
            wanted_fields = self._wanted_fields.union(zyte_fields)
            document = await lazy_document.get_async(response, wanted_fields)
        if document is None:
            self._count("items/untouched")
            return item
        self._inspector.add(document, response)
        self._drop_poor(document)
        self._writer.write(adapter, self._build_values(document, item))
        self._count("items/filled")
        return item

    def close_spider(self) -> None:
        """Called by Scrapy when all items are through."""
        self._inspector.close()

    async def _wait_for_site(self, response: Response) -> None:
        """Learn the page, then hold the item back if the settings ask for it."""
        lazy_document = find_lazy_document(response)
        if self._hold is None or lazy_document is None:
            return
        if lazy_document.learn(response) is not None:
            extraction, url = open_sites(self._crawler).extraction, response.url
            if await self._hold.wait(lambda: extraction.known_pages(url), len(response.body)):
                self._count("site/held")

    def _drop_poor(self, document: Document) -> None:
        if document.error is not None:
            return
        settings, confidence = self._settings, document.confidence
        if settings.min_words and (words := count_words(document.text)) < settings.min_words:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}", log_level="INFO")
        if confidence < settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}", log_level="INFO")
        if settings.articles_only:
            probability = self._article_probability(document)
            if probability is not None and probability < ARTICLE_THRESHOLD:
                self._count("dropped/articles_only")
                raise NotAnArticle(
                    f"probability {probability} of an article on {document.url}", log_level="INFO"
                )

    def _article_probability(self, document: Document) -> float | None:
        try:
            return document.article_probability
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No probability of %s: %s: %s", document.url, type(error).__name__, error)
            return None

    def _build_values(self, document: Document, item: Any) -> dict[str, Any]:
        """Return the item's fields; empty ones where the page cannot be read."""
        is_zyte = is_zyte_article(item)
        try:
            if is_zyte:
                return self._zyte_articles.build_values(document, item)
            return build_item_values(document, self._settings)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No fields of %s: %s: %s", document.url, type(error).__name__, error)
            if is_zyte:
                return {}
            failed = Document(url=document.url, error=str(error))
            return build_item_values(failed, self._settings)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")


def _find_wanted_fields(settings: CrawlSettings) -> frozenset[str]:
    """Return the LAZY_FIELDS that workers have to compute, and no others."""
    wanted_fields = set(settings.fields).intersection(LAZY_FIELDS)
    if settings.blocks == "none":
        wanted_fields.discard("blocks")
    if settings.articles_only or settings.inspect_dir:
        wanted_fields.add("article_probability")
    return frozenset(wanted_fields)


def _warn_of_missing_pipeline(crawler: Crawler) -> None:
    """Warn that BOILERPLATE_DUPLICATES does nothing without its pipeline."""
    if not crawler.settings.get("BOILERPLATE_DUPLICATES"):
        return
    orders = crawler.settings["ITEM_PIPELINES"].items()
    pipelines = [load_object(path) for path, order in orders if order is not None]
    if not any(
        isinstance(pipeline, type) and issubclass(pipeline, BoilerplateDuplicatesPipeline)
        for pipeline in pipelines
    ):
        logger.warning(
            "BOILERPLATE_DUPLICATES has no effect without its pipeline: add "
            '"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES'
        )


DUPLICATE_FIELD = "duplicate"
"""The field that marks an item: ``exact``, ``near`` or None."""


class BoilerplateDuplicatesPipeline:
    """Drops items whose text was seen before, in this crawl or in earlier ones with the same store.

    With BOILERPLATE_DUPLICATES = "mark" they are kept, with the field `duplicate`. The pipeline
    reads the text field that `BoilerplatePipeline` fills (`articleBody` of a
    `zyte_common_items.Article`), so its order number must be higher. Items without text pass.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = CrawlSettings.from_settings(crawler.settings)
        self._text_field = settings.fields.get("text", "text")
        self._is_text_filled = "text" in settings.fields
        self._marks = settings.duplicates == "mark"
        self._sites = open_sites(crawler).sites
        self._sites.enable_articles()  # before the first exchange with the store
        self._logged: set[tuple[type, str]] = set()
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline. Raises SettingError and MissingExtraError."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Return the same item. Raises DuplicateArticle for a duplicate."""
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        text = self._find_text(adapter)
        duplicate = None
        if isinstance(text, str) and text:
            duplicate = self._sites.register_article(fingerprint(text), simhash(text))
        if duplicate is not None:
            self._count(f"duplicates/{duplicate}")
            if not self._marks:
                raise DuplicateArticle(f"{duplicate} duplicate", log_level="INFO")
        if self._marks:
            try:
                adapter[DUPLICATE_FIELD] = duplicate
            except Exception as error:  # noqa: BLE001 - undeclared fields, frozen items: it goes on
                self._count(f"unsupported/{DUPLICATE_FIELD}")
                self._warn_once(item, f"do not take the field {DUPLICATE_FIELD!r}: {error}")
        return item

    def _find_text(self, adapter: ItemAdapter) -> Any:
        if is_zyte_article(adapter.item):
            return adapter.get("articleBody")
        is_filled_dict = self._is_text_filled and isinstance(adapter.item, dict)
        if self._text_field not in adapter.field_names() and not is_filled_dict:
            self._warn_once(
                adapter.item,
                f"have no field {self._text_field!r}, so that none is found to be a duplicate: "
                "declare it, or name another in BOILERPLATE_FIELDS",
            )
        return adapter.get(self._text_field)

    def _warn_once(self, item: Any, trouble: str) -> None:
        kind = type(item)
        if (kind, trouble) not in self._logged:
            self._logged.add((kind, trouble))
            logger.warning("Items of class %s %s", kind.__qualname__, trouble)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")
