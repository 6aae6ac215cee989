"""The local engine: inputs through a pool of workers into parts, resumed where the last run ended.

With site knowledge there are two passes. The first writes records of every site into a file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.http_body import MAX_BYTES
from scrapy_boilerplate.batch.inputs import Input, digest_files
from scrapy_boilerplate.batch.output import (
    JSONL,
    UNFINISHED,
    OutputError,
    OutputFolder,
    Part,
    find_file_format,
    write_file,
)
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import Row, RowPool
from scrapy_boilerplate.batch.settings import BatchSettings
from scrapy_boilerplate.batch.site_records import parse_record, write_records
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.stores import StoreRecord
from scrapy_boilerplate.workers.pool import MEGABYTE

# Pages of a part (about 35 MB).
PART_PAGES = 500
# The file of site records in the output folder.
STATISTICS = "_sites.sqlite"
# Pages whose site records are written at once.
TRANSACTION_PAGES = 500


@dataclass(frozen=True, kw_only=True)
class Job:
    """Settings of one run over the inputs.

    file_format   one of output.FORMATS
    by_site       whether each site gets a folder
    site          whether to learn all sites first, and to label pages with site knowledge
    part_pages    pages of a part
    max_bytes     maximum bytes of a page
    follow_links  whether to follow links that lead out of an input folder
    """

    inputs: Sequence[Input]
    settings: BatchSettings
    file_format: str = JSONL
    by_site: bool = False
    site: bool = False
    part_pages: int = PART_PAGES
    max_bytes: int = MAX_BYTES
    follow_links: bool = False

    def describe(self) -> dict[str, Any]:
        """Return what determines rows and parts; a run resumes only if it is the same."""
        settings = asdict(self.settings)
        del settings["learn"], settings["statistics"]
        name = self.settings.extractor
        model = sorted(Path(name).iterdir()) if "/" in name else []
        return {
            "inputs": digest_files(file for source in self.inputs for file in source.files),
            "trained model": digest_files(model),
            **settings,
            "added": list(self.settings.added),
            "format": self.file_format,
            "by site": self.by_site,
            "site": self.site,
            "part pages": self.part_pages,
            "page MB": self.max_bytes / MEGABYTE,
            "follow links": self.follow_links,
            "version": __version__,
        }

    def create_output(self, path: Path) -> OutputFolder:
        """Return the output folder of its rows. Raises MissingExtraError."""
        return OutputFolder(
            path=path,
            file_format=self.file_format,
            added=self.settings.added,
            find_site=Domains("parts by site", "batch") if self.by_site else None,
        )

    def read_pages(self) -> Iterator[StoredPage]:
        """Yield all pages of the inputs, in order."""
        options = ReadOptions(
            max_bytes=self.max_bytes,
            seconds=self.settings.seconds,
            follow_links=self.follow_links,
        )
        return chain.from_iterable(source.read_pages(options) for source in self.inputs)


@dataclass
class Callbacks:
    """Functions that are called while a job runs.

    on_row      gets each row
    on_skip     gets each page of a part that an earlier run has written
    on_learned  gets each page that the first pass has learned
    """

    on_row: Callable[[Row], None] = lambda _row: None
    on_skip: Callable[[StoredPage], None] = lambda _page: None
    on_learned: Callable[[StoredPage], None] = lambda _page: None


NO_CALLBACKS = Callbacks()


def run_job(job: Job, out: Path, pool: RowPool, callbacks: Callbacks = NO_CALLBACKS) -> None:
    """Write the rows of all pages to `out`, a file or a folder.

    Parts of a folder that an earlier run has written stay. Raises OutputError, WorkerStartError,
    MissingExtraError, OSError (StoreError).
    """
    if find_file_format(out) is None:
        _fill_folder(job, out, pool, callbacks)
        return
    if out.exists():
        raise OutputError(f"{out} exists already: give a new file with -o")
    with TemporaryDirectory() as folder:
        if job.site:
            pool = learn_sites(job.read_pages(), Path(folder, STATISTICS), pool, callbacks)
        rows = _observe(pool.create_rows(job.read_pages()), callbacks)
        write_file(rows, out, job.file_format, job.settings.added)


def _observe(rows: Iterable[Row], callbacks: Callbacks) -> Iterator[Row]:
    for row in rows:
        callbacks.on_row(row)
        yield row


def _fill_folder(job: Job, folder: Path, pool: RowPool, callbacks: Callbacks) -> None:
    output = job.create_output(folder)
    with output.lock(job.describe()):
        if job.site:
            pool = learn_sites(job.read_pages(), folder / STATISTICS, pool, callbacks)
        numbers: deque[int] = deque()
        pages = _read_remaining(job, output, numbers, callbacks)
        part: Part | None = None
        for row in _observe(pool.create_rows(pages), callbacks):
            number = numbers.popleft()
            if part is None or part.number != number:
                if part is not None:
                    part.finish()
                part = Part(output, number)
            part.write(row)
        if part is not None:
            part.finish()
        output.mark_success()


def _read_remaining(
    job: Job, output: OutputFolder, numbers: deque[int], callbacks: Callbacks
) -> Iterator[StoredPage]:
    """Yield the pages of parts that are not done; append the number of the part of each."""
    is_done = False
    for position, page in enumerate(job.read_pages()):
        number, position_in_part = divmod(position, job.part_pages)
        if position_in_part == 0:
            is_done = output.is_done(number)
        if is_done:
            callbacks.on_skip(page)
        else:
            numbers.append(number)
            yield page


def learn_sites(
    pages: Iterable[StoredPage], file: Path, pool: RowPool, callbacks: Callbacks
) -> RowPool:
    """Write the site records of all pages to `file`, unless it exists; return a pool that uses it.

    Raises WorkerStartError, StoreError (an OSError), MissingExtraError.
    """
    if not file.exists():
        find_site = Domains("site knowledge", "batch")
        unfinished = file.with_name(file.name + UNFINISHED)
        learner = replace(pool, settings=replace(pool.settings, learn=True))
        records: list[tuple[str, StoreRecord]] = []
        write_records(unfinished, records)
        for row in learner.create_rows(page for page in pages if page.url):
            callbacks.on_learned(row.page)
            record = parse_record(row.line)
            if record is not None:
                records.append((find_site(row.page.url), record))
            if len(records) == TRANSACTION_PAGES:
                write_records(unfinished, records)
                records = []
        write_records(unfinished, records)
        unfinished.replace(file)
    return replace(pool, settings=replace(pool.settings, statistics=str(file.resolve())))
