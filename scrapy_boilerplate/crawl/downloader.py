"""The downloader middleware: notes who makes the document of each HTML response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from scrapy_boilerplate.crawl.analysis import Analysis, has_html, is_skipped, note_analysis
from scrapy_boilerplate.crawl.executor import Executor
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.site import sites_of, warn_of_unused

if TYPE_CHECKING:
    from typing_extensions import Self


class BoilerplateDownloaderMiddleware:
    """Notes an `Analysis` for every HTML response that is meant for a spider.

    The work itself is done when an item or a callback asks; pages that give only links cost
    nothing. Responses pass through unchanged.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._settings = CrawlSettings.of(crawler.settings)
        if not self._settings.enabled:
            raise NotConfigured
        self._crawler = crawler
        self._executor = Executor.of(self._settings, crawler)
        self._site = sites_of(crawler).extraction if self._settings.site.enabled else None
        crawler.signals.connect(self._opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built by Scrapy. Raises SettingError if a setting is wrong."""
        return cls(crawler)

    def _opened(self) -> None:
        warn_of_unused(self._crawler)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Note the analysis, unless the response is no page or is not for a spider."""
        if request.callback is not NO_CALLBACK and has_html(response):
            stats = self._crawler.stats
            wanted = not is_skipped(request)
            analysis = Analysis(
                self._settings.extractor,
                stats,
                fills_items=wanted,
                site=self._site,
                executor=self._executor,
            )
            note_analysis(request, analysis)
            if stats is not None:
                stats.inc_value("boilerplate/responses" if wanted else "boilerplate/skipped")
        return response
