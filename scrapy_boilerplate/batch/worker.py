"""The worker process of a batch: it answers a stored page with its row or its site record."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import create_row
from scrapy_boilerplate.batch.settings import LEARN
from scrapy_boilerplate.batch.site_records import SitePageReader
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.workers.serve import Handler, serve

PageHandler = Callable[[StoredPage], bytes]


def create_page_handler(settings: Mapping[str, Any]) -> PageHandler:
    """Return the function from page to row, or to site record, of these `BatchSettings`."""
    extractor = get_extractor(settings["extractor"], settings["favor"])
    if settings["extractor_name"]:
        extractor = replace(extractor, name=settings["extractor_name"])
    if settings["task"] == LEARN:
        return SitePageReader(extractor).read_record
    added = tuple(settings["added"].split())
    if settings["statistics"]:
        reader = SitePageReader(extractor, settings["statistics"])
        return partial(create_row, build_document=reader.build_document, added=added)
    return partial(
        create_row,
        build_document=lambda page: extract(page.html, page.url, extractor),
        added=added,
    )


def serve_rows(create: Callable[[Mapping[str, Any]], PageHandler] = create_page_handler) -> None:
    """Answer packed pages with their rows until the pool closes the pipe.

    `create` gets the settings, which are JSON in the third argument of the process.
    """

    def create_handler() -> Handler:
        handle_page = create(json.loads(sys.argv[3]))
        return lambda _header, message: ({}, handle_page(StoredPage.unpack(message)))

    serve(create_handler)
