"""``python -m benchmarks.article CORPUS...``: `article_probability` on corpora of articles alone.

The share of their pages taken for articles, and what the answer costs. (ROC AUC by site on pages
of known type is told by ``scrapy-boilerplate train article``.) Times are of one thread, in
multiples of parsing the same page: `after` an extractor that has counted its words, and `alone`.
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
from scrapy_boilerplate.news.article_probability import ARTICLE, article_probability
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages

EXTRACTOR = "container"
"""What has labelled the page before."""

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """One page: its probability, and seconds for parsing it and for the answer."""

    probability: float
    parse: float
    after: float
    alone: float


def answer(page: LabelledPage) -> Answer:
    """The page asked twice, of two readings."""
    parse, tree = _timed(lambda: tree_of(page.html))
    extractor = EXTRACTORS[EXTRACTOR]
    read, unread = (extractor.segmenter(read_page(tree, page.url)) for _ in range(2))
    extractor.label(read)
    after, probability = _timed(lambda: article_probability(read))
    alone, _ = _timed(lambda: article_probability(unread))
    return Answer(probability, parse, after, alone)


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    start = thread_time()
    result = call()
    return thread_time() - start, result


def report(name: str, pages: Iterable[LabelledPage]) -> str:
    """One line for a corpus."""
    answers = [answer(page) for page in pages]
    taken = np.mean([one.probability >= ARTICLE for one in answers])
    parse, after, alone = (
        np.array([getattr(one, part) for one in answers]) for part in ("parse", "after", "alone")
    )
    return (
        f"{name}: {len(answers)} pages, {taken:.3f} taken for articles; parse "
        f"{1000 * np.median(parse):.2f} ms; after {np.median(after / parse):.3f}x (sums "
        f"{after.sum() / parse.sum():.3f}x), alone {np.median(alone / parse):.3f}x"
    )


def main() -> None:
    """Print a line for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--limit", type=int, metavar="N", help="pages of each")
    options = parser.parse_args()
    extract("<p>one</p>", extractor=EXTRACTOR).article_probability  # noqa: B018 - warms up
    for corpus in options.corpora:
        print(report(corpus.name, read_pages(corpus, options.limit)), flush=True)


if __name__ == "__main__":
    main()
