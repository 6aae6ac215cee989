"""Runs of ``scrapy-boilerplate batch`` under watch: a WARC to read, memory and CPU of each process.

Linux only (/proc).
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from pathlib import Path
from time import perf_counter, sleep

from scrapy_boilerplate.batch.job import PART_PAGES
from scrapy_boilerplate.training.corpora import read_records

NAMES = ("fundus", "wcxb", "article-extraction", "trafilatura")
LOOK = 0.25
"""Seconds between two looks at the processes."""
MEGABYTE = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SPARK = {"PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false pyspark-shell"}


def write_warc(file: Path, corpora: Path, pages: int) -> int:
    """Write a .warc.gz of so many pages, those of NAMES again and again; returns different ones.

    A page has the address of its corpus, with a number where it comes again.
    """
    known = list(_pages(corpora, pages))
    with file.open("wb") as out:
        for number in range(pages):
            url, html = known[number % len(known)]
            turn = number // len(known)
            address = f"{url}#{turn}" if turn else url
            out.write(gzip.compress(_record(address, html, number), compresslevel=1))
    return len(known)


def _pages(corpora: Path, most: int) -> Iterator[tuple[str, bytes]]:
    share = -(-most // len(NAMES))
    files = (corpora / f"{name}.jsonl.xz" for name in NAMES)
    records = chain.from_iterable(islice(read_records(file), share) for file in files)
    for number, record in enumerate(islice(records, most)):
        url = record.get("url") or f"https://nowhere{number}.example/"
        yield url, record["html"].encode("utf-8", "replace")


def _record(url: str, html: bytes, number: int) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    length = len(head) + len(html)
    facts = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    )
    return b"".join((facts.encode("utf-8", "replace"), head, html, b"\r\n\r\n"))


@dataclass(frozen=True)
class Look:
    """What was seen at one moment: pages of parts that are done, MB of the command's own process,
    of its largest other one, and of all together."""

    pages: int
    main: float
    largest: float
    total: float


@dataclass
class Run:
    """A command that has ended. `main_cpu`, `other_cpu`: seconds of CPU time."""

    seconds: float = 0.0
    looks: list[Look] = field(default_factory=list)
    cpu: dict[int, float] = field(default_factory=dict)
    pid: int = 0

    @property
    def main_cpu(self) -> float:
        """Of the command's own process."""
        return self.cpu.get(self.pid, 0.0)

    @property
    def other_cpu(self) -> float:
        """Of all others, as far as they were seen (looks are LOOK apart)."""
        return sum(self.cpu.values()) - self.main_cpu

    @property
    def peak(self) -> float:
        """MB of all processes together, at most."""
        return max((look.total for look in self.looks), default=0.0)


def batch(warc: Path, out: Path, *more: str) -> list[str]:
    """The command."""
    return [sys.executable, "-m", "scrapy_boilerplate", "batch", str(warc), "-o", str(out), *more]


def watched(command: Sequence[str], out: Path, *, kill_after: float | None = None) -> Run:
    """Run the command; with `kill_after` it is killed (SIGKILL) after so many seconds.

    Raises CalledProcessError where it fails by itself.
    """
    run, start = Run(), perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **SPARK})
    run.pid = process.pid
    while process.poll() is None:
        run.looks.append(_look(run, out))
        if kill_after is not None and perf_counter() - start > kill_after:
            process.send_signal(signal.SIGKILL)
        sleep(LOOK if kill_after is None else LOOK / 10)
    run.seconds = perf_counter() - start
    expected = {0} if kill_after is None else {0, -signal.SIGKILL}
    if process.returncode not in expected:
        raise subprocess.CalledProcessError(process.returncode, command)
    return run


def _look(run: Run, out: Path) -> Look:
    sizes = {}
    for pid in _tree(run.pid):
        try:
            stat = (
                Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
            )
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError):  # it has ended meanwhile
            continue
        run.cpu[pid] = (int(stat[11]) + int(stat[12])) / TICKS
        sizes[pid] = pages * PAGE_BYTES / MEGABYTE
    main = sizes.pop(run.pid, 0.0)
    done = PART_PAGES * sum(1 for _ in (out / "_done").glob("part-*"))
    return Look(done, main, max(sizes.values(), default=0.0), main + sum(sizes.values()))


def _tree(pid: int) -> Iterator[int]:
    """The process and all below it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text("ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _tree(int(child))


def lines_in(out: Path) -> list[bytes]:
    """All rows, sorted; parts of Spark too."""
    files = (one for one in out.rglob("part-*") if one.suffix in (".jsonl", ".txt"))
    return sorted(chain.from_iterable(file.read_bytes().splitlines() for file in files))


def ids_in(out: Path) -> list[str]:
    """The id of every row, by part; memory holds one part at a time."""
    found: list[str] = []
    for file in sorted(out.glob("part-*.jsonl")):
        found.extend(json.loads(line)["id"] for line in file.read_bytes().splitlines())
    return found


def folders(root: Path) -> Callable[[], Path]:
    """Names of folders that are not there yet."""
    numbers = count()
    return lambda: root / f"out-{next(numbers)}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
