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
from scrapy_boilerplate.batch.settings import LEARN, read_rules
from scrapy_boilerplate.batch.site_records import SitePageReader
from scrapy_boilerplate.extraction import choose_extractor, extract
from scrapy_boilerplate.site.overrides import SiteRule
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.serve import Handler, serve

PageHandler = Callable[[StoredPage], bytes]


class PageExtractors:
    """The extractor of each page: that of `BatchSettings`, or with the rule for its address."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._rules = read_rules(settings["rules"])
        self._extractors = {"": self._build(None)}

    def find(self, url: str | None) -> Extractor:
        """Return the extractor of the page at `url`."""
        rule = self._rules.find(url)
        if rule is None:
            return self._extractors[""]
        if rule.pattern not in self._extractors:
            self._extractors[rule.pattern] = self._build(rule)
        return self._extractors[rule.pattern]

    def _build(self, rule: SiteRule | None) -> Extractor:
        name, favor, renamed = (
            self._settings[key] for key in ("extractor", "favor", "extractor_name")
        )
        extractor = choose_extractor(name, favor, rule)
        keeps_name = not renamed or (rule is not None and rule.extractor is not None)
        return extractor if keeps_name else replace(extractor, name=renamed)


def create_page_handler(settings: Mapping[str, Any]) -> PageHandler:
    """Return the function from page to row, or to site record, of these `BatchSettings`."""
    extractors = PageExtractors(settings)
    if settings["task"] == LEARN:
        return SitePageReader(extractors.find).read_record
    added = tuple(settings["added"].split())
    if settings["statistics"]:
        reader = SitePageReader(extractors.find, settings["statistics"])
        return partial(create_row, build_document=reader.build_document, added=added)
    return partial(
        create_row,
        build_document=lambda page: extract(page.html, page.url, extractors.find(page.url)),
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
