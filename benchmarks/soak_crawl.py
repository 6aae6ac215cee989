"""``python -m benchmarks.soak_crawl``: a crawl of mixed pages; memory and file handles over time.

A server in another process has pages of the corpora and malicious pages: shapes that made earlier
versions slow, pages in other encodings, compressed, cut off, empty, or not HTML
(`build_hostile_pages`). A crawl with each executor, in a new process, requests `--pages` of them,
CONCURRENT at a time, with alarms of redesigns, `html` and `markdown`. Every page must give an item,
unless Scrapy cannot decompress it. The slope is the slope of a line through resident memory,
including workers, after the first `--warm` pages. Linux only (/proc). ``make soak``; takes about
half an hour, ``--pages 300 --different 100 --warm 100`` three minutes.
"""

import argparse
import gc
import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from tqdm import tqdm

from benchmarks.corpora import create_parser
from benchmarks.growth import SHAPES, build_shape
from benchmarks.job import read_memory, walk_processes
from benchmarks.local_site import HTML, Page, read_html, serve, start_server

EXECUTORS = ("inline", "process")
# lines that are printed
ROWS = 40
CONCURRENT = 64
# one page in so many is hostile
HOSTILE = 8
# characters of a malicious page: most take under a second with all fields
SHAPE_CHARACTERS = 150_000


def main() -> None:
    options = _parse_options()
    if options.serve:
        serve(list(mix_pages(options.corpora, options.different)))
        return
    if options.port:
        crawl(options)
        return
    own = [sys.executable, "-m", "benchmarks.soak_crawl", *sys.argv[1:]]
    with start_server("benchmarks.soak_crawl") as port:
        for executor in options.executors:
            print(f"{executor}, {CONCURRENT} concurrent requests", flush=True)
            subprocess.run([*own, "--port", str(port), "--executors", executor], check=True)


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__, pages=5_000)
    parser.add_argument("--different", type=int, default=1_000, help="pages (%(default)s)")
    parser.add_argument("--warm", type=int, default=1_000, help="left out (%(default)s)")
    parser.add_argument("--executors", nargs="+", choices=EXECUTORS, default=EXECUTORS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def build_hostile_pages() -> Iterator[Page]:
    plain = ("<p>One two three four five six seven.</p>" * 400).encode()
    for before, element in SHAPES.values():
        yield build_shape(before, element, SHAPE_CHARACTERS).encode("utf-8", "replace"), HTML, ""
    yield b"", HTML, ""
    yield b"\0" * 100_000, HTML, ""
    yield b"\xff\xfe" + plain.decode().encode("utf-16-le"), "text/html", ""
    yield plain.decode().encode("utf-32"), "text/html; charset=utf-32", ""
    yield b"+ADw-script+AD4-" * 5_000, "text/html; charset=utf-7", ""
    yield b"<div>" * 50_000 + plain, HTML, ""
    yield b"<p " + b" ".join(b"a%d=1" % number for number in range(20_000)) + b">" + plain, HTML, ""
    yield b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hosts'>]><p>&b;" + plain, HTML, ""
    yield gzip.compress(b"<p>" * 3_000_000), HTML, "gzip"
    yield gzip.compress(plain)[:-20], HTML, "gzip"
    yield plain, HTML, "gzip"
    yield b'{"html": "<p>one</p>"}', "application/json", ""
    yield bytes(range(256)) * 400, "image/png", ""


def mix_pages(corpora: Path, n_pages: int) -> Iterator[Page]:
    """Yield real pages, one in HOSTILE of them replaced."""
    hostile = cycle(build_hostile_pages())
    for number, html in enumerate(read_html(corpora, n_pages), start=1):
        yield next(hostile) if number % HOSTILE == 0 else (html, HTML, "")


class Pages(Spider):
    """Asks for every page once and yields an item of each; takes samples of memory."""

    name = "pages"

    def __init__(self, options: argparse.Namespace, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.options = options
        self.samples: list[tuple[int, float, int]] = []
        self.n_items = 0
        self.failures: Counter[str] = Counter()
        self.bar = tqdm(total=options.pages, unit="page")

    async def start(self) -> AsyncIterator[Request]:
        self.crawler.signals.connect(self._note, signals.item_scraped)
        for number in range(self.options.pages):
            url = f"http://127.0.0.1:{self.options.port}/{number}"
            yield Request(url, errback=self.note_failure)

    def parse(self, response: Response) -> Any:
        yield {"url": response.url}

    def note_failure(self, failure: Any) -> None:
        """Count a page that Scrapy cannot unpack or fetch."""
        self.failures[failure.type.__name__] += 1
        self.bar.update()

    def _note(self) -> None:
        self.n_items += 1
        self.bar.update()
        if self.n_items % max(1, self.options.pages // ROWS) == 0:
            gc.collect()
            megabytes = sum(map(read_memory, walk_processes(os.getpid())))
            self.samples.append((self.n_items, megabytes, count_open_files()))
            self.bar.write("{:8} pages {:8.1f} MB {:4} files".format(*self.samples[-1]))


def crawl(options: argparse.Namespace) -> None:
    [executor] = options.executors
    settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXECUTOR": executor,
        "BOILERPLATE_WORKERS": os.cpu_count() or 1,
        "CONCURRENT_REQUESTS": CONCURRENT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENT,
        "LOG_LEVEL": "CRITICAL",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "BOILERPLATE_FIELDS": {"html": True, "markdown": True, "partial": True},
        "BOILERPLATE_SITE_ALARM": executor == "inline",  # workers do not know other pages
    }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Pages)
    start = perf_counter()
    process.crawl(crawler, options=options)
    process.start()
    spider = cast("Pages", crawler.spider)
    spider.bar.close()
    stats: dict[str, Any] = cast("Any", crawler.stats).get_stats()
    n_lost = options.pages - spider.n_items - sum(spider.failures.values())
    failures = ", ".join(f"{count} {name}" for name, count in spider.failures.items())
    print(
        f"{spider.n_items} items in {perf_counter() - start:.0f} s; of Scrapy: {failures or 'none'}"
    )
    print(format_growth(spider.samples, options.warm))
    for name, value in sorted(stats.items()):
        if name.startswith(("boilerplate/", "spider_exceptions")):
            print(f"{name} {value}")
    if n_lost:
        raise SystemExit(f"{n_lost} pages have neither item nor failure")


def format_growth(samples: Sequence[tuple[int, float, int]], n_warm: int) -> str:
    """Return how samples of pages, megabytes and file handles grow after the first pages."""
    warm = [sample for sample in samples if sample[0] >= n_warm] or samples
    counts, sizes = (np.array([sample[column] for sample in warm]) for column in (0, 1))
    slope = np.polyfit(counts, sizes, 1)[0] * 10_000 if len(warm) > 1 else 0.0
    return (
        f"after the first {warm[0][0]}: {slope:+.2f} MB for 10,000 pages\n"
        f"file handles: {warm[0][2]} then, {warm[-1][2]} at the end"
    )


def count_open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


if __name__ == "__main__":
    main()
