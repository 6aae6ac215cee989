"""The sites of a crawl: exchange records with the store, and watch for redesigns."""

import logging
from collections.abc import Callable
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.log import failure_to_exc_info
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from scrapy_boilerplate.crawl.defer import run_in_thread, sleep
from scrapy_boilerplate.crawl.settings import PREFIX, CrawlSettings, SettingError
from scrapy_boilerplate.crawl.signals import boilerplate_site_changed
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extractors import build_site_steps
from scrapy_boilerplate.site.fingerprints import Version
from scrapy_boilerplate.site.monitors import WATCHED_FIELDS, observe
from scrapy_boilerplate.site.page_records import find_content_paths
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, Store, StoreError, open_store
from scrapy_boilerplate.site.visit import SiteVisit
from scrapy_boilerplate.steps.extractor import Extractor

logger = logging.getLogger(__name__)

CHANGED = "The site %s has changed after %d pages: %s. Look at %s%s"


class CrawlSites:
    """The records of sites in one crawl. A store that does not answer never stops it.

    Every BOILERPLATE_SITE_SYNC_SECONDS, and before the buffer of new records is full, a thread
    writes them to the store and reads those of other processes. While the store fails, new records
    stay in memory.
    """

    def __init__(
        self, crawler: Crawler, settings: CrawlSettings, count: Callable[..., None]
    ) -> None:
        self._crawler, self._count = crawler, count
        self._sync_seconds = settings.site_sync_seconds
        folder = settings.inspect_dir
        self._inspected = f"; inspection pages: {Path(folder).resolve()}" if folder else ""
        self.examples: set[str] = set()  # URLs of pages of sites that have changed
        self._learns = settings.uses_site  # else only alarms and duplicates use the store
        store = open_site_store(crawler.settings, settings)
        self.sites = SiteRegistry(store, max_pages=settings.site_pages)
        self.sites.on_error = self._store_failed
        self.sites.on_crowded = self._exchange_early
        if settings.site_alarm:
            self.sites.enable_monitors()
        self._steps = settings.site_steps
        self._store_is_away = False
        self._exchange: Deferred[None] | None = None
        self._loop: AsyncioLoopingCall | LoopingCall | None = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    def visit(self, extractor: Extractor) -> SiteVisit | None:
        """Return the step that reads the other pages of a site; None for `news` and its like."""
        if not extractor.uses_site:
            return None
        return SiteVisit(self.sites, build_site_steps(extractor, self._steps))

    async def synchronise(self) -> None:
        """Exchange records with the store in a thread. A store that fails is tried again later."""
        if self.sites.store is None:
            return
        exchange = self.sites.prepare_exchange()
        try:
            records = await run_in_thread(exchange.run, self.sites.store)
        except StoreError as error:
            self._store_failed(error)
            return
        for _ in self.sites.finish_in_steps(exchange, records):
            await sleep(0)  # other events
        if self._store_is_away:
            self._store_is_away = False
            self._count("site/store_returns")
            logger.info("The site store is available again")

    async def look_up_version(self, site: str, key: bytes) -> bytes | None:
        """Return the version of an article in the store, encoded; None while the store fails."""
        if self.sites.store is None or self._store_is_away:
            return None
        try:
            versions = await run_in_thread(self.sites.store.get, Collection(Version, site), [key])
        except StoreError as error:
            self._store_failed(error)
            return None
        return versions.get(key)

    def watch(self, url: str, document: Document) -> None:
        """Add a document that holds its page to the monitor of its site; report a change."""
        if document.error is not None or document.exceeded is not None:
            return
        values = [getattr(document, name) for name in WATCHED_FIELDS]
        places = find_content_paths(*document.get_page())
        page = observe(document.text, document.confidence, values, places)
        change = self.sites.watch_page(url, page)
        if change is None:
            return
        self.examples.update(change.examples)
        self._count("site/changed")
        self._count(f"site/changed/{change.site}")
        logger.warning(
            CHANGED,
            change.site,
            change.pages,
            change.description,
            " ".join(change.examples),
            self._inspected,
        )
        self._crawler.signals.send_catch_log(
            signal=boilerplate_site_changed, spider=self._crawler.spider, change=change
        )

    async def _spider_opened(self) -> None:
        if self.sites.store is not None:
            await self.synchronise()
            self._loop = create_looping_call(self._start_exchange)
            self._loop.start(self._sync_seconds, now=False)

    def _exchange_early(self) -> None:
        if self._loop is not None and self._loop.running and not self._store_is_away:
            self._start_exchange()

    def _start_exchange(self) -> None:
        if self._exchange is None:
            self._exchange = deferred_from_coro(self.synchronise())
            self._exchange.addBoth(self._exchange_ended)

    def _exchange_ended(self, result: object) -> None:
        self._exchange = None
        if isinstance(result, Failure):
            logger.error("Site store: %s", result.value, exc_info=failure_to_exc_info(result))

    async def _spider_closed(self) -> None:
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        if self._exchange is not None:  # its thread needs the connection
            await maybe_deferred_to_future(self._exchange)
        try:
            await run_in_thread(self.sites.close)
        except StoreError as error:
            self._store_failed(error)
        if unsent := self.sites.buffered + self.sites.lost:
            self._count("site/unsent", unsent)
        if self._learns and self._crawler.stats is not None:
            self._crawler.stats.set_value("boilerplate/site/sites", len(self.sites))
        if self.sites.bad_records:
            self._count("site/bad_records", self.sites.bad_records)

    def _store_failed(self, error: StoreError) -> None:
        self._count("site/store_errors")
        if not self._store_is_away:
            logger.warning(
                "%s; new records stay in memory until the store is available again", error
            )
        self._store_is_away = True


def open_site_store(settings: BaseSettings, checked: CrawlSettings) -> Store | None:
    """Return a connection to BOILERPLATE_SITE_STORE, or None. Raises SettingError."""
    folder = settings.get("JOBDIR")
    try:
        return open_store(checked.site_store, Path(folder) if folder else None)
    except StoreError as error:
        raise SettingError(f"{PREFIX}SITE_STORE = {checked.site_store!r}: {error}") from None
