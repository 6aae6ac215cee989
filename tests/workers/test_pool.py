"""The pool of workers: requests that cannot be sent, limits, deaths, and its end."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.workers.pool import (
    WorkerDiedError,
    WorkerOptions,
    WorkerPool,
    WorkerRequest,
    WorkerTooLargeError,
)
from scrapy_boilerplate.workers.worker import build_page_request
from tests.conftest import REPO
from tests.crawl.pages import article

OBEDIENT = WorkerOptions(
    entry_point="tests.workers.obedient_worker:serve_commands", memory=300, start_timeout=60
)


def create_request(url: Any = "http://x.example/") -> WorkerRequest:
    return build_page_request(url, article().encode(), "utf-8", Options(extractor="container"))


def command(action: str, timeout: float = 60) -> WorkerRequest:
    return WorkerRequest(header={"action": action}, body=b"back", timeout=timeout)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, OBEDIENT) as obedient:
        yield obedient


KILLS = pytest.mark.posix("SIGKILL, SIGSEGV, SIGSTOP")


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[0] != "Z"


def test_pages_start_no_threads_and_none_is_left() -> None:
    before, pool = set(threading.enumerate()), WorkerPool(1)
    try:
        bad = pool.submit(create_request(url=b"bytes")).result(60)  # cannot be sent
        assert (bad.document, bad.kind) == (None, "worker")
        assert str(bad.error).startswith("TypeError")
        for _ in range(3):
            assert pool.submit(create_request()).result(60).document is not None
            started = set(threading.enumerate()) - before
            assert len(started) == 2  # one waits for the worker, one looks after all workers
    finally:
        pool.close()
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()


@pytest.mark.linux("/proc says which processes live")
def test_leaving_a_pool_ends_all_it_has_started() -> None:
    """A process that is being started has our locks until it runs."""
    before = set(threading.enumerate())
    with WorkerPool(2, OBEDIENT) as pool:
        for _ in range(4):
            pool.submit(command("hang in C"))
        while not pool.pids:
            time.sleep(0.001)
        pids = pool.pids
    started = set(threading.enumerate()) - before
    assert all(thread.daemon for thread in started)
    assert not any(map(is_alive, pids))


@KILLS
def test_a_pool_that_nobody_closed_is_not_watched_for_ever() -> None:
    before, pool = set(threading.enumerate()), WorkerPool(1)
    assert pool.submit(create_request()).result(60).document is not None
    [pid] = pool.pids
    started = set(threading.enumerate()) - before
    del pool
    gc.collect()
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()
    os.kill(pid, signal.SIGKILL)


@KILLS
def test_a_worker_that_is_killed_is_replaced(pool: WorkerPool) -> None:
    assert pool.submit(command("answer")).result(60).body == b"back"
    [idle] = pool.pids
    os.kill(idle, signal.SIGKILL)
    response = pool.submit(command("answer")).result(60)
    assert (response.body, response.error, response.deaths) == (b"back", None, 1)
    [busy] = pool.pids
    assert busy != idle
    future = pool.submit(command("hang once"))
    time.sleep(0.5)
    os.kill(busy, signal.SIGKILL)
    response = future.result(60)
    assert (response.body, response.error, response.deaths) == (b"back", None, 1)


@KILLS
def test_a_request_that_kills_two_workers_is_given_up(pool: WorkerPool) -> None:
    deadly, harmless = pool.submit(command("die")), pool.submit(command("answer"))
    response = deadly.result(60)
    assert (response.kind, response.deaths) == ("worker", 2)
    assert isinstance(response.failure, WorkerDiedError)
    assert (response.failure.status, response.failure.is_started) == (-signal.SIGSEGV, True)
    assert harmless.result(60).body == b"back"


@KILLS
@pytest.mark.parametrize(
    ("action", "status"), [("end slowly", 7), ("write noise", -signal.SIGKILL)]
)
def test_a_worker_that_ends_slowly_or_not_at_all(
    action: str, status: int, pool: WorkerPool
) -> None:
    """On a busy machine it takes a while; a worker that writes nonsense is killed."""
    failure = pool.submit(command(action)).result(30).failure
    assert type(failure) is WorkerDiedError
    assert failure.status == status


@pytest.mark.linux("memory of workers is read from /proc")
def test_limits_of_a_worker(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark sets the number of threads to the number of cores."""
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    assert pool.submit(command("count threads")).result(60).body == b"1"
    response = pool.submit(command("hang in C", timeout=1)).result(60)
    assert (response.error, response.deaths) == ("WorkerTooSlowError: no answer in 1 s", 1)
    response = pool.submit(command("grow")).result(60)
    assert isinstance(response.failure, WorkerTooLargeError)
    assert response.error == "WorkerTooLargeError: more than 300 MB of memory"
    assert pool.submit(command("keep 200 MB")).result(60).error is None
    assert pool.submit(command("count requests")).result(60).body == b"1", "it was replaced"


PARENT = """
import sys
sys.path.insert(0, {repo!r})
from tests.workers.test_pool import OBEDIENT, command
from scrapy_boilerplate.workers.pool import WorkerPool
pool = WorkerPool(1, OBEDIENT)
pool.submit(command("answer")).result(60)
pool.submit(command({action!r}, timeout=1.5))
print(*pool.pids, flush=True)
import time; time.sleep(600)
"""


@pytest.mark.linux("/proc says which processes live")
@pytest.mark.parametrize("action", ["answer", "hang in C"])
def test_workers_end_when_their_parent_is_killed(action: str) -> None:
    """The one that is idle at once, the one that hangs a little after its timeout."""
    code = PARENT.format(repo=str(REPO), action=action)
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while is_alive(pid):
        assert time.monotonic() < deadline, f"{pid} lives on"
        time.sleep(0.05)
