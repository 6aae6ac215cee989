"""Stores of site knowledge, between crawls and between workers.

A store holds collections of records. Each collection keeps its newest records, up to a number that
the writer passes. Writing a record twice changes nothing, and the order of writes does not matter.
So a write that may have failed can be repeated.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from scrapy_boilerplate.extras import import_optional

# The collection of all articles.
ARTICLES = "articles"
# The address of a store that keeps nothing.
MEMORY = "memory"

# Collection to the keys that the reader has already.
KnownKeys = Mapping[str, Collection[bytes]]
# Collection to the time, in milliseconds since 1970, before which records are of no use.
Since = Mapping[str, int]
ALWAYS: Since = MappingProxyType({})


def name_collection(site: str) -> str:
    """Return the name of the collection of the pages of a site."""
    return f"site:{site}"


class StoreError(OSError):
    """A store cannot be used now; the message names the store and the reason."""


@dataclass(frozen=True)
class StoreRecord:
    """`data` under `key` in a collection, seen `at` milliseconds since 1970."""

    key: bytes
    at: int
    data: bytes


class Store(Protocol):
    """Collections of records. Methods block, and raise StoreError."""

    @property
    def remote(self) -> bool:
        """Whether reads and writes can take long and should run in a thread."""

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use."""

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections; of each collection the newest `sizes` stay."""

    def has_restarted(self) -> bool:
        """Whether the store has started anew since the last call, perhaps empty."""

    def close(self) -> None:
        """Close files and connections."""


def open_store(address: str, default_folder: Path | None = None) -> Store:
    """Return the store at an address: ``memory``, ``redis://host:port/db``, or a file's path.

    A relative path stands in `default_folder`. Raises StoreError for a file that cannot be opened
    and for an address of another kind, MissingExtraError without the package redis.
    """
    if address == MEMORY:
        return MemoryStore()
    if address.startswith(REDIS_SCHEMES):
        return RedisStore(address)
    path = address.removeprefix("sqlite:///")
    if "://" in path or path.startswith("redis"):  # a mistyped address, not a file
        raise StoreError(
            f"{address!r} is no address of a store: write {MEMORY!r}, the path of a file, or "
            "'redis://host:port/db'"
        )
    return SqliteStore((default_folder or Path()) / path)


class MemoryStore:
    """A store that keeps nothing: knowledge lives in memory and ends with the process."""

    remote = False

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:  # noqa: ARG002
        """Return no record."""
        return {collection: [] for collection in known}

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Do nothing."""

    def has_restarted(self) -> bool:
        """Return False: there is nothing to lose."""
        return False

    def close(self) -> None:
        """Do nothing."""


# Seconds to wait for another process that writes.
SQLITE_TIMEOUT = 10.0

_CREATE = """
create table if not exists records (
    shelf text not null, key blob not null, at integer not null, data blob not null,
    primary key (shelf, key)
) without rowid
"""
_UPSERT = """
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
    """One table in the file `path`, created if missing; several processes can share it.

    The column of the collection is called ``shelf``. Used by one thread at a time. Raises
    StoreError if the file cannot be opened.
    """

    remote = False

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._store_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=SQLITE_TIMEOUT, check_same_thread=False
            )
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=normal")
            self._connection.execute(_CREATE)

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use."""
        query = "select key, at, data from records where shelf = ? and at >= ?"
        records = {}
        with self._store_errors():
            for collection, keys in known.items():
                known_keys = set(keys)
                rows = self._connection.execute(query, (collection, since.get(collection, 0)))
                records[collection] = [
                    StoreRecord(*row) for row in rows if row[0] not in known_keys
                ]
        return records

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections, in one transaction; the newest `sizes` stay."""
        rows = ((name, r.key, r.at, r.data) for name, listed in records.items() for r in listed)
        with self._store_errors(), self._connection:
            self._connection.executemany(_UPSERT, rows)
            for name in records:
                self._connection.execute(_TRIM, {"shelf": name, "most": sizes[name]})

    def has_restarted(self) -> bool:
        """Return False: a file does not start anew."""
        return False

    def close(self) -> None:
        """Close the file."""
        with self._store_errors():
            self._connection.close()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"the site store {self._path} cannot be used ({error}): give another file"
            ) from error


REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
REDIS_PREFIX = "boilerplate"
# Seconds after the last write that a collection is kept (our choice: a month).
REDIS_TIME_TO_LIVE = 30 * 24 * 3600
# Seconds to wait for an answer.
REDIS_TIMEOUT = 5.0

_PUT_SCRIPT = """
local pages, times = KEYS[1], KEYS[2]
for i = 3, #ARGV, 3 do
  local known = redis.call('ZSCORE', times, ARGV[i])
  if not known or tonumber(known) < tonumber(ARGV[i + 1]) then
    redis.call('ZADD', times, ARGV[i + 1], ARGV[i])
    redis.call('HSET', pages, ARGV[i], ARGV[i + 2])
  end
end
local over = redis.call('ZCARD', times) - tonumber(ARGV[1])
if over > 0 then
  for _, key in ipairs(redis.call('ZRANGE', times, 0, over - 1)) do
    redis.call('HDEL', pages, key)
  end
  redis.call('ZREMRANGEBYRANK', times, 0, over - 1)
end
redis.call('EXPIRE', pages, ARGV[2])
redis.call('EXPIRE', times, ARGV[2])
"""


class RedisStore:
    """The Redis at `url`, which workers share; connects when first used. Needs the extra [redis].

    A collection is a hash (key to data) and a sorted set (key by time). Both keys have one hash
    tag, so that they lie on one node of a cluster. Raises MissingExtraError, StoreError.
    """

    remote = True

    def __init__(self, url: str, time_to_live: int = REDIS_TIME_TO_LIVE) -> None:
        redis = import_optional("redis", "a site store in Redis", "redis")
        self._errors: type[Exception] = redis.RedisError
        self._time_to_live = time_to_live
        try:
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT
            )
        except ValueError as error:
            raise StoreError(f"{url!r} is no address of a Redis: {error}") from error
        self._put = self._client.register_script(_PUT_SCRIPT)
        self._run_id = ""

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use.

        Two round trips for all.
        """
        records: dict[str, list[StoreRecord]] = {name: [] for name in known}
        with self._store_errors():
            pipeline = self._client.pipeline(transaction=False)
            for name in known:
                _, times = _redis_keys(name)
                pipeline.zrangebyscore(times, since.get(name, 0), "+inf", withscores=True)
            new = {
                name: [(key, int(at)) for key, at in listed if key not in known[name]]
                for name, listed in zip(known, pipeline.execute(), strict=True)
            }
            names = [name for name in known if new[name]]
            if names:
                pipeline = self._client.pipeline(transaction=False)
                for name in names:
                    pipeline.hmget(_redis_keys(name)[0], [key for key, _ in new[name]])
                for name, values in zip(names, pipeline.execute(), strict=True):
                    entries = zip(new[name], values, strict=False)
                    records[name] = [
                        StoreRecord(key, at, data)
                        for (key, at), data in entries
                        if data is not None
                    ]
        return records

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections; the newest `sizes` stay. One round trip for all."""
        with self._store_errors():
            pipeline = self._client.pipeline(transaction=False)
            for name, listed in records.items():
                values = [value for r in listed for value in (r.key, r.at, r.data)]
                arguments = [sizes[name], self._time_to_live, *values]
                self._put(keys=_redis_keys(name), args=arguments, client=pipeline)
            pipeline.execute()

    def has_restarted(self) -> bool:
        """Whether another server process answers than before: a restart, perhaps without data."""
        with self._store_errors():
            run_id = str(self._client.info("server").get("run_id", ""))
        previous, self._run_id = self._run_id, run_id
        return bool(previous) and previous != run_id

    def close(self) -> None:
        """Close the connections."""
        with self._store_errors():
            self._client.close()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except (self._errors, OSError) as error:
            raise StoreError(f"Redis does not answer: {error}") from error


def _redis_keys(collection: str) -> list[str]:
    """Return the keys of the data and of the times of a collection."""
    return [f"{REDIS_PREFIX}:{{{collection}}}:{part}" for part in ("records", "times")]
