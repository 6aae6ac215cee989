"""``python -m benchmarks.speed`` (part of ``make bench``): the cost in multiples of lxml's parse.

Times are CPU time of all threads. Every system runs in its own process (`benchmarks.speed_once`),
which also parses every page with lxml. A figure is the time of the system on all pages, divided by
the time of the parse of all pages, the median of the rounds. Extractors of this package are
measured with and without native code (``SCRAPY_BOILERPLATE_NATIVE=0``), on an idle machine and with
another busy process per processor. ``--parts sizes`` is a table by corpus and size of the page.
Peers need the extra [bench]; a missing peer is named and left out. If a peer raises an error on a
page, the time until then counts, and a line below the table names the error. Other tables have the
cost of a new process (import, first extract), and peak memory. ``--write docs/speed.md`` writes the
tables into the page. Takes minutes, ``--pages 3 --rounds 1 --parts pages`` one minute.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from benchmarks.corpora import create_parser
from benchmarks.environment import build_environment
from benchmarks.growth import MEGABYTE, build_page
from benchmarks.markdown import describe_errors, format_table
from benchmarks.speed_once import (
    BY_SIZE,
    NAMES,
    NEWS,
    NEWS_ON_TREE,
    NUM_WORDS,
    OURS,
    SHORT_PAGE,
    STAGES,
    WITH_METADATA,
    list_peers,
)

# times lxml's parse: with native code, without it
TARGETS = {
    NEWS: (3.2, 5.5),
    NEWS_ON_TREE: (2.2, 4.5),
    NUM_WORDS: (2.2, 5.0),
    SHORT_PAGE: (0.35, 0.7),
}
# times the cost on an idle machine
BUSY_TARGET = 1.15
# the line of a file above the tables
BELOW = "<!-- below: python -m benchmarks.speed --write docs/speed.md -->"

# The figures of a system that `benchmarks.speed_once` prints.
Figures = dict[str, Any]
# A system, and whether native code may run in it.
Run = tuple[str, bool]


def main() -> None:
    """Measure, print, and keep the tables."""
    options = _parse_options()
    parts: list[str] = []
    if "pages" in options.parts:
        parts += _measure_pages(options)
    if "sizes" in options.parts:
        parts += _measure_sizes(options)
    for name, rows in (("start", measure_start), ("memory", measure_memory)):
        if name in options.parts:
            parts += ["", *rows()]
    print("\n".join(parts))
    if options.write:
        above = options.write.read_text(encoding="utf-8").partition(BELOW)[0]
        tables = "\n".join((BELOW, "", *parts, ""))
        options.write.write_text(above + tables, encoding="utf-8")


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__, pages=60)
    parser.add_argument("--rounds", type=int, default=2, help="their median counts (%(default)s)")
    parser.add_argument("--write", type=Path, help="a file whose tables are replaced")
    choices = ("pages", "sizes", "start", "memory")
    parser.add_argument("--parts", nargs="+", choices=choices, default=choices)
    return parser.parse_args()


def _measure_pages(options: argparse.Namespace) -> list[str]:
    peers = list(list_peers())
    for name in (name for name, installed in peers if not installed):
        print(f"(left out: {name}; pip install -e '.[bench]')")
    runs = [(name, is_native) for name in OURS for is_native in (True, False)]
    runs += [(name, True) for name, installed in peers if installed]
    inputs = ["--pages", str(options.pages), "--corpora", str(options.corpora)]
    idle = _run_systems(runs, [*inputs, "--rounds", str(options.rounds)], "idle")
    with keep_busy():
        busy = _run_systems(runs, [*inputs, "--rounds", "1"], "busy")
    stages = _run_systems([(STAGES, True), (STAGES, False)], [*inputs, "--rounds", "1"], "stages")
    of_news = idle[NEWS, True]
    return [
        f"{of_news['pages']} pages of {', '.join(NAMES)}; {of_news['kilobytes']:.0f} KB on average;"
        f" {options.rounds} rounds; lxml's parse takes {of_news['ms']:.2f} ms a page;"
        f" {os.cpu_count()} processors. {of_news['native'] or 'No native code'}.",
        *_format_systems(idle, busy),
        *_format_stages(*(stages[STAGES, is_native]["stages"] for is_native in (True, False))),
    ]


def _measure_sizes(options: argparse.Namespace) -> list[str]:
    """Return a table by corpus and size class, idle and busy."""
    installed = {name for name, is_there in list_peers() if is_there} | {*OURS, WITH_METADATA}
    runs = [(name, True) for name in BY_SIZE if name in installed]
    inputs = ["--by-size", "--pages", str(options.pages), "--corpora", str(options.corpora)]
    inputs += ["--rounds", str(options.rounds)]
    parts = _format_sizes(_run_systems(runs, inputs, "sizes"), "idle")
    with keep_busy():
        parts += _format_sizes(_run_systems(runs, inputs, "sizes, busy"), "busy")
    return parts


def _format_sizes(figures: Mapping[Run, Figures], state: str) -> list[str]:
    rows = [[f"machine {state}", "pages", "parse, ms", *(name for name, _ in figures)]]
    for group, (pages, parse, _) in figures[NEWS, True]["sizes"].items():
        cells = [of_system["sizes"][group] for of_system in figures.values()]
        rows.append(
            [
                group,
                str(pages),
                f"{parse:.2f}",
                *(f"{own:.2f} ({own / at:.2f})" for _, at, own in cells),
            ]
        )
    about = (
        "CPU ms a page beside lxml's parse, or all ms if lxml does not parse (times that parse)."
    )
    return ["", about, "", format_table(rows), "", _describe_errors(figures)]


def _run_systems(runs: Sequence[Run], arguments: Sequence[str], state: str) -> dict[Run, Figures]:
    bar = tqdm(runs, desc=state, unit="system", leave=False)
    return {(name, is_native): run_once(name, is_native, arguments) for name, is_native in bar}


def run_once(name: str, is_native: bool, arguments: Sequence[str] = ()) -> Figures:
    """Return the figures of `benchmarks.speed_once`, run in its own process."""
    command = [sys.executable, "-m", "benchmarks.speed_once", name, *arguments]
    run = subprocess.run(
        command, env=build_environment(is_native), stdout=subprocess.PIPE, check=True
    )
    figures: Figures = json.loads(run.stdout.splitlines()[-1])
    return figures


@contextmanager
def keep_busy() -> Iterator[None]:
    """Keep every processor busy with another process."""
    loop = [sys.executable, "-c", "while True: sum(range(10_000))"]
    loops = [subprocess.Popen(loop) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()


def _format_systems(idle: Mapping[Run, Figures], busy: Mapping[Run, Figures]) -> list[str]:
    head = "complete|x parse|target|busy machine|busy by idle|p50 of pages|p99|of it lxml's parse"
    rows = [["lxml's parse", "1.00", *[""] * 6]]
    for (name, is_native), figures in idle.items():
        ratio, parse, of_busy = figures["ratio"], figures["parse"], busy[name, is_native]["ratio"]
        target = TARGETS[name][not is_native] if name in TARGETS else None
        rows.append(
            [
                name if is_native else f"{name}, without native code",
                *(f"{ratio:.2f}", f"<= {target}" if target else ""),
                *(f"{of_busy:.2f}", f"{of_busy / ratio:.2f}"),
                *(f"{figures['p50']:.2f}", f"{figures['p99']:.2f}"),
                f"{parse:.0%}" if parse else "",
            ]
        )
    below = f"Target on a busy machine: at most {BUSY_TARGET} of the idle one."
    return ["", format_table([head.split("|"), *rows]), "", f"{below} {_describe_errors(idle)}"]


def _describe_errors(figures: Mapping[Run, Figures]) -> str:
    return describe_errors({name: of_system["errors"] for (name, _), of_system in figures.items()})


def _format_stages(native: Mapping[str, float], pure: Mapping[str, float]) -> list[str]:
    rows = [
        [name, f"{ratio:.2f}", f"{pure[name]:.2f}"]
        for name, ratio in native.items()
        if name != "parse"
    ]
    head = ["where the time of `news` goes, x parse", "with native code", "without it"]
    return ["", format_table([head, *rows])]


# fresh processes whose best counts
RUNS = 3
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
from pathlib import Path
from scrapy_boilerplate import extract
from scrapy_boilerplate.page.parsing import parse_html
def peak():  # not ru_maxrss, which a process inherits from the one that started it
    with open("/proc/self/status") as file:
        return int(file.read().partition("VmHWM:")[2].split()[0]) / 1024
def now():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
html = Path(sys.argv[1]).read_bytes()
extract(html[:{SMALL}])  # loads all models, also the model of py3langid
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
    with TemporaryDirectory() as folder:  # memory that building it takes would be used again
        page = Path(folder, "page.html")
        page.write_text(build_page(BIG * MEGABYTE), encoding="utf-8")
        ((tree, parse, more),) = _run_program(MEMORY, 1, str(page))
        ((_, _, pure),) = _run_program(MEMORY, 1, str(page), is_native=False)
    rows = [
        [f"a page of {BIG} MB, resident memory", "MB", "x tree", "target"],
        ["its tree", f"{tree:.0f}", "1", ""],
        ["peak of the parse", f"{parse:.0f}", f"{parse / tree:.1f}", ""],
        ["peak of `news` beside the tree", f"{more:.0f}", f"{more / tree:.1f}", "<= 2"],
        ["the same without native code", f"{pure:.0f}", f"{pure / tree:.1f}", "<= 2"],
    ]
    return [format_table(rows)]


def _run_program(
    program: str, runs: int, *arguments: str, is_native: bool = True
) -> list[list[float]]:
    """Return the numbers that a program prints, a row a process."""
    command, environment = [sys.executable, "-c", program, *arguments], build_environment(is_native)
    outputs = [
        subprocess.run(command, env=environment, capture_output=True, check=True)
        for _ in range(runs)
    ]
    return [[float(number) for number in run.stdout.split()] for run in outputs]


if __name__ == "__main__":
    main()
