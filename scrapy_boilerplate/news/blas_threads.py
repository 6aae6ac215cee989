"""One thread for the matrices of the net."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def use_one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which numpy's matrix products use one thread.

    The matrices of a page are small, and the threads of BLAS spin while they wait for each other:
    on a busy machine they take twice the time of everything else together (docs/speed.md). The
    number of threads is the process's, and comes back at the end. Of several threads that enter at
    once, one sets it.
    """
    limiter: AbstractContextManager[Any] = _find_blas().limit(limits=1)
    return limiter


@cache
def _find_blas() -> ThreadpoolController:
    """Return the control of the BLAS that is loaded; looking for it takes milliseconds."""
    controller: ThreadpoolController = ThreadpoolController().select(user_api="blas")
    return controller
