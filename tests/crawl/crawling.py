"""Real crawls inside the test process: one reactor, in a thread of its own, runs them all."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest
from scrapy import Request, Spider, signals
from scrapy import version_info as scrapy_version
from scrapy.crawler import AsyncCrawlerRunner
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
LIMIT = 240
"""Seconds after which a crawl hangs."""
STATS = read_stats()
WITHOUT_REACTOR = pytest.mark.skipif(
    scrapy_version < (2, 15), reason="Scrapy 2.14 knows no asyncio without a reactor"
)

Callback = Callable[[Response], Any]


@dataclass
class Crawl:
    items: list[Any] = field(default_factory=list)
    dropped: list[tuple[Any, BaseException]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    log: list[logging.LogRecord] = field(default_factory=list)

    def add_scraped(self, item: Any) -> None:
        self.items.append(item)

    def add_dropped(self, item: Any, exception: BaseException) -> None:
        self.dropped.append((item, exception))

    @property
    def counts(self) -> dict[str, Any]:
        """The stats of the package, without their prefix."""
        ours = {name: value for name, value in self.stats.items() if name.startswith("boilerplate")}
        return {name.partition("/")[2]: value for name, value in ours.items()}

    def messages(self, level: int) -> list[str]:
        return [record.getMessage() for record in self.log if record.levelno == level]


class PagesSpider(Spider):
    """Requests the given pages and yields the results of `callback`."""

    name = "pages"

    def __init__(self, wanted: Sequence[Any], callback: Callback, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wanted = wanted
        self.callback = callback

    async def start(self) -> AsyncIterator[Any]:
        for wanted in self.wanted:
            yield wanted

    def parse(self, response: Response, **kwargs: Any) -> Iterable[Any]:
        return self.callback(response) or ()


class Reactor:
    """The one reactor of the test process."""

    def __init__(self) -> None:
        ready: SimpleQueue[asyncio.AbstractEventLoop] = SimpleQueue()
        self._thread = Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        self._loop = ready.get(timeout=LIMIT)

    def crawl(
        self,
        wanted: Sequence[Request | Any],
        callback: Callback,
        settings: dict[str, Any],
        spider: type[Spider] = PagesSpider,
    ) -> Crawl:
        """Run one crawl to its end. Raises what stops it at its start."""
        coroutine = self._crawl(wanted, callback, settings, spider)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=LIMIT)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(_installed_reactor().stop)
        self._thread.join(timeout=LIMIT)

    async def _crawl(
        self, wanted: Sequence[Any], callback: Callback, settings: dict[str, Any], spider: Any
    ) -> Crawl:
        crawl = Crawl()
        crawler = AsyncCrawlerRunner({**QUIET, **settings}).create_crawler(spider)
        crawler.signals.connect(crawl.add_scraped, signals.item_scraped)
        crawler.signals.connect(crawl.add_dropped, signals.item_dropped)
        handler = _Records(crawl.log)
        logging.getLogger().addHandler(handler)
        logging.getLogger("scrapy_boilerplate").setLevel(logging.INFO)
        try:
            await crawler.crawl_async(wanted=wanted, callback=callback)
        finally:
            logging.getLogger().removeHandler(handler)
        crawl.stats = crawler.stats.get_stats() if crawler.stats else {}
        names = [f"boilerplate/{name}" for name in crawl.counts]
        unknown = [name for name in names if STATS.fullmatch(name) is None]
        assert not unknown, f"docs/reference/stats.md does not name {unknown}"
        return crawl

    @staticmethod
    def _run(ready: SimpleQueue[asyncio.AbstractEventLoop]) -> None:
        install_reactor(ASYNCIO_REACTOR)
        loop = asyncio.get_event_loop()
        loop.call_soon(ready.put, loop)
        _installed_reactor().run(installSignalHandlers=False)


def _installed_reactor() -> Any:
    """The reactor; importing its module before it is installed would install another."""
    return import_module("twisted.internet.reactor")


class _Records(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.INFO)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)
