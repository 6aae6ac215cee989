"""``python -m benchmarks.batch``: measure the command `batch`: workers, memory, Spark.

The input is a WARC file, or JSON lines for Spark, of corpora pages in a temporary folder.
Wall-clock times need an idle machine, CPU times do not.

workers   1 and 2 workers in turn, on `--pages` pages; the median round counts
memory    `--warc-pages` pages by 2 workers: resident memory during the run
spark     `--pages` pages by 2 workers and by Spark local[2]

Linux only (/proc). Takes some hours with the defaults; ``--parts workers --pages 50 --rounds 1``
takes two minutes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.corpora import create_parser, read_mixed_records
from benchmarks.markdown import format_table
from scrapy_boilerplate.batch.job import PART_PAGES
from scrapy_boilerplate.batch.output import JOB

PARTS = ("workers", "memory", "spark")

# rows of the table of memory
ROWS = 10
# share of the pages before memory should be flat
WARM = 0.2
# seconds between two samples of the processes
INTERVAL = 0.25

MEGABYTE = 1_000_000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SPARK = {"PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false pyspark-shell"}

Next = Callable[[], Path]


def main() -> None:
    """Measure and print."""
    options = _parse_options()
    with TemporaryDirectory(prefix="batch-") as root:
        small, large = Path(root, "small.warc.gz"), Path(root, "large.warc.gz")
        lines = Path(root, "small.jsonl")
        if set(options.parts) - {"memory"}:
            different = write_warc(small, options.corpora, options.pages)
            size = small.stat().st_size / 1e6
            print(f"{options.pages:,} pages ({different:,} different, {size:.0f} MB packed)\n")
        if "memory" in options.parts:
            write_warc(large, options.corpora, options.warc_pages)
        if "spark" in options.parts:
            write_json_lines(lines, options.corpora, options.pages)
        fresh = name_folders(Path(root))
        measures = {
            "workers": partial(measure_workers, small, fresh, options),
            "memory": partial(measure_memory, large, fresh, options),
            "spark": partial(measure_spark, lines, fresh),
        }
        for name in options.parts:
            print(f"## {name}\n\n{measures[name]()}\n", flush=True)


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__, pages=2_000)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--warc-pages", type=int, default=50_000, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    return parser.parse_args()


def _run(pages: Path, fresh: Next, *more: str) -> tuple[BatchRun, Path]:
    out = fresh()
    command = [sys.executable, "-m", "scrapy_boilerplate.cli", "batch", str(pages), "-o", str(out)]
    return run_command([*command, *more], out), out


def measure_workers(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """Return a table of the speed with one and two workers."""
    runs: dict[int, list[BatchRun]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for number, of_number in runs.items():
            run, out = _run(warc, fresh, "--workers", str(number))
            of_number.append(run)
            shutil.rmtree(out)
    base = median(run.seconds for run in runs[1])
    rows = []
    for number, of_number in runs.items():
        seconds = median(run.seconds for run in of_number)
        milliseconds = 1000 * median(run.cpu for run in of_number) / options.pages
        spread = (
            f"{min(r.seconds for r in of_number):.1f} to {max(r.seconds for r in of_number):.1f}"
        )
        rows.append(
            [
                *(number, f"{seconds:.1f} ({spread})", f"{options.pages / seconds:.1f}"),
                *(f"{base / seconds:.2f}", f"{milliseconds:.1f}"),
                f"{3_600_000 / milliseconds:,.0f}",
            ]
        )
    header = ["workers", "seconds (lowest to highest)", "pages a second", "times one worker"]
    header += ["CPU ms a page", "pages a core-hour"]
    return format_table([header, *rows])


def measure_memory(warc: Path, fresh: Next, options: argparse.Namespace) -> str:
    """Return memory as pages go by, and whether it is flat."""
    run, out = _run(warc, fresh, "--workers", "2")
    ids = read_ids(out)
    complete = len(ids) == len(set(ids)) == options.warc_pages
    shutil.rmtree(out)
    step = max(1, options.warc_pages // ROWS)
    rows = []
    for pages in range(step, options.warc_pages + 1, step):
        near = [sample for sample in run.samples if pages - step <= sample.pages < pages]
        if near:
            top = [max(getattr(sample, n) for sample in near) for n in ("main", "largest", "total")]
            rows.append([f"{pages - step:,} to {pages:,}", *(f"{size:.0f}" for size in top)])
    summary = [
        f"{options.warc_pages:,} pages in {run.seconds:,.0f} s; every page once: {complete}.",
        *(_fit_slope(run, name, options.warc_pages) for name in ("main", "largest")),
    ]
    header = ["pages", "MB at most: command", "largest worker", "all together"]
    return "\n\n".join((format_table([header, *rows]), "\n".join(summary)))


def _fit_slope(run: BatchRun, name: str, pages: int) -> str:
    """Fit a line through the samples after the first pages."""
    samples = [sample for sample in run.samples if sample.pages >= WARM * pages]
    counts = np.array([sample.pages for sample in samples], dtype=float)
    if len(set(counts.tolist())) < 2:
        return f"{name}: too few samples for a slope"
    slope = np.polyfit(counts, [getattr(sample, name) for sample in samples], 1)[0]
    return f"{name}: {10_000 * slope:+.2f} MB for 10,000 pages, after the first {WARM:.0%}"


def measure_spark(lines: Path, fresh: Next) -> str:
    """Return Spark beside the local engine."""
    local_run, local = _run(lines, fresh, "--workers", "2")
    spark_run, out = _run(lines, fresh, "--engine", "spark")
    same = "yes" if read_rows(local) == read_rows(out) else "NO"
    rows = [["engine", "seconds", "CPU s", "MB together, at most", "rows equal"]]
    for engine, run in (("local, 2 workers", local_run), ("Spark local[2]", spark_run)):
        rows.append([engine, f"{run.seconds:.1f}", f"{run.cpu:.1f}", f"{run.peak:,.0f}", same])
    shutil.rmtree(local)
    shutil.rmtree(out)
    return format_table(rows)


def write_json_lines(file: Path, corpora: Path, pages: int) -> None:
    """Write JSON lines of at most `pages` pages."""
    with file.open("w", encoding="utf-8") as out:
        for number, (url, html) in enumerate(_read_html(corpora, pages)):
            page = {"id": str(number), "url": url, "html": html.decode()}
            out.write(json.dumps(page) + "\n")


def write_warc(file: Path, corpora: Path, pages: int) -> int:
    """Write a .warc.gz of so many pages of MIXED; return the number of different pages.

    A page that is repeated has a number after its URL.
    """
    known = list(_read_html(corpora, pages))
    with file.open("wb") as out:
        for number in range(pages):
            url, html = known[number % len(known)]
            turn = number // len(known)
            page_url = f"{url}#{turn}" if turn else url
            out.write(gzip.compress(_build_record(page_url, html, number), compresslevel=1))
    return len(known)


def _read_html(corpora: Path, most: int) -> Iterator[tuple[str, bytes]]:
    for number, record in enumerate(read_mixed_records(corpora, most)):
        url = record.get("url") or f"https://nowhere{number}.example/"
        yield url, record["html"].encode("utf-8", "replace")


def _build_record(url: str, html: bytes, number: int) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    length = len(head) + len(html)
    facts = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    )
    return b"".join((facts.encode("utf-8", "replace"), head, html, b"\r\n\r\n"))


@dataclass(frozen=True)
class Sample:
    """One moment of a run.

    Pages of complete parts; MB of the command's own process, of the largest other process, and of
    all processes.
    """

    pages: int
    main: float
    largest: float
    total: float


@dataclass
class BatchRun:
    """A command that has ended: wall-clock seconds, and CPU seconds of all its processes."""

    seconds: float = 0.0
    cpu: float = 0.0
    samples: list[Sample] = field(default_factory=list)

    @property
    def peak(self) -> float:
        """MB of all processes together, at most."""
        return max((sample.total for sample in self.samples), default=0.0)


def run_command(command: Sequence[str], out: Path) -> BatchRun:
    """Run the command. Raises CalledProcessError if it fails."""
    run, start, cpu = BatchRun(), perf_counter(), _sum_cpu()
    process = subprocess.Popen(command, env={**os.environ, **SPARK})
    while process.poll() is None:
        run.samples.append(_take_sample(process.pid, out))
        sleep(INTERVAL)
    run.seconds, run.cpu = perf_counter() - start, _sum_cpu() - cpu
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return run


def _sum_cpu() -> float:
    """Return the CPU seconds of all processes that have ended, with those that they started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _take_sample(command: int, out: Path) -> Sample:
    sizes = {}
    for pid in _walk_process_tree(command):
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError):  # it has ended meanwhile
            continue
        sizes[pid] = pages * PAGE_BYTES / MEGABYTE
    main = sizes.pop(command, 0.0)
    return Sample(
        PART_PAGES * count_parts(out),
        main,
        max(sizes.values(), default=0.0),
        main + sum(sizes.values()),
    )


def count_parts(out: Path) -> int:
    """Return the number of complete parts."""
    try:
        parts: int = json.loads((out / JOB).read_text("ascii"))["parts"]
    except FileNotFoundError:
        return 0
    return parts


def _walk_process_tree(pid: int) -> Iterator[int]:
    """Yield the process and all its descendants."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text("ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _walk_process_tree(int(child))


def read_rows(out: Path) -> dict[str, dict[str, Any]]:
    """Return id to row, without empty values, which only Spark writes for errors."""
    files = (*out.glob("part-*.jsonl"), *out.glob("part-*.json"))
    rows = (json.loads(line) for file in files for line in file.read_bytes().splitlines())
    return {row["id"]: {name: v for name, v in row.items() if v is not None} for row in rows}


def read_ids(out: Path) -> list[str]:
    """Return the id of every row, by part; memory holds one part at a time."""
    ids: list[str] = []
    for file in sorted(out.glob("part-*.jsonl")):
        ids.extend(json.loads(line)["id"] for line in file.read_bytes().splitlines())
    return ids


def name_folders(root: Path) -> Callable[[], Path]:
    """Return a function that names a new folder at each call."""
    numbers = count()
    return lambda: root / f"out-{next(numbers)}"


if __name__ == "__main__":
    main()
