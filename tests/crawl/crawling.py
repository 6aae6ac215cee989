"""Real crawls inside the test process: one reactor, in a thread of its own, runs them all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response
from scrapy.utils.reactor import install_reactor

from tests.reference import read_stats

ASYNCIO_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
ADDON = {"ADDONS": {"scrapy_boilerplate.Addon": 500}}
QUIET = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    # rules: the output does not change with the next training
    "BOILERPLATE_EXTRACTOR": "container",
}
MINUTE = 60
STATS = read_stats()

Callback = Callable[[Response], Any]


@dataclass
class Crawl:
    """The results of a crawl."""

    items: list[Any] = field(default_factory=list)
    dropped: list[tuple[Any, BaseException]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    log: list[logging.LogRecord] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, Any]:
        """The stats of the package, without their prefix."""
        ours = {name: value for name, value in self.stats.items() if name.startswith("boilerplate")}
        return {name.partition("/")[2]: value for name, value in ours.items()}

    def messages(self, level: int) -> list[str]:
        """All messages of a level in the log."""
        return [record.getMessage() for record in self.log if record.levelno == level]


class PagesSpider(Spider):
    """Requests the given pages and yields the results of `callback`."""

    name = "pages"

    def __init__(self, wanted: Sequence[Any], callback: Callback, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wanted = wanted
        self.callback = callback

    async def start(self) -> AsyncIterator[Any]:
        """Requests, or items that come from no page."""
        for wanted in self.wanted:
            yield wanted

    def parse(self, response: Response, **kwargs: Any) -> Iterable[Any]:
        """The items and requests of one page."""
        return self.callback(response) or ()


class Reactor:
    """The one reactor of the test process."""

    def __init__(self) -> None:
        ready: SimpleQueue[asyncio.AbstractEventLoop] = SimpleQueue()
        self._thread = Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        self._loop = ready.get(timeout=MINUTE)

    def crawl(
        self,
        wanted: Sequence[Request | Any],
        callback: Callback,
        settings: dict[str, Any],
        spider: type[Spider] = PagesSpider,
    ) -> Crawl:
        """Run one crawl to its end. Raises what stops it at its start."""
        coroutine = self._crawl(wanted, callback, settings, spider)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=MINUTE)

    def crawl_together(
        self, wanted: Sequence[Sequence[str]], callback: Callback, settings: dict[str, Any]
    ) -> list[Crawl]:
        """Run several crawls at once, each over its own addresses."""

        async def together() -> list[Crawl]:
            requests = [[Request(url) for url in urls] for urls in wanted]
            crawls = (self._crawl(wanted, callback, settings, PagesSpider) for wanted in requests)
            return await asyncio.gather(*crawls)

        future = asyncio.run_coroutine_threadsafe(together(), self._loop)
        return future.result(timeout=MINUTE)

    def stop(self) -> None:
        """Stop the reactor and its thread."""
        self._loop.call_soon_threadsafe(_installed_reactor().stop)
        self._thread.join(timeout=MINUTE)

    async def _crawl(
        self, wanted: Sequence[Any], callback: Callback, settings: dict[str, Any], spider: Any
    ) -> Crawl:
        crawl = Crawl()
        crawler = AsyncCrawlerRunner({**QUIET, **settings}).create_crawler(spider)
        listeners = _listen(crawler, crawl)
        handler = _Records(crawl.log)
        logging.getLogger().addHandler(handler)
        logging.getLogger("scrapy_boilerplate").setLevel(logging.INFO)
        try:
            await crawler.crawl_async(wanted=wanted, callback=callback)
        finally:
            logging.getLogger().removeHandler(handler)
        del listeners
        crawl.stats = crawler.stats.get_stats() if crawler.stats else {}
        unknown = [f"boilerplate/{name}" for name in crawl.counts if not _is_documented(name)]
        assert not unknown, f"docs/reference/stats.md does not name {unknown}"
        return crawl

    @staticmethod
    def _run(ready: SimpleQueue[asyncio.AbstractEventLoop]) -> None:
        install_reactor(ASYNCIO_REACTOR)
        loop = asyncio.get_event_loop()
        loop.call_soon(ready.put, loop)
        _installed_reactor().run(installSignalHandlers=False)


def _is_documented(name: str) -> bool:
    return STATS.fullmatch(f"boilerplate/{name}") is not None


def _installed_reactor() -> Any:
    """The reactor; importing its module before it is installed would install another."""
    return import_module("twisted.internet.reactor")


def _listen(crawler: Crawler, crawl: Crawl) -> tuple[Callable[..., None], ...]:
    """Note items as they come; the crawler holds its listeners weakly, the caller keeps them."""

    def scraped(item: Any) -> None:
        crawl.items.append(item)

    def dropped(item: Any, exception: BaseException) -> None:
        crawl.dropped.append((item, exception))

    crawler.signals.connect(scraped, signals.item_scraped)
    crawler.signals.connect(dropped, signals.item_dropped)
    return scraped, dropped


class _Records(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.INFO)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)
