"""``python -m benchmarks.site_cost``: what site knowledge adds to the time of extraction.

Each page of the corpora with several pages of a site is read twice, in turn without site knowledge
and with it (streaming, memory), both from its bytes. CPU time, garbage collected in between. Prints
a table of docs/site.md; takes about three minutes.
"""

from __future__ import annotations

import argparse
import gc
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from tqdm import tqdm

from benchmarks.corpora import CORPORA
from benchmarks.markdown import format_table
from benchmarks.site import SITE_EXTRACTORS
from benchmarks.site_model import read_site_pages
from scrapy_boilerplate import extract
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.training.corpora import LabelledPage

# pages, and those of them before the clock starts
PAGES, WARM_UP = 300, 20
SEED = 0


def time_call(call: Callable[[], Document]) -> float:
    """Return the CPU seconds of a call; what it leaves behind is freed before the next."""
    start = process_time()
    document = call()
    spent = process_time() - start
    del document
    return spent


def measure_costs(pages: Sequence[LabelledPage], name: str) -> tuple[float, float]:
    """Return CPU milliseconds a page without site knowledge, and with it."""
    extractor, learning = EXTRACTORS[name], SiteExtraction(SiteRegistry())
    spent = [0.0, 0.0]
    gc.disable()
    for number, page in enumerate(tqdm(pages, desc=name, leave=False)):
        html = page.html.encode("utf-8", "replace")
        calls = (
            lambda html=html, url=page.url: extract(html, url=url, extractor=extractor),
            lambda html=html, url=page.url: learning.extract(html, url, extractor),
        )
        for side in (0, 1) if number % 2 else (1, 0):
            taken = time_call(calls[side])
            spent[side] += taken if number >= WARM_UP else 0.0
        gc.collect(1)
    gc.enable()
    counted = max(1, len(pages) - WARM_UP)
    return 1000 * spent[0] / counted, 1000 * spent[1] / counted


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--extractor", action="append", choices=SITE_EXTRACTORS)
    parser.add_argument("--pages", type=int, default=PAGES)
    options = parser.parse_args()
    pages = read_site_pages(options.corpora)
    random.Random(SEED).shuffle(pages)  # noqa: S311 - no secret
    rows = [["extractor", "without, ms", "with, ms", "more"]]
    for name in options.extractor or SITE_EXTRACTORS:
        without, known = measure_costs(pages[: options.pages], name)
        rows.append([name, f"{without:.2f}", f"{known:.2f}", f"{known / without - 1:.1%}"])
    print(format_table(rows))


if __name__ == "__main__":
    main()
