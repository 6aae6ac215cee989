"""The item pipeline: writes what the page says onto the item."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured

from scrapy_boilerplate.crawl.analysis import boilerplate
from scrapy_boilerplate.crawl.fields import unset, values_of
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.spider import BoilerplateSpiderMiddleware
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.text import count_words

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TooFewWords(DropItem):
    """The text of the page is shorter than BOILERPLATE_MIN_WORDS."""


class LowConfidence(DropItem):
    """The confidence is under BOILERPLATE_MIN_CONFIDENCE."""


class BoilerplatePipeline:
    """Fills the fields of every item that came from an HTML page, or that holds a `Document`.

    What the spider set itself stays. An item whose class lacks a field goes on without it; an
    item of a page that could not be read goes on with empty fields.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.of(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        self._crawler = crawler
        self._told: set[tuple[str, type]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built by Scrapy. Raises SettingError if a setting is wrong."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """The same item with its fields; raises DropItem where the settings ask for it."""
        tied = self._tied_document(item)
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        document = self._held_document(adapter) or tied
        if document is None:
            self._count("items/untouched")
            return item
        self._drop_if_poor(document)
        self._write(adapter, self._values(document))
        self._count("items/filled")
        return item

    def _tied_document(self, item: Any) -> Document | None:
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        response = None if middleware is None else middleware.ties.take(item)
        return None if response is None else boilerplate(response)

    def _held_document(self, adapter: ItemAdapter) -> Document | None:
        """The first document among the item's values, taken out of the item."""
        for name in list(adapter):
            document = adapter[name]
            if isinstance(document, Document):
                try:
                    _take_out(adapter, name)
                except Exception as error:  # noqa: BLE001 - frozen items: the item goes on
                    self._refused(adapter, name, error)
                return document
        return None

    def _drop_if_poor(self, document: Document) -> None:
        if document.error is not None:
            return
        words, confidence = count_words(document.text), document.confidence
        if words < self._settings.min_words:
            self._count("dropped/min_words")
            raise TooFewWords(f"{words} words of text on {document.url}", log_level="INFO")
        if confidence < self._settings.min_confidence:
            self._count("dropped/min_confidence")
            raise LowConfidence(f"confidence {confidence} on {document.url}", log_level="INFO")

    def _values(self, document: Document) -> dict[str, Any]:
        """The item's fields; empty ones if something in the page defies us."""
        try:
            return values_of(document, self._settings)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No fields of %s: %s: %s", document.url, type(error).__name__, error)
            return values_of(Document(url=document.url, error=str(error)), self._settings)

    def _write(self, adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            try:
                if unset(adapter.get(name)):
                    adapter[name] = value
            except KeyError:
                self._warn_unsupported(adapter.item, name)
            except Exception as error:  # noqa: BLE001 - frozen items, validators: the item goes on
                self._refused(adapter, name, error)
                return

    def _refused(self, adapter: ItemAdapter, name: str, error: Exception) -> None:
        self._count("errors/write")
        if self._first_of("refused", adapter.item):
            kind = type(adapter.item).__qualname__
            logger.error("Items of class %s refuse the field %r: %s", kind, name, error)

    def _warn_unsupported(self, item: Any, name: str) -> None:
        self._count(f"items/unsupported/{name}")
        if self._first_of("unsupported", item):
            logger.warning(
                "Items of class %s have no field %r (and maybe others): declare it, or leave it out"
                ' with BOILERPLATE_FIELDS = {"%s": None}',
                type(item).__qualname__,
                name,
                name,
            )

    def _first_of(self, trouble: str, item: Any) -> bool:
        """True for the first item of its class with this trouble: one line says it for all."""
        first = (trouble, type(item)) not in self._told
        self._told.add((trouble, type(item)))
        return first

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/{name}")


def _take_out(adapter: ItemAdapter, name: str) -> None:
    try:
        del adapter[name]
    except KeyError:  # a declared attribute can only be emptied
        adapter[name] = None
