"""The store of a single crawl: nothing is kept beside what the process knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrapy_boilerplate.site.stores.records import ALWAYS, Known, Record, Since


class MemoryStore:
    """Keeps nothing: the knowledge of the process itself is all there is, and ends with it."""

    remote = False

    def read(self, known: Known, since: Since = ALWAYS) -> dict[str, list[Record]]:  # noqa: ARG002
        """Nothing that the reader does not have."""
        return {shelf: [] for shelf in known}

    def write(self, records: Mapping[str, Sequence[Record]], most: Mapping[str, int]) -> None:
        """Nothing to do."""

    def lost_everything(self) -> bool:
        """There is nothing to lose."""
        return False

    def close(self) -> None:
        """Nothing is open."""
