"""``python -m benchmarks.article CORPUS...``: `article_probability` on corpora of articles alone.

Prints the share of their pages taken for articles, and what it costs. (``scrapy-boilerplate train
article`` prints ROC AUC by site on pages of known type.) Times are of one thread, in
multiples of parsing the same page: `after` an extractor that has counted its words, and `alone`.
Takes about 20 ms a page.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import TypeVar

import numpy as np

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.news.article_probability import (
    ARTICLE_THRESHOLD,
    compute_article_probability,
)
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages

# the extractor that has labelled the page before
EXTRACTOR = "container"

T = TypeVar("T")


@dataclass(frozen=True)
class PageCost:
    """One page: its probability, and seconds for parsing it and for the probability."""

    probability: float
    parse: float
    after: float
    alone: float


def measure_page(page: LabelledPage) -> PageCost:
    """Compute the probability twice, of two readings."""
    parse, tree = _time_call(lambda: parse_html(page.html))
    extractor = EXTRACTORS[EXTRACTOR]
    read, unread = (extractor.segmenter(read_tree(tree, page.url)) for _ in range(2))
    extractor.label(read)
    after, probability = _time_call(lambda: compute_article_probability(read))
    alone, _ = _time_call(lambda: compute_article_probability(unread))
    return PageCost(probability, parse, after, alone)


def _time_call(call: Callable[[], T]) -> tuple[float, T]:
    start = thread_time()
    result = call()
    return thread_time() - start, result


def format_report(name: str, pages: Iterable[LabelledPage]) -> str:
    """Return one line for a corpus."""
    costs = [measure_page(page) for page in pages]
    taken = np.mean([cost.probability >= ARTICLE_THRESHOLD for cost in costs])
    parse, after, alone = (
        np.array([getattr(cost, part) for cost in costs]) for part in ("parse", "after", "alone")
    )
    return (
        f"{name}: {len(costs)} pages, {taken:.3f} taken for articles; parse "
        f"{1000 * np.median(parse):.2f} ms; after {np.median(after / parse):.3f}x (sums "
        f"{after.sum() / parse.sum():.3f}x), alone {np.median(alone / parse):.3f}x"
    )


def main() -> None:
    """Print a line for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--pages", type=int, metavar="N", help="pages of each")
    options = parser.parse_args()
    extract("<p>one</p>", extractor=EXTRACTOR).article_probability  # noqa: B018 - warms up
    for corpus in options.corpora:
        print(format_report(corpus.name, read_pages(corpus, options.pages)), flush=True)


if __name__ == "__main__":
    main()
