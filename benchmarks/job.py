"""``python -m benchmarks.job --against PATH``: whole jobs of two versions, side by side.

PATH is another tree of this package, with its compiled modules, or a virtual environment. Both
versions read the same pages of the corpora: in a batch (JSON lines, WARC, Parquet; one and two
workers), in a crawl with a feed, and by `extract` with four fields, or with `html` and `markdown`
(only their time counts). The runs take turns. Each is a process of its own (`benchmarks.job_once`
or the command `batch`). Figures are CPU milliseconds of all its processes for a page, with the
start of the command in a batch, but not of a crawl; medians of the rounds. A ratio is the median of
the rounds, with the lowest and the highest in brackets; crawls count beside "off", a crawl without
the add-on. Memory is the peak of all processes of the job together (Linux only).

``--busy`` keeps every processor busy; ``--write docs/speed.md`` writes the tables into the page.
Takes half an hour; ``--pages 40 --rounds 1`` three minutes.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import sleep

from benchmarks.corpora import create_parser, read_mixed_records
from benchmarks.local_site import HTML, read_html, serve, start_server
from benchmarks.markdown import format_table

ONCE = Path(__file__).with_name("job_once.py")
ROOT = Path(__file__).parents[1]
# seconds between two samples of memory
INTERVAL = 0.05
MEGABYTE = 1_000_000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# the line of a file above the tables
BELOW = "<!-- below: python -m benchmarks.job --write docs/speed.md -->"

OFF, TRAFILATURA, EXTRACT = "crawl, off", "trafilatura, with metadata", "extract, four fields"
# Job to the largest ratio to 133da78e.
TARGETS = {
    "batch, JSON lines to JSON lines": 0.62,
    "crawl, ArticleItem": 0.55,
    "crawl, dict": 0.75,
    "crawl, text and headline": 0.65,
    EXTRACT: 0.80,
    "html and markdown": 0.50,
    "start of extract()": 0.75,
}


@dataclass(frozen=True)
class Job:
    """A measured command of both versions, or of a peer.

    task     arguments of `benchmarks.job_once`, which prints its milliseconds a page; or of the
             command `batch`, all of whose time counts
    is_peer  whether it does not depend on the version
    """

    name: str
    task: Sequence[str]
    is_batch: bool = False
    is_peer: bool = False


@dataclass
class Figures:
    """CPU milliseconds a page of each round, and the peak of memory in megabytes."""

    milliseconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0


def main() -> None:
    options = _parse_options()
    if options.serve:
        serve([(html, HTML, "") for html in read_html(options.corpora, options.pages)])
        return
    versions = {"this": ROOT}
    if options.against:
        versions["against"] = options.against.resolve()
    with TemporaryDirectory(prefix="job-") as folder, start_server("benchmarks.job") as port:
        n_pages = write_inputs(Path(folder), options)
        jobs = [job for job in list_jobs(Path(folder), port, n_pages) if options.only in job.name]
        with keep_busy() if options.busy else nullcontext():
            figures = measure(jobs, versions, options.rounds, n_pages)
    text = (
        f"{n_pages} pages, median of {options.rounds} rounds, {os.cpu_count()} processors, load "
        f"{os.getloadavg()[2]:.1f}.\n\n{format_figures(jobs, figures)}\n"
    )
    print(text)
    if options.write:
        above = options.write.read_text(encoding="utf-8").partition(BELOW)[0]
        options.write.write_text(f"{above}{BELOW}\n\n{text}", encoding="utf-8")


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__, pages=560)
    parser.add_argument("--against", type=Path, help="a tree or an environment to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--only", default="", help="only jobs with this in their name")
    parser.add_argument("--busy", action="store_true", help="beside a process on each processor")
    parser.add_argument("--write", type=Path, help="a file whose tables are replaced")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def write_inputs(folder: Path, options: argparse.Namespace) -> int:
    pages = []
    for number, record in enumerate(read_mixed_records(options.corpora, options.pages)):
        html = record["html"].encode("utf-8", "replace").decode()
        url = record.get("url") or f"https://nowhere{number}.example/"
        pages.append({"id": str(number), "url": url, "html": html})
    lines = "".join(json.dumps(page) + "\n" for page in pages)
    (folder / "pages.jsonl").write_text(lines, encoding="utf-8")
    with (folder / "pages.warc.gz").open("wb") as out:
        for page in pages:
            response = build_warc_record(page["url"], page["html"].encode(), page["id"])
            out.write(gzip.compress(response, compresslevel=1))
    if find_spec("pyarrow") is not None:
        import pyarrow as arrow  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415

        parquet.write_table(arrow.Table.from_pylist(pages), folder / "pages.parquet")
    return len(pages)


def build_warc_record(url: str, html: bytes, number: str) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    facts = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:0>8}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(head) + len(html)}\r\n\r\n"
    )
    return b"".join((facts.encode("utf-8", "replace"), head, html, b"\r\n\r\n"))


def list_jobs(folder: Path, port: int, n_pages: int) -> Iterator[Job]:
    batches = {
        "JSON lines to JSON lines": ("pages.jsonl", "out.jsonl", "1"),
        "JSON lines to JSON lines, two workers": ("pages.jsonl", "out.jsonl", "2"),
        "WARC to JSON lines": ("pages.warc.gz", "out.jsonl", "1"),
        "Parquet to Parquet": ("pages.parquet", "out.parquet", "1"),
    }
    for name, (source, out, workers) in batches.items():
        if (folder / source).exists():
            task = (str(folder / source), "-o", str(folder / out), "--workers", workers)
            yield Job(f"batch, {name}", task, is_batch=True)
    kinds = {"off": "off", "dict": "dict", "ArticleItem": "ArticleItem"}
    for name, kind in {**kinds, "text and headline": "Story"}.items():
        task = ("crawl", kind, str(port), str(n_pages), str(folder / "feed.jsonl"))
        yield Job(f"crawl, {name}", task)
    lines = str(folder / "pages.jsonl")
    yield Job(EXTRACT, ("extract", lines))
    yield Job("html and markdown", ("markup", lines))
    yield Job("start of extract()", ("start",))
    for name, package in ((TRAFILATURA, "trafilatura"), ("resiliparse", "resiliparse")):
        if find_spec(package) is not None:
            yield Job(name, (package, lines), is_peer=True)


def measure(
    jobs: Sequence[Job], versions: Mapping[str, Path], rounds: int, n_pages: int
) -> dict[tuple[str, str], Figures]:
    """Return the figures of each job and version. The order of the versions alternates."""
    figures: dict[tuple[str, str], Figures] = {}
    for path in versions.values():  # Python compiles its modules
        run_job(Job("start", ("start",)), path, Figures(), n_pages)
    for number in range(rounds):
        for job in jobs:
            for version in sorted(versions, reverse=bool(number % 2)):
                if not job.is_peer or version == "this":
                    of_job = figures.setdefault((job.name, version), Figures())
                    run_job(job, versions[version], of_job, n_pages)
                    last = of_job.milliseconds[-1]
                    print(f"{number + 1} {job.name}, {version}: {last:.2f}", flush=True)
    return figures


def run_job(job: Job, version: Path, figures: Figures, n_pages: int) -> None:
    """Run a job of a version and add its figures. Raises CalledProcessError if it fails."""
    is_tree = (version / "scrapy_boilerplate").is_dir()
    python = sys.executable if is_tree else str(version / "bin" / "python")
    program = [str(ONCE)]
    if job.is_batch:
        program = ["-m", "scrapy_boilerplate.cli", "batch"]
        Path(job.task[2]).unlink(missing_ok=True)
    command = [python, "-P", *program, *job.task]
    # each version keeps its compiled Python
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(version) if is_tree else ""
    start = _sum_cpu()
    errors = subprocess.DEVNULL if job.is_batch else None  # its progress bar
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    while process.poll() is None:
        memory = sum(map(read_memory, walk_processes(process.pid)))
        figures.megabytes = max(figures.megabytes, memory)
        sleep(INTERVAL)
    output, _ = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    cpu = 1000 * (_sum_cpu() - start) / n_pages
    figures.milliseconds.append(cpu if job.is_batch else float(output.split()[-1]))


def _sum_cpu() -> float:
    """Return the CPU seconds of all processes that have ended, with those that they started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def walk_processes(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text("ascii").split()
        except OSError:  # it has ended meanwhile
            continue
        for child in children:
            yield from walk_processes(int(child))


def read_memory(pid: int) -> float:
    """Return the resident megabytes of a process; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES / MEGABYTE
    except (OSError, IndexError):
        return 0.0


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


def format_figures(jobs: Sequence[Job], figures: Mapping[tuple[str, str], Figures]) -> str:
    """Return the table of the jobs, and how often our extraction fits into trafilatura's time."""
    rows = [["job", "ms", "against", "ratio", "target", "MB", "against"]]
    for job in jobs:
        of_job = figures[job.name, "this"]
        row = [job.name, f"{median(of_job.milliseconds):.2f}", *[""] * 3, f"{of_job.megabytes:.0f}"]
        other = figures.get((job.name, "against"))
        if other is not None:
            target = TARGETS.get(job.name)
            row[2] = f"{median(other.milliseconds):.2f}"
            row[3] = format_ratio(job.name, figures)
            row[4] = f"<= {target:.2f}" if target else ""
        rows.append([*row, f"{other.megabytes:.0f}" if other is not None else ""])
    text = format_table(rows)
    if {(TRAFILATURA, "this"), (EXTRACT, "this")} <= figures.keys():
        ours, theirs = (figures[name, "this"].milliseconds for name in (EXTRACT, TRAFILATURA))
        text += (
            f"\n\n`extract` is {median(theirs) / median(ours):.1f} times as fast as trafilatura."
        )
    return text


def format_ratio(name: str, figures: Mapping[tuple[str, str], Figures]) -> str:
    """Return the ratio of two versions: the median round, the lowest and the highest."""

    def list_times(version: str) -> list[float]:
        times = figures[name, version].milliseconds
        off = figures.get((OFF, version))
        if off is None or name == OFF or not name.startswith("crawl"):
            return times
        return [time - base for time, base in zip(times, off.milliseconds, strict=True)]

    pairs = zip(list_times("this"), list_times("against"), strict=True)
    ratios = [this / other for this, other in pairs]
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
