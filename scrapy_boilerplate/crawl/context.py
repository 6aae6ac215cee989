"""The context of a crawl: the objects that its components share."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from sys import getrefcount
from typing import Any, Self
from weakref import ReferenceType, WeakKeyDictionary, ref

from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from scrapy_boilerplate.crawl.page_reader import PageReader
from scrapy_boilerplate.crawl.reservations import SiteReservations
from scrapy_boilerplate.crawl.settings import PREFIX, PROCESS, CrawlSettings
from scrapy_boilerplate.crawl.site import CrawlSites
from scrapy_boilerplate.site.rules import SELECTORS
from scrapy_boilerplate.workers.pool import WorkerPool

logger = logging.getLogger(__name__)

# Scrapy builds each component from the crawler only; here they find the shared context
_contexts: WeakKeyDictionary[Crawler, CrawlContext] = WeakKeyDictionary()


class CrawlContext:
    """The settings of a crawl, parsed once, and the objects built from them."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = CrawlSettings.from_settings(crawler.settings)
        self.responses = ItemResponses()
        self.finished = FinishedResponses(self.responses.is_awaited)
        self._crawler = ref(crawler)
        self._logged: set[object] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the context of a crawl. Raises SettingError if a setting is wrong."""
        if crawler not in _contexts:
            _contexts[crawler] = cls(crawler)
        return _contexts[crawler]  # type: ignore[return-value]

    @property
    def crawler(self) -> Crawler:
        """The crawler; it holds its components, so it outlives their calls."""
        crawler = self._crawler()
        if crawler is None:
            raise RuntimeError("the crawl is over")
        return crawler

    @cached_property
    def sites(self) -> CrawlSites:
        """The sites, opened on first use. Raises MissingExtraError and SettingError."""
        return CrawlSites(self.crawler, self.settings, self.count)

    @cached_property
    def reservations(self) -> SiteReservations:
        """What the sites declare about the use of their texts."""
        return SiteReservations(self.crawler, self.settings, self.count)

    @cached_property
    def reader(self) -> PageReader:
        """The reader of the pages of the crawl. Raises as `sites` does, if they are used."""
        settings = self.settings
        return PageReader(
            settings.options,
            self.count,
            visit_site=self.sites.visit if settings.uses_site else None,
            watch=self.sites.watch if settings.site_alarm else None,
            pool=WorkerPool(settings.workers) if settings.executor == PROCESS else None,
        )

    def warn_of_unused_settings(self) -> None:
        """Log the settings that have no effect without another setting.

        Call this when every component is built: the duplicates pipeline uses the store, too.
        """
        settings, written = self.settings, self.crawler.settings
        uses_store = (
            settings.uses_site
            or settings.site_alarm
            or "sites" in vars(self)  # a component has opened the store
            or getattr(self.crawler.spider, "uses_site_store", False)
        )
        stored = f"{PREFIX}SITE, {PREFIX}SITE_ALARM or BoilerplateDuplicatesPipeline"
        for name, partner, is_used in (
            ("SITE_STORE", stored, uses_store),
            ("WORKERS", f"{PREFIX}EXECUTOR", settings.executor == PROCESS),
            ("INSPECT_PAGES", f"{PREFIX}INSPECT_DIR", settings.inspect_dir is not None),
            ("INSPECT_BELOW", f"{PREFIX}INSPECT_DIR", settings.inspect_dir is not None),
            ("PAGES_SECONDS", f"{PREFIX}PAGES", settings.pages > 1),
            ("PAGES_DROP", f"{PREFIX}PAGES", settings.pages > 1),
        ):
            if not is_used and written.get(PREFIX + name):
                message = "%s has no effect without %s: write it, or remove %s"
                logger.warning(message, PREFIX + name, partner, PREFIX + name)

    def warn_of_unmatched_rules(self) -> None:
        """Log each site rule with a selector that matched none of the pages of its site."""
        stats = self.crawler.stats
        for rule in () if stats is None else self.settings.sites:
            pages = stats.get_value(f"boilerplate/overrides/{rule.pattern}", 0)
            keys = [
                key
                for key in SELECTORS
                if getattr(rule, key)
                and not stats.get_value(f"boilerplate/overrides/{key}/{rule.pattern}", 0)
            ]
            if pages and keys:
                logger.warning(
                    "Site rule %(pattern)s: %(keys)s matched 0 of %(pages)d pages; check the "
                    "selectors in BOILERPLATE_SITES",
                    {"pattern": rule.pattern, "keys": ", ".join(keys), "pages": pages},
                )

    def log_once(self, level: int, message: str, *values: object, key: object = None) -> None:
        """Log a message once in a crawl, or once for each `key`."""
        key = message if key is None else key
        if key not in self._logged:
            self._logged.add(key)
            logger.log(level, message, *values)

    def report(self, attempt: str, error: Exception) -> None:
        """Count and log an error of a page. Its items are still processed."""
        self.count("errors/page")
        logger.error("Cannot %s: %s: %s", attempt, type(error).__name__, error)

    def count(self, name: str, value: int = 1) -> None:
        """Add `value` to the stat ``boilerplate/`` + `name`."""
        crawler = self._crawler()
        if crawler is not None and crawler.stats is not None:
            crawler.stats.inc_value(f"boilerplate/{name}", value)


class Component:
    """A component that Scrapy builds from the crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._context = CrawlContext.from_crawler(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the component. Raises SettingError and MissingExtraError."""
        return cls(crawler)


# maximum items between spider middleware and pipeline; a crawl has a few hundred
MAX_ITEMS = 10_000


@dataclass
class _Entry:
    """An item, its response, and whether the pipeline that fills it has not looked it up yet."""

    item: Any
    response: ReferenceType[Response]
    is_awaited: bool


class ItemResponses:
    """Maps items to responses, until the item or the response is gone.

    Items are compared by identity: many kinds can be neither hashed nor referenced weakly.
    Responses are held by weak references: Scrapy keeps each one alive until its items are
    processed. An item that another component replaces must not keep its page in memory.

    n_items     how many items passed the spider middleware, with or without a response
    lost        how many items were gone before the pipeline looked them up
    lost_class  the class of the last one, or None
    """

    def __init__(self, limit: int = MAX_ITEMS) -> None:
        self.n_items = 0
        self.lost = 0
        self.lost_class: type | None = None
        self._limit = limit
        self._entries: dict[int, _Entry] = {}  # by the identity of the item, the oldest first

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, item: Any, response: Response, *, is_awaited: bool = True) -> None:
        """Record that `item` came from `response`; replaces an earlier response."""
        key = id(item)
        reference = ref(response, lambda gone: self._lose_response(key, gone))
        self._entries.pop(key, None)
        self._entries[key] = _Entry(item, reference, is_awaited)
        if len(self._entries) > self._limit:
            self._lose(next(iter(self._entries)))

    def find(self, item: Any) -> Response | None:
        """Return the response of `item`, or None."""
        entry = self._entries.get(id(item))
        if entry is None:
            return None
        entry.is_awaited = False
        return entry.response()

    def forget(self, item: Any) -> None:
        """Forget an item that was processed, dropped or failed."""
        self._entries.pop(id(item), None)

    def is_awaited(self, response: Response) -> bool:
        """Return whether the pipeline has not looked up an item of a response yet."""
        entries = self._entries.values()
        return any(entry.is_awaited and entry.response() is response for entry in entries)

    def close(self) -> None:
        """Forget every item: the crawl is over."""
        for key in list(self._entries):
            self._lose(key)

    def _lose_response(self, key: int, gone: ReferenceType[Response]) -> None:
        if key in self._entries and self._entries[key].response is gone:
            self._lose(key)

    def _lose(self, key: int) -> None:
        entry = self._entries.pop(key)
        if entry.is_awaited:
            self.lost += 1
            self.lost_class = type(entry.item)


# responses that are watched; a crawl works on a few dozen at once
MAX_WATCHED = 200


class FinishedResponses:
    """Frees responses that nothing refers to any more.

    A response and its selector refer to each other. With its page and document, they would stay in
    memory until Python's full collection, a hundred pages later.

    is_awaited  returns whether the pipeline will look up an item of a response
    """

    def __init__(self, is_awaited: Callable[[Response], bool]) -> None:
        self._is_awaited = is_awaited
        self._watched: deque[ReferenceType[TextResponse]] = deque(maxlen=MAX_WATCHED)
        probe = object()
        # references by a variable, and by the argument in some versions of Python
        self._n_own = getrefcount(probe)

    def watch(self, response: Response) -> None:
        """Watch a response, and free those of the responses before that are finished."""
        for _ in range(len(self._watched)):
            reference = self._watched.popleft()
            if not self._free(reference):
                self._watched.append(reference)
        if isinstance(response, TextResponse):
            self._watched.append(ref(response))

    def _free(self, reference: ReferenceType[TextResponse]) -> bool:
        response = reference()
        if response is None:
            return True
        selector = response._cached_selector
        # each has one more, by the other
        if selector is None or max(getrefcount(response), getrefcount(selector)) > self._n_own + 1:
            return False
        if not self._is_awaited(response):
            response._cached_selector = None
        return response._cached_selector is None
