"""Site knowledge in a crawl: synchronise it with its store, and watch for redesigns."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.core.engine import ExecutionEngine
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.log import failure_to_exc_info
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from scrapy_boilerplate.crawl.defer import run_in_thread
from scrapy_boilerplate.crawl.settings import PREFIX, CrawlSettings, SettingError
from scrapy_boilerplate.crawl.signals import boilerplate_site_changed
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.monitors import MAX_MONITORS, WATCHED_FIELDS, SiteChange, observe
from scrapy_boilerplate.site.registry import CLAIM_SPAN, SiteRegistry
from scrapy_boilerplate.site.stores import (
    CHANGES,
    MONITORS,
    SQLITE_CRAWL_TIMEOUT,
    SQLITE_TIMEOUT,
    VERSIONS,
    SqliteStore,
    StoreError,
    StoreRecord,
    open_store,
)
from scrapy_boilerplate.site.synchronisation import synchronise

logger = logging.getLogger(__name__)

CHANGED = "The site %s has changed after %d pages: %s. Look at %s%s"


class CrawlSites:
    """The site knowledge of one crawl. A store that does not answer never stops it.

    A thread queries a remote store. While the store is unreachable, new records stay in memory.
    When it is reachable again, all records are sent again, since it may have lost them. Sending a
    record twice changes nothing.
    """

    def __init__(self, crawler: Crawler, settings: CrawlSettings) -> None:
        self._crawler = crawler
        self._sync_seconds = settings.site_sync_seconds
        self.watches = settings.uses_site and settings.site_alarm
        folder = settings.inspect_dir
        self._inspected = f"; inspection pages: {Path(folder).resolve()}" if folder else ""
        self.examples: set[str] = set()  # addresses of pages of sites that have changed
        self._learns = settings.uses_site  # else only the duplicates pipeline uses the store
        folder = crawler.settings.get("JOBDIR")
        try:
            store = open_store(settings.site_store, Path(folder) if folder else None)
        except StoreError as error:
            raise SettingError(f"{PREFIX}SITE_STORE = {settings.site_store!r}: {error}") from None
        if isinstance(store, SqliteStore):
            store.wait(SQLITE_CRAWL_TIMEOUT)  # the whole crawl waits with it
        self.sites = SiteRegistry(store, max_pages=settings.site_pages)
        self.sites.on_error = self._store_failed  # of a local store; a remote one raises here
        self.extraction = SiteExtraction(self.sites, settings.site_steps, settings.limits)
        self._store_is_away = False
        self._is_synchronising = False
        self._work: set[Deferred[None]] = set()  # with a remote store, until it is done
        self._loop: AsyncioLoopingCall | LoopingCall | None = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    async def synchronise(self) -> None:
        """Exchange records with the store once; what fails is retried the next time."""
        if self._is_synchronising:
            return
        self._is_synchronising = True
        try:
            request = self.sites.prepare_sync()
            result = await run_in_thread(synchronise, self.sites.store, request)
            self.sites.apply_sync(request, result)
        except StoreError as error:
            self._store_failed(error)
        else:
            if self._store_is_away:
                self._store_is_away = False
                self.sites.resend_all()
                self._count("store_returns")
                logger.info("The site store is back: everything known is sent again")
        finally:
            self._is_synchronising = False

    async def look_up_version(self, site: str, key: bytes) -> StoreRecord | None:
        """Return what the store has of an article; None while it does not answer."""
        if not self.sites.store.remote:
            return self.sites.look_up_version(site, key)
        if self._store_is_away:
            return None
        try:
            return await run_in_thread(self.sites.store.look_up, VERSIONS + site, key)
        except StoreError as error:
            self._store_failed(error)
            return None

    def watch(self, url: str, document: Document, places: frozenset[int]) -> None:
        """Add a document to the monitor of its site, and tell if the site has changed."""
        if document.error is not None or document.is_overdue or document.partial is not None:
            return
        values = [getattr(document, name) for name in WATCHED_FIELDS]
        page = observe(document.text, document.confidence, values, places)
        change = self.sites.watch_page(url, page)
        if change is None:
            return
        self.examples.update(change.examples)
        claim = self.sites.build_claim(change)
        if self.sites.store.remote:
            self._start(self._claim_and_tell(change, claim))
        elif self._claim(claim):
            self._tell(change)

    async def _claim_and_tell(self, change: SiteChange, claim: StoreRecord) -> None:
        if self._store_is_away or await run_in_thread(self._claim, claim):
            self._tell(change)

    def _claim(self, claim: StoreRecord) -> bool:
        """Return whether no other worker has told a change; True where the store is away."""
        try:
            return self.sites.store.claim(CHANGES, claim, MAX_MONITORS, claim.at - CLAIM_SPAN)
        except StoreError:  # told twice is better than not at all
            return True

    def _tell(self, change: SiteChange) -> None:
        self._count("changed")
        self._count(f"changed/{change.site}")
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

    async def _load_monitors(self) -> None:
        if not self.sites.store.remote:
            self.sites.load_monitors()
            return
        try:
            known = await run_in_thread(self.sites.store.read, {MONITORS: frozenset()})
        except StoreError as error:
            self._store_failed(error)
        else:
            self.sites.add_monitors(known[MONITORS])

    async def _spider_opened(self) -> None:
        if self.watches:
            await self._load_monitors()
            self.sites.enable_monitors()
        if self.sites.store.remote:
            await self.synchronise()
            self._loop = create_looping_call(self._start_synchronising)
            self._loop.start(self._sync_seconds, now=False)

    def _start_synchronising(self) -> None:
        if not self._is_synchronising:
            self._start(self.synchronise())

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Start work with the store; the spider closes after it."""
        work: Deferred[None] = deferred_from_coro(coroutine)
        self._work.add(work)

        def finish(result: object) -> None:
            self._work.discard(work)
            if isinstance(result, Failure):
                logger.error(
                    "Site knowledge: %s", result.value, exc_info=failure_to_exc_info(result)
                )

        work.addBoth(finish)

    async def _spider_closed(self) -> None:
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        try:
            for work in tuple(self._work):  # its thread needs the connection
                await maybe_deferred_to_future(work)
            if isinstance(self.sites.store, SqliteStore):
                self.sites.store.wait(SQLITE_TIMEOUT)  # in a thread
            if self._store_is_away:  # once more, so that records for other crawls are not lost
                await self.synchronise()
        finally:  # Scrapy logs an error
            await self._close()

    async def _close(self) -> None:
        """Send the last records, close the store, and count."""
        try:
            await run_in_thread(self.sites.close)
        except StoreError as error:
            self._store_failed(error)
        if self.sites.queued or self.sites.lost:
            self._count("unsent", self.sites.queued + self.sites.lost)
        if self._learns and self._crawler.stats is not None:
            self._crawler.stats.set_value("boilerplate/site/sites", len(self.sites))
        if self.sites.bad_records:
            self._count("bad_records", self.sites.bad_records)

    def _store_failed(self, error: StoreError) -> None:
        self._count("store_errors")
        if not self._store_is_away:
            logger.warning("%s; what is learnt stays in memory until it is back", error)
        self._store_is_away = True

    def _count(self, name: str, value: int = 1) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/site/{name}", value)


def is_closing(engine: ExecutionEngine) -> bool:
    """Return whether the spider of a crawl is closing, or closed."""
    slot = engine._slot
    return not engine.running or slot is None or slot.closing is not None


def find_scheduler(engine: ExecutionEngine) -> BaseScheduler | None:
    """Return the scheduler of a crawl; Scrapy 2.14 has it in the engine's slot alone."""
    if hasattr(engine, "scheduler"):
        return engine.scheduler
    slot = engine._slot
    return None if slot is None else slot.scheduler
