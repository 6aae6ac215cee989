"""Wait for threads, futures and time, under every Twisted reactor and without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from typing import TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

T = TypeVar("T")


async def run_in_thread(function: Callable[..., T], *arguments: object) -> T:
    """Call `function` in a thread of the pool. Scrapy has the same from 2.15 on."""
    if is_asyncio_available():
        return await asyncio.to_thread(function, *arguments)
    result: T = await maybe_deferred_to_future(deferToThread(function, *arguments))
    return result


async def wait_for_future(future: Future[T]) -> T:
    """Return the result of a future that another thread sets. Several callers may await it."""
    if is_asyncio_available():
        # shielded: a cancelled caller must not cancel it for the others
        return await asyncio.shield(asyncio.wrap_future(future))
    reactor = import_module("twisted.internet.reactor")  # installed by now
    done: Deferred[None] = Deferred()
    future.add_done_callback(lambda _: reactor.callFromThread(done.callback, None))
    await done
    return future.result()


async def sleep(seconds: float) -> None:
    """Sleep for this many seconds without blocking the crawl."""
    if is_asyncio_available():
        await asyncio.sleep(seconds)
        return
    reactor = import_module("twisted.internet.reactor")  # installed by now
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    await done
