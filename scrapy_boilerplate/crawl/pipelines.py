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
from scrapy_boilerplate.crawl.item_values import (
    ItemWriter,
    build_item_values,
    find_item_fields,
    takes_field,
)
from scrapy_boilerplate.crawl.middlewares import BoilerplateSpiderMiddleware, ItemResponses
from scrapy_boilerplate.crawl.settings import MARK, CrawlSettings, FieldNames
from scrapy_boilerplate.crawl.site import SiteHold, open_sites
from scrapy_boilerplate.crawl.zyte import ZyteArticles, is_zyte_article
from scrapy_boilerplate.document import LAZY_FIELDS, Document
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


OTHER_PAGE = (
    "Items whose %r is another page than their response are left alone; the first is %s from %s. "
    "To fill them follow their link and yield them there. To fill them from the response all the "
    'same, ask for it with meta={"boilerplate": True}, or write BOILERPLATE_ITEM_URL = False'
)
UNADDRESSED = (
    "Several items of %s have no %r: each of them gets the text of the whole page. If they are "
    "about other pages, set it, or leave them alone with meta={'dont_boilerplate': True}"
)
LOST = (
    "%d items (the last of class %s) came from a page, and other objects came to the pipeline in "
    "their place: their fields are not filled. Components in between: %s. Give BoilerplatePipeline "
    "the lowest order in ITEM_PIPELINES, and BoilerplateSpiderMiddleware in SPIDER_MIDDLEWARES"
)


class BoilerplatePipeline:
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    What the spider sets is kept. A `zyte_common_items.Article` is filled under its own names
    (`crawl.zyte`), whatever BOILERPLATE_FIELDS says. An item class gets the fields that it
    declares. An item about another page than its response is left alone (`crawl.item_addresses`);
    an item of a page that could not be read goes on with empty fields.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.from_settings(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        _warn_of_missing_pipeline(crawler)
        self._crawler = crawler
        self._told: set[str] = set()
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
        names = self._settings.fields
        if document is None and response is not None:
            lazy_document = find_lazy_document(response) or LazyDocument()
            if not self._is_about(adapter, response, lazy_document):
                return item
            names = lazy_document.find_field_names(response) or names
            await self._wait_for_site(response)
            wanted_fields = self._find_wanted_fields(item, names)
            document = await lazy_document.get_async(response, wanted_fields)
        if document is None:
            self._count("items/untouched")
            return item
        self._inspector.add(document, response)
        is_article = self._judge(document)
        values = self._build_values(document, item, names)
        if self._settings.articles_only == MARK and takes_field(item, ARTICLE_FIELD):
            values[ARTICLE_FIELD] = is_article
        if document.error is not None:
            self._count("items/failed")
        self._count("items/filled" if self._writer.write(adapter, values) else "items/untouched")
        return item

    def close_spider(self) -> None:
        """Called by Scrapy when all items are through."""
        self._inspector.close()
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is not None:
            middleware.responses.close()
            self._tell_lost(middleware.responses)

    def _is_about(
        self, adapter: ItemAdapter, response: Response, lazy_document: LazyDocument
    ) -> bool:
        """Return whether an item is about the page of its response; counts one that is not."""
        address = adapter.get(self._settings.item_url) if self._settings.item_url else None
        if not isinstance(address, str) or not address.strip():
            if self._settings.item_url and lazy_document.count_unaddressed(response) == 2:
                self._tell_once("unaddressed", UNADDRESSED, response.url, self._settings.item_url)
            return True
        if lazy_document.is_address_of(address, response):
            return True
        self._count("items/other_page")
        self._tell_once("other_page", OTHER_PAGE, self._settings.item_url, address, response.url)
        return False

    def _tell_once(self, subject: str, message: str, *values: object) -> None:
        if subject not in self._told:
            self._told.add(subject)
            logger.info(message, *values)

    def _tell_lost(self, responses: ItemResponses) -> None:
        """Tell how many items were tied to a page and never came."""
        if not responses.lost or self._crawler.stats is None:
            return
        self._crawler.stats.set_value("boilerplate/items/lost", responses.lost)
        logger.warning(
            LOST,
            responses.lost,
            getattr(responses.lost_class, "__qualname__", None),
            ", ".join(self._find_earlier()) or "none",
        )

    def _find_earlier(self) -> list[str]:
        """Return the components between our spider middleware and this pipeline, by name."""
        engine = self._crawler.engine
        if engine is None:
            return []
        middlewares = [type(each) for each in engine.scraper.spidermw.middlewares]
        pipelines = [type(each) for each in engine.scraper.itemproc.middlewares]
        after = middlewares[: middlewares.index(BoilerplateSpiderMiddleware)]
        before = pipelines[: pipelines.index(type(self))]
        return [f"{each.__module__}.{each.__qualname__}" for each in (*after, *before)]

    async def _wait_for_site(self, response: Response) -> None:
        """Learn the page, then hold the item back if the settings ask for it."""
        lazy_document = find_lazy_document(response)
        if self._hold is None or lazy_document is None:
            return
        if lazy_document.learn(response) is not None:
            extraction, url = open_sites(self._crawler).extraction, response.url
            if await self._hold.wait(lambda: extraction.known_pages(url), len(response.body)):
                self._count("site/held")

    def _judge(self, document: Document) -> bool | None:
        """Return whether the page is an article, if the settings ask. Raises DropItem."""
        if document.error is not None:
            return None
        settings, confidence = self._settings, document.confidence
        if settings.min_words and (words := count_words(document.text)) < settings.min_words:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}", log_level="INFO")
        if confidence < settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}", log_level="INFO")
        probability = self._article_probability(document) if settings.articles_only else None
        if probability is None:
            return None
        is_article = probability >= settings.article_threshold
        if not is_article and settings.articles_only != MARK:
            self._count("dropped/articles_only")
            raise NotAnArticle(
                f"probability {probability} of an article on {document.url}", log_level="INFO"
            )
        return is_article

    def _article_probability(self, document: Document) -> float | None:
        try:
            return document.article_probability
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No probability of %s: %s: %s", document.url, type(error).__name__, error)
            return None

    def _build_values(self, document: Document, item: Any, names: FieldNames) -> dict[str, Any]:
        """Return the item's fields; empty ones where the page cannot be read."""
        is_zyte = is_zyte_article(item)
        try:
            if is_zyte:
                return self._zyte_articles.build_values(document, item)
            fields = find_item_fields(item, names)
            return build_item_values(document, fields, self._settings.blocks)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No fields of %s: %s: %s", document.url, type(error).__name__, error)
            if is_zyte:
                return {}
            failed = Document(url=document.url, error=str(error))
            return build_item_values(failed, find_item_fields(item, names), self._settings.blocks)

    def _find_wanted_fields(self, item: Any, names: FieldNames) -> frozenset[str]:
        """Return the LAZY_FIELDS that workers have to compute for an item, and no others."""
        settings = self._settings
        if is_zyte_article(item):
            return frozenset({"html", "article_probability"})
        wanted_fields = set(find_item_fields(item, names)).intersection(LAZY_FIELDS)
        if settings.blocks == "none":
            wanted_fields.discard("blocks")
        if settings.articles_only or settings.inspect_dir:
            wanted_fields.add("article_probability")
        return frozenset(wanted_fields)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")


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


ARTICLE_FIELD = "is_article"
"""The field that marks an item under BOILERPLATE_ARTICLES_ONLY = "mark"."""
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
        self._marks = settings.duplicates == MARK
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
