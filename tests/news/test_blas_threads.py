"""The net uses one thread, and the process keeps its number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from scrapy_boilerplate.news import net
from scrapy_boilerplate.news.net import _join_neighbours, use_one_blas_thread
from tests.news_models import random_net


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


def test_the_net_uses_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[set[int]] = []

    def join(*arguments: Any) -> Any:
        counts.append(count_threads())
        return _join_neighbours(*arguments)

    monkeypatch.setattr(net, "_join_neighbours", join)
    random_net(3)._run_in_numpy(np.zeros((9, 3)))
    assert counts == [{1}, {1}]
    assert count_threads() == {3}
