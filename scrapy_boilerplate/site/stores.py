"""Stores of records: an SQLite file, or a Redis that several workers share.

A store keeps collections of records, each up to a size; the newest records stay. Stores are
trusted: an entry that cannot be decoded is ignored and counted by the reader. A record is JSON with
a version, not msgpack, because no other part of the package needs msgpack.
"""

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from scrapy_boilerplate import import_optional

VERSION = 4
MAX_TIME = (1 << 48) - 1  # milliseconds since 1970


class RecordError(ValueError):
    """The bytes are not a record of this version."""


class Record:
    """A kind of record.

    COLLECTION   name of its collections
    MAX_RECORDS  records of a collection that a store keeps, the newest
    """

    COLLECTION: ClassVar[str]
    MAX_RECORDS: ClassVar[int]

    def to_values(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the record. Raises ValueError, TypeError, KeyError or OverflowError."""
        raise NotImplementedError

    def encode(self, at: int) -> bytes:
        """Return the bytes of the record, seen `at` milliseconds since 1970."""
        values = {**self.to_values(), "version": VERSION, "at": at}
        return json.dumps(values, separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: Any) -> tuple[int, Self]:
        """Return when a record was seen, and the record. Raises RecordError."""
        try:
            values = json.loads(data)
            at = values["at"]
            if values["version"] != VERSION or not is_whole(at, MAX_TIME):
                raise RecordError("unknown version or invalid time")
            return at, cls.from_values(values)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise RecordError(f"invalid record: {error!r}") from error


def is_whole(value: Any, most: float) -> bool:
    """Return whether a value is an integer from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def check_values(*are_valid: bool) -> None:
    """Raise ValueError unless all values are valid."""
    if not all(are_valid):
        raise ValueError("a value is out of range")


MEMORY = "memory"
SQLITE_SCHEME = "sqlite:///"
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")

SQLITE_TIMEOUT = 10.0  # seconds, for the lock of another process
REDIS_PREFIX = "boilerplate"
REDIS_TIME_TO_LIVE = 30 * 24 * 3600  # seconds after the last write to a collection
REDIS_TIMEOUT = 5.0  # seconds, for one answer
REDIS_RETRIES = 1
REDIS_BACKOFF = 0.1  # seconds before the first retry


class StoreError(OSError):
    """A store cannot be used now; the message names the store and the reason."""


@dataclass(frozen=True)
class StoreRecord:
    """`data` under `key` in a collection, seen `at` milliseconds since 1970."""

    key: bytes
    at: int
    data: bytes


@dataclass(frozen=True)
class Collection:
    """The newest `size` records of a class: of one site, or of all sites if `site` is ""."""

    kind: type[Record]
    site: str = ""
    size: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self.size or self.kind.MAX_RECORDS)

    @property
    def name(self) -> str:
        return f"{self.kind.COLLECTION}:{self.site}" if self.site else self.kind.COLLECTION


class Store(Protocol):
    """Collections of records. Methods block, can be called from any thread, and raise StoreError.

    `is_local` is True if reads take a few milliseconds at most.
    """

    @property
    def is_local(self) -> bool: ...

    def put(self, collection: Collection, records: Sequence[StoreRecord]) -> None:
        """Write records; they replace records of the same keys."""

    def newest(self, collection: Collection, since: int = 0) -> list[bytes]:
        """Return the keys of the records from a time on, the newest first."""

    def get(self, collection: Collection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the data of the keys that the store has."""

    def close(self) -> None:
        """Close files and connections."""


def open_store(location: str, default_folder: Path | None = None) -> Store | None:
    """Return the store at a location: the path of a file, or ``redis://host:port/db``.

    Return None for ``memory``. Relative paths start in `default_folder`. Raises StoreError for a
    file that cannot be opened and for other locations, MissingExtraError without the package redis.
    """
    if location == MEMORY:
        return None
    if location.startswith(REDIS_SCHEMES):
        return RedisStore(location)
    if not is_store_location(location):
        raise StoreError(
            f"{location!r} is no store: write {MEMORY!r}, the path of a file, or "
            "'redis://host:port/db'"
        )
    return SqliteStore((default_folder or Path()) / location.removeprefix(SQLITE_SCHEME))


def is_store_location(location: str) -> bool:
    """Return whether `open_store` accepts locations of this kind."""
    path = location.removeprefix(SQLITE_SCHEME)
    return location.startswith(REDIS_SCHEMES) or not ("://" in path or path.startswith("redis"))


def now() -> int:
    """Return the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


_CREATE = """
create table if not exists site_records (
    collection text, key blob, at integer, data blob, primary key (collection, key)
) without rowid;
create index if not exists site_record_times on site_records (collection, at);
"""
_PUT = "insert or replace into site_records values (?, ?, ?, ?)"
_TRIM = """
delete from site_records where collection = :collection and at < (
    select at from site_records where collection = :collection order by at desc
    limit 1 offset :size - 1
)
"""
_NEWEST = """
select key from site_records where collection = ? and at >= ? order by at desc limit ?
"""
_GET = "select data from site_records where collection = ? and key = ?"


class SqliteStore:
    """One table in the file `path`, created if missing; several processes can share it.

    One connection reads and one writes, so that a read never waits for a write. Raises StoreError
    if the file cannot be opened.
    """

    is_local = True

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._store_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._reader, self._writer = (
                sqlite3.connect(path, timeout=SQLITE_TIMEOUT, check_same_thread=False)
                for _ in range(2)
            )
            self._writer.execute("pragma journal_mode=wal")
            self._writer.execute("pragma synchronous=normal")
            self._writer.executescript(_CREATE)

    def put(self, collection: Collection, records: Sequence[StoreRecord]) -> None:
        rows = ((collection.name, record.key, record.at, record.data) for record in records)
        with self._store_errors(), self._writer:
            self._writer.executemany(_PUT, rows)
            self._writer.execute(_TRIM, {"collection": collection.name, "size": collection.size})

    def newest(self, collection: Collection, since: int = 0) -> list[bytes]:
        with self._store_errors():
            rows = self._reader.execute(_NEWEST, (collection.name, since, collection.size))
            return [key for (key,) in rows]

    def get(self, collection: Collection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        with self._store_errors():
            rows = ((k, self._reader.execute(_GET, (collection.name, k)).fetchone()) for k in keys)
            return {key: row[0] for key, row in rows if row is not None}

    def close(self) -> None:
        with self._store_errors():
            self._reader.close()
            self._writer.close()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        # a damaged schema can raise UnicodeDecodeError
        except (sqlite3.Error, OSError, ValueError) as error:
            raise StoreError(
                f"the site store {self._path} cannot be used ({error}): give another file"
            ) from error


class RedisStore:
    """The Redis at `url`, which connects on first use. Needs the extra [redis].

    A collection is a hash (key to data) and a sorted set (key by time), on one node of a cluster.
    Raises MissingExtraError, and StoreError for a wrong URL.
    """

    is_local = False

    def __init__(self, url: str, time_to_live: int = REDIS_TIME_TO_LIVE) -> None:
        redis = import_optional("redis", "a site store in Redis", "redis")
        backoff = import_optional("redis.backoff", "a site store in Redis", "redis")
        self._errors: type[Exception] = redis.RedisError
        self._time_to_live = time_to_live
        try:
            self._client: Any = redis.Redis.from_url(
                url,
                socket_timeout=REDIS_TIMEOUT,
                socket_connect_timeout=REDIS_TIMEOUT,
                retry=redis.retry.Retry(
                    backoff.ExponentialBackoff(base=REDIS_BACKOFF), REDIS_RETRIES
                ),
            )
        except ValueError as error:
            raise StoreError(f"{url!r} is not the URL of a Redis: {error}") from error

    def put(self, collection: Collection, records: Sequence[StoreRecord]) -> None:
        data, times = _name_keys(collection)
        with self._store_errors(), self._client.pipeline(transaction=False) as pipeline:
            pipeline.hset(data, mapping={record.key: record.data for record in records})
            pipeline.zadd(times, {record.key: record.at for record in records})
            pipeline.expire(data, self._time_to_live)
            pipeline.expire(times, self._time_to_live)
            pipeline.zrange(times, 0, -1 - collection.size)
            *_, oldest = pipeline.execute()
            if oldest:
                pipeline.zrem(times, *oldest)
                pipeline.hdel(data, *oldest)
                pipeline.execute()

    def newest(self, collection: Collection, since: int = 0) -> list[bytes]:
        _, times = _name_keys(collection)
        with self._store_errors():
            keys: list[bytes] = self._client.zrevrangebyscore(
                times, "+inf", since, start=0, num=collection.size
            )
            return keys

    def get(self, collection: Collection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        data, _ = _name_keys(collection)
        with self._store_errors():
            values = zip(keys, self._client.hmget(data, keys) if keys else (), strict=True)
            return {key: value for key, value in values if value is not None}

    def close(self) -> None:
        with self._store_errors():
            self._client.close()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except (self._errors, OSError, ValueError) as error:
            raise StoreError(f"Redis does not answer: {error}") from error


def _name_keys(collection: Collection) -> tuple[str, str]:
    prefix = f"{REDIS_PREFIX}:{{{collection.name}}}"
    return f"{prefix}:data", f"{prefix}:times"
