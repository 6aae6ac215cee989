"""The worker process of a batch: takes a stored page, answers with its row or its site record."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import create_row
from scrapy_boilerplate.batch.settings import LEARN
from scrapy_boilerplate.batch.site_records import BatchSites
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.workers.serve import serve

PageHandler = Callable[[StoredPage], bytes]


def main() -> None:
    """Answer pages, with the settings in the third argument (JSON)."""
    settings = json.loads(sys.argv[3])
    serve_pages(lambda: create_page_handler(settings))


def serve_pages(create: Callable[[], PageHandler]) -> None:
    """Answer each packed page with the result of the handler, until the pool closes the pipe."""

    def create_handler() -> Callable[[Any, bytes], tuple[Mapping[str, Any], bytes]]:
        handle_page = create()
        return lambda _header, message: ({}, handle_page(StoredPage.unpack(message)))

    serve(create_handler)


def create_page_handler(settings: Mapping[str, Any]) -> PageHandler:
    """Return what answers pages under `settings` (`batch.settings.Settings`)."""
    extractor = get_extractor(settings["extractor"], settings["favor"])
    if settings["task"] == LEARN:
        return BatchSites(extractor).read_record
    added = tuple(settings["added"].split())
    if settings["statistics"]:
        reader = BatchSites(extractor, settings["statistics"])
        return partial(create_row, build_document=reader.build_document, added=added)
    return partial(
        create_row,
        build_document=lambda page: extract(page.html, page.url, extractor),
        added=added,
    )
