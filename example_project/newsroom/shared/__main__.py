"""A crawl of the embedded site by two workers: `python -m newsroom.shared`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import ConnectionError as NoConnection

from newsroom.embedded import EmbeddedSite
from newsroom.summary import format_table

# Seconds to wait for a Redis, or for workers, that were started.
PATIENCE = 20


def main() -> int:
    """Crawl, and print the items of each worker; return the exit status of the workers."""
    options = _parse_options()
    if options.redis is None and shutil.which("redis-server") is None:
        print("There is no redis-server: apt-get install redis-server, or give --redis URL")
        return 1
    with ExitStack() as stack:
        url = options.redis or stack.enter_context(start_redis())
        site = EmbeddedSite()
        stack.callback(site.stop)
        start = options.start or f"{site.url}/"
        redis = Redis.from_url(url)
        redis.delete("shared:workers")
        names = [str(number + 1) for number in range(options.workers)]
        workers = [start_worker(name, url, options.settings) for name in names]
        wait_for_all(workers, redis)
        redis.lpush("shared:start_urls", json.dumps({"url": start}))
        status = max([worker.wait() for worker in workers])
        print_summary(names, url)
    return status


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--redis", metavar="URL", help="default: start one for this crawl")
    parser.add_argument("--start", metavar="URL", help="default: the embedded site")
    parser.add_argument("--workers", type=int, default=2, help="default: %(default)s")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE",
                        help="a setting for every worker")  # fmt: skip
    return parser.parse_args()


@contextmanager
def start_redis() -> Iterator[str]:
    """Run a Redis that keeps nothing on disk, and yield its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words
    try:
        url = f"redis://127.0.0.1:{port}/0"
        wait_for_redis(url)
        yield url
    finally:
        process.terminate()
        process.wait()


def wait_for_redis(url: str) -> None:
    """Return when the Redis answers; raise its error after PATIENCE."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            Redis.from_url(url).ping()
        except NoConnection:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def start_worker(name: str, url: str, settings: list[str]) -> subprocess.Popen[bytes]:
    """Start a crawl with a feed of this name."""
    more = [part for setting in settings for part in ("-s", setting)]
    command = [sys.executable, "-m", "scrapy", "crawl", "shared", "-a", f"worker={name}", *more]
    environment = {**os.environ, "SCRAPY_PROJECT": "shared", "REDIS_URL": url}
    return subprocess.Popen(command, env=environment)  # noqa: S603 - our own words


def wait_for_all(workers: list[subprocess.Popen[bytes]], redis: Redis) -> None:
    """Wait until all workers are ready, so that each gets requests, but at most PATIENCE."""
    until = time.monotonic() + PATIENCE
    while int(redis.get("shared:workers") or 0) < len(workers) and time.monotonic() < until:
        time.sleep(0.05)


def print_summary(names: list[str], url: str) -> None:
    """Print the feeds, and the shared knowledge."""
    for name in names:
        lines = Path(f"articles-{name}.jsonl").read_text(encoding="utf-8").splitlines()
        print(
            f"\nWorker {name}: articles-{name}.jsonl",
            *format_table([*map(json.loads, lines)]),
            sep="\n",
        )
    redis = Redis.from_url(url)
    print("\nIn Redis:")
    for key in sorted(redis.scan_iter("boilerplate:*:times")):
        kind = key.decode().removeprefix("boilerplate:{").removesuffix("}:times")
        print(f"  {redis.zcard(key)} records of {kind}")
    print(f"  {redis.scard('shared:dupefilter')} requested URLs")


if __name__ == "__main__":
    raise SystemExit(main())
