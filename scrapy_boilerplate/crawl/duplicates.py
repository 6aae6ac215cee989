"""The pipeline that finds duplicates and changes: items whose text was met before."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scrapy_boilerplate.crawl.item_addresses import normalize_address, read_addresses
from scrapy_boilerplate.crawl.item_values import is_unset, takes_field
from scrapy_boilerplate.crawl.middlewares import BoilerplateSpiderMiddleware, ItemResponses
from scrapy_boilerplate.crawl.settings import (
    CHANGE_FIELDS,
    DROP_NEAR,
    MARK,
    PARAGRAPH_FIELDS,
    PARAGRAPHS,
    CrawlSettings,
)
from scrapy_boilerplate.crawl.site import open_sites
from scrapy_boilerplate.crawl.zyte import is_zyte_article
from scrapy_boilerplate.site.fingerprints import EXACT, NEAR, UNPLACED, Article
from scrapy_boilerplate.site.versions import Change, Sighting

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

    With BOILERPLATE_CHANGES the field `change` says what became of an article at its own address,
    and `duplicate` tells of other addresses alone (`site.versions`).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = CrawlSettings.from_settings(crawler.settings)
        self._text_field = settings.fields.get("text", "text")
        self._is_text_filled = "text" in settings.fields
        self._dropped = DROPPED[settings.duplicates]
        self._url_field = settings.item_url or "url"
        self._changes = settings.changes
        self._found_changes: WeakKeyDictionary[Response, dict[bytes, Change]] = WeakKeyDictionary()
        self._crawl_sites = open_sites(crawler)
        self._sites = self._crawl_sites.sites
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
        duplicate = change = None
        if isinstance(text, str) and text:
            address = self._find_address(adapter, response)
            site = "" if address is None else self._sites.find_site(f"//{address}")
            if self._changes and address is not None:
                change = await self._find_change(text, address, site, response)
            if change is not None:
                duplicate = change.duplicate
            else:
                article = Article.from_text(text, address or "", site)
                duplicate = self._sites.register_article(article)
        is_dropped = duplicate in self._dropped
        if duplicate == UNPLACED:
            duplicate = NEAR
        if duplicate is not None:
            self._count(f"duplicates/{duplicate}")
            if is_dropped:
                raise DuplicateArticle(f"{duplicate} duplicate", log_level="INFO")
        values = {DUPLICATE_FIELD: duplicate, **self._describe_change(change)}
        if change is not None:
            self._count(f"changes/{change.change}")
        self._write(adapter, values)
        return item

    async def _find_change(
        self, text: str, address: str, site: str, response: Response | None
    ) -> Change | None:
        """Return what became of an article; the same for all items of one response.

        None of a text without words.
        """
        sighting = Sighting.from_text(
            text, address, site, with_paragraphs=self._changes == PARAGRAPHS
        )
        if not sighting.article.fingerprint:
            return None
        known = {} if response is None else self._found_changes.setdefault(response, {})
        if sighting.key not in known:
            stored = await self._crawl_sites.look_up_version(site, sighting.key)
            if sighting.key not in known:  # no other item of the response came first
                known[sighting.key] = self._sites.register_version(sighting, stored)
        return known[sighting.key]

    def _describe_change(self, change: Change | None) -> dict[str, Any]:
        """Return the values of the fields of a change."""
        if not self._changes:
            return {}
        names = (*CHANGE_FIELDS, *(PARAGRAPH_FIELDS if self._changes == PARAGRAPHS else ()))
        if change is None:
            return dict.fromkeys(names)
        previous = change.previous
        seen = (
            None if previous is None else datetime.fromtimestamp(change.seen // 1000, timezone.utc)
        )
        lists = (None if each is None else list(each) for each in (change.added, change.removed))
        values = (
            change.change,
            None if previous is None else previous.fingerprint,
            None if seen is None else seen.isoformat().replace("+00:00", "Z"),
            *lists,
        )
        return dict(zip(names, values, strict=False))

    def _write(self, adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
        """Set those of the fields that an item takes; None needs no field."""
        item = adapter.item
        for name, value in values.items():
            if takes_field(item, name):
                try:
                    adapter[name] = value
                except Exception as error:  # noqa: BLE001 - frozen items: it goes on
                    self._count("errors/write")
                    self._warn_once(item, f"do not take the field {name!r}: {error}")
            elif value is not None and name == DUPLICATE_FIELD:
                self._warn_once(
                    item, f"have no field {name!r}: declare it to see which are duplicates"
                )
            elif value is not None and name == CHANGE_FIELDS[0]:
                self._warn_once(item, f"have no field {name!r}: declare it to see what changed")

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
    """Warn of settings that do nothing without this pipeline."""
    names = ("BOILERPLATE_DUPLICATES", "BOILERPLATE_CHANGES")
    written = [name for name in names if crawler.settings.get(name)]
    if not written:
        return
    orders = crawler.settings["ITEM_PIPELINES"].items()
    pipelines = [load_object(path) for path, order in orders if order is not None]
    if not any(
        isinstance(pipeline, type) and issubclass(pipeline, BoilerplateDuplicatesPipeline)
        for pipeline in pipelines
    ):
        logger.warning(
            "%s no effect without the pipeline: add "
            '"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES',
            f"{' and '.join(written)} {'has' if len(written) == 1 else 'have'}",
        )
