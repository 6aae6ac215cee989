"""Holding back the first pages of a site until enough of it is known."""

from __future__ import annotations

import time
from collections.abc import Callable

from scrapy.core.engine import ExecutionEngine
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler

from scrapy_boilerplate.crawl.executor import pause
from scrapy_boilerplate.crawl.site_settings import SiteSettings

LOOK_SECONDS = 0.1
"""How often those that wait look whether they may go on."""
MAX_SHARE = 0.5
"""Share of SCRAPER_SLOT_MAX_ACTIVE_SIZE that pages may take while they wait: beyond it Scrapy stops
downloading, and nothing new would be learnt."""


def scheduler_of(engine: ExecutionEngine) -> BaseScheduler | None:
    """The scheduler of a crawl; Scrapy 2.14 has it in the engine's slot alone."""
    if hasattr(engine, "scheduler"):
        return engine.scheduler
    slot = engine._slot
    return None if slot is None else slot.scheduler


class Hold:
    """Lets items wait, bounded in number, bytes and time; nobody waits once nothing more can come.

    An item that waits is still in its pipeline: a crawl that is stopped lets it finish first.
    """

    def __init__(self, crawler: Crawler, settings: SiteSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        self._bytes = 0
        self.waiting = 0
        most = crawler.settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")
        self._most_bytes = MAX_SHARE * most

    async def until_known(self, known_pages: Callable[[], int], size: int) -> bool:
        """Wait until a site is known; `size` is the page's bytes. False if nobody had to wait."""
        if known_pages() >= self._settings.hold or self._is_full(size):
            return False
        end = time.monotonic() + self._settings.hold_seconds
        self.waiting, self._bytes = self.waiting + 1, self._bytes + size
        try:
            while known_pages() < self._settings.hold and time.monotonic() < end:
                if self._nothing_comes():
                    break
                await pause(LOOK_SECONDS)
        finally:
            self.waiting, self._bytes = self.waiting - 1, self._bytes - size
        return True

    def _is_full(self, size: int) -> bool:
        return self.waiting >= self._settings.hold_pages or self._bytes + size > self._most_bytes

    def _nothing_comes(self) -> bool:
        """Whether the crawl is stopping, or has no request left but those of pages that wait."""
        engine = self._crawler.engine
        if engine is None or not engine.running:
            return True
        if engine.needs_backout() and not engine.downloader.needs_backout():
            return True  # the spider closes, or Scrapy waits for us
        scheduler = scheduler_of(engine)
        if engine.downloader.active or scheduler is None or scheduler.has_pending_requests():
            return False
        slot = engine.scraper.slot
        if slot is None:
            return True
        return not slot.queue and max(slot.itemproc_size, len(slot.active)) <= self.waiting
