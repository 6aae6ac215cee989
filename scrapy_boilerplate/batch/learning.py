"""The first pass of the local engine: statistics of every site, in a file of the output folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.batch.crew import Crew, Row
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.site_rows import keep, learnable, notes_in, record_in
from scrapy_boilerplate.batch.worker import LEARN
from scrapy_boilerplate.site.domains import Domains
from scrapy_boilerplate.site.stores.records import Record
from scrapy_boilerplate.site.stores.sqlite import SqliteStore

STATISTICS = "_sites.sqlite"
"""The file in the output folder."""
CHUNK = 500
"""Pages between two transactions (our choice)."""
PAGES, FINISHED = b"pages", b"finished"
"""Notes: how many pages have been learnt, and that these are all."""


def learn(
    pages: Callable[[], Iterator[StoredPage]],
    file: Path,
    crew: Crew,
    on_page: Callable[[StoredPage], None],
) -> None:
    """Learn the sites of all `pages` into `file`; called again, it goes on where it ended.

    Raises WorkerError, StoreError (an OSError), MissingExtraError.
    """
    site_of = Domains("site knowledge", "batch")
    store = SqliteStore(file)
    notes = {note.key: note.at for note in notes_in(store)}
    if FINISHED not in notes:
        done = notes.get(PAGES, 0)
        left = islice(pages(), done, None)
        learning = replace(crew, settings=replace(crew.settings, task=LEARN))
        rows = _told(learning.rows(map(learnable, left)), on_page)
        while chunk := list(islice(rows, CHUNK)):
            done += len(chunk)
            found = ((site_of(row.page.url), record_in(row.line)) for row in chunk)
            known = [(site, record) for site, record in found if record is not None]
            keep(store, known, Record(PAGES, done, b""))
        keep(store, (), Record(FINISHED, done, b""))
    store.close()


def _told(rows: Iterator[Row], on_page: Callable[[StoredPage], None]) -> Iterator[Row]:
    for row in rows:
        on_page(row.page)
        yield row
