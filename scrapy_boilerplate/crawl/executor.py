"""How the pages of a crawl are read: under which limits, and by which pool of workers, if any."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import TextResponse

from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.extractors import BALANCED, DEFAULT
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.site.overrides import NO_RULES, SiteRules
from scrapy_boilerplate.workers.pool import WorkerPool, WorkerResponse
from scrapy_boilerplate.workers.worker import PageRequest

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, kw_only=True)
class Executor:
    """How the pages of a crawl are read: under which limits, and by whom.

    `extractor` and `favor` name the crawl's extractor for the workers, `rules` are those of sites.
    Without a `pool` every page is read in the crawl's own process.
    """

    extractor: str = DEFAULT
    favor: str = BALANCED
    limits: Limits = NO_LIMITS
    rules: SiteRules = NO_RULES
    pool: WorkerPool | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, settings: CrawlSettings) -> Self:
        """Return the executor of one crawl; its pool, if it has one, is closed with the spider."""
        executor = cls(
            extractor=settings.extractor,
            favor=settings.favor,
            limits=settings.limits,
            rules=settings.sites,
            pool=WorkerPool(settings.workers) if settings.executor == "process" else None,
        )
        if executor.pool is not None:
            crawler.signals.connect(executor.close, signals.spider_closed)
        return executor

    def submit(self, response: TextResponse, **options: Any) -> Future[WorkerResponse] | None:
        """Submit a page to the workers; None if there is no pool or it is closed.

        `options` are fields of `PageRequest`, in place of those of the crawl.
        """
        if self.pool is None:
            return None
        own = {"extractor": self.extractor, "favor": self.favor, "limits": self.limits}
        page = PageRequest(
            url=response.url, body=response.body, encoding=response.encoding, **{**own, **options}
        )
        try:
            return self.pool.submit(page.for_worker())
        except RuntimeError:  # closed
            return None

    def close(self) -> None:
        """End the workers.

        Called by Scrapy when the spider is closed. The signal holds only a weak reference, so the
        downloader middleware keeps the executor.
        """
        if self.pool is not None:
            self.pool.close()


INLINE_EXECUTOR = Executor()
