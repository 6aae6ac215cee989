"""Reads the pages of a crawl: one document per response, here or in a worker process.

The settings, the rule of a site and ``request.meta`` decide how a response is read.
"""

import logging
from asyncio import CancelledError
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, cast
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate.batch.file_kinds import find_other_kind
from scrapy_boilerplate.crawl.defer import wait_for_future
from scrapy_boilerplate.crawl.settings import FieldNames, SettingError, parse_fields
from scrapy_boilerplate.document import LAZY_FIELDS, Document, log_failure
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import DEFAULT, Options, UnknownExtractorError, get_extractor
from scrapy_boilerplate.page.limits import MILLISECONDS
from scrapy_boilerplate.site.visit import SiteVisit
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.pool import WorkerPool, WorkerResponse
from scrapy_boilerplate.workers.worker import build_page_request, load_document

logger = logging.getLogger(__name__)

# From an extractor to the step that reads the other pages of a site, if it suits the extractor
VisitSite = Callable[[Extractor], SiteVisit | None]
ALL_LAZY_FIELDS = frozenset(LAZY_FIELDS)

# `request.meta` key: `RequestOptions` of this response; False means the same as META_SKIP
META_OPTIONS = "boilerplate"
# `request.meta` key: True skips this response and its items
META_SKIP = "dont_boilerplate"


class MetaError(ValueError):
    """``meta["boilerplate"]`` is wrong; the message says what to write instead."""


@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    """How one response is read, from ``meta["boilerplate"]``; None means as in the settings.

    A dict has these names as keys. A string or an `Extractor` only sets the extractor.

    extractor   a name, the path of a model, or an extractor of your own
    favor       as in `extract`
    fields      which fields its items get, as in ``BOILERPLATE_FIELDS``
    every_item  fill items about other pages too; ``meta={"boilerplate": True}`` only sets this
    """

    extractor: str | Extractor | None = None
    favor: str | None = None
    fields: FieldNames | None = None
    every_item: bool = False

    @classmethod
    def from_meta(cls, written: Any) -> Self:
        """Return the options of a request. Raises MetaError."""
        if isinstance(written, bool):
            return cls(every_item=written)
        if not isinstance(written, Mapping):
            written = {"extractor": written}
        names = [row.name for row in fields(cls)]
        unknown = [name for name in written if name not in names]
        if unknown:
            raise MetaError(
                f"meta['{META_OPTIONS}'] has the key {unknown[0]!r}; write {', '.join(names)}"
            )
        values = dict(written)
        extractor, favor = values.get("extractor"), values.get("favor")
        try:
            if values.get("fields") is not None:
                values["fields"] = parse_fields(
                    values["fields"], (), f"meta['{META_OPTIONS}']['fields']"
                )
            if not isinstance(extractor, str | Extractor | None):
                get_extractor(extractor)  # raises, as for a name that is unknown
            if not isinstance(favor, str | None):
                get_extractor(DEFAULT, favor)
        except SettingError as error:
            raise MetaError(str(error)) from None
        except UnknownExtractorError as error:
            raise MetaError(f"meta['{META_OPTIONS}']: {error}") from None
        if not isinstance(values.get("every_item", False), bool):
            raise MetaError(f"meta['{META_OPTIONS}']['every_item']: write True or False")
        return cls(**values)


NO_OPTIONS = RequestOptions()


def is_skipped(request: Request) -> bool:
    """Return whether the request asks to skip its response."""
    return bool(request.meta.get(META_SKIP)) or request.meta.get(META_OPTIONS) is False


def has_html(response: Response) -> bool:
    """Return whether there is a page to read: HTML with a body."""
    return isinstance(response, HtmlResponse) and bool(response.body)


@dataclass(kw_only=True)
class _Reading:
    """A document, or the future of it while a worker reads the page.

    `fields` are the LAZY_FIELDS of the document: all if the document has its page.
    """

    fields: frozenset[str]
    document: Document | None = None
    future: Future[WorkerResponse] | None = None


@dataclass(kw_only=True)
class ResponseState:
    """How one response is read, its document, and what its items have in common.

    options        how its page is read
    fields         which fields its items get; None means as in the settings
    every_item     whether items about other pages are filled too
    error          the mistake in the request, if any: then all its items get empty fields
    is_watched     whether its document is added to the monitor of its site
    learns         whether the other pages of its site are used, and learn it
    reading        its document, None before it is read
    urls           the normalized URLs of its page, None before they are read
    n_without_url  how many of its items have no URL
    counted        the stats that are counted once for it
    """

    options: Options
    fields: FieldNames | None = None
    every_item: bool = False
    error: MetaError | UnknownExtractorError | None = None
    is_watched: bool = True
    learns: bool = True
    reading: _Reading | None = None
    urls: frozenset[str] | None = None
    n_without_url: int = 0
    counted: set[str] = field(default_factory=set)


class PageReader:
    """Reads the pages of one crawl; each response is read and counted once.

    options     the default options; requests and callbacks can override them
    count       takes the name of a stat
    visit_site  builds the step that reads the other pages of a site, if it is used
    watch       takes the URL and the document of each page, for the monitor of its site
    pool        the workers, if pages are read by them; they know no other pages of a site
    """

    def __init__(
        self,
        options: Options,
        count: Callable[[str], None],
        *,
        visit_site: VisitSite | None = None,
        watch: Callable[[str, Document], None] | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        self.options = options
        self._count = count
        self._visit_site = visit_site
        self._watch = watch
        self._pool = pool
        self._states: WeakKeyDictionary[Response, ResponseState] = WeakKeyDictionary()

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()

    def find_state(self, response: Response) -> ResponseState:
        """Return the state of a response."""
        state = self._states.get(response)
        if state is None:
            state = self._states[response] = self._build_state(response)
        return state

    def _build_state(
        self, response: Response, extractor: str | Extractor | None = None, favor: str | None = None
    ) -> ResponseState:
        request = response.request
        written = None if request is None else request.meta.get(META_OPTIONS)
        try:
            requested = NO_OPTIONS if written is None else RequestOptions.from_meta(written)
            if extractor is None and favor is None:
                favor = requested.favor
            if extractor is None:
                extractor = requested.extractor
            options = self.options.for_page(response.url, extractor, favor)
            options.build_extractor()
        except (MetaError, UnknownExtractorError) as error:
            return ResponseState(options=self.options, every_item=True, error=error)
        names = requested.fields
        if names is None and options.rule is not None:
            names = options.rule.fields
        return ResponseState(options=options, fields=names, every_item=requested.every_item)

    def _choose_state(
        self, response: Response, extractor: str | Extractor | None, favor: str | None
    ) -> ResponseState:
        """Find the state of a response, or build one for a callback with its own options.

        Raises UnknownExtractorError for a wrong extractor or favor.
        """
        state = self.find_state(response)
        if extractor is None and favor is None:
            return state
        separate = self._build_state(response, extractor, favor)
        if isinstance(separate.error, UnknownExtractorError):
            raise separate.error
        separate.counted = state.counted
        separate.is_watched = separate.learns = False
        return separate

    def read(
        self, response: Response, extractor: str | Extractor | None = None, favor: str | None = None
    ) -> Document:
        """Return the document of a response, read in this process.

        The document of a worker is used if it has every field of LAZY_FIELDS. With an `extractor`
        or `favor` the page is read again, into a separate document. Never raises for a bad page:
        its document is empty and has an `error`. Raises UnknownExtractorError for a wrong
        `extractor` or `favor`.
        """
        state = self._choose_state(response, extractor, favor)
        reading = state.reading
        if reading is None or reading.document is None or reading.fields != ALL_LAZY_FIELDS:
            return self._read_here(response, state)
        return reading.document

    async def read_async(
        self,
        response: Response,
        wanted_fields: Collection[str],
        extractor: str | Extractor | None = None,
        favor: str | None = None,
    ) -> Document:
        """Return the document as `read` does, read by a worker if there are any.

        The document of a worker has `wanted_fields` of LAZY_FIELDS and those that earlier callers
        asked for, and does not hold its page. Several callers share one reading.
        """
        state = self._choose_state(response, extractor, favor)
        reading = state.reading
        if reading is None or not reading.fields.issuperset(wanted_fields):
            names = frozenset(wanted_fields).union(() if reading is None else reading.fields)
            pool = self._pool
            future = None if pool is None else self._submit(pool, response, state, names)
            if future is None:
                return self._read_here(response, state)
            reading = state.reading = _Reading(fields=names, future=future)
        if reading.document is None:
            answer = await _wait_for_answer(cast("Future[WorkerResponse]", reading.future))
            if reading.document is None:  # this caller is the first that resumes
                reading.document = self._receive(response, state, answer)
                if answer.deaths and answer.document is None:
                    # a page that ends workers is not read in this process
                    reading.fields = ALL_LAZY_FIELDS
        return reading.document

    def _read_here(self, response: Response, state: ResponseState) -> Document:
        document = self._build_document(response, state)
        state.reading = _Reading(fields=ALL_LAZY_FIELDS, document=document)
        return document

    def _build_document(self, response: Response, state: ResponseState) -> Document:
        if not has_html(response):
            return Document(url=response.url, error=explain_missing_html(response))
        if state.error is not None:
            return self._fail(response, state, "meta", _describe_error(state.error))
        if kind := _find_other_kind(response):
            return self._fail(response, state, "page", f"the page is {kind}")
        try:
            if self._visit_site is None or not state.learns:
                document = extract_page(response, response.url, state.options)
            else:
                document = self._read_with_site(self._visit_site, response, state.options)
            if self._watch is not None and state.is_watched:
                self._watch(response.url, document)
        except Exception as error:
            logger.debug("Cannot read %s", response.url, exc_info=error)
            return self._fail(response, state, "page", _describe_error(error))
        return self._count_document(state, document)

    def _read_with_site(
        self, visit_site: VisitSite, response: Response, options: Options
    ) -> Document:
        extractor = options.build_extractor()
        visit = visit_site(extractor)
        if visit is None:
            return extract_page(response, response.url, options)
        options = replace(options, extractor=visit.insert_into(extractor))
        document = extract_page(response, response.url, options)
        document.site_pages = visit.site_pages
        if visit.site_pages is not None:
            self._count("site/pages")
        return document

    def _submit(
        self, pool: WorkerPool, response: Response, state: ResponseState, names: frozenset[str]
    ) -> Future[WorkerResponse] | None:
        """Submit a page to the workers; None if it is read in this process."""
        if not has_html(response) or _find_other_kind(response):
            return None
        if state.error is not None or not isinstance(state.options.extractor, str):
            return None
        page = cast("HtmlResponse", response)
        options = replace(state.options, fields=names)
        try:
            return pool.submit(build_page_request(page.url, page.body, page.encoding, options))
        except RuntimeError:  # the pool is closed
            return None

    def _receive(
        self, response: Response, state: ResponseState, answer: WorkerResponse
    ) -> Document:
        for _ in range(answer.deaths):
            self._count("workers/died")
        if answer.document is None:
            return self._fail(response, state, answer.kind, str(answer.error))
        try:
            document = load_document(answer.document)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            return self._fail(response, state, "page", _describe_error(error))
        for name, failure in document.failures.items():
            log_failure(name, document.url, failure)
        return self._count_document(state, document)

    def _count_document(self, state: ResponseState, document: Document) -> Document:
        if self.count_once(state, "documents"):
            self._count(f"documents/{document.extractor}")
            if not document.text:
                self._count("documents/empty")
            rule = state.options.rule
            if rule is not None and document.exceeded != MILLISECONDS:
                self._count(f"overrides/{rule.pattern}")
                if rule.content and "content" not in document.rule_matches:
                    self._count("overrides/missed")
                for key in document.rule_matches:
                    self._count(f"overrides/{key}/{rule.pattern}")
        self.count_errors(state, document)
        return document

    def count_errors(self, state: ResponseState, document: Document) -> None:
        """Count the errors so far; fields that are computed on first use can add errors."""
        if partial := document.exceeded:
            self.count_once(state, f"partial/{partial}")
        for name in document.failures:
            self.count_once(state, f"errors/fields/{name}")

    def _fail(self, response: Response, state: ResponseState, kind: str, error: str) -> Document:
        if self.count_once(state, f"errors/{kind}"):
            logger.error("Cannot read %s: %s", response.url, error)
        return Document(url=response.url, error=error)

    def count_once(self, state: ResponseState, name: str) -> bool:
        """Count a stat of a response unless it was counted; return whether it was new."""
        is_new = name not in state.counted
        if is_new:
            state.counted.add(name)
            self._count(name)
        return is_new


def _find_other_kind(response: Response) -> str | None:
    encoding = getattr(response, "encoding", None)
    return find_other_kind(response.body, f"text/html; charset={encoding}")


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


async def _wait_for_answer(future: Future[WorkerResponse]) -> WorkerResponse:
    try:
        return await wait_for_future(future)
    except (FutureCancelledError, CancelledError):
        if not future.cancelled():  # this caller was cancelled
            raise
        return WorkerResponse(error="the pool was closed before its turn")


def explain_missing_html(response: Response) -> str:
    """Return why a response has no page to read: the `error` of its document."""
    if isinstance(response, HtmlResponse):
        return "the response is empty"
    kind = (response.headers.get("Content-Type") or b"no Content-Type").decode("latin-1")
    is_text = find_other_kind(response.body) is None  # such as JSON
    advice = "; for HTML inside it, see scrapy_boilerplate.Extraction" if is_text else ""
    return f"{type(response).__name__} ({kind}) is not HTML{advice}"


# Readers of requests, and whether those had no META_SKIP when the response came: callbacks change
# the meta for other requests. A callback that calls `boilerplate(response)` has no reference to its
# crawler; requests are never shared between crawlers.
_readers: WeakKeyDictionary[Request, tuple[PageReader, bool]] = WeakKeyDictionary()

# reads responses that did not pass BoilerplateDownloaderMiddleware
DEFAULT_READER = PageReader(Options(), count=lambda _: None)


def register_reader(request: Request, reader: PageReader) -> None:
    """Register the reader of the crawl of a request, for `find_reader` and `fills_items`."""
    _readers[request] = reader, not is_skipped(request)


def find_reader(response: Response) -> PageReader:
    """Return the reader of the response's crawl, or one with default options."""
    return _find_registered(response)[0]


def fills_items(response: Response) -> bool:
    """Return whether the items of a response are filled from its page."""
    return _find_registered(response)[1]


def _find_registered(response: Response) -> tuple[PageReader, bool]:
    default = DEFAULT_READER, False
    return default if response.request is None else _readers.get(response.request, default)
