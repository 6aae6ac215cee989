"""``python -m benchmarks.crawl_once MODE PORT PAGES WORKERS``: one crawl of `benchmarks.crawl`.

Prints as one line of JSON: pages a minute, from the first request to the last item; percentiles of
how late the event loop was, in milliseconds; and figures that other jobs on the machine hardly
change: CPU milliseconds a page of the crawl's process, and the 95th percentile between two ticks.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from time import perf_counter, process_time, thread_time
from typing import Any, cast

import numpy as np
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.crawl import CONCURRENT

# seconds that a timer is set to
TICK = 0.005


class Pages(Spider):
    """Spider that asks for every page once, yields an item of each, and times the loop's delays."""

    name = "pages"

    def __init__(self, port: int, n_pages: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.address = f"http://127.0.0.1:{port}/"
        self.n_pages = n_pages
        self.delays: list[float] = []
        self.busy: list[float] = []
        self.cpu = 0.0
        self.times: list[float] = []

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for every page."""
        self.watch = asyncio.get_running_loop().create_task(self._watch())
        self.crawler.signals.connect(self._scraped, signals.item_scraped)
        self.crawler.signals.connect(self._end, signals.spider_closed)
        self.times.append(perf_counter())
        self.cpu = process_time()  # not what imports and settings cost
        for number in range(self.n_pages):
            yield Request(f"{self.address}{number}")

    def parse(self, response: Response) -> Any:
        """Yield an item, with a look at the tree, as nearly every spider does."""
        yield {"url": response.url, "title": response.css("title::text").get()}

    def _scraped(self) -> None:
        self.times.append(perf_counter())

    def _end(self) -> None:
        self.watch.cancel()

    async def _watch(self) -> None:
        while True:
            start, used = perf_counter(), thread_time()
            await asyncio.sleep(TICK)
            self.delays.append(perf_counter() - start - TICK)
            self.busy.append(thread_time() - used)


def build_settings(mode: str, workers: int) -> dict[str, Any]:
    """Return the settings of a mode; the add-on has the settings of a fresh project."""
    settings: dict[str, Any] = {
        "CONCURRENT_REQUESTS": CONCURRENT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENT,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    if mode != "off":
        settings["ADDONS"] = {"scrapy_boilerplate.Addon": 500}
        settings["BOILERPLATE_EXECUTOR"] = mode
    if workers:
        settings["BOILERPLATE_WORKERS"] = workers
    return settings


def main() -> None:
    """Crawl and print."""
    mode, port, n_pages, workers = sys.argv[1], *map(int, sys.argv[2:])
    process = AsyncCrawlerProcess(build_settings(mode, workers))
    crawler = process.create_crawler(Pages)
    process.crawl(crawler, port=port, n_pages=n_pages)
    process.start()
    spider = cast("Pages", crawler.spider)
    if len(spider.times) != n_pages + 1:
        raise SystemExit(f"{len(spider.times) - 1} items of {n_pages} pages")
    p50, p95, longest = np.percentile(np.array(spider.delays) * 1000, [50, 95, 100])
    figures = {"per_minute": 60 * n_pages / (spider.times[-1] - spider.times[0])}
    figures |= {"p50": p50, "p95": p95, "max": longest}
    figures["busy_p95"] = float(np.percentile(np.array(spider.busy) * 1000, 95))
    figures["cpu"] = (process_time() - spider.cpu) / n_pages * 1000
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
