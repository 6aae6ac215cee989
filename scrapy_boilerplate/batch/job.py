"""The local engine: inputs through a pool into parts, from where the last run ended.

With site knowledge there are two passes. The first writes statistics of every site into a file of
the output folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.http_body import MAX_BYTES
from scrapy_boilerplate.batch.inputs import DIGEST_BYTES, Input
from scrapy_boilerplate.batch.output import OutputFolder, Part
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import Row, RowPool
from scrapy_boilerplate.batch.rows import create_arrow_schema, write_parquet
from scrapy_boilerplate.batch.settings import LEARN, BatchSettings
from scrapy_boilerplate.batch.site_records import (
    parse_record,
    read_notes,
    require_url,
    write_records,
)
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.stores import SqliteStore, StoreRecord
from scrapy_boilerplate.workers.pool import MEGABYTE

# Pages of a part (about 35 MB, our choice).
PART_PAGES = 500
JSONL, PARQUET = "jsonl", "parquet"
# The file of statistics in the output folder.
STATISTICS = "_sites.sqlite"
# Pages between two transactions of the first pass (our choice).
TRANSACTION_PAGES = 500
# Keys of notes in the statistics: the number of pages learned, and that these are all.
LEARNED, FINISHED = b"pages", b"finished"


@dataclass(frozen=True, kw_only=True)
class Job:
    """Settings of one run over the inputs.

    file_format  JSONL or PARQUET
    by_site      whether each site gets a folder
    site         whether sites are learned first, and pages labelled by what is known of theirs
    part_pages   pages of a part
    max_bytes    of a page
    follow_links whether links that lead out of an input folder are followed
    """

    inputs: Sequence[Input]
    settings: BatchSettings
    file_format: str = JSONL
    by_site: bool = False
    site: bool = False
    part_pages: int = PART_PAGES
    max_bytes: int = MAX_BYTES
    follow_links: bool = False

    @property
    def read_options(self) -> ReadOptions:
        """How its inputs are read."""
        return ReadOptions(
            max_bytes=self.max_bytes,
            seconds=self.settings.seconds,
            follow_links=self.follow_links,
        )

    def describe(self) -> dict[str, Any]:
        """Return the settings that determine rows and parts; a run resumes only if they match."""
        return {
            "inputs": [
                [str(source.path.resolve()), source.size, source.digest()] for source in self.inputs
            ],
            "extractor": self.settings.extractor,
            "trained model": _digest_model(self.settings.extractor),
            "favor": self.settings.favor,
            "--rules": self.settings.rules,
            "added fields": self.settings.added,
            "format": self.file_format,
            "partition": self.by_site,
            "site knowledge": self.site,
            "pages a part": self.part_pages,
            "--page-mb": self.max_bytes / MEGABYTE,
            "--follow-links": self.follow_links,
            "--seconds": self.settings.seconds,
            "--memory": self.settings.memory,
            "version": __version__,
        }

    def create_output(self, path: Path) -> OutputFolder:
        """Return the output folder of its rows. Raises MissingExtraError."""
        find_site = Domains("parts by site", "batch") if self.by_site else None
        if self.file_format == JSONL:
            return OutputFolder(path=path, suffix=".jsonl", find_site=find_site)
        schema = create_arrow_schema(self.settings.added.split())
        convert = partial(write_parquet, schema=schema)
        return OutputFolder(path=path, suffix=".parquet", convert=convert, find_site=find_site)

    def read_pages(self) -> Iterator[StoredPage]:
        """Yield all pages of the inputs, in order."""
        return chain.from_iterable(source.read_pages(self.read_options) for source in self.inputs)


def _digest_model(extractor: str) -> str:
    """Return a digest of a trained model; "" for a name, whose model comes with the version."""
    if "/" not in extractor:
        return ""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for file in sorted(path for path in Path(extractor).iterdir() if path.is_file()):
        digest.update(file.name.encode() + b"\0" + blake2b(file.read_bytes()).digest())
    return digest.hexdigest()


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


def run_job(job: Job, folder: Path, pool: RowPool, callbacks: Callbacks | None = None) -> None:
    """Write the rows of all pages to `folder`; parts that an earlier run has written stay.

    Raises OutputError, WorkerStartError, MissingExtraError, OSError (StoreError).
    """
    callbacks = callbacks or Callbacks()
    output = job.create_output(folder)
    with output.lock(job.describe()):
        if job.site:
            learn_sites(job.read_pages, folder / STATISTICS, pool, callbacks.on_learned)
            statistics = str((folder / STATISTICS).resolve())
            pool = replace(pool, settings=replace(pool.settings, statistics=statistics))
        pages = _RemainingPages(job, output, callbacks.on_skip)
        part: Part | None = None
        for row in pool.create_rows(pages):
            callbacks.on_row(row)
            part = part or output.open_part(pages.parts.pop(0))
            part.write(row)
            if part.pages == job.part_pages:
                part.finish()
                part = None
        if part is not None:
            part.finish()
        output.mark_success()


class _RemainingPages:
    """The pages of parts that are not written; `parts` are the numbers of those begun."""

    def __init__(
        self, job: Job, output: OutputFolder, on_skip: Callable[[StoredPage], None]
    ) -> None:
        self._job = job
        self._output = output
        self._on_skip = on_skip
        self.parts: list[int] = []

    def __iter__(self) -> Iterator[StoredPage]:
        pages = self._job.read_pages()
        for number, first in enumerate(pages):  # `first` of the part; the rest follows in `pages`
            part = chain([first], islice(pages, self._job.part_pages - 1))
            if self._output.is_done(number):
                for page in part:
                    self._on_skip(page)
            else:
                self.parts.append(number)
                yield from part


def learn_sites(
    read_pages: Callable[[], Iterator[StoredPage]],
    file: Path,
    pool: RowPool,
    on_learned: Callable[[StoredPage], None],
) -> None:
    """Learn the sites of all pages into `file`; a second call goes on where the first ended.

    Raises WorkerStartError, StoreError (an OSError), MissingExtraError.
    """
    find_site = Domains("site knowledge", "batch")
    store = SqliteStore(file)
    notes = {note.key: note.at for note in read_notes(store)}
    if FINISHED not in notes:
        n_learned = notes.get(LEARNED, 0)
        pages = islice(read_pages(), n_learned, None)
        pool = replace(pool, settings=replace(pool.settings, task=LEARN))
        rows = pool.create_rows(map(require_url, pages))
        records: list[tuple[str, StoreRecord]] = []
        for row in rows:
            on_learned(row.page)
            n_learned += 1
            record = parse_record(row.line)
            if record is not None:
                records.append((find_site(row.page.url), record))
            if n_learned % TRANSACTION_PAGES == 0:
                write_records(store, records, StoreRecord(LEARNED, n_learned, b""))
                records = []
        write_records(store, records, StoreRecord(LEARNED, n_learned, b""))
        write_records(store, (), StoreRecord(FINISHED, n_learned, b""))
    store.close()
