"""``python -m benchmarks.speed``: cost of every stage as a multiple of parsing with lxml.

All systems read the same pages in the same run; a time is the best of several rounds over all
pages. Peers come with the extra [bench]; one that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import lxml.html

from benchmarks.peers import PEERS
from scrapy_boilerplate.catalog import EXTRACTORS
from scrapy_boilerplate.document import build_document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.label import Labeling
from scrapy_boilerplate.metadata.article import metadata_of
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.declare import declared_by
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.segment.read import read_page
from scrapy_boilerplate.training.corpora import LabelledPage, read_records

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
NAMES = ("fundus", "article-extraction", "l3s-gn1")

Task = Callable[[Any], object]


def main() -> None:
    """Measure and print the table."""
    options = _options()
    logging.disable(logging.CRITICAL)  # what peers have to say about pages
    pages = list(_pages(options.corpora, options.pages))
    size = sum(map(len, pages)) / len(pages) / 1000
    print(f"{len(pages)} pages of {', '.join(NAMES)}; {size:.0f} KB on average\n")
    parse = _milliseconds(_parse, [page.encode() for page in pages], options.rounds)
    print(f"{'':34}  ms a page    x parse")
    _print_row("lxml parse alone", parse, parse)
    for name, task, inputs in (*_stages(pages, options.extractor), *_peers(pages)):
        _print_row(name, _milliseconds(task, inputs, options.rounds), parse)
    share = median_metadata_share(pages, EXTRACTORS[options.extractor], options.rounds)
    print(f"\nall metadata on the median page: {share:.2f} x parse")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=60, help="of each corpus (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the best counts (%(default)s)")
    parser.add_argument("--extractor", default="num-words", choices=tuple(EXTRACTORS))
    return parser.parse_args()


def _pages(corpora: Path, limit: int) -> Iterable[str]:
    for name in NAMES:
        for record in islice(read_records(corpora / f"{name}.jsonl.xz"), limit):
            yield record["html"].encode("utf-8", "replace").decode()


def _parse(html: bytes) -> object:
    parser = lxml.html.HTMLParser(recover=True, encoding="utf8", huge_tree=True)
    return lxml.html.fromstring(html, parser=parser)


def _milliseconds(task: Task, inputs: list[Any], rounds: int) -> float:
    """CPU milliseconds an input, the best round."""
    return min(_round(task, inputs) for _ in range(rounds)) / len(inputs) * 1000


def _round(task: Task, inputs: list[Any]) -> float:
    start = process_time()
    for one in inputs:
        task(one)
    return process_time() - start


def _stages(pages: list[str], name: str) -> list[tuple[str, Task, list[Any]]]:
    extractor = EXTRACTORS[name]
    trees = [tree_of(page) for page in pages]
    segmented = [extractor.segmenter(read_page(tree)) for tree in trees]
    labelled = [(page, extractor.label(page)) for page in segmented]
    return [
        ("parse (parsel)", tree_of, pages),
        ("segment", lambda tree: extractor.segmenter(read_page(tree)), trees),
        ("features", _features, segmented),
        (f"steps of {name}", extractor.label, segmented),
        ("declared facts", lambda tree: declared_by([tree]), trees),
        ("metadata, of the labelled page", lambda pair: metadata_of(*pair), labelled),
        ("document", partial(_document, extractor), labelled),
        (f"{name}, on a tree", lambda tree: extract(tree, None, extractor), trees),
        (f"{name}, complete", lambda page: extract(page, None, extractor), pages),
        ("container, complete", extract, pages),
    ]


def median_metadata_share(pages: list[str], extractor: Extractor, rounds: int) -> float:
    """Median over pages of the cost of declared facts and metadata, of that of parsing."""
    shares = []
    for html in pages:
        tree = tree_of(html)
        page = extractor.segmenter(read_page(tree))
        labelled = (page, extractor.label(page))
        parse = _milliseconds(_parse, [html.encode()], rounds)
        facts = _milliseconds(lambda one: declared_by([one]), [tree], rounds)
        fields = _milliseconds(lambda one: metadata_of(*one), [labelled], rounds)
        shares.append((facts + fields) / parse)
    return median(shares)


def _features(page: Page) -> object:
    fresh = page.with_blocks(page.blocks)
    return fresh.link_density, fresh.text_density


def _document(extractor: Extractor, labelled: tuple[Page, Labeling]) -> object:
    return build_document(*labelled, extractor=extractor.name, confidence=0.0)


def _peers(pages: list[str]) -> Iterable[tuple[str, Task, list[Any]]]:
    labelled = [LabelledPage(id="", dataset="", html=page, language="en") for page in pages]
    for peer in PEERS:
        if peer.installed:
            yield peer.name, peer.load(), labelled
        else:
            print(f"(left out: {peer.package}; pip install 'scrapy-boilerplate[bench]')")


def _print_row(name: str, milliseconds: float, parse: float) -> None:
    print(f"{name:34} {milliseconds:10.2f} {milliseconds / parse:10.2f}")


if __name__ == "__main__":
    main()
