"""Redis: knowledge that workers share. Needs the extra [redis].

A shelf is a hash (key to data) and a sorted set (key by time). Both keys have one hash tag, so that
they lie on one node of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.site.stores.records import ALWAYS, Known, Record, Since, StoreError

SCHEMES = ("redis://", "rediss://", "unix://")
PREFIX = "boilerplate"
"""What our keys begin with."""
TIME_TO_LIVE = 30 * 24 * 3600
"""Seconds after the last write that a shelf is kept (our choice: a month)."""
TIMEOUT = 5.0
"""Seconds to wait for an answer."""

_PUT = """
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
    """The Redis at `url`; connects when first used. Raises MissingExtraError, StoreError."""

    remote = True

    def __init__(self, url: str, time_to_live: int = TIME_TO_LIVE) -> None:
        redis = optional("redis", "a site store in Redis", "redis")
        self._errors: type[Exception] = redis.RedisError
        self._ttl = time_to_live
        try:
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT
            )
        except ValueError as error:
            raise StoreError(f"{url!r} is no address of a Redis: {error}") from error
        self._put = self._client.register_script(_PUT)
        self._run = ""

    def read(self, known: Known, since: Since = ALWAYS) -> dict[str, list[Record]]:
        """The records on each shelf that the reader does not have, and can use; two round trips
        for all."""
        shelves = list(known)
        with self._telling():
            keys = self._client.pipeline(transaction=False)
            for shelf in shelves:
                first = since.get(shelf, 0)
                keys.zrangebyscore(_times(shelf), first, "+inf", withscores=True)
            new = {
                shelf: [(key, int(at)) for key, at in listed if key not in known[shelf]]
                for shelf, listed in zip(shelves, keys.execute(), strict=True)
            }
            asked = [shelf for shelf in shelves if new[shelf]]
            data = self._client.pipeline(transaction=False)
            for shelf in asked:
                data.hmget(_pages(shelf), [key for key, _ in new[shelf]])
            values = dict(zip(asked, data.execute() if asked else [], strict=True))
        return {shelf: _records(new[shelf], values.get(shelf, [])) for shelf in shelves}

    def write(self, records: Mapping[str, Sequence[Record]], most: Mapping[str, int]) -> None:
        """Put records on their shelves: one script a shelf, all in one round trip."""
        with self._telling():
            pipeline = self._client.pipeline(transaction=False)
            for shelf, listed in records.items():
                flat = [part for r in listed for part in (r.key, r.at, r.data)]
                keys = [_pages(shelf), _times(shelf)]
                self._put(keys=keys, args=[most[shelf], self._ttl, *flat], client=pipeline)
            pipeline.execute()

    def lost_everything(self) -> bool:
        """Whether another server process answers than before: a restart, perhaps without data."""
        with self._telling():
            run = str(self._client.info("server").get("run_id", ""))
        before, self._run = self._run, run
        return bool(before) and before != run

    def close(self) -> None:
        """Close the connections."""
        with self._telling():
            self._client.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (self._errors, OSError) as error:
            raise StoreError(f"Redis does not answer: {error}") from error


def _records(keys: Sequence[tuple[bytes, int]], values: Sequence[bytes | None]) -> list[Record]:
    pairs = zip(keys, values, strict=False)
    return [Record(key, at, data) for (key, at), data in pairs if data is not None]


def _pages(shelf: str) -> str:
    return f"{PREFIX}:{{{shelf}}}:records"


def _times(shelf: str) -> str:
    return f"{PREFIX}:{{{shelf}}}:times"
