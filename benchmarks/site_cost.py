"""``python -m benchmarks.site_cost``: what site knowledge adds to the time of extraction.

Each page of the corpora with several pages of a site is read twice, in turn without site knowledge
and with it (streaming, memory), both from its bytes. CPU time, garbage collected in between.
"""

from __future__ import annotations

import argparse
import gc
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from benchmarks.site import EXTRACTORS_HERE
from benchmarks.site_model import pages_of_several
from scrapy_boilerplate import extract
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site_extraction import SiteExtraction
from scrapy_boilerplate.training.corpora import LabelledPage

PAGES, WARM = 300, 20
SEED = 0


def seconds(call: Callable[[], Document]) -> float:
    """CPU seconds of one call; what it leaves behind is freed before the next."""
    start = process_time()
    document = call()
    spent = process_time() - start
    del document
    return spent


def costs(pages: Sequence[LabelledPage], name: str) -> tuple[float, float]:
    """CPU milliseconds a page without site knowledge, and with it."""
    extractor, learning = EXTRACTORS[name], SiteExtraction(Sites())
    spent = [0.0, 0.0]
    gc.disable()
    for number, page in enumerate(pages):
        html = page.html.encode("utf-8", "replace")
        calls = (
            lambda html=html, url=page.url: extract(html, url=url, extractor=extractor),
            lambda html=html, url=page.url: learning.extract(html, url, extractor),
        )
        for which in (0, 1) if number % 2 else (1, 0):
            taken = seconds(calls[which])
            spent[which] += taken if number >= WARM else 0.0
        gc.collect(1)
    gc.enable()
    counted = max(1, len(pages) - WARM)
    return 1000 * spent[0] / counted, 1000 * spent[1] / counted


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--extractor", action="append", choices=EXTRACTORS_HERE)
    parser.add_argument("--pages", type=int, default=PAGES)
    options = parser.parse_args()
    pages = pages_of_several(options.corpora)
    random.Random(SEED).shuffle(pages)  # noqa: S311 - no secret
    print("| extractor | without, ms | with, ms | more |\n|---|---|---|---|")
    for name in options.extractor or EXTRACTORS_HERE:
        without, known = costs(pages[: options.pages], name)
        print(f"| {name} | {without:.2f} | {known:.2f} | {known / without - 1:.1%} |", flush=True)


if __name__ == "__main__":
    main()
