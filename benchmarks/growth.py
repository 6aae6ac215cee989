"""``python -m benchmarks.growth``: how the time of every extractor grows with the size of a page.

A page of our own is doubled from 0.5 to 8 MB: articles, menus and tables side by side, no two
alike. Parsing is left out (the tree exists), blocks are built. The exponent is the slope of the
times of the last three doublings on logarithmic axes: 1 is linear. Part of ``make bench``; takes
about 20 minutes.
"""

from __future__ import annotations

import argparse
import math
from time import process_time

import numpy as np
from lxml import etree
from tqdm import tqdm

from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.parsing import parse_html

MEGABYTE = 1_000_000
SIZES = (0.5, 1, 2, 4, 8)
# sizes whose times give the exponent: the smaller ones are mostly fixed costs
LAST = 4


def main() -> None:
    """Measure and print a row an extractor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="the best counts (%(default)s)")
    rounds = parser.parse_args().rounds
    trees = [parse_html(build_page(int(size * MEGABYTE))) for size in SIZES]
    rows = []
    for name in tqdm(EXTRACTORS, unit="extractor", leave=False):
        times = [min(time_extract(tree, name) for _ in range(rounds)) for tree in trees]
        rows.append((fit_exponent(times), name, times))
    table = [["seconds of CPU, by MB", *map(str, SIZES), "exponent"]]
    for exponent, name, times in sorted(rows, reverse=True):
        table.append([name, *(f"{time:.2f}" for time in times), f"{exponent:.2f}"])
    print(format_table(table))


def build_page(characters: int) -> str:
    """Return a page of about that size, in which no two paragraphs are alike."""
    parts, length, number = [], 0, 0
    while length < characters:
        part = _build_section(number)
        parts.append(part)
        length, number = length + len(part), number + 1
    return f"<html><title>Growth</title><body>{''.join(parts)}</body></html>"


def _build_section(number: int) -> str:
    words = " ".join(f"word{number + step}" for step in range(40))
    return (
        f"<div class='story story-{number}'><h2>Part {number} of many</h2>"
        f"<p>{words}, and <a href='/{number}'>a link</a> in it. {words}.</p><p>{words}.</p>"
        f"<ul><li><a href='/1'>One way</a></li><li><a href='/2'>Another {number}</a></li></ul>"
        f"<table><tr><td>{number}<br>{words}.<br><br>{words}.</td></tr></table></div>"
    )


def time_extract(tree: etree._Element, name: str) -> float:
    """Return the CPU seconds of one extraction from a tree, its blocks included."""
    start = process_time()
    blocks = extract(tree, None, name).blocks
    taken = process_time() - start
    assert blocks, "a page of words has blocks"  # noqa: S101 - a benchmark of nothing is none
    return taken


def fit_exponent(times: list[float]) -> float:
    """Return the slope of log time over log size (least squares) for the last `LAST` doublings."""
    logs = [math.log2(time) for time in times[-LAST:]]
    return float(np.polyfit(range(LAST), logs, 1)[0])


if __name__ == "__main__":
    main()
