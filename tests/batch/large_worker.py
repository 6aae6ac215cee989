"""A worker whose rows are as large as the address of a page says, in megabytes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.worker import PageHandler, serve_rows

LARGE = "tests.batch.large_worker:main"
SLOW_SECONDS = 4


def create_page_handler(_settings: Mapping[str, Any]) -> PageHandler:
    """Return a function from page to row; the page 0 takes a while."""

    def handle_page(page: StoredPage) -> bytes:
        if page.id == 0:
            time.sleep(SLOW_SECONDS)
        text = "x" * (1_000_000 * int(page.url or 0))
        return json.dumps({"id": page.id, "text": text, "error": None}).encode()

    return handle_page


def main() -> None:
    """Serve."""
    serve_rows(create_page_handler)
