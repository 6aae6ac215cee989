"""Where knowledge is kept between crawls, and shared between workers: shelves of records.

Every store holds the same: on a *shelf* (a name) records with a key, the newest ones of a set
number.
Writing a record twice changes nothing, and no order of writes matters; so a write that may have
failed is done again.
"""

from __future__ import annotations

from pathlib import Path

from scrapy_boilerplate.site.stores.memory import MemoryStore
from scrapy_boilerplate.site.stores.records import Record, Store, StoreError
from scrapy_boilerplate.site.stores.redis import SCHEMES, RedisStore
from scrapy_boilerplate.site.stores.sqlite import SqliteStore

__all__ = ["MEMORY", "Record", "Store", "StoreError", "store_at"]

MEMORY = "memory"
"""The address of a store that keeps nothing."""


def store_at(address: str, default_folder: Path | None = None) -> Store:
    """The store at an address: ``memory``, ``redis://host:port/db``, or the path of a file.

    A relative path stands in `default_folder`. Raises StoreError for a file that cannot be opened
    and for an address of another kind, MissingExtraError without the package redis.
    """
    if address == MEMORY:
        return MemoryStore()
    if address.startswith(SCHEMES):
        return RedisStore(address)
    path = address.removeprefix("sqlite:///")
    if "://" in path or path.startswith("redis"):  # mistyped: nobody means such a file
        raise StoreError(
            f"{address!r} is no address of a store: write {MEMORY!r}, the path of a file, or "
            "'redis://host:port/db'"
        )
    return SqliteStore((default_folder or Path()) / path)
