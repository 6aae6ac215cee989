"""One exchange with a store: what is written and read, and the queue of records to write.

`synchronise` blocks on the store and uses nothing else, so it can run in a thread while pages are
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from scrapy_boilerplate.site.stores import MONITORS, Store, StoreRecord

# Records that wait for a store that does not answer (our choice: about 50 MB).
MAX_QUEUED = 20_000
# Ids of records that are to be sent again (our choice: a process knows at most 150,000 records).
MAX_RESEND = 200_000
# Records that are sent again in one synchronisation (our choice: about 3 MB).
RESEND_BATCH = 1_000

# Collection and key of a record.
RecordId = tuple[str, bytes]


@dataclass(frozen=True)
class SyncRequest:
    """Records to write to the store, and collections to read from it.

    records    records to write, by collection
    sizes      maximum records of each collection
    resent     ids to remove from the ids that are to be sent again
    known      collection to the keys that are not read
    since      collection to the time of the oldest records to read
    """

    records: Mapping[str, Sequence[StoreRecord]]
    sizes: Mapping[str, int]
    resent: Sequence[RecordId] = ()
    known: Mapping[str, Set[bytes]] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class SyncResult:
    """The new records by collection; `has_restarted` if the store may have lost its data."""

    records: Mapping[str, Sequence[StoreRecord]] = field(default_factory=dict)
    has_restarted: bool = False


def synchronise(store: Store, request: SyncRequest) -> SyncResult:
    """Write, then read. Raises StoreError; then the whole request has to be repeated.

    Monitors are read before: workers write those of a site under one key.
    """
    has_restarted = store.has_restarted()
    known, records = dict(request.known), dict[str, Sequence[StoreRecord]]()
    if MONITORS in known:
        records |= store.read({MONITORS: known.pop(MONITORS)}, request.since)
    if request.records:
        store.write(request.records, request.sizes)
    records |= store.read(known, request.since)
    return SyncResult(records, has_restarted)


class WriteQueue:
    """Queue of records to write to a store.

    Above `max_records` the oldest records are dropped, and only their ids are kept. A dropped
    record is sent again if it is still in memory. `lost` counts the records that are not.
    """

    def __init__(self, max_records: int = MAX_QUEUED) -> None:
        self._max_records = max_records
        self._records: dict[RecordId, StoreRecord] = {}
        # True for records that were never written to a store
        self._resend: dict[RecordId, bool] = {}
        self.lost = 0

    def __len__(self) -> int:
        return len(self._records) + len(self._resend)

    def put(self, collection: str, record: StoreRecord) -> None:
        """Add a record; for each key the newest record is kept."""
        self._records[collection, record.key] = record
        if len(self._records) > self._max_records:
            oldest = next(iter(self._records))
            del self._records[oldest]
            self._add_resend(oldest, unsent=True)

    def resend(self, ids: Iterable[RecordId]) -> None:
        """Add records that the store may have lost."""
        for record_id in ids:
            if record_id not in self._records:
                self._add_resend(record_id, unsent=False)

    def _add_resend(self, record_id: RecordId, *, unsent: bool) -> None:
        self._resend[record_id] = unsent or self._resend.get(record_id, False)
        if len(self._resend) > MAX_RESEND:
            self.lost += self._resend.pop(next(iter(self._resend)))

    def records(self) -> dict[str, list[StoreRecord]]:
        """Return the records, by collection."""
        records: dict[str, list[StoreRecord]] = {}
        for (collection, _), record in self._records.items():
            records.setdefault(collection, []).append(record)
        return records

    def resend_batch(self) -> list[RecordId]:
        """Return the ids of the records that are to be sent again next."""
        return list(islice(self._resend, RESEND_BATCH))

    def acknowledge(self, request: SyncRequest) -> None:
        """Drop the records that were written, unless the queue has a newer one of the same key."""
        sent = set()
        for collection, records in request.records.items():
            for record in records:
                sent.add((collection, record.key))
                if self._records.get((collection, record.key)) is record:
                    del self._records[collection, record.key]
        for record_id in request.resent:
            self.lost += self._resend.pop(record_id, False) and record_id not in sent
