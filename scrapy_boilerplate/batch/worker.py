"""The worker process: takes a page, answers with its row or its site record. Nothing is pickled."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage

READY = b"ready"
"""The first message of a worker: its model is read."""
LAST_RESORT = 10
"""Seconds beyond the limit of a page after which the worker ends by itself: where the process that
watches it is gone, a page that hangs must not stay for ever."""

LABEL, LEARN = "label", "learn"
"""What a worker does with pages."""

AnswerOf = Callable[[StoredPage], bytes]


def main() -> None:
    """Serve the socket named by the first argument, with the settings in the second (JSON)."""
    settings = json.loads(sys.argv[2])
    serve(Connection(int(sys.argv[1])), answer_maker(settings), settings["seconds"])


def answer_maker(settings: Mapping[str, Any]) -> AnswerOf:
    """What answers pages: see `Settings`."""
    # tests make rows without a worker
    from scrapy_boilerplate.batch.rows import line_of, reader  # noqa: PLC0415
    from scrapy_boilerplate.batch.site_rows import SiteReader  # noqa: PLC0415
    from scrapy_boilerplate.extractors import extractor_named  # noqa: PLC0415

    extractor = extractor_named(settings["extractor"], settings["favor"])
    if settings["task"] == LEARN:
        return SiteReader(extractor).record_line
    statistics = settings["statistics"]
    document_of = SiteReader(extractor, statistics).document if statistics else reader(extractor)
    return partial(line_of, document_of=document_of, added=tuple(settings["added"].split()))


def serve(connection: Connection, answer_of: AnswerOf, seconds: float) -> None:
    """Answer every message (a packed page) with `answer_of` it until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the business of who started us
    connection.send_bytes(READY)
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, seconds + LAST_RESORT)
        answer = answer_of(StoredPage.unpacked(message))
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            connection.send_bytes(answer)
        except OSError:
            os._exit(1)  # nobody is left to be told


if __name__ == "__main__":
    main()
