"""``python -m benchmarks.speed`` (part of ``make bench``): the cost in multiples of lxml's parse.

CPU time. In each round every page is parsed, then read by every system in turn, so that all meet
the same state of the machine; a figure is the median over the rounds of (time of the system, all
pages) by (time of lxml's parse, all pages). Peers come with the extra [bench]; one that is not
installed is named and left out. Then what a fresh process costs (import, first extract), peak
memory, and growth with the size of a page. ``--write docs/speed.md`` keeps the tables there. Takes
about ten minutes; ``--pages 5 --rounds 1 --parts pages`` a few seconds.
"""

from __future__ import annotations

import argparse
import gc
import logging
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from lxml import etree
from tqdm import tqdm

from benchmarks.contest import parse_with_lxml
from benchmarks.corpora import CORPORA, read_articles
from benchmarks.growth import MEGABYTE, build_page
from benchmarks.markdown import format_table
from benchmarks.peers import PEERS
from scrapy_boilerplate.document import build_document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS, find_model_folder
from scrapy_boilerplate.metadata.fields import find_metadata
from scrapy_boilerplate.news.features.block_columns import BlockColumns
from scrapy_boilerplate.news.features.table import compute_features
from scrapy_boilerplate.news.model import NewsModel, NewsParts, read_parts, score_labels
from scrapy_boilerplate.page.declared import read_declared
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import load_shipped
from scrapy_boilerplate.training.corpora import LabelledPage

NAMES = ("fundus", "wcxb", "article-extraction")
COMPARED = ("trafilatura", "readability-lxml", "boilerpy3", "resiliparse")

# times lxml's parse
TARGETS = {"news, from bytes": 2.5, "news, on a tree": 1.5, "num-words, from bytes": 2.0}

# the line of a file under which the tables stand
BELOW = "<!-- below: python -m benchmarks.speed --write docs/speed.md -->"
PARSE = "lxml parse alone"

# pages that are read before the clock starts: models, patterns and names of months are loaded
WARM_UP = 5

Times = dict[str, float]
"""System to seconds."""


def main() -> None:
    """Measure, print, and keep the tables."""
    options = _parse_options()
    logging.disable(logging.CRITICAL)  # what peers log about pages
    parts: list[str] = []
    if "pages" in options.parts:
        parts += _measure_pages(list(_read_articles(options.corpora, options.pages)), options)
    for name, rows in (
        ("start", measure_start),
        ("memory", measure_memory),
        ("growth", measure_growth),
    ):
        if name in options.parts:
            parts += ["", *rows()]
    print("\n".join(parts))
    if options.write:
        above = options.write.read_text(encoding="utf-8").partition(BELOW)[0]
        tables = "\n".join((BELOW, "", *parts, ""))
        options.write.write_text(above + tables, encoding="utf-8")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=200, help="of each corpus (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="their median counts (%(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="only this package")
    parser.add_argument("--write", type=Path, help="a file whose tables are replaced")
    choices = ("pages", "start", "memory", "growth")
    parser.add_argument("--parts", nargs="+", choices=choices, default=choices)
    return parser.parse_args()


def _read_articles(corpora: Path, limit: int) -> Iterator[LabelledPage]:
    for name in NAMES:
        for page in read_articles(corpora, name, limit):
            yield replace(page, html=page.html.encode("utf-8", "replace").decode())


def _measure_pages(pages: list[LabelledPage], options: argparse.Namespace) -> list[str]:
    systems = _build_systems()
    peers = {} if options.no_peers else _load_peers()
    bar = tqdm(range(options.rounds), unit="round", leave=False)
    rounds = [_time_round(pages, systems, peers) for _ in bar]
    ratios = {name: (median(times[name] / times[PARSE] for times in rounds)) for name in rounds[0]}
    milliseconds = median(times[PARSE] for times in rounds) / len(pages) * 1000
    size = sum(len(page.html) for page in pages) / len(pages) / 1000
    return [
        f"{len(pages)} pages of {', '.join(NAMES)}; {size:.0f} KB on average; {options.rounds} "
        f"rounds; lxml's parse takes {milliseconds:.2f} ms a page.",
        *_format_ratios("complete", {name: ratios[name] for name in (*systems, *peers)}),
        *_format_ratios("where the time of `news` goes", _strip(ratios, "stage: ")),
        *_format_ratios("what lxml alone charges for", _strip(ratios, "lxml: ")),
    ]


def _strip(ratios: Times, prefix: str) -> Times:
    return {n.removeprefix(prefix): ratio for n, ratio in ratios.items() if n.startswith(prefix)}


def _format_ratios(name: str, ratios: Mapping[str, float]) -> list[str]:
    rows = [
        [row, f"{ratio:.2f}", f"<= {TARGETS[row]}" if row in TARGETS else ""]
        for row, ratio in ratios.items()
    ]
    return ["", format_table([[name, "x parse", "target"], *rows])]


def _build_systems() -> dict[str, tuple[Callable[[Any], object], bool]]:
    """Return system -> its work on a page, and whether it gets a tree that exists."""
    return {
        PARSE: (parse_with_lxml, False),
        "news, from bytes": (extract, False),
        "news, on a tree": (extract, True),
        "num-words, from bytes": (partial(extract, extractor="num-words"), False),
        "container, from bytes": (partial(extract, extractor="container"), False),
    }


def _load_peers() -> dict[str, Callable[[LabelledPage], Any]]:
    loaded = {}
    for peer in PEERS:
        if peer.package not in COMPARED or peer.name in loaded:
            continue
        if peer.installed:
            loaded[peer.name] = peer.load()
        else:
            print(f"(left out: {peer.package}; pip install -e '.[bench]')")
    return loaded


def _time_round(
    pages: list[LabelledPage],
    systems: Mapping[str, tuple[Callable[[Any], object], bool]],
    peers: Mapping[str, Callable[[LabelledPage], Any]],
) -> Times:
    """Return the seconds of every system, and of every stage, over all pages."""
    times: Times = {}
    for number, page in enumerate((*pages[:WARM_UP], *pages)):
        if number == WARM_UP:
            times = {}
            gc.collect()
        html = page.html.encode()
        for name, (task, on_tree) in systems.items():
            time_call(times, name, task, parse_html(html) if on_tree else html)
        for name, run in peers.items():
            time_call(times, name, run, page)
        time_stages(times, html, page.url)
        for name, task in FLOOR.items():
            time_call(times, f"lxml: {name}", task, parse_html(html))
    return times


def time_call(times: Times, name: str, task: Callable[..., Any], *inputs: Any) -> Any:
    """Return the result of a task; its CPU seconds are added to `times`."""
    start = process_time()
    result = task(*inputs)
    times[name] = times.get(name, 0.0) + process_time() - start
    return result


# fresh processes whose best counts
RUNS = 3

# megabytes of the pages that growth is measured on
SIZES = (0.01, 0.1, 1, 5, 20)

# megabytes of the page whose peak memory is measured, and characters of the page before it
BIG = 10
SMALL = 20_000

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
from benchmarks.growth import build_page
from scrapy_boilerplate import extract
from scrapy_boilerplate.page.parsing import parse_html
def peak():  # not ru_maxrss, which a process inherits from the one that started it
    with open("/proc/self/status") as file:
        return int(file.read().partition("VmHWM:")[2].split()[0]) / 1024
def now():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
extract(build_page({SMALL}))  # models are loaded, that of py3langid too
html = build_page({BIG} * 1_000_000).encode()
before = now()
tree = parse_html(html)
parsed, of_parse = now(), peak()
document = extract(tree)
print(parsed - before, of_parse - before, peak() - parsed)
"""


def measure_start() -> list[str]:
    """Return import and first extract, CPU seconds, the best of some processes."""
    runs = _run_program(START, RUNS)
    package, face, first = (f"{min(times):.3f}" for times in zip(*runs, strict=True))
    rows = [
        ["start of a process, CPU seconds", "", "target"],
        ["`import scrapy_boilerplate`", package, "<= 0.15"],
        ["`from scrapy_boilerplate import extract`", face, ""],
        ["first `extract()` after that", first, "<= 0.3"],
    ]
    return [format_table(rows)]


def measure_memory() -> list[str]:
    """Return the peak memory of an extraction over the tree it is given."""
    ((tree, parse, more),) = _run_program(MEMORY, 1)
    rows = [
        [f"a page of {BIG} MB, resident memory", "MB", "x tree", "target"],
        ["its tree", f"{tree:.0f}", "1", ""],
        ["peak of the parse", f"{parse:.0f}", f"{parse / tree:.1f}", ""],
        ["peak of `news` beside the tree", f"{more:.0f}", f"{more / tree:.1f}", "<= 3"],
    ]
    return [format_table(rows)]


def _run_program(program: str, runs: int) -> list[list[float]]:
    """Return the numbers that a program prints, a row a process."""
    command = [sys.executable, "-c", program]
    outputs = [subprocess.run(command, capture_output=True, check=True) for _ in range(runs)]
    return [[float(number) for number in run.stdout.split()] for run in outputs]


def measure_growth() -> list[str]:
    """Return CPU seconds of `news` on trees of growing pages, and the slope on log axes."""
    extract(PAGE)  # models and patterns are loaded
    times = [_time_extract(parse_html(build_page(int(size * MEGABYTE)))) for size in SIZES]
    by_size = zip(SIZES, times, strict=True)
    slope = np.polyfit(np.log(SIZES), np.log(times), 1)[0]
    last = math.log(times[-1] / times[-2]) / math.log(SIZES[-1] / SIZES[-2])
    rows = [
        ["growth of `news` on a tree, CPU seconds", "", "target"],
        *([f"{size} MB", f"{seconds:.3f}", ""] for size, seconds in by_size),
        ["exponent, all sizes", f"{slope:.2f}", "<= 1.05"],
        ["exponent, the last two", f"{last:.2f}", ""],
    ]
    return [format_table(rows)]


def _time_extract(tree: etree._Element) -> float:
    start = process_time()
    extract(tree)
    return process_time() - start


@cache
def load_parts() -> NewsParts:
    """Return the shipped model of `news`."""
    return read_parts(load_shipped(find_model_folder("news")))


def time_stages(times: Times, html: bytes, url: str | None) -> None:
    """Add the seconds of each stage of `news` for one page."""
    news = EXTRACTORS["news"]
    tree = time_call(times, "stage: tree (decode, parsel)", parse_html, html)
    time_call(times, "stage: of reading, declared facts", read_declared, [tree])
    page = time_call(times, "stage: reading, declared facts included", read_tree, tree, url)
    page = time_call(times, "stage: blocks", news.segmenter, page)
    time_call(times, "stage: texts of blocks", attrgetter("texts"), page)
    time_call(times, "stage: words", attrgetter("words", "link_density"), page)
    labeling = Labeling.blank(len(page))
    if len(page):
        rows = time_call(
            times,
            "stage: features",
            lambda: compute_features(BlockColumns(page), load_parts().words),
        )
        scores = time_call(times, "stage: net", _score_rows, rows)
        labeling = labeling.predict(np.zeros(len(page), dtype=np.int64), scores, "net")
        labeling = time_call(times, "stage: steps that decide", _run_steps, news, page, labeling)
    time_call(times, "stage: of the document, metadata", find_metadata, page, labeling)
    time_call(times, "stage: document, metadata included", _build_document, page, labeling)


def _score_rows(rows: FloatArray) -> FloatArray:
    parts = load_parts()
    return score_labels(parts.net(rows).astype(np.float64), parts.favors["balanced"])


def _run_steps(news: Extractor, page: Page, labeling: Labeling) -> Labeling:
    for step in news.steps:
        if not isinstance(step, NewsModel):
            labeling = step(page, labeling)
    return labeling


def _build_document(page: Page, labeling: Labeling) -> object:
    return build_document(page, labeling, extractor="news", confidence=0.0)


def _visit_nodes(tree: etree._Element) -> None:
    for _ in tree.iter():
        pass


def _read_texts(tree: etree._Element) -> None:
    for node in tree.iter():
        _ = node.tag, node.text, node.tail


def _walk_tree(tree: etree._Element) -> None:
    for _, node in etree.iterwalk(tree, events=("start", "end")):
        _ = node.tag, node.text, node.tail


def _read_names(tree: etree._Element) -> None:
    for node in tree.iter("*"):
        _ = node.get("class"), node.get("id"), node.get("role")


# the least that any reader in Python asks of lxml for a page
FLOOR: dict[str, Callable[[etree._Element], None]] = {
    "visiting every node (iter)": _visit_nodes,
    "that, and tag, text, tail": _read_texts,
    "start and end of every element (iterwalk), tag, text, tail": _walk_tree,
    "visiting every element, and class, id, role": _read_names,
}


if __name__ == "__main__":
    main()
