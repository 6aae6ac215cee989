"""The local engine: pages of the inputs through a pool of workers into a file or a folder.

With `site` there are two passes. The first writes records of the pages of every site to a file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.inputs import DIGEST_BYTES, Input, digest_files
from scrapy_boilerplate.batch.output import (
    UNFINISHED,
    OutputError,
    OutputFolder,
    find_file_format,
    write_file,
)
from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import Row, RowPool
from scrapy_boilerplate.batch.rows import JSONL
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.workers.pool import MEGABYTE

# Pages of a part (about 35 MB).
PART_PAGES = 500
# The file of site records in the output folder.
STATISTICS = "_sites.sqlite"


@dataclass(frozen=True, kw_only=True)
class Job:
    """Settings of one run over the inputs.

    pool         makes the rows
    reading      how the inputs are read
    file_format  one of rows.WRITERS
    by_site      whether each site gets a folder
    site         whether to use the other pages of a site, which a first pass reads
    unique       whether only the first page of each URL gets a row
    part_pages   pages of a part
    """

    inputs: Sequence[Input]
    pool: RowPool = field(default_factory=RowPool)
    reading: ReadOptions = DEFAULT_OPTIONS
    file_format: str = JSONL
    by_site: bool = False
    site: bool = False
    unique: bool = False
    part_pages: int = PART_PAGES

    def describe(self) -> dict[str, Any]:
        """Return the settings that determine the rows; only a run with equal settings resumes."""
        name = str(self.pool.options.extractor)
        model = sorted(Path(name).iterdir()) if "/" in name else []
        return {
            "inputs": digest_files(file for source in self.inputs for file in source.files),
            "trained model": digest_files(model),
            **self.pool.describe_work(),
            "seconds": self.pool.seconds,
            "memory": self.pool.memory,
            "format": self.file_format,
            "by site": self.by_site,
            "site": self.site,
            "unique": self.unique,
            "part pages": self.part_pages,
            "page MB": self.reading.max_bytes / MEGABYTE,
            "follow links": self.reading.follow_links,
            "version": __version__,
        }

    def read_pages(self) -> Iterator[StoredPage]:
        """Yield the pages of the inputs, in order."""
        # only the worker reads a line, unless the pages are chosen by their URL
        reading = replace(self.reading, keeps_lines=not (self.unique or self.site))
        sources = (source.read_pages(reading) for source in self.inputs)
        pages = chain.from_iterable(sources)
        return keep_unique(pages) if self.unique else pages


def keep_unique(pages: Iterable[StoredPage]) -> Iterator[StoredPage]:
    """Yield pages without a URL, and the first page of each URL that can be read.

    URLs that differ in their scheme, their fragment or the order of their query are the same.
    """
    from w3lib.url import canonicalize_url  # noqa: PLC0415 - imports urllib.request

    seen: set[bytes] = set()
    for page in pages:
        if page.url is not None and page.error is None:
            url = canonicalize_url(page.url).partition("://")[2]
            digest = blake2b(url.encode(), digest_size=DIGEST_BYTES).digest()
            if digest in seen:
                continue
            seen.add(digest)
        yield page


@dataclass
class Summary:
    """Counts of pages: labelled, failed, labelled by an earlier run, without a URL.

    `example` is the first row with an error.
    """

    pages: int = 0
    failed: int = 0
    skipped: int = 0
    without_url: int = 0
    example: Row | None = None

    def count(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Count the rows and yield them."""
        for row in rows:
            self.pages += 1
            self.failed += row.failed
            self.without_url += row.page.url is None
            if row.failed and self.example is None:
                self.example = row
            yield row


# Yields the pages and shows their number under a title, the second argument.
Progress = Callable[[Iterable[StoredPage], str], Iterable[StoredPage]]


def run_job(job: Job, out: Path, progress: Progress = lambda pages, _title: pages) -> Summary:
    """Write the rows of all pages to `out`, a file or a folder.

    A folder is resumed after its last complete part. Raises OutputError, WorkerStartError,
    MissingExtraError, OSError (StoreError).
    """
    if find_file_format(out) is None:
        return _fill_folder(job, out, progress)
    if out.exists():
        raise OutputError(f"{out} exists already: give a new file with -o")
    summary = Summary()
    with TemporaryDirectory() as folder:
        pool = learn_sites(job, Path(folder, STATISTICS), progress) if job.site else job.pool
        rows = pool.create_rows(progress(job.read_pages(), "labelling"))
        write_file(summary.count(rows), out, job.file_format, job.pool.added)
    return summary


def _fill_folder(job: Job, folder: Path, progress: Progress) -> Summary:
    find_site = Domains("parts by site", "batch") if job.by_site else None
    output = OutputFolder(folder, job.describe(), job.file_format, job.pool.added, find_site)
    summary = Summary()
    with output.lock():
        pool = learn_sites(job, folder / STATISTICS, progress) if job.site else job.pool
        pages = iter(progress(job.read_pages(), "labelling"))
        summary.skipped = sum(1 for _ in islice(pages, output.n_parts * job.part_pages))
        rows = summary.count(pool.create_rows(pages))
        while output.write_part(islice(rows, job.part_pages)):
            pass
    return summary


def learn_sites(job: Job, file: Path, progress: Progress) -> RowPool:
    """Write the site records of all pages to `file`, unless it exists; return a pool that uses it.

    Raises WorkerStartError, StoreError (an OSError), MissingExtraError.
    """
    from scrapy_boilerplate.batch.site_records import write_records  # noqa: PLC0415

    if not file.exists():
        find_site = Domains("the option --site", "batch")
        unfinished = file.with_name(file.name + UNFINISHED)
        pages = (page for page in progress(job.read_pages(), "learning sites") if page.url)
        rows = replace(job.pool, learn=True).create_rows(pages)
        write_records(unfinished, ((find_site(row.page.url), row.line) for row in rows))
        unfinished.replace(file)
    return replace(job.pool, statistics=str(file.resolve()))
