"""Where documents are made: on the event loop, or by worker processes that it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import TextResponse
from scrapy.utils.asyncio import is_asyncio_available
from twisted.internet.defer import Deferred

from scrapy_boilerplate.crawl.settings import PROCESS, CrawlSettings
from scrapy_boilerplate.extractors import BALANCED, DEFAULT
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.workers.pool import Answer, SentPage, WorkerPool

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Executor:
    """How the pages of a crawl are read: under which limits, and by whom.

    `extractor` and `favor` tell workers the crawl's extractor by name; without a `pool` everything
    is done where it is asked for.
    """

    extractor: str = DEFAULT
    favor: str = BALANCED
    limits: Limits = NO_LIMITS
    pool: WorkerPool | None = None

    @classmethod
    def of(cls, settings: CrawlSettings, crawler: Crawler) -> Self:
        """The executor of one crawl; its pool, if it has one, is closed with the spider."""
        pool = WorkerPool(settings.workers) if settings.executor == PROCESS else None
        made = cls(
            extractor=settings.extractor_name,
            favor=settings.favor,
            limits=settings.limits,
            pool=pool,
        )
        if pool is not None:
            crawler.signals.connect(made.close, signals.spider_closed)
        return made

    def submit(
        self, response: TextResponse, extractor: str | None, late: Collection[str]
    ) -> Future[Answer] | None:
        """Give a page to the workers; `extractor` is another than the crawl's; it favors nothing.

        None where there are no workers, or no more.
        """
        if self.pool is None:
            return None
        page = SentPage(
            url=response.url,
            body=response.body,
            encoding=response.encoding,
            extractor=extractor or self.extractor,
            favor=BALANCED if extractor else self.favor,
            limits=self.limits,
            late=tuple(late),
        )
        try:
            return self.pool.submit(page)
        except RuntimeError:  # closed
            return None

    def close(self) -> None:
        """End the workers. Called by Scrapy when the spider is closed; held by the crawl's signal
        alone, so the middleware keeps it."""
        if self.pool is not None:
            self.pool.close()


INLINE_EXECUTOR = Executor()


async def waited(future: Future[T]) -> T:
    """What `future`, which a thread fulfils, comes to; under every reactor, and without one."""
    if is_asyncio_available():
        # shielded: a future is shared by all who wait for the same page
        return await asyncio.shield(asyncio.wrap_future(future))
    reactor = import_module("twisted.internet.reactor")  # installed by now
    done: Deferred[None] = Deferred()
    future.add_done_callback(lambda _: reactor.callFromThread(done.callback, None))
    await done
    return future.result()


async def pause(seconds: float) -> None:
    """Let others go on for so long; under every reactor, and without one."""
    if is_asyncio_available():
        await asyncio.sleep(seconds)
        return
    reactor = import_module("twisted.internet.reactor")  # installed by now
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    await done
