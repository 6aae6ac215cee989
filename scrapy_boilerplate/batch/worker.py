"""The worker process: takes one page at a time, answers with its row. Nothing is pickled."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

from scrapy_boilerplate.batch.pages import StoredPage

READY = b"ready"
"""The first message of a worker: its model is read."""
LAST_RESORT = 10
"""Seconds beyond the limit of a page after which the worker ends by itself: where the process that
watches it is gone, a page that hangs must not stay for ever."""

LineOf = Callable[[StoredPage], bytes]


def main() -> None:
    """Serve the socket named by the first argument, with the settings in the second (JSON)."""
    settings = json.loads(sys.argv[2])
    serve(Connection(int(sys.argv[1])), line_maker(settings), settings["seconds"])


def line_maker(settings: dict[str, object]) -> LineOf:
    """What makes the rows, with the `extractor` and the `added` fields of `settings`."""
    from scrapy_boilerplate.batch.rows import line_of  # noqa: PLC0415 - tests make rows without it
    from scrapy_boilerplate.catalog import extractor_named  # noqa: PLC0415

    extractor = extractor_named(str(settings["extractor"]), str(settings["favor"]))
    added = tuple(str(settings["added"]).split())
    return lambda page: line_of(page, extractor, added)


def serve(connection: Connection, line_for: LineOf, seconds: float) -> None:
    """Answer every message (a packed page) with its row until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the business of who started us
    connection.send_bytes(READY)
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, seconds + LAST_RESORT)
        line = line_for(StoredPage.unpacked(message))
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            connection.send_bytes(line)
        except OSError:
            os._exit(1)  # nobody is left to be told


if __name__ == "__main__":
    main()
