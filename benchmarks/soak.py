"""``python -m benchmarks.soak``: many pages through one process; memory and file handles over time.

Every page goes through `extract` with one of `--extractors` in turn, with its blocks and its
probability; one page in `--html` with `html` and `markdown` as well, which take longer than
everything else. The slope is the slope of a line through resident memory after the first `--warm`
pages. Linux only (/proc). ``make soak``; takes about two hours, ``--pages 400 --different 40 --warm
100`` a minute.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from itertools import cycle, islice
from os import sysconf
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.corpora import CORPORA
from benchmarks.crawl import read_html
from scrapy_boilerplate.document import LAZY_FIELDS, PLAIN_LAZY_FIELDS
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.workers.serialization import dump_document

PAGE_BYTES = sysconf("SC_PAGE_SIZE")
# lines that are printed
ROWS = 40


def main() -> None:
    """Read pages again and again, and print the memory of the process."""
    options = _parse_options()
    html = list(read_html(options.corpora, options.different))
    extractors = cycle(options.extractors)
    start = perf_counter()
    samples: list[tuple[int, float, int]] = []
    every = max(1, options.pages // ROWS)
    for number, page in enumerate(islice(cycle(html), options.pages), start=1):
        late = LAZY_FIELDS if number % options.html == 0 else PLAIN_LAZY_FIELDS
        dump_document(extract(page, f"http://x.example/{number}", next(extractors)), late)
        if number % every == 0:
            gc.collect()
            samples.append((number, read_resident_megabytes(), count_open_files()))
            print("{:8} pages {:8.1f} MB {:4} files".format(*samples[-1]), flush=True)
    print(f"{options.pages / (perf_counter() - start):.0f} pages a second")
    print(format_growth(samples, options.warm))


def format_growth(samples: Sequence[tuple[int, float, int]], n_warm: int) -> str:
    """Return how samples of pages, megabytes and file handles grow after the first pages."""
    warm = [sample for sample in samples if sample[0] >= n_warm] or samples
    counts, sizes = (np.array([sample[column] for sample in warm]) for column in (0, 1))
    slope = np.polyfit(counts, sizes, 1)[0] * 10_000 if len(warm) > 1 else 0.0
    return (
        f"after the first {warm[0][0]}: {slope:+.2f} MB for 10,000 pages\n"
        f"file handles: {warm[0][2]} then, {warm[-1][2]} at the end"
    )


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=200_000, help="in all (%(default)s)")
    parser.add_argument("--different", type=int, default=2_000, help="pages (%(default)s)")
    parser.add_argument("--html", type=int, default=10, help="pages to one (%(default)s)")
    parser.add_argument("--warm", type=int, default=10_000, help="left out (%(default)s)")
    parser.add_argument("--extractors", nargs="+", default=["news"], help="in turn (%(default)s)")
    return parser.parse_args()


def read_resident_megabytes(pid: int | str = "self") -> float:
    """Return the resident memory of a process; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES / 1e6
    except (OSError, IndexError):
        return 0.0


def count_open_files() -> int:
    """Return the number of file handles of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


if __name__ == "__main__":
    main()
