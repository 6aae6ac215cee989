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
from scrapy_boilerplate.batch.site_records import SitePageReader
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.overrides import SiteRules
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.serve import Handler, serve

PageHandler = Callable[[StoredPage], bytes]


def create_page_handler(settings: Mapping[str, Any]) -> PageHandler:
    """Return the function from page to row, or to site record.

    `settings` are those of `RowPool.describe_work`.
    """
    rules = SiteRules.from_mapping(settings["sites"])
    options = replace(Options.load(settings), sites=rules)
    extractors: dict[str | None, Extractor] = {}

    def find_extractor(url: str | None) -> Extractor:
        rule = rules.find(url)
        pattern = None if rule is None else rule.pattern
        if pattern not in extractors:
            extractors[pattern] = options.for_page(url).build_extractor()
        return extractors[pattern]

    def build_document(page: StoredPage) -> Document:
        return extract(page.html, page.url, find_extractor(page.url))

    find_extractor(None)  # a slow import is part of the start
    if settings["learn"]:
        return SitePageReader(find_extractor).read_record
    if settings["statistics"]:
        build_document = SitePageReader(find_extractor, settings["statistics"]).build_document
    return partial(create_row, build_document=build_document, added=settings["fields"])


def serve_rows(create: Callable[[Mapping[str, Any]], PageHandler] = create_page_handler) -> None:
    """Answer pages with their rows until the pool closes the pipe.

    `create` gets the settings, which are JSON in the third argument of the process.
    """

    def create_handler() -> Handler:
        handle_page = create(json.loads(sys.argv[3]))

        def handle(header: Mapping[str, Any], html: bytes) -> tuple[Mapping[str, Any], bytes]:
            text = html.decode() if header["is_text"] else html
            return {}, handle_page(StoredPage(id=header["id"], url=header["url"], html=text))

        return handle

    serve(create_handler)
