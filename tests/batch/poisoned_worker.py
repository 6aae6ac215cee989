"""The worker of a batch, with a parser that some pages poison."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.worker import PageHandler, create_page_handler, serve_pages

HANGS, DIES, EXITS, GROWS = "it-hangs", "it-dies", "it-exits", "it-grows"
MODULE = "tests.batch.poisoned_worker"


def main() -> None:
    """As the worker's own."""
    settings = json.loads(sys.argv[3])

    def create() -> PageHandler:
        handle = create_page_handler(settings)

        def handle_poisoned(page: StoredPage) -> bytes:
            held = []
            if page.id == HANGS:
                time.sleep(600)
            if page.id == DIES:
                os.kill(os.getpid(), signal.SIGSEGV)
            if page.id == EXITS:
                raise SystemExit(3)
            while page.id == GROWS:
                held.append(bytearray(b"1" * 5_000_000))
                time.sleep(0.002)
            return handle(page)

        return handle_poisoned

    serve_pages(create)
