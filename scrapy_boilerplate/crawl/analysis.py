"""The document of a response: made when first asked for, once."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Collection
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from dataclasses import dataclass
from typing import cast
from weakref import ReferenceType, WeakKeyDictionary, ref

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector

from scrapy_boilerplate.crawl.executor import INLINE_EXECUTOR, Executor, waited
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import DEFAULT, UnknownExtractorError, extractor_named
from scrapy_boilerplate.site_extraction import ReadPage, SiteExtraction
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.plain import BLOCKS, LATE, PROBABILITY, document_of
from scrapy_boilerplate.workers.pool import Answer

logger = logging.getLogger(__name__)

META_EXTRACTOR = "boilerplate"
"""`request.meta` key: the extractor for this response; False is as good as `META_SKIP`."""
META_SKIP = "dont_boilerplate"
"""`request.meta` key: True leaves this response and its items alone."""


def is_skipped(request: Request) -> bool:
    """Whether the request says to leave its response alone."""
    return bool(request.meta.get(META_SKIP)) or request.meta.get(META_EXTRACTOR) is False


@dataclass(kw_only=True)
class _Made:
    """The document of one response; or the future of it, while workers are at it.

    `late` says what of `plain.LATE` it can tell: all of it where its page is still there.
    """

    response: ReferenceType[Response]
    late: frozenset[str]
    document: Document | None = None
    answer: Future[Answer] | None = None

    def tells(self, response: Response, late: Collection[str]) -> bool:
        return self.response() is response and self.late.issuperset(late)


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
        executor: Executor = INLINE_EXECUTOR,
    ) -> None:
        self.fills_items = fills_items
        self._extractor = extractor
        self._stats = stats
        self._site = site
        self._executor = executor
        self._made: _Made | None = None
        self._read: tuple[ReferenceType[Response], ReadPage] | None = None

    def learn(self, response: Response) -> ReadPage | None:
        """Read the page and learn it, once, without labelling it yet; None where there is nothing
        to wait for: no site knowledge, no page, or its document is made already."""
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
        """The document of `response`; an empty one with `error` if the page cannot be read.

        Made here and now, whatever the executor, unless workers have sent all that it can tell.
        """
        made = self._made
        if made is None or made.document is None or not made.tells(response, LATE):
            document = self._make(response)
            made = _Made(response=ref(response), late=frozenset(LATE), document=document)
            self._made = made
        return cast("Document", made.document)

    async def document_async(self, response: Response, late: Collection[str]) -> Document:
        """The same, made by the workers where there are any; their document is without its page.

        Of what documents build `late` (`plain.LATE`), only that can be told then. Whoever asks for
        the same response shares one answer, unless a later one asks for more.
        """
        made = self._made
        if made is None or not made.tells(response, late):
            answer = self._submitted(response, late)
            if answer is None:
                return self.document(response)
            made = _Made(response=ref(response), late=frozenset(late), answer=answer)
            self._made = made
        if made.document is None and made.answer is not None:
            answer_ = await self._waited(made.answer)
            if made.document is None:  # nobody else has been here
                made.document, made.answer = self._received(response, answer_), None
        return cast("Document", made.document)

    def _submitted(self, response: Response, late: Collection[str]) -> Future[Answer] | None:
        if not has_html(response):
            return None
        extractor = self._extractor_for(response)
        if extractor is self._extractor:
            return self._executor.submit(cast("HtmlResponse", response), None, late)
        if isinstance(extractor, str):
            return self._executor.submit(cast("HtmlResponse", response), extractor, late)
        return None  # an extractor of the user's own, or a mistake: told here

    @staticmethod
    async def _waited(answer: Future[Answer]) -> Answer:
        try:
            return await waited(answer)
        except (FutureCancelledError, CancelledError):
            if not answer.cancelled():  # it is we who are no longer wanted
                raise
            return Answer(error="the pool was closed before its turn")

    def _received(self, response: Response, answer: Answer) -> Document:
        for _ in range(answer.deaths):
            self._count("workers/died")
        if answer.document is None:
            return self._failed(response, answer.kind, str(answer.error))
        return self._counted(document_of(answer.document))

    def _make(self, response: Response) -> Document:
        if not has_html(response):
            return Document(url=response.url)
        try:
            return self._counted(self._extracted(response))
        except UnknownExtractorError as error:
            return self._raised(response, "meta", error)
        except Exception as error:  # noqa: BLE001 - a bad page never stops a crawl
            return self._raised(response, "page", error)

    def _extracted(self, response: Response) -> Document:
        extractor = self._extractor_for(response)
        if self._site is None:
            return extract(response, response.url, extractor, limits=self._executor.limits)
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

    def _counted(self, document: Document) -> Document:
        self._count("documents")
        self._count(f"documents/{document.extractor}")
        if not document.text:
            self._count("documents/empty")
        if document.partial:
            self._count(f"partial/{document.partial}")
        return document

    def _raised(self, response: Response, kind: str, error: Exception) -> Document:
        document = self._failed(response, kind, f"{type(error).__name__}: {error}")
        logger.debug("Where it failed:", exc_info=error)
        return document

    def _failed(self, response: Response, kind: str, error: str) -> Document:
        self._count(f"errors/{kind}")
        logger.error("No document of %s: %s", response.url, error)
        return Document(url=response.url, error=error)

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


async def boilerplate_async(response: Response, *, html: bool = False) -> Document:
    """As `boilerplate`, but with ``BOILERPLATE_EXECUTOR = "process"`` a worker process reads the
    page while the crawl goes on: ``document = await boilerplate_async(response)``.

    Such a document has left its page behind; it tells `html` and `markdown` only if you ask for
    them with `html`. Several callers of one response share the work.
    """
    analysis = noted_analysis(response) or Analysis()
    late = LATE if html else (BLOCKS, PROBABILITY)
    return await analysis.document_async(response, late)
