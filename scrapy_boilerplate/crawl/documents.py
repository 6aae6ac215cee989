"""The document of a response: built when it is first asked for, once."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, cast
from weakref import ReferenceType, WeakKeyDictionary, ref

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector

from scrapy_boilerplate.crawl.defer import wait_for_future
from scrapy_boilerplate.crawl.executor import INLINE_EXECUTOR, Executor
from scrapy_boilerplate.crawl.request_meta import META_OPTIONS, MetaError, PageOptions
from scrapy_boilerplate.document import LAZY_FIELDS, Document
from scrapy_boilerplate.extraction import ObservedPage, SiteExtraction, extract
from scrapy_boilerplate.extractors import (
    BALANCED,
    DEFAULT,
    UnknownExtractorError,
    get_extractor,
)
from scrapy_boilerplate.page.labels import OVERRIDE
from scrapy_boilerplate.site.monitors import find_content_paths
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.pool import WorkerResponse
from scrapy_boilerplate.workers.serialization import RemotePage, dump_view, load_document

logger = logging.getLogger(__name__)


_lazy_documents: WeakKeyDictionary[Request, LazyDocument] = WeakKeyDictionary()
# Global, as `crawl.site._crawls` and the adapter of `register_open_models` are: a callback that
# calls `boilerplate(response)` has no reference to its crawler. An entry lives as long as its
# request. Requests are never shared between crawlers, so entries do not pile up and crawlers do not
# mix.


def register_lazy_document(request: Request, lazy_document: LazyDocument) -> None:
    """Register `lazy_document` for the responses to `request`."""
    _lazy_documents[request] = lazy_document


def find_lazy_document(response: Response) -> LazyDocument | None:
    """Return the document registered for the response's request; None if there is none."""
    return None if response.request is None else _lazy_documents.get(response.request)


def has_html(response: Response) -> bool:
    """Return whether there is a page to read: HTML with a body."""
    return isinstance(response, HtmlResponse) and bool(response.body)


def _describe_content(response: Response) -> str:
    """Return why a response has no text: the `error` of its document."""
    if isinstance(response, HtmlResponse):
        return "the response is empty"
    kind = (response.headers.get("Content-Type") or b"no Content-Type").decode("latin-1")
    return (
        f"{type(response).__name__} ({kind}) is no HTML; "
        "for HTML inside of it see scrapy_boilerplate.Extraction"
    )


MAX_VARIANTS = 8
"""Documents of one response by other options that are kept (our choice)."""


@dataclass(kw_only=True)
class _Reading:
    """The document of one response, or the future of it while a worker reads the page.

    `lazy_fields` are the LAZY_FIELDS that the document has: all if it still holds its page.
    """

    response: ReferenceType[Response]
    lazy_fields: frozenset[str]
    document: Document | None = None
    future: Future[WorkerResponse] | None = None

    def answers(self, response: Response, wanted_fields: Collection[str]) -> bool:
        return self.response() is response and self.lazy_fields.issuperset(wanted_fields)


@dataclass(kw_only=True)
class _Learning:
    """What a worker reads of a response for its site: `page`, or the kind of error and its text.

    `future` is None once it is answered. `view` are the options of a `PageRequest` by which workers
    use the site knowledge: those of the first document, so that all of one response are labelled
    alike. It takes the place of `page`.
    """

    response: ReferenceType[Response]
    future: Future[WorkerResponse] | None
    page: RemotePage | None = None
    view: dict[str, Any] | None = None
    failure: tuple[str, str] | None = None


async def _wait_for_answer(future: Future[WorkerResponse]) -> WorkerResponse:
    """Return the answer of a worker, or an error if the pool was closed before its turn."""
    try:
        return await wait_for_future(future)
    except (FutureCancelledError, CancelledError):
        if not future.cancelled():  # this caller was cancelled
            raise
        return WorkerResponse(error="the pool was closed before its turn")


def _describe_failure(response: Response, error: Exception) -> tuple[str, str]:
    """Return the kind of an exception, and its text; where it was raised is for the log."""
    logger.debug("Where %s failed:", response.url, exc_info=error)
    kind = "meta" if isinstance(error, UnknownExtractorError | MetaError) else "page"
    return kind, f"{type(error).__name__}: {error}"


class _Counted:
    """What was counted of a response, which its variants share; of the last one alone."""

    def __init__(self) -> None:
        self._response: ReferenceType[Response] | None = None
        self._subjects: set[str] = set()

    def begin(self, response: Response) -> None:
        """Forget what was counted of another response."""
        if self._response is None or self._response() is not response:
            self._response, self._subjects = ref(response), set()

    def add(self, subject: str) -> bool:
        """Return whether a subject is new."""
        is_new = subject not in self._subjects
        self._subjects.add(subject)
        return is_new


class LazyDocument:
    """The document of one response, built when it is first asked for.

    No exception of a page is raised: a bad page gives an empty document with an `error`, a stat
    and one line in the log. It holds neither request nor response, and lives as long as the
    request. Unless it `fills_items`, the document is only for callbacks.
    """

    def __init__(  # noqa: PLR0913 - what all documents of a crawl share
        self,
        extractor: str | Extractor = DEFAULT,
        stats: StatsCollector | None = None,
        *,
        fills_items: bool = True,
        site: SiteExtraction | None = None,
        executor: Executor = INLINE_EXECUTOR,
        watch: Callable[[str, Document, frozenset[int]], None] | None = None,
    ) -> None:
        self.fills_items = fills_items
        self._extractor = extractor
        self._stats = stats
        self._site = site
        self._executor = executor
        self._watch = watch
        self._places: frozenset[int] = frozenset()
        self._options: PageOptions | None = None  # of a variant
        self._variants: list[tuple[PageOptions, LazyDocument]] = []
        self._reading: _Reading | None = None
        self._learning: _Learning | None = None
        self._learned_page: tuple[ReferenceType[Response], ObservedPage] | None = None
        self._learned_response: ReferenceType[Response] | None = None
        self._watched_response: ReferenceType[Response] | None = None
        self._counted = _Counted()

    def get(self, response: Response) -> Document:
        """Return the document of `response`, built in this process whatever the executor.

        The document of a worker is used if it has every field of LAZY_FIELDS.
        """
        reading = self._reading
        if reading and reading.document and reading.answers(response, LAZY_FIELDS):
            return reading.document
        return self._keep(response, self._build(response))

    def _keep(self, response: Response, document: Document) -> Document:
        """Keep a document that has every field of LAZY_FIELDS, or has none to compute."""
        self._reading = _Reading(
            response=ref(response), lazy_fields=frozenset(LAZY_FIELDS), document=document
        )
        return document

    async def get_async(self, response: Response, wanted_fields: Collection[str]) -> Document:
        """Return the document without its page, read by the workers if there are any.

        Of LAZY_FIELDS it has `wanted_fields`, and those of earlier callers. Several callers with
        the same response share one result, unless a later one requests more fields.
        """
        reading = self._reading
        if reading is None or not reading.answers(response, wanted_fields):
            if reading is not None and reading.response() is response:
                wanted_fields = reading.lazy_fields.union(wanted_fields)
            learning = await self._learn_remotely(response)
            if self._reading is not reading:  # another caller came first
                return await self.get_async(response, wanted_fields)
            site_options = {} if learning is None else self._view_site(response, learning)
            if learning is not None and learning.failure is not None:
                return self._keep(response, self._fail(response, *learning.failure))
            future = self._submit(response, wanted_fields=tuple(wanted_fields), **site_options)
            if future is None:
                return self.get(response)
            reading = _Reading(
                response=ref(response), lazy_fields=frozenset(wanted_fields), future=future
            )
            self._reading = reading
        future = reading.future
        if future is not None:
            answer = await _wait_for_answer(future)
            if reading.document is None:  # the first of the callers that waited
                reading.document, reading.future = self._receive(response, answer), None
                if answer.deaths and answer.document is None:
                    # no later caller reads a page in this process that ended its workers
                    reading.lazy_fields = frozenset(LAZY_FIELDS)
        return cast("Document", reading.document)

    async def learn(self, response: Response) -> bool:
        """Read the page and add it to the site knowledge, once, without labelling it yet.

        Return whether it is known now. That is False where there is nothing to wait for: no site
        knowledge, no page, or a document that is already built.
        """
        if self._site is None or self._reading is not None or not has_html(response):
            return False
        learning = await self._learn_remotely(response)
        if learning is not None:
            return learning.failure is None
        try:
            self._learn_page(self._site, response)
        except Exception as error:
            logger.debug("Nothing learnt of %s:", response.url, exc_info=error)
            return False
        return True

    async def _learn_remotely(self, response: Response) -> _Learning | None:
        """Have a worker read the page for its site, and learn it, once.

        None without site knowledge, and for what is handled in this process (`_submit`).
        """
        if self._site is None:
            return None
        learning = self._learning
        if learning is None or learning.response() is not response:
            future = self._submit(response, site_steps=self._site.steps)
            if future is None:
                return None
            learning = self._learning = _Learning(response=ref(response), future=future)
        if learning.future is not None:
            answer = await _wait_for_answer(learning.future)
            if learning.future is not None:  # the first of the callers that waited
                learning.future = None
                self._learn_answer(self._site, response, learning, answer)
        return learning

    def _learn_answer(
        self,
        site: SiteExtraction,
        response: Response,
        learning: _Learning,
        answer: WorkerResponse,
    ) -> None:
        for _ in range(answer.deaths):
            self._count("workers/died")
        if answer.site_page is None:
            learning.failure = answer.kind, str(answer.error)
            return
        try:
            learning.page = RemotePage.load(answer.site_page, answer.body)
            self._note_places(learning.page.record)
            if not self._has_learned(response):
                if len(learning.page.signatures.texts):
                    site.learn(response.url, learning.page.record)
                self._note_learned(response)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            learning.failure = _describe_failure(response, error)

    def _view_site(self, response: Response, learning: _Learning) -> dict[str, Any]:
        """Return the options of a `PageRequest` by which a worker uses the site knowledge."""
        page = learning.page
        if self._site is not None and page is not None:
            learning.page = None  # it is needed no more
            try:
                view = self._site.view(response.url, page.record, page.signatures)
                learning.view = {"site_steps": self._site.steps, "site_view": dump_view(*view)}
            except Exception as error:  # noqa: BLE001 - a bad page never costs an item
                learning.failure = _describe_failure(response, error)
        return learning.view or {}

    def for_other_page(self) -> LazyDocument:
        """Return a document for another page of the article, read in the same way.

        It is not watched: later pages lack what the first ones of a site have.
        """
        return LazyDocument(self._extractor, self._stats, site=self._site, executor=self._executor)

    def find_variant(self, options: PageOptions) -> LazyDocument:
        """Return the document of the same response with other options, which is built once too.

        Without an extractor of its own it has that of the request, or of the crawl. It uses no
        site knowledge and adds none.
        """
        for known, variant in self._variants:
            if known == options:
                return variant
        variant = LazyDocument(self._extractor, self._stats, executor=self._executor)
        variant._options, variant._counted = options, self._counted
        self._variants = [*self._variants[1 - MAX_VARIANTS :], (options, variant)]
        return variant

    def find_options(self, response: Response) -> PageOptions:
        """Return the options of the document of `response`. Raises MetaError."""
        request, own = response.request, self._options
        options = PageOptions.from_meta(None if request is None else request.meta.get(META_OPTIONS))
        rule = self._executor.rules.find(response.url)
        if rule is not None:
            options = options.with_rule(rule)
        if own is None:
            return options
        # the favor of the request is for the extractor of the request
        extractor = options.extractor if own.extractor is None else own.extractor
        return replace(options, extractor=extractor, favor=own.favor)

    def find_extractor(self, response: Response) -> Extractor:
        """Return the extractor of `response`. Raises MetaError and UnknownExtractorError."""
        options, rule = self.find_options(response), self._executor.rules.find(response.url)
        extractor = self._extractor if options.extractor is None else options.extractor
        if options.favor is None:
            chosen = get_extractor(extractor)
        else:
            if options.extractor is None:
                extractor = self._executor.extractor
            chosen = get_extractor(extractor, options.favor)
        has_rule = rule is not None and rule.has_selectors
        return replace(chosen, override=rule) if has_rule else chosen

    def _build(self, response: Response) -> Document:
        if not has_html(response):
            return Document(url=response.url, error=_describe_content(response))
        try:
            extractor = self.find_extractor(response)
            if self._site is None:
                limits = self._executor.limits
                document = extract(response, response.url, extractor, limits=limits)
            else:
                page, self._learned_page = self._learn_page(self._site, response), None
                document = self._site.build_document(page, extractor)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            return self._fail(response, *_describe_failure(response, error))
        return self._count_document(response, document)

    def _learn_page(self, site: SiteExtraction, response: Response) -> ObservedPage:
        if self._learned_page is None or self._learned_page[0]() is not response:
            extractor = self.find_extractor(response)
            if self._has_learned(response):  # by a worker
                page = site.read(response, response.url, extractor)
            else:
                page = site.read_and_learn(response, response.url, extractor)
                self._note_learned(response)
            self._learned_page = ref(response), page
            self._note_places(page.record)
        return self._learned_page[1]

    def _note_places(self, record: PageRecord) -> None:
        if self._watch is not None:
            self._places = find_content_paths(record)

    def _has_learned(self, response: Response) -> bool:
        return self._learned_response is not None and self._learned_response() is response

    def _note_learned(self, response: Response) -> None:
        self._learned_response = ref(response)
        self._count("site/pages")

    def _submit(self, response: Response, **options: Any) -> Future[WorkerResponse] | None:
        """Return the answer of a worker to a `PageRequest` with `options`.

        None for what is handled in this process: no page, an extractor of the user's own, a
        mistake, and every page where there are no workers.
        """
        if not has_html(response):
            return None
        page = cast("HtmlResponse", response)
        try:
            written = self.find_options(response)
        except MetaError:
            return None
        if written.extractor is None:
            own: dict[str, Any] = {} if written.favor is None else {"favor": written.favor}
        elif isinstance(written.extractor, str):
            own = {"extractor": written.extractor, "favor": written.favor or BALANCED}
        else:
            return None
        rule = self._executor.rules.find(response.url)
        if rule is not None and rule.has_selectors:
            own["rule"] = rule.as_dict()
        return self._executor.submit(page, **own, **options)

    def _receive(self, response: Response, answer: WorkerResponse) -> Document:
        for _ in range(answer.deaths):
            self._count("workers/died")
        if answer.document is None:
            return self._fail(response, answer.kind, str(answer.error))
        try:
            document = load_document(answer.document)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            return self._fail(response, *_describe_failure(response, error))
        return self._count_document(response, document)

    def _count_document(self, response: Response, document: Document) -> Document:
        """Return `document`, counted if it is the first of its response, by any options."""
        self._counted.begin(response)
        if self._counted.add("document"):
            self._count("documents")
            self._count(f"documents/{document.extractor}")
            if not document.text:
                self._count("documents/empty")
            rule = self._executor.rules.find(response.url)
            if rule is not None:
                self._count(f"overrides/{rule.pattern}")
                if rule.content and document.evidence.get("text") != OVERRIDE:
                    self._count("overrides/missed")
        self._count_partial(document)
        if self._watch is not None and (
            self._watched_response is None or self._watched_response() is not response
        ):
            self._watched_response = ref(response)
            self._watch(response.url, document, self._places)
        return document

    def count_partial(self, document: Document) -> None:
        """Count the document, or a variant, if it became `partial` after it was counted; once.

        Its late fields are computed when items are filled.
        """
        for each in (self, *(variant for _, variant in self._variants)):
            if each._reading is not None and each._reading.document is document:
                each._count_partial(document)

    def _count_partial(self, document: Document) -> None:
        if document.partial and self._counted.add(f"partial {document.partial}"):
            self._count(f"partial/{document.partial}")

    def _fail(self, response: Response, kind: str, error: str) -> Document:
        self._counted.begin(response)
        if self._counted.add(f"error {kind}"):
            self._count(f"errors/{kind}")
        logger.error("No document of %s: %s", response.url, error)
        return Document(url=response.url, error=error)

    def _count(self, name: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"boilerplate/{name}")
