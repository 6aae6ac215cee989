"""The duplicates pipeline: items whose article was met before."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.site import sites_of
from scrapy_boilerplate.crawl.site_settings import SiteSettings
from scrapy_boilerplate.crawl.zyte import is_zyte_article
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

FIELD = "duplicate"
"""The field that marks an item: ``exact``, ``near`` or None."""


class DuplicateArticle(DropItem):
    """An item whose article was met before, exactly or nearly."""


class BoilerplateDuplicatesPipeline:
    """Drops items whose text was met before, in this crawl or in earlier ones with the same store.

    With BOILERPLATE_DUPLICATES = "mark" they go on, with the field `duplicate`. It reads the text
    field that `BoilerplatePipeline` fills (of a `zyte_common_items.Article` its `articleBody`), so
    it stands after that one; items without text pass.
    """

    def __init__(self, crawler: Crawler) -> None:
        fields = CrawlSettings.of(crawler.settings).fields
        self._text, self._is_filled = fields.get("text", "text"), "text" in fields
        self._mark = SiteSettings.of(crawler.settings).duplicates == "mark"
        self._crawl_sites = sites_of(crawler)
        self._crawl_sites.sites.enable_articles()  # before the exchange that opens the crawl
        self._told: set[tuple[type, str]] = set()
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built by Scrapy. Raises SettingError and the like if a setting is wrong."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """The same item; raises DuplicateArticle for one that was met before."""
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        found = self._met_before(self._text_of(adapter))
        if found is not None:
            self._count(f"duplicates/{found}")
            if not self._mark:
                raise DuplicateArticle(f"{found} duplicate", log_level="INFO")
        if self._mark:
            self._set(adapter, found)
        return item

    def _text_of(self, adapter: ItemAdapter) -> Any:
        if is_zyte_article(adapter.item):
            return adapter.get("articleBody")
        told = self._text in adapter.field_names()
        if not told and not (self._is_filled and isinstance(adapter.item, dict)):
            self._warn_once(
                adapter,
                f"have no field {self._text!r}, so that none is found to be a duplicate: declare "
                "it, or name another in BOILERPLATE_FIELDS",
            )
        return adapter.get(self._text)

    def _met_before(self, text: Any) -> str | None:
        if not isinstance(text, str) or not text:
            return None
        return self._crawl_sites.sites.register_article(fingerprint(text), simhash(text))

    def _set(self, adapter: ItemAdapter, found: str | None) -> None:
        try:
            adapter[FIELD] = found
        except Exception as error:  # noqa: BLE001 - undeclared fields, frozen items: it goes on
            self._count(f"unsupported/{FIELD}")
            self._warn_once(adapter, f"do not take the field {FIELD!r}: {error}")

    def _warn_once(self, adapter: ItemAdapter, told: str) -> None:
        kind = type(adapter.item)
        if (kind, told) not in self._told:
            self._told.add((kind, told))
            logger.warning("Items of class %s %s", kind.__qualname__, told)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")
