"""``BOILERPLATE_INSPECT_DIR``: the inspection pages of the least confident articles of a crawl."""

import logging
from collections.abc import Collection
from pathlib import Path

from scrapy.http import Response

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.page_reader import has_html
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.page.limits import MILLISECONDS
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.report.inspection import inspect, render_inspection
from scrapy_boilerplate.report.inspection_folder import InspectedPage, InspectionFolder
from scrapy_boilerplate.site.monitors import MAX_EXAMPLE

WITHOUT_SITE = (
    "The crawl used other pages of the site (BOILERPLATE_SITE); this page shows the labels without "
    "them, so the text may differ from the text of the item."
)

logger = logging.getLogger(__name__)


class Inspector:
    """Keeps the inspection pages of articles of low confidence in a folder.

    Example pages of sites that have changed are kept in any case. A page
    is built only if it is kept. That takes some tenths of a second in the crawl's own process. If a
    worker has built the document, the page is read again from the response. Errors of a page are
    logged. Raises OSError if the folder cannot be written.
    """

    def __init__(self, context: CrawlContext, folder: str) -> None:
        self._settings = settings = context.settings
        self._count = context.count
        self._reader = context.reader
        self._examples: Collection[str] = context.sites.examples if settings.site_alarm else ()
        self._folder = InspectionFolder(Path(folder), settings.inspect_pages)

    def add(self, document: Document, response: Response | None) -> None:
        """Keep the page of `document` if it is an article of low confidence, or an example."""
        is_example = (document.url or "")[:MAX_EXAMPLE] in self._examples
        if document.confidence >= self._settings.inspect_below and not is_example:
            return
        if document.error is not None or not _has_page(document, response):
            return
        page = InspectedPage(
            document.confidence, document.url or "", document.headline or "", document.extractor
        )
        try:
            probability = 1 if is_example else document.article_probability or 0
            if self._folder.accepts(page) and probability >= self._settings.article_threshold:
                self._folder.add(page, lambda: self._build_page(document, response))
                self._count("inspected")
        except Exception as error:  # noqa: BLE001 - an inspection page never loses an item
            self._count("errors/inspect")
            logger.error("Cannot inspect %s: %s: %s", page.url, type(error).__name__, error)

    def close(self) -> None:
        """Log the folder of the pages, or that no page was kept."""
        below = f"a confidence below {self._settings.inspect_below:g}"
        if len(self._folder):
            logger.info(
                "Inspection pages (%d) of articles with %s%s: %s",
                len(self._folder),
                below,
                ", or of sites that have changed" if self._examples else "",
                self._folder.index.resolve(),
            )
        else:
            logger.info(
                "No article had %s (BOILERPLATE_INSPECT_BELOW): there is nothing to inspect", below
            )

    def _build_page(self, document: Document, response: Response | None) -> str:
        options = self._settings.options
        if response is not None:
            options = self._reader.find_state(response).options
        tree = document.tree
        if tree is None:
            tree = parse_html(response, self._settings.limits)
        note = WITHOUT_SITE if self._settings.uses_site else ""
        return render_inspection(inspect(tree, document.url, [options]), note)


def _has_page(document: Document, response: Response | None) -> bool:
    if document.exceeded == MILLISECONDS:
        return False
    if document.tree is not None:
        return True
    return response is not None and has_html(response) and response.url == document.url
