"""Calls in a thread of their own, on every reactor and without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread

T = TypeVar("T")


async def run_in_thread(function: Callable[..., T], *arguments: object) -> T:
    """What `function` gives in a thread of its own. Scrapy has the same from 2.15 on."""
    if is_asyncio_available():
        return await asyncio.to_thread(function, *arguments)
    found: T = await maybe_deferred_to_future(deferToThread(function, *arguments))
    return found
