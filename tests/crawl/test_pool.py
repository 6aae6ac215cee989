"""The pool of workers at its end, and with pages that nobody would send."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from typing import Any

import pytest
import scrapy
from scrapy.http import HtmlResponse

from scrapy_boilerplate.crawl.analysis import Analysis
from scrapy_boilerplate.crawl.executor import Executor
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.workers.pool import SentPage, WorkerPool
from tests.crawl.pages import article

WITHOUT_REACTOR = pytest.mark.skipif(
    scrapy.version_info < (2, 15), reason="Scrapy 2.14 knows no asyncio without a reactor"
)


def sent(url: Any = "http://x.example/", milliseconds: float | None = None) -> SentPage:
    limits = Limits(milliseconds=milliseconds)
    return SentPage(
        url=url,
        body=article().encode(),
        encoding="utf-8",
        extractor="container",
        favor="balanced",
        limits=limits,
    )


def response(number: int) -> HtmlResponse:
    return HtmlResponse(f"http://x.example/{number}", body=article().encode(), encoding="utf-8")


@WITHOUT_REACTOR
def test_pages_that_wait_when_the_pool_closes_give_empty_documents() -> None:
    async def crawl() -> list[Document]:
        executor = Executor(pool=WorkerPool(1))
        asked = [
            asyncio.ensure_future(Analysis(executor=executor).document_async(response(number), ()))
            for number in range(4)
        ]
        await asyncio.sleep(0.1)
        executor.close()
        return await asyncio.gather(*asked)

    documents = asyncio.run(crawl())
    assert [document.text for document in documents] == [""] * 4
    told = [str(document.error) for document in documents]
    assert told[1:] == ["the pool was closed before its turn"] * 3


@WITHOUT_REACTOR
def test_one_who_no_longer_waits_is_no_closed_pool() -> None:
    async def crawl() -> None:
        executor = Executor(pool=WorkerPool(1))
        asked = asyncio.ensure_future(Analysis(executor=executor).document_async(response(0), ()))
        await asyncio.sleep(0.1)
        asked.cancel()
        try:
            with pytest.raises(asyncio.CancelledError):
                await asked
        finally:
            executor.close()

    asyncio.run(crawl())


def test_a_page_that_cannot_be_sent_is_answered_and_the_next_one_read() -> None:
    pool = WorkerPool(1)
    try:
        bad = pool.submit(sent(url=b"bytes")).result(60)
        assert (bad.document, bad.kind) == (None, "worker")
        assert str(bad.error).startswith("TypeError")
        good = pool.submit(sent()).result(60)
        assert good.document is not None
    finally:
        pool.close()


def test_patience_grows_with_the_budget_of_time() -> None:
    assert sent(milliseconds=1e300).patience == 4e297
    assert sent(milliseconds=1_000).patience == 24
    assert sent().patience == 60


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Every thread that is started, of whatever class."""
    threads: list[threading.Thread] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        threads.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    return threads


def test_pages_start_no_threads_and_none_is_left(started: list[threading.Thread]) -> None:
    pool = WorkerPool(1)
    try:
        for _ in range(3):
            assert pool.submit(sent()).result(60).document is not None
    finally:
        pool.close()
    assert len(started) == 2  # one waits for the worker, one looks after all workers
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()


def test_a_pool_that_nobody_closed_is_not_watched_for_ever(
    started: list[threading.Thread],
) -> None:
    pool = WorkerPool(1)
    assert pool.submit(sent()).result(60).document is not None
    [pid] = pool.pids
    del pool
    gc.collect()
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()
    os.kill(pid, signal.SIGKILL)


def test_a_watch_that_did_not_start_is_started_with_the_next_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scrapy_boilerplate.workers.pool.PATIENCE", 2.0)
    start, refused = threading.Thread.start, [True]

    def start_second(thread: threading.Thread) -> None:
        if thread.daemon and refused.pop():
            refused.append(False)
            raise RuntimeError("can't start new thread")
        start(thread)

    pool = WorkerPool(1)
    monkeypatch.setattr(threading.Thread, "start", start_second)
    try:
        assert pool.submit(sent()).result(60).error == "RuntimeError: can't start new thread"
        assert pool.submit(sent()).result(60).document is not None
        [pid] = pool.pids
        os.kill(pid, signal.SIGSTOP)
        assert "no answer in 2 s" in str(pool.submit(sent()).result(60).error)
    finally:
        pool.close()
