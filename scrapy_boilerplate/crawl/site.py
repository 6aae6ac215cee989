"""Site knowledge in a crawl: one for each crawler, over its store, with exchanges off the loop."""

from __future__ import annotations

import logging
from pathlib import Path
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from scrapy_boilerplate.crawl.setting_values import PREFIX
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.site_settings import SiteSettings
from scrapy_boilerplate.crawl.threads import run_in_thread
from scrapy_boilerplate.crawl.wrong import SettingError
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.site.sites import Sites, synchronise
from scrapy_boilerplate.site.stores import StoreError, open_store
from scrapy_boilerplate.site_extraction import SiteExtraction

logger = logging.getLogger(__name__)


class CrawlSites:
    """The knowledge of one crawl. A store that does not answer never stops it.

    While Redis is away, what is learnt stays in memory and waits; when it is back, everything known
    is sent again, since it may have lost it. Sending twice changes nothing.
    """

    def __init__(self, crawler: Crawler, settings: SiteSettings, limits: Limits) -> None:
        self._crawler = crawler
        self._settings = settings
        folder = crawler.settings.get("JOBDIR")
        try:
            store = open_store(settings.store, Path(folder) if folder else None)
        except StoreError as error:
            raise SettingError(f"{PREFIX}SITE_STORE = {settings.store!r}: {error}") from None
        self.sites = Sites(store, max_pages=settings.pages)
        self.sites.on_error = self._failed  # a local store; nothing of a remote one is done there
        self.extraction = SiteExtraction(self.sites, settings.steps, limits)
        self._away = False
        self._busy = False
        self._under_way: Deferred[None] | None = None
        self._loop: AsyncioLoopingCall | LoopingCall | None = None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def count(self, name: str, value: int = 1) -> None:
        """Add to a stat ``boilerplate/site/<name>``."""
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"boilerplate/site/{name}", value)

    async def exchange(self) -> None:
        """One exchange with the store, in a thread; what fails is done again the next time."""
        if self._busy:
            return
        self._busy = True
        try:
            request = self.sites.prepare_sync()
            result = await run_in_thread(synchronise, self.sites.store, request)
            self.sites.apply_sync(request, result)
        except StoreError as error:
            self._failed(error)
        else:
            self._answered()
        finally:
            self._busy = False

    def _start_exchange(self) -> None:
        if not self._busy:
            self._under_way = deferred_from_coro(self.exchange())

    async def _opened(self) -> None:
        if self.sites.store.remote:
            await self.exchange()
            self._loop = create_looping_call(self._start_exchange)
            self._loop.start(self._settings.sync_seconds, now=False)

    async def _closed(self) -> None:
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        if self._busy and self._under_way is not None:  # its thread must keep the connection
            await maybe_deferred_to_future(self._under_way)
        if self._away:  # one more try, so that what others should know is not lost
            await self.exchange()
        try:
            await run_in_thread(self.sites.close)
        except StoreError as error:
            self._failed(error)
        if self.sites.queued or self.sites.lost:
            self.count("unsent", self.sites.queued + self.sites.lost)
        if self._crawler.stats is not None:
            self._crawler.stats.set_value("boilerplate/site/sites", len(self.sites))
        if self.sites.bad_records:
            self.count("bad_records", self.sites.bad_records)

    def _failed(self, error: StoreError) -> None:
        self.count("store_errors")
        if not self._away:
            logger.warning("%s; what is learnt stays in memory until it is back", error)
        self._away = True

    def _answered(self) -> None:
        if self._away:
            self._away = False
            self.sites.resend_all()
            self.count("store_returns")
            logger.info("The site store is back: everything known is sent again")


_crawls: WeakKeyDictionary[Crawler, CrawlSites] = WeakKeyDictionary()
# Components of one crawler share one knowledge; the entry dies with its crawler.


def sites_of(crawler: Crawler) -> CrawlSites:
    """The knowledge of a crawl, opened by the first component that asks. Raises
    MissingExtraError, SettingError."""
    if crawler not in _crawls:
        settings = CrawlSettings.of(crawler.settings)
        _crawls[crawler] = CrawlSites(crawler, settings.site, settings.limits)
    return _crawls[crawler]


def warn_of_unused(crawler: Crawler) -> None:
    """Say which settings of site knowledge do nothing because it is off. Called by Scrapy's signal,
    when every component has been built."""
    if CrawlSettings.of(crawler.settings).site.enabled:
        return
    used = crawler in _crawls  # by the duplicates pipeline
    names = ("SITE_HOLD",) if used else ("SITE_HOLD", "SITE_STORE")
    unused = [PREFIX + name for name in names if crawler.settings.get(PREFIX + name)]
    if unused:
        told = "%s does nothing without site knowledge: write BOILERPLATE_SITE = True, or remove it"
        logger.warning(told, " and ".join(unused))
