"""``python -m benchmarks.crawl``: pages per minute of a crawl, with and without the add-on.

A local server in another process sends real pages of the corpora, and every page gives one item.
The server uses the first processor, the crawl and its workers use the others, so that shares are
meaningful on two processors. The modes take turns, so that other jobs on the machine affect all
modes; the figure of a mode is its median round. Other columns are the delay of a timer of 5 ms on
the event loop, and two figures that depend less on a busy machine: CPU time between two ticks of
that timer (work that would delay the loop on an idle machine), and CPU time per page without the
workers. Prints the table of docs/speed.md. Takes about four minutes, ``--pages 40 --rounds 1`` half
a minute.

``--once MODE --port PORT`` runs one crawl in its own process. It prints one line of JSON: pages per
minute, from the first request to the last item; percentiles of the delay of the event loop, in
milliseconds; CPU milliseconds per page, and their 95th percentile between two ticks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, thread_time
from typing import IO, Any, cast

import numpy as np
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.corpora import create_parser, read_mixed_records
from benchmarks.environment import build_environment
from benchmarks.markdown import format_table

CONCURRENT = 32
HTML = "text/html; charset=utf-8"

# seconds that a timer is set to
TICK = 0.005

# Body, ``Content-Type``, ``Content-Encoding``.
Page = tuple[bytes, str, str]

OFF = "off"
INLINE = "inline"
WITHOUT_NATIVE = "inline, without native code"
# name to BOILERPLATE_EXECUTOR, and whether native code may run
MODES = {
    OFF: (OFF, True),
    INLINE: (INLINE, True),
    WITHOUT_NATIVE: (INLINE, False),
    "process": ("process", True),
}
# minimum share of the pages per minute of "off"; maximum CPU milliseconds per page of the crawl's
# process
# above "off"
TARGETS = {INLINE: (0.45, 6), WITHOUT_NATIVE: (0.28, 14)}


def main() -> None:
    """Serve, crawl, print a table."""
    options = _parse_options()
    if options.serve:
        serve([(html, HTML, "") for html in read_html(options.corpora, options.pages)])
        return
    if options.once:
        crawl(options)
        return
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {first})  # processes inherit it
    with start_server("benchmarks.crawl") as (port, different):
        os.sched_setaffinity(0, others or {first})
        rounds = _crawl_rounds(options, port)
    print(
        f"\n{options.pages} pages ({different} different), {CONCURRENT} concurrent requests, median"
        f" of {options.rounds} rounds; 1 processor for the server, {len(others)} for the crawl\n"
    )
    print(_format_rounds(rounds))


Rounds = dict[str, list[dict[str, float]]]


def _crawl_rounds(options: argparse.Namespace, port: int) -> Rounds:
    rounds: Rounds = {mode: [] for mode in MODES}
    for number in range(options.rounds):
        for mode in MODES:
            rounds[mode].append(_crawl_once(mode, port, options))
            print(f"round {number + 1} {mode}: {rounds[mode][-1]}", flush=True)
    return rounds


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__, pages=1_500)
    parser.add_argument("--rounds", type=int, default=2, help="of each mode (%(default)s)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--once", metavar="MODE", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


@contextmanager
def start_server(module: str) -> Iterator[tuple[int, int]]:
    """Run ``module --serve`` with the options of this process; yield its port, and its pages."""
    command = [sys.executable, "-m", module, *sys.argv[1:], "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port, different = map(int, cast("IO[str]", server.stdout).readline().split())
            yield port, different
        finally:
            server.terminate()


def serve(pages: Sequence[Page]) -> None:
    """Serve pages under ``/0``, ``/1``, ... and again from the first, until terminated.

    Prints the port, and how many pages are different, first.
    """
    # only imported in the server's process, and untyped
    resource, web, twisted = (
        cast("Any", import_module(f"twisted.{name}"))
        for name in ("web.resource", "web.server", "internet.reactor")
    )

    def render(request: Any) -> bytes:
        number = int(request.path.rpartition(b"/")[2])
        body, kind, coding = pages[number % len(pages)]
        request.setHeader(b"Content-Type", kind.encode())
        if coding:
            request.setHeader(b"Content-Encoding", coding.encode())
        return body

    root = resource.Resource()
    root.isLeaf, root.render = True, render
    port = twisted.listenTCP(0, web.Site(root), interface="127.0.0.1")
    print(port.getHost().port, len(pages), flush=True)
    twisted.run()


def read_html(corpora: Path, n_pages: int) -> Iterator[bytes]:
    """Yield up to `n_pages` pages, from each corpus in turn."""
    for record in read_mixed_records(corpora, n_pages):
        yield record["html"].encode("utf-8", "replace")


def _crawl_once(mode: str, port: int, options: argparse.Namespace) -> dict[str, float]:
    """Return the figures that a crawl in a new process prints."""
    executor, is_native = MODES[mode]
    command = [sys.executable, "-m", "benchmarks.crawl", "--once", executor, "--port", str(port)]
    command += ["--pages", str(options.pages)]
    environment = build_environment(is_native)
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return figures


class Pages(Spider):
    """Spider that asks for every page once, yields an item of each, and times the loop's delays."""

    name = "pages"

    def __init__(self, port: int, n_pages: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = f"http://127.0.0.1:{port}/"
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
        self.cpu = process_time()  # without the time of imports and settings
        for number in range(self.n_pages):
            yield Request(f"{self.url}{number}")

    def parse(self, response: Response) -> Any:
        """Yield an item, after reading the tree as nearly every spider does."""
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


def build_settings(mode: str) -> dict[str, Any]:
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
    return settings


def crawl(options: argparse.Namespace) -> None:
    """Crawl once and print."""
    process = AsyncCrawlerProcess(build_settings(options.once))
    crawler = process.create_crawler(Pages)
    process.crawl(crawler, port=options.port, n_pages=options.pages)
    process.start()
    spider = cast("Pages", crawler.spider)
    if len(spider.times) != options.pages + 1:
        raise SystemExit(f"{len(spider.times) - 1} items of {options.pages} pages")
    p50, p95, longest = np.percentile(np.array(spider.delays) * 1000, [50, 95, 100])
    figures = {"per_minute": 60 * options.pages / (spider.times[-1] - spider.times[0])}
    figures |= {"p50": p50, "p95": p95, "max": longest}
    figures["busy_p95"] = float(np.percentile(np.array(spider.busy) * 1000, 95))
    figures["cpu"] = (process_time() - spider.cpu) / options.pages * 1000
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


def _format_rounds(rounds: Rounds) -> str:
    head = "mode|pages a minute|of off|target|loop late, ms: p50|p95|most|busy p95, ms|"
    rows = [f"{head}CPU of the crawl's process, ms a page|beside off|target".split("|")]
    medians = {
        mode: {name: median(figures[name] for figures in of_mode) for name in of_mode[0]}
        for mode, of_mode in rounds.items()
    }
    off = medians[OFF]
    for mode, row in medians.items():
        share, cpu = TARGETS.get(mode, (None, None))
        rows.append(
            [
                *(mode, f"{row['per_minute']:,.0f}"),
                f"{row['per_minute'] / off['per_minute']:.0%}",
                f">= {share:.0%}" if share else "",
                *(f"{row['p50']:.1f}", f"{row['p95']:.1f}", f"{row['max']:.0f}"),
                *(f"{row['busy_p95']:.1f}", f"{row['cpu']:.1f}"),
                "" if mode == OFF else f"{row['cpu'] - off['cpu']:+.1f}",
                f"<= +{cpu}" if cpu else "",
            ]
        )
    return format_table(rows)


if __name__ == "__main__":
    main()
