"""``python -m benchmarks.batch``: stored pages past one process: workers, memory, kills, Spark.

A WARC is made of corpora pages in a folder of its own, and goes through the command as users call
it. Wall-clock times mean something on an idle machine alone. CPU times are those that /proc told
last of each process.

workers   1 and 2 workers in turn, on `--pages` pages; the median round counts
memory    `--warc-pages` pages by 2 workers: resident memory as pages go by
kill      `--kills` times: SIGKILL at a random moment, then the same call again: every page once?
spark     `--pages` pages by 2 workers and by Spark local[2], with and without site knowledge
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.batch_runs import (
    Look,
    Run,
    batch,
    folders,
    ids_in,
    lines_in,
    markdown,
    watched,
    write_warc,
)
from benchmarks.speed import CORPORA

PARTS = ("workers", "memory", "kill", "spark")
ROWS = 10
"""Moments at which memory is told."""
WARM = 0.2
"""Share of the pages before memory should be flat."""

Next = Callable[[], Path]


def main() -> None:
    """Measure and print."""
    options = _options()
    with TemporaryDirectory(dir=options.folder, prefix="batch-") as root:
        small, large = Path(root, "small.warc.gz"), Path(root, "large.warc.gz")
        if set(options.parts) - {"memory"}:
            different = write_warc(small, options.corpora, options.pages)
            size = small.stat().st_size / 1e6
            print(f"{options.pages:,} pages ({different:,} different, {size:.0f} MB packed)\n")
        if "memory" in options.parts:
            write_warc(large, options.corpora, options.warc_pages)
        fresh = folders(Path(root))
        todo = {
            "workers": partial(workers, small, fresh, options),
            "memory": partial(memory, large, fresh, options),
            "kill": partial(kills, small, fresh, options),
            "spark": partial(spark, small, fresh, options),
        }
        for name in options.parts:
            print(f"## {name}\n\n{todo[name]()}\n", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--pages", type=int, default=2_000, help="default: %(default)s")
    parser.add_argument("--warc-pages", type=int, default=50_000, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--kills", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--extractor", default="news", help="default: %(default)s")
    parser.add_argument("--folder", type=Path, help="where files are made and removed again")
    return parser.parse_args()


def _run(warc: Path, fresh: Next, options: argparse.Namespace, *more: str) -> tuple[Run, Path]:
    out = fresh()
    return watched(batch(warc, out, "--extractor", options.extractor, *more), out), out


def workers(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """How much faster two are than one."""
    runs: dict[int, list[Run]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for number, listed in runs.items():
            run, out = _run(warc, fresh, options, "--workers", str(number))
            listed.append(run)
            shutil.rmtree(out)
    base = median(run.seconds for run in runs[1])
    rows = []
    for number, listed in runs.items():
        seconds = median(run.seconds for run in listed)
        of_main, of_others = (
            1000 * median(values) / options.pages
            for values in ([r.main_cpu for r in listed], [r.other_cpu for r in listed])
        )
        spread = f"{min(r.seconds for r in listed):.1f} to {max(r.seconds for r in listed):.1f}"
        rows.append(
            [
                *(number, f"{seconds:.1f} ({spread})", f"{options.pages / seconds:.1f}"),
                *(f"{base / seconds:.2f}", f"{of_main:.1f}", f"{of_others:.1f}"),
                f"{3_600_000 / (of_main + of_others):,.0f}",
            ]
        )
    header = ["workers", "seconds (lowest to highest)", "pages a second", "times one worker"]
    header += ["CPU ms a page: command", "workers", "pages a core-hour"]
    return markdown(header, rows)


def memory(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """Whether memory is flat."""
    run, out = _run(warc, fresh, options, "--workers", "2")
    ids = ids_in(out)
    complete = len(ids) == len(set(ids)) == options.warc_pages
    shutil.rmtree(out)
    step = max(1, options.warc_pages // ROWS)
    rows = []
    for pages in range(step, options.warc_pages + 1, step):
        near = [look for look in run.looks if pages - step <= look.pages < pages]
        if near:
            top = [max(getattr(look, n) for look in near) for n in ("main", "largest", "total")]
            rows.append([f"{pages - step:,} to {pages:,}", *(f"{size:.0f}" for size in top)])
    told = [
        f"{options.warc_pages:,} pages in {run.seconds:,.0f} s; every page once: {complete}.",
        *(_slope(run, name, options.warc_pages) for name in ("main", "largest")),
    ]
    header = ["pages", "MB at most: command", "largest worker", "all together"]
    return "\n\n".join((markdown(header, rows), "\n".join(told)))


def _slope(run: Run, name: str, pages: int) -> str:
    """A line through the looks after the first pages."""
    looks: list[Look] = [look for look in run.looks if look.pages >= WARM * pages]
    counts = np.array([look.pages for look in looks], dtype=float)
    if len(set(counts.tolist())) < 2:
        return f"{name}: too few looks for a slope"
    slope = np.polyfit(counts, [getattr(look, name) for look in looks], 1)[0]
    return f"{name}: {10_000 * slope:+.2f} MB for 10,000 pages, after the first {WARM:.0%}"


def kills(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """Killed at a random moment, called again."""
    whole, out = _run(warc, fresh, options, "--part-pages", "50")
    expected = lines_in(out)
    rows = []
    for share in np.random.default_rng(0).uniform(0.05, 0.95, options.kills):
        out = fresh()
        command = batch(warc, out, "--extractor", options.extractor, "--part-pages", "50")
        killed = watched(command, out, kill_after=share * whole.seconds)
        parts = sum(1 for _ in (out / "_done").glob("part-*"))
        watched(command, out)
        torn = sum(1 for _ in out.rglob("*.unfinished"))
        same = lines_in(out) == expected
        rows.append([f"{killed.seconds:.1f}", parts, torn, "yes" if same else "NO"])
        shutil.rmtree(out)
    return markdown(["killed after s", "parts done then", "torn files", "the same rows"], rows)


def spark(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """Spark beside the local engine."""
    rows = []
    for name, site in (("each page by itself", ()), ("site knowledge", ("--site",))):
        here, local = _run(warc, fresh, options, "--workers", "2", *site)
        there, out = _run(warc, fresh, options, "--engine", "spark", *site)
        same = lines_in(local) == lines_in(out)
        for engine, run in (("local, 2 workers", here), ("Spark local[2]", there)):
            cpu = run.main_cpu + run.other_cpu
            rows.append(
                [
                    *(name, engine, f"{run.seconds:.1f}", f"{run.seconds / here.seconds:.2f}"),
                    *(f"{cpu:.1f}", f"{run.peak:,.0f}", "yes" if same else "NO"),
                ]
            )
        shutil.rmtree(local)
        shutil.rmtree(out)
    header = ["", "engine", "seconds", "times local", "CPU s", "MB together, at most"]
    return markdown([*header, "rows equal"], rows)


if __name__ == "__main__":
    main()
