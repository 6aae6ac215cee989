"""Between what a process knows and a store: records go out in batches and come in when asked for.

`prepare` and `take` touch what is known and are quick; `carry_out` blocks on the store and touches
nothing else, so that it can run in a thread while pages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from scrapy_boilerplate.site.stores.records import Record, Store

MAX_WAITING = 20_000
"""Records that wait for a store that does not answer; more push out the oldest (our choice: about
50 MB)."""
MAX_AGAIN = 200_000
"""Names of records that wait to be sent again (our choice: the pages and articles that a process
knows at most are 150,000)."""
PORTION = 1_000
"""Records that are sent again in one exchange (our choice: about 3 MB)."""

Place = tuple[str, bytes]
"""Shelf and key of a record."""


@dataclass(frozen=True)
class Parcel:
    """What goes to the store, what is known already, how much a shelf holds, which places were to
    be sent again, and the time of the oldest records that are of use, by shelf."""

    out: Mapping[str, Sequence[Record]]
    known: Mapping[str, Set[bytes]]
    most: Mapping[str, int]
    again: Sequence[Place] = ()
    since: Mapping[str, int] = field(default_factory=dict)


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
    return Answer(store.read(parcel.known, parcel.since), anew)


class Waiting:
    """Records on their way to a store; beyond `most` the oldest are let go, and only their places
    are kept: who still remembers them sends them again. `lost` are those that nobody does."""

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._records: dict[Place, Record] = {}
        self._again: dict[Place, bool] = {}
        self.lost = 0

    def __len__(self) -> int:
        return len(self._records) + len(self._again)

    def put(self, shelf: str, record: Record) -> None:
        """One more record; of one key the newest stays."""
        self._records[shelf, record.key] = record
        if len(self._records) > self._most:
            oldest = next(iter(self._records))
            del self._records[oldest]
            self._send_again(oldest, needed=True)

    def send_again(self, places: Iterable[Place]) -> None:
        """Let these wait as well: the store may have lost them."""
        for place in places:
            if place not in self._records:
                self._send_again(place, needed=False)

    def records(self) -> dict[str, list[Record]]:
        """The records that wait, by shelf."""
        found: dict[str, list[Record]] = {}
        for (shelf, _), record in self._records.items():
            found.setdefault(shelf, []).append(record)
        return found

    def portion(self) -> list[Place]:
        """Places of records that are to be sent again next."""
        return list(islice(self._again, PORTION))

    def arrived(self, parcel: Parcel) -> None:
        """What went out is in the store and waits no longer, unless a newer one of the key came
        meanwhile."""
        for shelf, listed in parcel.out.items():
            for record in listed:
                if self._records.get((shelf, record.key)) is record:
                    del self._records[shelf, record.key]
        if parcel.again:
            sent = {(shelf, one.key) for shelf, listed in parcel.out.items() for one in listed}
            for place in parcel.again:
                self.lost += self._again.pop(place, False) and place not in sent

    def _send_again(self, place: Place, *, needed: bool) -> None:
        """`needed`: no store has had the record yet."""
        self._again[place] = needed or self._again.get(place, False)
        if len(self._again) > MAX_AGAIN:
            self.lost += self._again.pop(next(iter(self._again)))
