"""``python -m benchmarks.crawl``: pages a minute of a crawl, without the add-on and with it.

Real pages (of the corpora) come from a local server in a process of its own; every page gives one
item. The server has the first processor for itself, the crawl and its workers have all others:
shares mean something on two processors too. The modes take turns, so that another job on the
machine affects them all; a mode's figure is its median round. Other columns are the delay of a
timer of 5 ms on the event loop, and two figures that a busy machine changes less: CPU time between
two ticks of that timer (work of the loop that would delay it on an idle machine), and CPU time a
page without the workers. Prints the table of docs/speed.md. Takes about four minutes;
``--pages 40 --rounds 1`` half of one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain, cycle, islice
from pathlib import Path
from statistics import median
from typing import IO, Any, cast

from benchmarks.corpora import CORPORA, corpus_file
from benchmarks.environment import build_environment
from benchmarks.markdown import format_table
from scrapy_boilerplate.training.corpora import read_records

NAMES = ("fundus", "wcxb", "article-extraction", "trafilatura")
CONCURRENT = 32

OFF = "off"
INLINE = "inline"
WITHOUT_NATIVE = "inline, without native code"
# name to BOILERPLATE_EXECUTOR, and whether native code may run
MODES = {
    OFF: (OFF, True),
    INLINE: (INLINE, True),
    WITHOUT_NATIVE: (INLINE, False),
    "process": ("process", True),
}
# least share of the pages a minute of "off"; most CPU milliseconds a page of the crawl's process
# above "off"
TARGETS = {INLINE: (0.45, 6), WITHOUT_NATIVE: (0.28, 14)}


def main() -> None:
    """Serve, crawl, print a table."""
    options = _parse_options()
    if options.serve:
        serve(options.corpora, options.pages)
        return
    command = [sys.executable, "-m", "benchmarks.crawl", "--serve", "--pages", str(options.pages)]
    command += ["--corpora", str(options.corpora)]
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {first})  # processes inherit it
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        os.sched_setaffinity(0, others or {first})
        try:
            port, different = map(int, cast("IO[str]", server.stdout).readline().split())
            rounds = _crawl_rounds(options, port)
        finally:
            server.terminate()
    print(
        f"\n{options.pages} pages ({different} different), {CONCURRENT} concurrent requests, median"
        f" of {options.rounds} rounds; 1 processor for the server, {len(others)} for the crawl\n"
    )
    print(_format_rounds(rounds))


Rounds = dict[str, list[dict[str, float]]]


def _crawl_rounds(options: argparse.Namespace, port: int) -> Rounds:
    rounds: Rounds = {mode: [] for mode in MODES}
    for number in range(options.rounds):
        for mode in MODES:
            rounds[mode].append(_crawl_once(mode, port, options.pages, options.workers))
            print(f"round {number + 1} {mode}: {rounds[mode][-1]}", flush=True)
    return rounds


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=1_500, help="in all (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="of each mode (%(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="BOILERPLATE_WORKERS")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def serve(corpora: Path, n_pages: int) -> None:
    """Serve pages under ``/0``, ``/1``, ... until terminated, again where the corpora have fewer.

    Prints the port, and how many are different, first.
    """
    # only imported in the server's process, and untyped
    resource, static, web, twisted = (
        cast("Any", import_module(f"twisted.{name}"))
        for name in ("web.resource", "web.static", "web.server", "internet.reactor")
    )
    root = resource.Resource()
    different = list(read_html(corpora, n_pages))
    for number, html in enumerate(islice(cycle(different), n_pages)):
        root.putChild(str(number).encode(), static.Data(html, "text/html; charset=utf-8"))
    port = twisted.listenTCP(0, web.Site(root), interface="127.0.0.1")
    print(port.getHost().port, len(different), flush=True)
    twisted.run()


def read_html(corpora: Path, n_pages: int) -> Iterator[bytes]:
    """Yield up to `n_pages` pages, from each corpus in turn."""
    files = (corpus_file(corpora, name) for name in NAMES)
    share = -(-n_pages // len(NAMES))
    records = chain.from_iterable(islice(read_records(file), share) for file in files)
    for record in islice(records, n_pages):
        yield record["html"].encode("utf-8", "replace")


def _crawl_once(mode: str, port: int, n_pages: int, workers: int) -> dict[str, float]:
    """Run one crawl in a fresh process, and return what `benchmarks.crawl_once` prints."""
    executor, is_native = MODES[mode]
    arguments = [executor, str(port), str(n_pages), str(workers)]
    command = [sys.executable, "-m", "benchmarks.crawl_once", *arguments]
    environment = build_environment(is_native)
    crawl = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(crawl.stdout.splitlines()[-1])
    return figures


def _format_rounds(rounds: Rounds) -> str:
    head = "mode|pages a minute|of off|target|loop late, ms: p50|p95|most|busy p95, ms|"
    rows = [f"{head}CPU of the crawl's process, ms a page|beside off|target".split("|")]
    medians = {
        mode: {name: median(figures[name] for figures in of_mode) for name in of_mode[0]}
        for mode, of_mode in rounds.items()
    }
    off = medians[OFF]
    for mode, row in medians.items():
        share, cpu = TARGETS.get(mode, (None, None))
        rows.append(
            [
                *(mode, f"{row['per_minute']:,.0f}"),
                f"{row['per_minute'] / off['per_minute']:.0%}",
                f">= {share:.0%}" if share else "",
                *(f"{row['p50']:.1f}", f"{row['p95']:.1f}", f"{row['max']:.0f}"),
                *(f"{row['busy_p95']:.1f}", f"{row['cpu']:.1f}"),
                "" if mode == OFF else f"{row['cpu'] - off['cpu']:+.1f}",
                f"<= +{cpu}" if cpu else "",
            ]
        )
    return format_table(rows)


if __name__ == "__main__":
    main()
