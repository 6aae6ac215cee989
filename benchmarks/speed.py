"""``python -m benchmarks.speed``: what everything costs, as a multiple of parsing with lxml.

CPU time. In each round every page is parsed, then read by every system in turn, so that all meet
the same state of the machine; a figure is the median over the rounds of (time of the system, all
pages) by (time of lxml's parse, all pages). Peers come with the extra [bench]; one that is not
installed is named and left out. ``--write docs/speed.md`` keeps the tables there.
"""

from __future__ import annotations

import argparse
import gc
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import lxml.html

from benchmarks.peers import PEERS
from benchmarks.speed_process import growth_rows, memory_rows, start_rows
from benchmarks.speed_stages import floor_times, stage_times
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.training.corpora import LabelledPage, read_records

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
NAMES = ("fundus", "wcxb", "article-extraction")
COMPARED = ("trafilatura", "readability-lxml", "boilerpy3", "resiliparse")
TARGETS = {"news, from bytes": 2.5, "news, on a tree": 1.5, "num-words, from bytes": 2.0}
"""Times lxml's parse."""
BELOW = "<!-- below: python -m benchmarks.speed --write docs/speed.md -->"
"""The line of a file under which the tables stand."""
PARSE = "lxml parse alone"
WARM_UP = 5
"""Pages that are read before the clock starts: models, patterns and names of months are loaded."""

Times = dict[str, float]
"""System to seconds."""


def main() -> None:
    """Measure, print, and keep the tables."""
    options = _options()
    logging.disable(logging.CRITICAL)  # what peers have to say about pages
    parts: list[str] = []
    if "pages" in options.parts:
        parts += _of_pages(list(_pages(options.corpora, options.pages)), options)
    for name, rows in (("start", start_rows), ("memory", memory_rows), ("growth", growth_rows)):
        if name in options.parts:
            parts += ["", *rows()]
    print("\n".join(parts))
    if options.write:
        above = options.write.read_text(encoding="utf-8").partition(BELOW)[0]
        tables = "\n".join((BELOW, "", *parts, ""))
        options.write.write_text(above + tables, encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=200, help="of each corpus (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="their median counts (%(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="only this package")
    parser.add_argument("--write", type=Path, help="a file whose tables are replaced")
    choices = ("pages", "start", "memory", "growth")
    parser.add_argument("--parts", nargs="+", choices=choices, default=choices)
    return parser.parse_args()


def _pages(corpora: Path, limit: int) -> Iterator[LabelledPage]:
    """Pages of NAMES; of wcxb those that are articles."""
    for name in NAMES:
        records = read_records(corpora / f"{name}.jsonl.xz")
        articles = (one for one in records if one.get("page_type", "article") == "article")
        for record in islice(articles, limit):
            html = record["html"].encode("utf-8", "replace").decode()
            yield LabelledPage(
                id=record["id"], dataset=name, url=record["url"], html=html, language="en"
            )


def _of_pages(pages: list[LabelledPage], options: argparse.Namespace) -> list[str]:
    systems = _systems()
    peers = {} if options.no_peers else _peers()
    rounds = [_round(pages, systems, peers) for _ in range(options.rounds)]
    ratios = {name: (median(times[name] / times[PARSE] for times in rounds)) for name in rounds[0]}
    milliseconds = median(times[PARSE] for times in rounds) / len(pages) * 1000
    size = sum(len(page.html) for page in pages) / len(pages) / 1000
    return [
        f"{len(pages)} pages of {', '.join(NAMES)}; {size:.0f} KB on average; {options.rounds} "
        f"rounds; lxml's parse takes {milliseconds:.2f} ms a page.",
        *_table("complete", {name: ratios[name] for name in (*systems, *peers)}),
        *_table("where the time of `news` goes", _within(ratios, "stage: ")),
        *_table("what lxml alone charges for", _within(ratios, "lxml: ")),
    ]


def _within(ratios: Times, prefix: str) -> Times:
    return {n.removeprefix(prefix): ratio for n, ratio in ratios.items() if n.startswith(prefix)}


def _table(name: str, ratios: Mapping[str, float]) -> list[str]:
    rows = [
        f"| {row} | {ratio:.2f} | {f'<= {TARGETS[row]}' if row in TARGETS else ''} |"
        for row, ratio in ratios.items()
    ]
    return ["", f"| {name} | x parse | target |", "|---|---|---|", *rows]


def _systems() -> dict[str, tuple[Callable[[Any], object], bool]]:
    """System to what it does with a page, and whether it gets a tree that exists."""
    return {
        PARSE: (_parse, False),
        "news, from bytes": (extract, False),
        "news, on a tree": (extract, True),
        "num-words, from bytes": (partial(extract, extractor="num-words"), False),
        "container, from bytes": (partial(extract, extractor="container"), False),
    }


def _peers() -> dict[str, Callable[[LabelledPage], Any]]:
    found = {}
    for peer in PEERS:
        if peer.package not in COMPARED or peer.name in found:
            continue
        if peer.installed:
            found[peer.name] = peer.load()
        else:
            print(f"(left out: {peer.package}; pip install -e '.[bench]')")
    return found


def _round(
    pages: list[LabelledPage],
    systems: Mapping[str, tuple[Callable[[Any], object], bool]],
    peers: Mapping[str, Callable[[LabelledPage], Any]],
) -> Times:
    """Seconds of every system, and of every stage, over all pages."""
    times: Times = {}
    for number, page in enumerate((*pages[:WARM_UP], *pages)):
        if number == WARM_UP:
            times = {}
            gc.collect()
        html = page.html.encode()
        for name, (task, on_tree) in systems.items():
            timed(times, name, task, tree_of(html) if on_tree else html)
        for name, run in peers.items():
            timed(times, name, run, page)
        stage_times(times, timed, html, page.url)
        floor_times(times, timed, html)
    return times


def timed(times: Times, name: str, task: Callable[..., Any], *inputs: Any) -> Any:
    """What the task gives; the CPU seconds it takes are added to `times`."""
    start = process_time()
    found = task(*inputs)
    times[name] = times.get(name, 0.0) + process_time() - start
    return found


def _parse(html: bytes) -> object:
    parser = lxml.html.HTMLParser(recover=True, encoding="utf8", huge_tree=True)
    return lxml.html.fromstring(html, parser=parser)


if __name__ == "__main__":
    main()
