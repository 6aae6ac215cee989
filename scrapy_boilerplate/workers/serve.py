"""The loop of a worker process: read requests and write responses until the pipe is closed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from scrapy_boilerplate.workers.frames import read_frame, write_frame

# Seconds beyond its timeout after which a worker ends itself, in case the process that would end it
# is gone.
LAST_RESORT = 10
# Seconds; above the timeout of any page.
LONGEST_TIMER = 10_000_000

Handler = Callable[[dict[str, Any], bytes], tuple[Mapping[str, Any], bytes]]


def serve(create_handler: Callable[[], Handler]) -> None:
    """Answer requests from standard input on standard output until it is closed.

    The first message reports that the handler is ready.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the responses
    handle = create_handler()
    header: Mapping[str, Any] = {}
    body = b""
    while True:
        try:
            write_frame(responses, header, body)
            request, request_body = read_frame(requests)
        except EOFError:
            return
        except OSError:
            os._exit(1)  # the parent is gone
        _set_timer(request.pop("timeout") + LAST_RESORT)
        header, body = handle(request, request_body)
        _set_timer(0)


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST_TIMER))
