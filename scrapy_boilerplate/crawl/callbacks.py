"""Functions for callbacks: the document of a response, or of HTML inside of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.page_reader import find_reader
from scrapy_boilerplate.document import LAZY_FIELDS, PLAIN_LAZY_FIELDS, Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.steps.extractor import Extractor


def boilerplate(
    response: Response, extractor: str | Extractor | None = None, favor: str | None = None
) -> Document:
    """Return the document of a response, for use in a callback.

    It is built once, with the extractor of the request (``meta={"boilerplate": "num-words"}``) or
    of the crawl. The items of this response get the same document. With another `extractor` or
    `favor` each call reads the page again, and the items keep their document. Responses whose items
    are skipped have a document too. Without the add-on, the default extractor builds it. The
    document of a response that is not HTML is empty and has an `error`. Never raises for a bad
    page; raises UnknownExtractorError for a wrong `extractor` or `favor`.
    """
    return find_reader(response).read(response, extractor, favor)


async def boilerplate_async(
    response: Response,
    extractor: str | Extractor | None = None,
    favor: str | None = None,
    *,
    html: bool = False,
) -> Document:
    """Return the document as `boilerplate` does, without blocking the crawl.

    With ``BOILERPLATE_EXECUTOR = "process"`` a worker process reads the page while the crawl goes
    on: ``document = await boilerplate_async(response)``. Such a document does not hold its page.
    It has `html`, `markdown`, `images`, `videos`, `links` and `tables` only if you request them
    with `html`. Several callers of one response share the work.
    """
    wanted_fields = LAZY_FIELDS if html else PLAIN_LAZY_FIELDS
    return await find_reader(response).read_async(response, wanted_fields, extractor, favor)


@dataclass(frozen=True)
class Extraction:
    """`extract` with the settings of a crawl, for HTML that is not a response.

    ``Extraction.from_crawler(self.crawler).extract(response.json()["body"], response.url)`` in a
    callback; an item that holds the document gets its fields.
    """

    options: Options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extraction of a crawl, whose settings are read once. Raises SettingError."""
        return cls(CrawlContext.from_crawler(crawler).settings.options)

    def extract(self, source: Any, url: str | None = None) -> Document:
        """Return the document of `source`, which is as in `extract`. Raises as `extract` does."""
        options = self.options
        return extract(
            *(source, url, options.extractor),
            favor=options.favor,
            limits=options.limits,
            sites=options.rules,
        )
