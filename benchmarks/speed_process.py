"""What a fresh process pays: import, first extract, peak memory; growth with the size of a page."""

from __future__ import annotations

import math
import subprocess
import sys
from time import process_time

from lxml import etree

from benchmarks.growth import MEGABYTE, page_of_size
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.parsing import tree_of

RUNS = 3
SIZES = (0.01, 0.1, 1, 5, 20)
"""Megabytes of the pages that growth is measured on."""
BIG = 10
"""Megabytes of the page whose peak memory is measured."""

WARM = 20_000
"""Characters of the page before it."""

PAGE = "<title>A title</title><h1>A title</h1>" + "<p>Some words, and then some more of them. " * 40
START = f"""
from time import process_time as clock
start = clock(); import scrapy_boilerplate
package = clock() - start; start = clock()
from scrapy_boilerplate import extract
face = clock() - start; start = clock()
extract({PAGE!r})
first = clock() - start
import sys; assert "scrapy" not in sys.modules
print(package, face, first)
"""
MEMORY = f"""
import resource, sys
from benchmarks.growth import page_of_size
from scrapy_boilerplate import extract
from scrapy_boilerplate.page.parsing import tree_of
def peak():  # not ru_maxrss, which a process inherits from the one that started it
    with open("/proc/self/status") as file:
        return int(file.read().partition("VmHWM:")[2].split()[0]) / 1024
def now():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
extract(page_of_size({WARM}))  # models are loaded, that of py3langid too
html = page_of_size({BIG} * 1_000_000).encode()
before = now()
tree = tree_of(html)
parsed, of_parse = now(), peak()
document = extract(tree)
print(parsed - before, of_parse - before, peak() - parsed)
"""


def start_rows() -> list[str]:
    """Import and first extract, CPU seconds, the best of some processes."""
    package, face, first = (min(times) for times in zip(*_printed(START, RUNS), strict=True))
    return [
        "| start of a process, CPU seconds | | target |",
        "|---|---|---|",
        f"| `import scrapy_boilerplate` | {package:.3f} | <= 0.15 |",
        f"| `from scrapy_boilerplate import extract` | {face:.3f} | |",
        f"| first `extract()` after that | {first:.3f} | <= 0.3 |",
    ]


def memory_rows() -> list[str]:
    """Peak memory of an extraction over the tree it is given."""
    ((tree, parse, more),) = _printed(MEMORY, 1)
    return [
        f"| a page of {BIG} MB, resident memory | MB | x tree | target |",
        "|---|---|---|---|",
        f"| its tree | {tree:.0f} | 1 | |",
        f"| peak of the parse | {parse:.0f} | {parse / tree:.1f} | |",
        f"| peak of `news` beside the tree | {more:.0f} | {more / tree:.1f} | <= 3 |",
    ]


def _printed(program: str, runs: int) -> list[list[float]]:
    """The numbers that a program prints, a row a process."""
    command = [sys.executable, "-c", program]
    outputs = [subprocess.run(command, capture_output=True, check=True) for _ in range(runs)]
    return [[float(number) for number in one.stdout.split()] for one in outputs]


def growth_rows() -> list[str]:
    """CPU seconds of `news` on trees of growing pages, and the slope on logarithmic axes."""
    extract(PAGE)  # models and patterns are loaded
    times = [_seconds(tree_of(page_of_size(int(size * MEGABYTE)))) for size in SIZES]
    rows = [f"| {size} MB | {time:.3f} | |" for size, time in zip(SIZES, times, strict=True)]
    slope = _slope([math.log(size) for size in SIZES], [math.log(time) for time in times])
    return [
        "| growth of `news` on a tree, CPU seconds | | target |",
        "|---|---|---|",
        *rows,
        f"| exponent, all sizes | {slope:.2f} | <= 1.05 |",
        f"| exponent, the last two | {_last(times):.2f} | |",
    ]


def _last(times: list[float]) -> float:
    return math.log(times[-1] / times[-2]) / math.log(SIZES[-1] / SIZES[-2])


def _seconds(tree: etree._Element) -> float:
    start = process_time()
    extract(tree)
    return process_time() - start


def _slope(x: list[float], y: list[float]) -> float:
    """Of the line through the points, by least squares."""
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    up = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return up / sum((a - middle_x) ** 2 for a in x)
