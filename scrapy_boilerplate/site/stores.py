"""Stores of site knowledge, between crawls and between workers.

A store holds collections of records. Each collection keeps its newest records, up to a number that
the writer passes. Writing a record twice changes nothing, and the order of writes does not matter.
So a write that may have failed can be repeated.

Nothing that a store returns is trusted. An entry whose type, length or time no record can have is
removed, never returned, and counted.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.site.page_records import MAX_TIME

# The collections of all articles, of the monitors of all sites, and of the changes that were told.
ARTICLES = "articles"
MONITORS = "monitors"
CHANGES = "changes"
# Prefix of the names of the collections of versions.
VERSIONS = "versions:"
# Bytes of a key, and of the data of a record (our keys have 16, our records 22,000 at most).
MAX_KEY_BYTES = 64
MAX_DATA_BYTES = 65_536
# Records and bytes that are read of a collection, the newest first (our choice: all articles, and
# all records of a site many times over).
MAX_READ_RECORDS = 100_000
MAX_READ_BYTES = 20_000_000
# Milliseconds by which the time of a record may lie ahead of the clock (our choice, a day: clocks
# of machines differ by a time zone). A later record would count as the newest for ever.
MAX_AHEAD = 86_400_000
# The address of a store that keeps nothing.
MEMORY = "memory"
SQLITE_SCHEME = "sqlite:///"
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")

# Collection to the keys that the reader has already.
KnownKeys = Mapping[str, Collection[bytes]]
# Collection to the time, in milliseconds since 1970, before which records are of no use.
Since = Mapping[str, int]
ALWAYS: Since = MappingProxyType({})


def name_collection(site: str) -> str:
    """Return the name of the collection of the pages of a site."""
    return f"site:{site}"


def now() -> int:
    """Return the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


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

    @property
    def bad_records(self) -> int:
        """Number of entries that no record can be; they are removed, or passed over."""

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use."""

    def look_up(self, collection: str, key: bytes) -> StoreRecord | None:
        """Return one record of a collection; None if there is none."""

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections; of each collection the newest `sizes` stay."""

    def claim(self, collection: str, record: StoreRecord, size: int, since: int) -> bool:
        """Put a record unless its key has one of `since` or later; whether it was put.

        Of several callers at once one alone puts its record. The newest `size` records stay.
        """

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
    if not is_store_address(address):
        raise StoreError(
            f"{address!r} is no address of a store: write {MEMORY!r}, the path of a file, or "
            "'redis://host:port/db'"
        )
    path = (default_folder or Path()) / address.removeprefix(SQLITE_SCHEME)
    return SqliteStore(path, lambda: now() + MAX_AHEAD)


def is_store_address(address: str) -> bool:
    """Return whether `open_store` knows addresses of this kind; a mistyped one is no file."""
    path = address.removeprefix(SQLITE_SCHEME)
    return address.startswith(REDIS_SCHEMES) or not ("://" in path or path.startswith("redis"))


class MemoryStore:
    """A store that keeps nothing: knowledge lives in memory and ends with the process."""

    remote = False
    bad_records = 0

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:  # noqa: ARG002
        """Return no record."""
        return {collection: [] for collection in known}

    def look_up(self, collection: str, key: bytes) -> StoreRecord | None:  # noqa: ARG002
        """Return None."""
        return None

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Do nothing."""

    def claim(self, collection: str, record: StoreRecord, size: int, since: int) -> bool:  # noqa: ARG002
        """Return True: nobody else claims anything."""
        return True

    def has_restarted(self) -> bool:
        """Return False: there is nothing to lose."""
        return False

    def close(self) -> None:
        """Do nothing."""


# Seconds to wait for another process that writes; where a crawl waits too (our choice: a page takes
# some .02, and a write of 100 records .01).
SQLITE_TIMEOUT = 10.0
SQLITE_CRAWL_TIMEOUT = 0.2

_CREATE = """
create table if not exists records (
    shelf text not null, key blob not null, at integer not null, data blob not null,
    primary key (shelf, key)
) without rowid
"""
_UPSERT = """
insert into records values (?, ?, ?, ?)
on conflict (shelf, key) do update set at = excluded.at, data = excluded.data
where excluded.at > at or at > ?
"""
# What holds for a record; a file that others have written may have any type in any column.
_IS_RECORD = f"""
typeof(key) = 'blob' and length(key) between 1 and {MAX_KEY_BYTES}
and typeof(at) = 'integer' and at between 0 and {MAX_TIME}
and typeof(data) = 'blob' and length(data) <= {MAX_DATA_BYTES}
"""
_READ = f"""
select key, at, data from records where shelf = ? and at >= ? and {_IS_RECORD}
order by at desc, key desc limit {MAX_READ_RECORDS}
"""  # noqa: S608 - our own constants
_CLAIM = """
insert into records values (?, ?, ?, ?)
on conflict (shelf, key) do update set at = excluded.at, data = excluded.data
where at < ? or at > ?
"""
_LOOK_UP = f"""
select case when {_IS_RECORD} then at end, data from records where shelf = ? and key = ?
"""  # noqa: S608
_COUNT_BAD = f"select count(*) from records where shelf = ? and not ({_IS_RECORD})"  # noqa: S608
_REMOVE_BAD = f"delete from records where shelf = ? and not ({_IS_RECORD})"  # noqa: S608
_TRIM = """
delete from records where shelf = :shelf and key in (
    select key from records where shelf = :shelf order by at desc, key desc limit -1 offset :most
)
"""


class SqliteStore:
    """One table in the file `path`, created if missing; several processes can share it.

    The column of the collection is called ``shelf``. Used by one thread at a time. Raises
    StoreError if the file cannot be opened. A record after `latest()` is replaced by any other.
    """

    remote = False

    def __init__(self, path: Path, latest: Callable[[], int] = lambda: MAX_TIME) -> None:
        self._path = path
        self._latest = latest
        self._timeout = SQLITE_TIMEOUT
        self.bad_records = 0
        with self._store_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=SQLITE_TIMEOUT, check_same_thread=False
            )
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=normal")
            self._connection.execute(_CREATE)

    def wait(self, seconds: float) -> None:
        """Wait so long for another process that writes, from now on."""
        self._timeout = seconds
        with self._store_errors():
            self._connection.execute(f"pragma busy_timeout = {1000 * seconds:.0f}")

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use."""
        records = {}
        with self._store_errors():
            for collection, keys in known.items():
                (bad,) = self._connection.execute(_COUNT_BAD, (collection,)).fetchone()
                if bad:
                    self.bad_records += bad
                    self._remove_bad(collection)
                known_keys, size = set(keys), 0
                rows = self._connection.execute(_READ, (collection, since.get(collection, 0)))
                listed = records[collection] = list[StoreRecord]()
                for key, at, data in rows:
                    size += len(data)
                    if key not in known_keys and size <= MAX_READ_BYTES:
                        listed.append(StoreRecord(key, at, data))
                listed.reverse()
        return records

    def look_up(self, collection: str, key: bytes) -> StoreRecord | None:
        """Return one record of a collection; None if there is none, or a bad one."""
        with self._store_errors():
            row = self._connection.execute(_LOOK_UP, (collection, key)).fetchone()
            if row is None:
                return None
            at, data = row
            if at is None:
                self.bad_records += 1
                self._remove_bad(collection)
                return None
            return StoreRecord(key, at, data)

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections, in one transaction; the newest `sizes` stay."""
        latest = self._latest()
        rows = (
            (name, r.key, r.at, r.data, latest) for name, listed in records.items() for r in listed
        )
        with self._store_errors(), self._connection:
            for name in records:
                self.bad_records += self._connection.execute(_REMOVE_BAD, (name,)).rowcount
            self._connection.executemany(_UPSERT, rows)
            for name in records:
                self._connection.execute(_TRIM, {"shelf": name, "most": sizes[name]})

    def claim(self, collection: str, record: StoreRecord, size: int, since: int) -> bool:
        """Put a record unless its key has one of `since` or later; whether it was put."""
        row = (collection, record.key, record.at, record.data, since, self._latest())
        with self._store_errors(), self._connection:
            self.bad_records += self._connection.execute(_REMOVE_BAD, (collection,)).rowcount
            is_put = self._connection.execute(_CLAIM, row).rowcount > 0
            self._connection.execute(_TRIM, {"shelf": collection, "most": size})
        return is_put

    def _remove_bad(self, collection: str) -> None:
        """Remove entries that no record can be, unless the file is locked or read-only."""
        timeout = self._timeout
        self.wait(0)
        with suppress(sqlite3.Error), self._connection:
            self._connection.execute(_REMOVE_BAD, (collection,))
        self.wait(timeout)

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
        # a damaged schema can raise UnicodeDecodeError
        except (sqlite3.Error, OSError, ValueError) as error:
            raise StoreError(
                f"the site store {self._path} cannot be used ({error}): give another file"
            ) from error


REDIS_PREFIX = "boilerplate"
# Seconds after the last write that a collection is kept (our choice: a month).
REDIS_TIME_TO_LIVE = 30 * 24 * 3600
# Seconds to wait for an answer.
REDIS_TIMEOUT = 5.0

# Entries with an impossible time that are removed at once: Redis does nothing else meanwhile.
MAX_REMOVED = 1_000
# Redis runs each script as a whole. KEYS are those of the data and of the times of a collection.
_REMOVE_BAD_SCRIPT = f"""
local pages, times, bad = KEYS[1], KEYS[2], 0
local function remove(key)
  redis.call('HDEL', pages, key)
  redis.call('ZREM', times, key)
  bad = bad + 1
end
local function clear(key, kind)
  local found = redis.call('TYPE', key)['ok']
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
    bad = bad + 1
  end
end
clear(pages, 'hash')
clear(times, 'zset')
for _, range in ipairs({{{{'({MAX_TIME}', '+inf'}}, {{'-inf', '(0'}}}}) do
  local keys = redis.call('ZRANGEBYSCORE', times, range[1], range[2], 'LIMIT', 0, {MAX_REMOVED})
  for _, key in ipairs(keys) do
    remove(key)
  end
end
"""
# Lua: removes the oldest records over a number, and sets the seconds to live.
_TRIM_SCRIPT = """
local function trim(most, seconds)
  local over = redis.call('ZCARD', times) - tonumber(most)
  if over > 0 then
    for _, key in ipairs(redis.call('ZRANGE', times, 0, over - 1)) do
      redis.call('HDEL', pages, key)
    end
    redis.call('ZREMRANGEBYRANK', times, 0, over - 1)
  end
  redis.call('EXPIRE', pages, seconds)
  redis.call('EXPIRE', times, seconds)
end
"""
# Arguments: the number of records that stay, seconds to live, the latest time that can be, and of
# each record key, time, data.
_PUT_SCRIPT = (
    _REMOVE_BAD_SCRIPT
    + _TRIM_SCRIPT
    + """
for i = 4, #ARGV, 3 do
  local known = tonumber(redis.call('ZSCORE', times, ARGV[i]) or -1)
  if known < tonumber(ARGV[i + 1]) or known > tonumber(ARGV[3]) then
    redis.call('ZADD', times, ARGV[i + 1], ARGV[i])
    redis.call('HSET', pages, ARGV[i], ARGV[i + 2])
  end
end
trim(ARGV[1], ARGV[2])
return bad
"""
)
# Arguments: the time from which a record keeps another away, the latest time that can be, the
# number of records that stay, seconds to live, key, time, data. Returns the number of entries that
# were removed, and 1 if the record was put.
_CLAIM_SCRIPT = (
    _REMOVE_BAD_SCRIPT
    + _TRIM_SCRIPT
    + """
local known = tonumber(redis.call('ZSCORE', times, ARGV[5]) or -1)
if known >= tonumber(ARGV[1]) and known <= tonumber(ARGV[2]) then
  return {bad, 0}
end
redis.call('ZADD', times, ARGV[6], ARGV[5])
redis.call('HSET', pages, ARGV[5], ARGV[7])
trim(ARGV[3], ARGV[4])
return {bad, 1}
"""
)
# Argument: the time of the oldest records. Returns the number of entries that were removed, and of
# each record key and time, the newest first.
_LIST_SCRIPT = (
    _REMOVE_BAD_SCRIPT
    + f"""
local listed = redis.call(
  'ZREVRANGEBYSCORE', times, '+inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, {MAX_READ_RECORDS}
)
local records = {{0}}
for i = 1, #listed, 2 do
  local key, at = listed[i], tonumber(listed[i + 1])
  if #key < 1 or #key > {MAX_KEY_BYTES} or at > {MAX_TIME} or at ~= math.floor(at) then
    remove(key)
  else
    records[#records + 1] = key
    records[#records + 1] = string.format('%.0f', at)
  end
end
records[1] = bad
return records
"""
)
# Arguments: keys. Returns the number of entries that were removed, and the data of each key or nil.
_GET_SCRIPT = (
    _REMOVE_BAD_SCRIPT
    + f"""
local values, size = {{0}}, 0
for i = 1, #ARGV do
  local length = redis.call('HSTRLEN', pages, ARGV[i])
  local value = false
  if length > {MAX_DATA_BYTES} then
    remove(ARGV[i])
  elseif size + length <= {MAX_READ_BYTES} then
    value = redis.call('HGET', pages, ARGV[i])
    size = size + length
  end
  values[i + 1] = value
end
values[1] = bad
return values
"""
)
# Argument: a key. Returns the number of entries that were removed, and its time and data, or nil.
_FIND_SCRIPT = (
    _REMOVE_BAD_SCRIPT
    + f"""
local at, data = tonumber(redis.call('ZSCORE', times, ARGV[1]) or nil), false
if at then
  data = redis.call('HGET', pages, ARGV[1])
end
local is_time = at and at >= 0 and at <= {MAX_TIME} and at == math.floor(at)
if data and (not is_time or #data > {MAX_DATA_BYTES}) then
  remove(ARGV[1])
  data = false
end
return {{bad, data and string.format('%.0f', at), data}}
"""
)


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
        self._list = self._client.register_script(_LIST_SCRIPT)
        self._get = self._client.register_script(_GET_SCRIPT)
        self._find = self._client.register_script(_FIND_SCRIPT)
        self._claim = self._client.register_script(_CLAIM_SCRIPT)
        self._run_id = ""
        self.bad_records = 0

    def read(self, known: KnownKeys, since: Since = ALWAYS) -> dict[str, list[StoreRecord]]:
        """Return the records of these collections that the reader does not have and can use.

        The keys are fetched first, then the data of those that are new, each for all collections
        at once.
        """
        since_of_all = [(name, [since.get(name, 0)]) for name in known]
        with self._store_errors():
            new = {}
            for name, listed in zip(known, self._run(self._list, since_of_all), strict=True):
                times = zip(listed[::2], map(int, listed[1::2]), strict=True)
                new[name] = {key: at for key, at in times if key not in known[name]}
            wanted = [(name, list(times)) for name, times in new.items() if times]
            records: dict[str, list[StoreRecord]] = {name: [] for name in known}
            for (name, keys), values in zip(wanted, self._run(self._get, wanted), strict=True):
                records[name] = [
                    StoreRecord(key, new[name][key], data)
                    for key, data in reversed(list(zip(keys, values, strict=True)))
                    if data is not None
                ]
        return records

    def look_up(self, collection: str, key: bytes) -> StoreRecord | None:
        """Return one record of a collection; None if there is none, or a bad one."""
        with self._store_errors():
            [[at, data]] = self._run(self._find, [(collection, [key])])
            return None if at is None else StoreRecord(key, int(at), data)

    def _run(self, script: Any, arguments: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Any]]:
        """Run a script once for each (collection, arguments), in one round trip.

        Return what each returns after the number of entries that it has removed.
        """
        if not arguments:
            return []
        pipeline = self._client.pipeline(transaction=False)
        for name, values in arguments:
            keys = [f"{REDIS_PREFIX}:{{{name}}}:{part}" for part in ("records", "times")]
            script(keys=keys, args=values, client=pipeline)
        results = [
            result if isinstance(result, list) else [result] for result in pipeline.execute()
        ]
        self.bad_records += sum(removed for removed, *_ in results)
        return [rest for _, *rest in results]

    def write(self, records: Mapping[str, Sequence[StoreRecord]], sizes: Mapping[str, int]) -> None:
        """Put records into collections; the newest `sizes` stay. One round trip for all."""
        arguments = []
        for name, listed in records.items():
            values = [value for r in listed for value in (r.key, r.at, r.data)]
            arguments.append((name, [sizes[name], self._time_to_live, now() + MAX_AHEAD, *values]))
        with self._store_errors():
            self._run(self._put, arguments)

    def claim(self, collection: str, record: StoreRecord, size: int, since: int) -> bool:
        """Put a record unless its key has one of `since` or later; whether it was put."""
        arguments: list[Any] = [since, now() + MAX_AHEAD, size, self._time_to_live]
        arguments += [record.key, record.at, record.data]
        with self._store_errors():
            [[is_put]] = self._run(self._claim, [(collection, arguments)])
            return bool(is_put)

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
        except (self._errors, OSError, ValueError) as error:
            raise StoreError(f"Redis does not answer: {error}") from error
