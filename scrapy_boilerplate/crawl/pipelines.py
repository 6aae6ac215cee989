"""The item pipeline that fills the fields of items from their page."""

from __future__ import annotations

import logging
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response

from scrapy_boilerplate.crawl.article_pages import ArticlePages
from scrapy_boilerplate.crawl.documents import LazyDocument, find_lazy_document
from scrapy_boilerplate.crawl.duplicates import warn_of_missing_pipeline
from scrapy_boilerplate.crawl.inspector import Inspector
from scrapy_boilerplate.crawl.item_addresses import PageAddresses, read_addresses
from scrapy_boilerplate.crawl.item_values import (
    ItemWriter,
    build_item_values,
    declares_field,
    find_item_fields,
    find_missing_packages,
    find_renamed,
    register_open_models,
    takes_any,
)
from scrapy_boilerplate.crawl.middlewares import BoilerplateSpiderMiddleware, ItemResponses
from scrapy_boilerplate.crawl.request_meta import MetaError, PageOptions
from scrapy_boilerplate.crawl.settings import MARK, CrawlSettings, FieldNames
from scrapy_boilerplate.crawl.site import SiteHold, open_sites
from scrapy_boilerplate.crawl.zyte import ZyteArticles, is_zyte_article
from scrapy_boilerplate.document import LAZY_FIELDS, PAGINATION_FIELDS, Document
from scrapy_boilerplate.joining import JoinedDocument
from scrapy_boilerplate.page.text import count_words

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TooFewWords(DropItem):
    """The text of the page is shorter than BOILERPLATE_MIN_WORDS."""


class LowConfidence(DropItem):
    """The confidence is under BOILERPLATE_MIN_CONFIDENCE."""


class NotAnArticle(DropItem):
    """BOILERPLATE_ARTICLES_ONLY is set, and the page is not an article."""


ARTICLE_FIELD = "is_article"
"""The field that says whether the page is an article, of classes that declare it, and of every
item under BOILERPLATE_ARTICLES_ONLY = "mark"."""

OTHER_PAGE = (
    "Items whose %r is another page than their response are left alone; the first is %s from %s. "
    "To fill them follow their link and yield them there; an item that is carried to another page "
    "needs the document of its own (docs/usage/two-pages.md). To fill them from the "
    'response all the same, ask for it with meta={"boilerplate": True}, or write '
    "BOILERPLATE_ITEM_URL = False"
)
UNADDRESSED = (
    "Several items of %s have no %r: each of them gets the text of the whole page. If they are "
    "about other pages, set it, or leave them alone with meta={'dont_boilerplate': True}"
)
UNMARKED = (
    'BOILERPLATE_ARTICLES_ONLY = "mark" does not mark items of class %s: they do not declare the '
    "field is_article"
)
RENAMED = "Items of class %s declare %r, which BOILERPLATE_FIELDS writes to %r: it stays as it is"
UNDECLARED = (
    "Items of class %s declare none of the fields that are filled in; they go on as they are. "
    "Declare those you want: %s, ..."
)
LOST = (
    "%d items (the last of class %s) came from a page, and other objects came to the pipeline in "
    "their place: their fields are not filled. Components in between: %s. Give BoilerplatePipeline "
    "the lowest order in ITEM_PIPELINES, and BoilerplateSpiderMiddleware in SPIDER_MIDDLEWARES"
)
UNTIED = (
    "Items come to the pipelines that passed no spider middleware, as under `scrapy parse "
    "--pipelines`: it is not known which page they are of, and their fields are not filled. There, "
    "write -o -:json in place of --pipelines"
)


class BoilerplatePipeline:
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    What the spider sets is kept. A `zyte_common_items.Article` is filled under its own names
    (`crawl.zyte`), whatever BOILERPLATE_FIELDS says. An item class gets the fields that it
    declares. An item about another page than its response is left alone (`crawl.item_addresses`);
    an item of a page that could not be read goes on with empty fields. Each item is counted once,
    as filled, failed, untouched, about another page, or dropped.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.from_settings(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        warn_of_missing_pipeline(crawler)
        self._crawler = crawler
        self._told: set[str] = set()
        self._page_addresses = PageAddresses(self._settings.limits)
        self._n_unaddressed: WeakKeyDictionary[Response, int] = WeakKeyDictionary()
        self._item_fields: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()
        holds = self._settings.uses_site and self._settings.site_hold
        self._hold = SiteHold(crawler, self._settings) if holds else None
        self._pages: ArticlePages | None = None
        if self._settings.pages > 1:
            sites = open_sites(crawler) if self._settings.uses_site else None
            self._pages = ArticlePages(crawler, self._settings.pages, self._count, sites)
        register_open_models()
        watches = self._settings.uses_site and self._settings.site_alarm
        examples = open_sites(crawler).examples if watches else ()
        self._inspector = Inspector(self._settings, self._count, examples)
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
            options = _find_options(lazy_document, response)
            names = names if options.fields is None else options.fields
            if not self._needs_page(item, names) and not _has_mistake(lazy_document, response):
                self._count("items/untouched")
                return item
            if not options.every_item and not self._is_about(adapter, response):
                return item
            await self._wait_for_site(response)
            wanted_fields = self._find_lazy_fields(item, names)
            document = await self._read_document(response, lazy_document, wanted_fields)
        if document is None:
            self._count("items/untouched")
            if middleware is not None and not middleware.n_items:
                self._tell_once("untied", UNTIED, level=logging.WARNING)
            return item
        try:
            self._inspector.add(document, response)
            is_article = self._judge(document, is_asked=declares_field(item, ARTICLE_FIELD))
            document, values = self._read_values(document, item, names)
        finally:
            if response is not None:
                self._count_partial(response, document)
        marks = self._settings.articles_only == MARK
        if declares_field(item, ARTICLE_FIELD) or (marks and takes_any(item)):
            values[ARTICLE_FIELD] = is_article
        elif marks:
            self._tell_once(f"mark {type(item)}", UNMARKED, type(item).__qualname__)
        is_read = document.error is None and not document.is_overdue
        is_taken = self._writer.write(adapter, values, is_read=is_read)
        outcome = "filled" if is_taken else "untouched"
        self._count("items/failed" if document.error is not None else f"items/{outcome}")
        return item

    def close_spider(self) -> None:
        """Called by Scrapy when all items are through."""
        self._inspector.close()
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is not None:
            middleware.responses.close()
            self._tell_lost(middleware.responses)

    def _count_partial(self, response: Response, document: Document) -> None:
        """Count the pages of a document that became partial when its late fields were read."""
        registered = find_lazy_document(response)
        if registered is not None:
            first = document.first if isinstance(document, JoinedDocument) else document
            registered.count_partial(first)
        if self._pages is not None:
            self._pages.count_partial(response)

    def _is_about(self, adapter: ItemAdapter, response: Response) -> bool:
        """Return whether an item is about the page of its response; counts one that is not."""
        name = self._settings.item_url
        if not name:
            return True
        if is_zyte_article(adapter.item):
            name = "url"
        addresses = read_addresses(adapter.get(name))
        if not addresses:
            n_unaddressed = self._n_unaddressed.get(response, 0) + 1
            self._n_unaddressed[response] = n_unaddressed
            if n_unaddressed == 2:
                self._tell_once("unaddressed", UNADDRESSED, response.url, name)
            return True
        if any(self._page_addresses.include(address, response) for address in addresses):
            return True
        self._count("items/other_page")
        self._tell_once("other_page", OTHER_PAGE, name, addresses[0], response.url)
        return False

    def _tell_once(
        self, subject: str, message: str, *values: object, level: int = logging.INFO
    ) -> None:
        if subject not in self._told:
            self._told.add(subject)
            logger.log(level, message, *values)

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
        after = takewhile(
            lambda each: not isinstance(each, BoilerplateSpiderMiddleware),
            engine.scraper.spidermw.middlewares,
        )
        before = takewhile(lambda each: each is not self, engine.scraper.itemproc.middlewares)
        classes = [type(each) for each in (*after, *before)]
        return [f"{each.__module__}.{each.__qualname__}" for each in classes]

    async def _read_document(
        self, response: Response, lazy_document: LazyDocument, wanted_fields: frozenset[str]
    ) -> Document:
        """Return the document of a response, with all pages of its article if that is asked for."""
        document = await lazy_document.get_async(response, wanted_fields)
        if self._pages is None or document.error is not None:
            return document
        return await self._pages.join(document, response, lazy_document, wanted_fields)

    async def _wait_for_site(self, response: Response) -> None:
        """Learn the page, then hold the item back if the settings ask for it."""
        lazy_document = find_lazy_document(response)
        if self._hold is None or lazy_document is None:
            return
        if await lazy_document.learn(response):
            extraction, url = open_sites(self._crawler).extraction, response.url
            if await self._hold.wait(lambda: extraction.known_pages(url), len(response.body)):
                self._count("site/held")

    def _judge(self, document: Document, *, is_asked: bool) -> bool | None:
        """Return whether the page is an article, if that `is_asked`. Raises DropItem."""
        if document.error is not None or document.is_overdue:
            return None
        settings, confidence = self._settings, document.confidence
        if settings.min_words and (words := count_words(document.text)) < settings.min_words:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}", log_level="INFO")
        if confidence < settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}", log_level="INFO")
        is_asked = is_asked or bool(settings.articles_only)
        probability = self._article_probability(document) if is_asked else None
        if probability is None:
            return None
        is_article = probability >= settings.article_threshold
        if not is_article and settings.articles_only not in (False, MARK):
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

    def _read_values(
        self, document: Document, item: Any, names: FieldNames
    ) -> tuple[Document, dict[str, Any]]:
        """Return the document, or that of an error, and the values of the item's fields."""
        try:
            return document, self._build_values(document, item, names)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No fields of %s: %s: %s", document.url, type(error).__name__, error)
            document = Document(url=document.url, error=str(error))
            return document, self._build_values(document, item, names)

    def _build_values(self, document: Document, item: Any, names: FieldNames) -> dict[str, Any]:
        """Return the values of the item's fields; empty ones where the page cannot be read."""
        if is_zyte_article(item):
            return self._zyte_articles.build_values(document, item)
        return build_item_values(document, self._find_fields(item, names), self._settings.blocks)

    def _find_fields(self, item: Any, names: FieldNames) -> dict[str, str]:
        """Return document field to item field; that of the settings is kept for each class."""
        if names is not self._settings.fields:
            return find_item_fields(item, names)
        kind = type(item)
        fields = self._item_fields.get(kind)
        if fields is None:
            fields = self._item_fields[kind] = find_item_fields(item, names)
            for missing in find_missing_packages(item, names):
                logger.info("Items of class %s: %s; it stays empty", kind.__qualname__, missing)
            for field, name in find_renamed(item, names).items():
                logger.info(RENAMED, kind.__qualname__, field, name)
            if names and not fields and not declares_field(item, ARTICLE_FIELD):
                logger.info(UNDECLARED, kind.__qualname__, ", ".join([*names.values()][:3]))
        return fields

    def _needs_page(self, item: Any, names: FieldNames) -> bool:
        """Return whether the page of an item is read: for its fields, or for something else."""
        settings = self._settings
        decides = settings.min_words or settings.min_confidence or settings.articles_only
        return bool(
            is_zyte_article(item)
            or self._find_fields(item, names)
            or declares_field(item, ARTICLE_FIELD)
            or decides
            or settings.inspect_dir
            or settings.uses_site
        )

    def _find_lazy_fields(self, item: Any, names: FieldNames) -> frozenset[str]:
        """Return the LAZY_FIELDS that workers have to compute for an item, and no others."""
        settings = self._settings
        wanted_fields = set() if self._pages is None else set(PAGINATION_FIELDS)
        if is_zyte_article(item):
            return frozenset({"html", "article_probability", *wanted_fields})
        wanted_fields.update(name for name in self._find_fields(item, names) if name in LAZY_FIELDS)
        if settings.blocks == "none":
            wanted_fields.discard("blocks")
        if self._pages is not None and "markdown" in wanted_fields:
            wanted_fields.add("html")  # the Markdown of several pages is written from it
        is_asked = declares_field(item, ARTICLE_FIELD)
        if settings.articles_only or settings.inspect_dir or is_asked:
            wanted_fields.add("article_probability")
        return frozenset(wanted_fields)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")


def _has_mistake(lazy_document: LazyDocument, response: Response) -> bool:
    """Return whether the options of a request are wrong: its document tells which."""
    try:
        lazy_document.find_extractor(response)
    except Exception:  # noqa: BLE001 - a bad request never costs an item
        return True
    return False


def _find_options(lazy_document: LazyDocument, response: Response) -> PageOptions:
    """Return the options of a response; wrong ones fill all items, with the fields of an error."""
    try:
        return lazy_document.find_options(response)
    except MetaError:
        return PageOptions(every_item=True)
