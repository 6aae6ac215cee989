"""An SQLite file: knowledge that outlives the crawl."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.site.stores.records import ALWAYS, Known, Record, Since, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT = 10.0
"""Seconds to wait for another process that writes."""

_TABLE = """
create table if not exists records (
    shelf text not null, key blob not null, at integer not null, data blob not null,
    primary key (shelf, key)
) without rowid
"""
_PUT = """
insert into records values (?, ?, ?, ?)
on conflict (shelf, key) do update set at = excluded.at, data = excluded.data
where excluded.at > at
"""
_TRIM = """
delete from records where shelf = :shelf and key in (
    select key from records where shelf = :shelf order by at desc, key desc limit -1 offset :most
)
"""


class SqliteStore:
    """One table in the file `path`, made where there is none; several processes can share it.

    Used by one thread at a time. Raises StoreError if the file cannot be opened.
    """

    remote = False

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._telling():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False)
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=normal")
            self._connection.execute(_TABLE)

    def read(self, known: Known, since: Since = ALWAYS) -> dict[str, list[Record]]:
        """The records on each shelf that the reader does not have, and can use."""
        with self._telling():
            return {
                shelf: self._new(shelf, set(keys), since.get(shelf, 0))
                for shelf, keys in known.items()
            }

    def _new(self, shelf: str, keys: set[bytes], since: int) -> list[Record]:
        found = self._connection.execute(
            "select key, at, data from records where shelf = ? and at >= ?", (shelf, since)
        )
        return [Record(*row) for row in found if row[0] not in keys]

    def write(self, records: Mapping[str, Sequence[Record]], most: Mapping[str, int]) -> None:
        """Put records on their shelves, in one transaction."""
        rows = ((shelf, r.key, r.at, r.data) for shelf, listed in records.items() for r in listed)
        with self._telling(), self._connection:
            self._connection.executemany(_PUT, rows)
            for shelf in records:
                self._connection.execute(_TRIM, {"shelf": shelf, "most": most[shelf]})

    def lost_everything(self) -> bool:
        """A file does not start anew."""
        return False

    def close(self) -> None:
        """Close the file."""
        with self._telling():
            self._connection.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"the site store {self._path} cannot be used ({error}): give another file"
            ) from error
