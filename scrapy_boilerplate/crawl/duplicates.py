"""The pipeline that finds duplicates: items whose text was met before."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scrapy_boilerplate.crawl.item_addresses import normalize_address, read_addresses
from scrapy_boilerplate.crawl.item_values import is_unset, takes_field
from scrapy_boilerplate.crawl.middlewares import BoilerplateSpiderMiddleware, ItemResponses
from scrapy_boilerplate.crawl.settings import DROP_NEAR, MARK, CrawlSettings
from scrapy_boilerplate.crawl.site import open_sites
from scrapy_boilerplate.crawl.zyte import is_zyte_article
from scrapy_boilerplate.site.fingerprints import EXACT, NEAR, UNPLACED, Article

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

DUPLICATE_FIELD = "duplicate"
"""The field that marks an item: how it is a duplicate (`site.fingerprints`), or None."""
DROPPED = {"drop": (EXACT,), DROP_NEAR: (EXACT, NEAR), MARK: ()}
"""Value of BOILERPLATE_DUPLICATES to the duplicates that it drops."""


class DuplicateArticle(DropItem):
    """The article of the item is a duplicate, exact or near, of an earlier one."""


class BoilerplateDuplicatesPipeline:
    """Drops or marks items whose text was seen before: in this crawl, or in the same store.

    The field `duplicate` says how: ``exact`` is the same text; nearly the same text is ``updated``
    at the same address, ``near`` on another site, and ``template`` at another address of the site.
    Where the site of one of the two is not known, it is ``near``, and not dropped. By default only
    the same text is dropped. An item is at the address in its own field, else at that of its
    response. The pipeline reads the text field that `BoilerplatePipeline` fills (`articleBody` of a
    `zyte_common_items.Article`), so its order number must be higher. Items without text pass.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = CrawlSettings.from_settings(crawler.settings)
        self._text_field = settings.fields.get("text", "text")
        self._is_text_filled = "text" in settings.fields
        self._dropped = DROPPED[settings.duplicates]
        self._url_field = settings.item_url or "url"
        self._sites = open_sites(crawler).sites
        self._sites.enable_articles()  # before the first exchange with the store
        self._responses = ItemResponses()
        self._logged: set[tuple[type, str]] = set()
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline. Raises SettingError and MissingExtraError."""
        return cls(crawler)

    def open_spider(self) -> None:
        """Called by Scrapy before the first item."""
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is not None:
            middleware.all_responses = self._responses

    async def process_item(self, item: Any) -> Any:
        """Return the same item. Raises DuplicateArticle for a duplicate."""
        response = self._responses.pop(item)
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        text = self._find_text(adapter)
        duplicate = None
        if isinstance(text, str) and text:
            duplicate = self._sites.register_article(
                self._describe_article(adapter, text, response)
            )
        is_dropped = duplicate in self._dropped
        if duplicate == UNPLACED:
            duplicate = NEAR
        if duplicate is not None:
            self._count(f"duplicates/{duplicate}")
            if is_dropped:
                raise DuplicateArticle(f"{duplicate} duplicate", log_level="INFO")
        if takes_field(item, DUPLICATE_FIELD):
            try:
                adapter[DUPLICATE_FIELD] = duplicate
            except Exception as error:  # noqa: BLE001 - frozen items: it goes on
                self._count("errors/write")
                self._warn_once(item, f"do not take the field {DUPLICATE_FIELD!r}: {error}")
        elif duplicate is not None:
            self._warn_once(
                item,
                f"have no field {DUPLICATE_FIELD!r}: declare it to see which are duplicates",
            )
        return item

    def _describe_article(
        self, adapter: ItemAdapter, text: str, response: Response | None
    ) -> Article:
        address = self._find_address(adapter, response)
        if address is None:
            return Article.from_text(text)
        return Article.from_text(text, address, self._sites.find_site(f"//{address}"))

    def _find_address(self, adapter: ItemAdapter, response: Response | None) -> str | None:
        """Return the normalized address of an item, else that of its response, if known."""
        name = "url" if is_zyte_article(adapter.item) else self._url_field
        for url in read_addresses(adapter.get(name)):
            try:
                address = normalize_address(url if response is None else response.urljoin(url))
            except ValueError:
                address = None
            if address is not None:
                return address
        return None if response is None else normalize_address(response.url)

    def _find_text(self, adapter: ItemAdapter) -> Any:
        if is_zyte_article(adapter.item):
            return adapter.get("articleBody")
        text = adapter.get(self._text_field)
        is_filled = self._is_text_filled and takes_field(adapter.item, self._text_field)
        if is_unset(text) and not is_filled:
            self._warn_once(
                adapter.item,
                f"have no text in {self._text_field!r}, so that none is found to be a duplicate: "
                "declare the field, and name it in BOILERPLATE_FIELDS",
            )
        return text

    def _warn_once(self, item: Any, trouble: str) -> None:
        kind = type(item)
        if (kind, trouble) not in self._logged:
            self._logged.add((kind, trouble))
            logger.warning("Items of class %s %s", kind.__qualname__, trouble)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")


def warn_of_missing_pipeline(crawler: Crawler) -> None:
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
