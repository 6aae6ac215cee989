"""The worker, with a parser that some pages poison: ``python -m tests.batch.poisoned_worker``."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from multiprocessing.connection import Connection

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.worker import answer_maker, serve

HANGS, DIES, GROWS = "it-hangs", "it-dies", "it-grows"
COMMAND = ("-m", "tests.batch.poisoned_worker")


def main() -> None:
    """As the worker's own."""
    settings = json.loads(sys.argv[2])
    make = answer_maker(settings)

    def poisoned(page: StoredPage) -> bytes:
        held = []
        if page.id == HANGS:
            time.sleep(600)
        if page.id == DIES:
            os.kill(os.getpid(), signal.SIGSEGV)
        while page.id == GROWS:
            held.append(bytearray(b"1" * 5_000_000))
            time.sleep(0.002)
        return make(page)

    serve(Connection(int(sys.argv[1])), poisoned, settings["seconds"])


if __name__ == "__main__":
    main()
