"""``BOILERPLATE_INSPECT_DIR``: the inspection pages of the least confident articles of a crawl."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from scrapy.http import Response

from scrapy_boilerplate.crawl.analysis import has_html, noted_analysis
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import limited_tree
from scrapy_boilerplate.news.article_probability import ARTICLE
from scrapy_boilerplate.page.limits import MILLISECONDS
from scrapy_boilerplate.report.inspection import inspect
from scrapy_boilerplate.report.inspection_page import inspection_page
from scrapy_boilerplate.report.shelf import Shelf, Shelved
from scrapy_boilerplate.steps.extractor import Extractor

WITHOUT_SITE = (
    "The crawl used what it knew of the site (BOILERPLATE_SITE); shown is what the extractor makes "
    "of the page alone, so that the text may differ from the item's."
)

logger = logging.getLogger(__name__)


class Inspector:
    """Keeps the inspection page of a document that few would trust; `count` takes stat names.

    A page is made only if it will be kept; that takes some tenths of a second, here, also where
    workers made the document: its page is read again from the response. Nothing that goes wrong
    with a page gets out. Raises OSError if the folder cannot be written.
    """

    def __init__(self, settings: CrawlSettings, count: Callable[[str], None]) -> None:
        self._settings = settings
        self._count = count
        folder = settings.inspect_dir
        self._shelf = Shelf(Path(folder), settings.inspect_pages) if folder else None

    def look_at(self, document: Document, response: Response | None) -> None:
        """Keep the page of `document` if it is an article of low confidence."""
        if self._shelf is None or document.confidence >= self._settings.inspect_below:
            return
        if document.error is not None or not _has_page(document, response):
            return
        page = Shelved(
            document.confidence, document.url or "", document.headline or "", document.extractor
        )
        try:
            if self._shelf.wants(page) and (document.article_probability or 0) >= ARTICLE:
                self._shelf.put(page, lambda: self._page(document, response))
                self._count("inspected")
        except Exception as error:  # noqa: BLE001 - a page to look at never costs an item
            self._count("errors/inspect")
            logger.error("No inspection of %s: %s: %s", page.url, type(error).__name__, error)

    def close(self) -> None:
        """Say where the pages are, or that there are none."""
        if self._shelf is None:
            return
        below = f"a confidence below {self._settings.inspect_below:g}"
        if len(self._shelf):
            told = "Inspection pages of %d articles with %s: %s"
            logger.info(told, len(self._shelf), below, self._shelf.index.resolve())
        else:
            told = "No article had %s (BOILERPLATE_INSPECT_BELOW): there is nothing to inspect"
            logger.info(told, below)

    def _page(self, document: Document, response: Response | None) -> str:
        extractor = self._extractor(response)
        tree = document.tree
        if tree is None:
            tree = limited_tree(response, self._settings.limits)[0]
        note = WITHOUT_SITE if self._settings.site.enabled else ""
        return inspection_page(inspect(tree, document.url, [extractor]), note)

    def _extractor(self, response: Response | None) -> Extractor:
        analysis = None if response is None else noted_analysis(response)
        if analysis is None or response is None:
            return self._settings.extractor
        return analysis.extractor_of(response)


def _has_page(document: Document, response: Response | None) -> bool:
    """Whether there is a page to show; not of one whose time is used up."""
    if document.partial == MILLISECONDS:
        return False
    if document.tree is not None:
        return True
    return response is not None and has_html(response) and response.url == document.url
