"""Wait for threads, futures and time, under every Twisted reactor and without one."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from importlib import import_module
from typing import Any, TypeVar

from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThread

T = TypeVar("T")

POLL_SECONDS = 0.1


class StoppedError(Exception):
    """Work was stopped before it was done."""


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


async def run_unless(is_over: Callable[[], bool], coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; cancel it and raise StoppedError once `is_over` is true."""
    if is_over():
        coroutine.close()
        raise StoppedError
    is_cancelled = False

    def check() -> None:
        nonlocal is_cancelled
        if is_over():
            is_cancelled = True
            loop.stop()
            work.cancel()

    work: Deferred[T] = deferred_from_coro(coroutine)
    loop = create_looping_call(check)
    loop.start(POLL_SECONDS, now=False)
    try:
        return await maybe_deferred_to_future(work)
    except (asyncio.CancelledError, CancelledError):
        if not is_cancelled:
            raise
        raise StoppedError from None
    finally:
        if loop.running:
            loop.stop()
