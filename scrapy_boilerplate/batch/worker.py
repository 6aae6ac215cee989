"""The worker process of a batch: it answers a stored page with its row or its site record."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy_boilerplate.batch.json_lines import check_kind, decode_page
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import create_row
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.rules import SiteRules
from scrapy_boilerplate.workers.pipe import Handler, serve

PageHandler = Callable[[StoredPage], bytes]


def create_page_handler(settings: Mapping[str, Any]) -> PageHandler:
    """Return the function from page to row, or to site record.

    `settings` come from `RowPool.describe_work`.
    """
    options = replace(Options.load(settings), rules=SiteRules.from_mapping(settings["rules"]))
    options.build_extractor()  # a slow import is part of the start
    build_document: Callable[[StoredPage], Document] = partial(_build_document, options)
    if settings["learn"] or settings["statistics"]:
        # the records of sites import SQLite
        from scrapy_boilerplate.batch import site_records  # noqa: PLC0415

        if settings["learn"]:
            return partial(site_records.encode_page, options=options)
        reader = site_records.SitePageReader(options, settings["statistics"])
        build_document = reader.build_document
    return partial(create_row, build_document=build_document, added=settings["fields"])


def _build_document(options: Options, page: StoredPage) -> Document:
    return extract_page(page.html, page.url, options.for_page(page.url))


def serve_rows(create: Callable[[Mapping[str, Any]], PageHandler] = create_page_handler) -> None:
    """Answer pages with their rows until the pool closes the pipe.

    `create` gets the settings, which are JSON in the third argument of the process.
    """

    def create_handler() -> Handler:
        handle_page = create(json.loads(sys.argv[3]))

        def handle(header: Mapping[str, Any], content: bytes) -> tuple[Mapping[str, Any], bytes]:
            kind = header["kind"]
            page = StoredPage(
                **{name: header[name] for name in ("id", "url", "partial", "headers")}
            )
            if kind == "line":
                page = check_kind(decode_page(replace(page, line=content)))
            else:
                page = replace(page, html=content.decode() if kind == "text" else content)
            return {"page": {"id": page.id, "url": page.url}}, handle_page(page)

        return handle

    serve(create_handler)
