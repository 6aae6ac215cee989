"""The document of a response: made when first asked for, once."""

from __future__ import annotations

import logging
from weakref import ReferenceType, WeakKeyDictionary, ref

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector

from scrapy_boilerplate.catalog import DEFAULT, UnknownExtractorError, extractor_named
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.site_extraction import ReadPage, SiteExtraction

logger = logging.getLogger(__name__)

META_EXTRACTOR = "boilerplate"
"""`request.meta` key: the extractor for this response; False is as good as `META_SKIP`."""
META_SKIP = "dont_boilerplate"
"""`request.meta` key: True leaves this response and its items alone."""


def is_skipped(request: Request) -> bool:
    """Whether the request says to leave its response alone."""
    return bool(request.meta.get(META_SKIP)) or request.meta.get(META_EXTRACTOR) is False


class Analysis:
    """Makes the document of one response, lazily; nothing that goes wrong gets out of it.

    An analysis holds neither the request nor the response: it hangs on the request's life. Unless
    it `fills_items`, the document is only for a callback that asks.
    """

    def __init__(
        self,
        extractor: str | Extractor = DEFAULT,
        stats: StatsCollector | None = None,
        *,
        fills_items: bool = True,
        site: SiteExtraction | None = None,
    ) -> None:
        self.fills_items = fills_items
        self._extractor = extractor
        self._stats = stats
        self._site = site
        self._made: tuple[ReferenceType[Response], Document] | None = None
        self._read: tuple[ReferenceType[Response], ReadPage] | None = None

    def learn(self, response: Response) -> ReadPage | None:
        """Read the page and learn it, once, without labelling it yet; None where there is nothing
        to
        wait for: no site knowledge, no page, or its document is made already."""
        if self._site is None or self._made is not None or not has_html(response):
            return None
        try:
            return self._read_page(self._site, response)
        except Exception as error:
            logger.debug("Nothing learnt of %s:", response.url, exc_info=error)
            return None

    def _read_page(self, site: SiteExtraction, response: Response) -> ReadPage:
        if self._read is None or self._read[0]() is not response:
            read = site.read(response, response.url, self._extractor_for(response))
            self._read = ref(response), read
            self._count("site/pages")
        return self._read[1]

    def document(self, response: Response) -> Document:
        """The document of `response`; an empty one with `error` if the page cannot be read."""
        if self._made is None or self._made[0]() is not response:
            self._made = ref(response), self._make(response)
        return self._made[1]

    def _make(self, response: Response) -> Document:
        if not has_html(response):
            return Document(url=response.url)
        try:
            document = self._extracted(response)
        except UnknownExtractorError as error:
            return self._failed(response, "meta", error)
        except Exception as error:  # noqa: BLE001 - a bad page never stops a crawl
            return self._failed(response, "page", error)
        self._count("documents")
        self._count(f"documents/{document.extractor}")
        if not document.text:
            self._count("documents/empty")
        return document

    def _extracted(self, response: Response) -> Document:
        extractor = self._extractor_for(response)
        if self._site is None:
            return extract(response, response.url, extractor)
        read = self._read_page(self._site, response)
        self._read = None
        return self._site.finish(read, extractor)

    def extractor_of(self, response: Response) -> Extractor:
        """The extractor of the documents of `response`. Raises UnknownExtractorError."""
        chosen = self._extractor_for(response)
        return chosen if isinstance(chosen, Extractor) else extractor_named(chosen)

    def _extractor_for(self, response: Response) -> str | Extractor:
        request = response.request
        written = None if request is None else request.meta.get(META_EXTRACTOR)
        return self._extractor if written in (None, True, False) else written

    def _failed(self, response: Response, kind: str, error: Exception) -> Document:
        self._count(f"errors/{kind}")
        logger.error("No document of %s: %s: %s", response.url, type(error).__name__, error)
        logger.debug("Where it failed:", exc_info=error)
        return Document(url=response.url, error=f"{type(error).__name__}: {error}")

    def _count(self, name: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"boilerplate/{name}")


_analyses: WeakKeyDictionary[Request, Analysis] = WeakKeyDictionary()
# The one thing that is not on an instance: a callback that calls `boilerplate(response)` holds
# nothing that leads to its crawler. An entry lives as long as its request, and requests are never
# shared between crawlers, so nothing grows and nothing mixes.


def note_analysis(request: Request, analysis: Analysis) -> None:
    """From now on `analysis` makes the document of the responses to `request`."""
    _analyses[request] = analysis


def noted_analysis(response: Response) -> Analysis | None:
    """The analysis noted for the response's request; None if there is none."""
    return None if response.request is None else _analyses.get(response.request)


def has_html(response: Response) -> bool:
    """Whether there is a page to read: HTML with a body."""
    return isinstance(response, HtmlResponse) and bool(response.body)


def boilerplate(response: Response) -> Document:
    """The document of a response, for use in a callback.

    Made with the request's extractor (``meta={"boilerplate": "num-words"}``) or the crawl's, once:
    the items of this response get the same. Whoever asks gets an answer: also for a response whose
    items are left alone, and without the add-on (with the default extractor). What is no HTML gives
    an empty document. Never raises for a bad page.
    """
    return (noted_analysis(response) or Analysis()).document(response)
