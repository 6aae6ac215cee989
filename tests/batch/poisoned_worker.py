"""A worker of a batch whose parser hangs or dies on some pages."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.worker import PageHandler, create_page_handler, serve_rows

HANGS, DIES, EXITS, GROWS = "it-hangs", "it-dies", "it-exits", "it-grows"
DIES_UNNAMED = "it-dies-by-a-signal-without-a-name"
HUNG_VARIABLE = "TESTS_HUNG_FILE"
"""Environment variable: the file that exists when a page hangs."""
POISONED = "tests.batch.poisoned_worker:serve_poisoned_rows"


def create_poisoned_handler(settings: Mapping[str, Any]) -> PageHandler:
    handle_page = create_page_handler(settings)

    def handle_poisoned(page: StoredPage) -> bytes:
        held = []
        if page.id == HANGS:
            Path(os.environ[HUNG_VARIABLE]).touch()
            time.sleep(600)
        if page.id == DIES:
            os.kill(os.getpid(), signal.SIGSEGV)
        if page.id == DIES_UNNAMED:
            os.kill(os.getpid(), 35)  # a real-time signal
        if page.id == EXITS:
            raise SystemExit(3)
        while page.id == GROWS:
            held.append(bytearray(b"1" * 5_000_000))
            time.sleep(0.002)
        return handle_page(page)

    return handle_poisoned


def serve_poisoned_rows() -> None:
    serve_rows(create_poisoned_handler)
