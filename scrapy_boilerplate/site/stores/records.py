"""What stores hold, and what they can do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

Known = Mapping[str, Collection[bytes]]
"""Shelf to the keys that the reader has already."""
Since = Mapping[str, int]
"""Shelf to the time, in milliseconds since 1970, before which records are of no use."""
ALWAYS: Since = MappingProxyType({})
"""All records are of use."""


ARTICLES = "articles"
"""The shelf of all articles."""


def shelf_of(site: str) -> str:
    """The shelf of the pages of a site, in every store."""
    return f"site:{site}"


class StoreError(OSError):
    """A store that cannot be used now; the message says which and why."""


@dataclass(frozen=True)
class Record:
    """`data` under `key` on a shelf, seen `at` milliseconds since 1970."""

    key: bytes
    at: int
    data: bytes


class Store(Protocol):
    """Shelves of records. Methods block, and raise StoreError."""

    @property
    def remote(self) -> bool:
        """Whether reading and writing can take long: then it belongs into a thread."""

    def read(self, known: Known, since: Since = ALWAYS) -> dict[str, list[Record]]:
        """The records on each of these shelves that the reader does not have, and can use."""

    def write(self, records: Mapping[str, Sequence[Record]], most: Mapping[str, int]) -> None:
        """Put records on their shelves; of each shelf the newest `most` stay."""

    def lost_everything(self) -> bool:
        """Whether the store has started anew since the last call, perhaps empty."""

    def close(self) -> None:
        """Let go of files and connections."""
