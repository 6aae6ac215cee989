"""The net uses one thread, and the process keeps its number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from scrapy_boilerplate import extract
from scrapy_boilerplate.native import VARIABLE
from scrapy_boilerplate.news.net import use_one_blas_thread
from tests.builders import document, paragraphs


def count_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def several() -> object:
    """BLAS may use three threads, as on a machine with three cores."""
    with threadpool_limits(3, user_api="blas"):
        if count_threads() != {3}:
            pytest.skip("needs a BLAS whose threads can be set")
        yield


def test_one_thread_inside_and_the_old_number_after() -> None:
    with use_one_blas_thread():
        with use_one_blas_thread():
            assert count_threads() == {1}
        assert count_threads() == {1}
    assert count_threads() == {3}
    with pytest.raises(ZeroDivisionError), use_one_blas_thread():
        1 / 0  # noqa: B018
    assert count_threads() == {3}


def test_threads_that_overlap_leave_the_number_as_it_was() -> None:
    inside = Barrier(2, timeout=60)

    def enter(_: int) -> None:
        with use_one_blas_thread():
            inside.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(enter, range(2)))
    assert count_threads() == {3}


def test_extract_leaves_the_number_as_it_was() -> None:
    assert extract(document(paragraphs(60, 5))).extractor == "news"
    assert count_threads() == {3}


CPU_TIMES = """
import time
from scrapy_boilerplate import extract
html = "<html><body>" + "".join(
    f"<div class=c{n % 7}><p>{'the ferry sailed again ' * 12}{n}</p></div>" for n in range(1500)
)
extract(html)
process, thread = time.process_time(), time.thread_time()
for _ in range(3):
    extract(html)
print((time.process_time() - process) / (time.thread_time() - thread))
"""


@pytest.fixture
def load() -> Iterator[None]:
    """As many other processes as there are processors compute all the time."""
    loop = [sys.executable, "-c", "while True: sum(range(10_000))"]
    loops = [subprocess.Popen(loop) for _ in range(os.cpu_count() or 1)]
    yield
    for process in loops:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("load")
@pytest.mark.parametrize("native", ["0", "1"])
def test_all_cpu_time_is_that_of_the_calling_thread(native: str) -> None:
    """On a busy machine, where threads of BLAS spin: no other thread works."""
    command = [sys.executable, "-c", CPU_TIMES]
    environment = {**os.environ, VARIABLE: native}
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    assert float(run.stdout) < 1.05
