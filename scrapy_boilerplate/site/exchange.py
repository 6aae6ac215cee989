"""Between what a process knows and a store: records go out in batches and come in when asked for.

`prepare` and `take` touch what is known and are quick; `carry_out` blocks on the store and touches
nothing else, so that it can run in a thread while pages are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrapy_boilerplate.site.stores.records import Record, Store

MAX_WAITING = 20_000
"""Records that wait for a store that does not answer; more push out the oldest (our choice: about
50 MB)."""


@dataclass(frozen=True)
class Parcel:
    """What goes to the store, what is known already, and how much a shelf holds."""

    out: Mapping[str, Sequence[Record]]
    known: Mapping[str, frozenset[bytes]]
    most: Mapping[str, int]


@dataclass(frozen=True)
class Answer:
    """What came back; `started_anew` if the store may have lost what it had."""

    records: Mapping[str, Sequence[Record]] = field(default_factory=dict)
    started_anew: bool = False


def carry_out(store: Store, parcel: Parcel) -> Answer:
    """Write, then read. Raises StoreError; then nothing is certain, and all is to be done again."""
    anew = store.lost_everything()
    if parcel.out:
        store.write(parcel.out, parcel.most)
    return Answer(store.read(parcel.known), anew)


class Waiting:
    """Records on their way to a store, by shelf; the oldest are lost beyond MAX_WAITING."""

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._records: dict[tuple[str, bytes], Record] = {}
        self.lost = 0

    def __len__(self) -> int:
        return len(self._records)

    def put(self, shelf: str, record: Record) -> None:
        """One more record; of one key the newest stays."""
        self._records[shelf, record.key] = record
        if len(self._records) > self._most:
            del self._records[next(iter(self._records))]
            self.lost += 1

    def all(self) -> dict[str, list[Record]]:
        """Everything that waits, by shelf."""
        found: dict[str, list[Record]] = {}
        for (shelf, _), record in self._records.items():
            found.setdefault(shelf, []).append(record)
        return found

    def arrived(self, records: Mapping[str, Sequence[Record]]) -> None:
        """These are in the store and wait no longer, unless a newer one of the key came
        meanwhile."""
        for shelf, listed in records.items():
            for record in listed:
                if self._records.get((shelf, record.key)) is record:
                    del self._records[shelf, record.key]
