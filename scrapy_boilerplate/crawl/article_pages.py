"""Articles over several pages in a crawl: an item waits for the further pages of its article.

Their requests go through the engine, like the requests of Scrapy's media pipelines: downloader
middlewares, robots rules, retries, cache, delays and stats apply. Callbacks, spider middlewares and
the duplicate filter do not get them; a page is marked in the filter once it is joined.
"""

import logging
import math
import time
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.referer import RefererMiddleware

from scrapy_boilerplate.article.pagination import read_page_step
from scrapy_boilerplate.article.stub import PAYWALL
from scrapy_boilerplate.crawl.context import CrawlContext
from scrapy_boilerplate.crawl.defer import StoppedError, run_unless, wait_for_future
from scrapy_boilerplate.crawl.page_reader import has_html
from scrapy_boilerplate.crawl.reservations import PROXY_PASSWORD
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.joining import continues_article, join_documents
from scrapy_boilerplate.page.limits import PAGES
from scrapy_boilerplate.site.domains import Domains

logger = logging.getLogger(__name__)

# Joined pages to remember, the latest; 20 bytes each.
MAX_JOINED = 100_000

# Keys that Scrapy, scrapy-playwright or a `CrawlSpider` set for a single request
META_OF_ONE_REQUEST = frozenset(
    "cache_timestamp depth download_latency download_slot is_start_request link_text "
    "playwright_page redirect_reasons redirect_times redirect_ttl redirect_urls retry_times "
    "rule".split()
)

# Headers that belong to one URL, its body, or its copy in a cache. Scrapy's `CookiesMiddleware`
# sets Cookie again.
HEADERS_OF_ONE_REQUEST = frozenset(
    b"Content-Encoding Content-Length Content-Type Host If-Match If-Modified-Since If-None-Match "
    b"If-Range If-Unmodified-Since Range Referer Transfer-Encoding".split()
)


class PageError(Exception):
    """A further page is missing; the message says why."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Joining:
    """An article whose further pages are requested.

    wanted_fields  the LAZY_FIELDS of each page
    end            monotonic time at which to stop
    later          its further pages, with their documents
    joined         the joined document; None if the caller that joins was cancelled, so that the
                   next caller starts again
    """

    wanted_fields: frozenset[str]
    end: float
    later: list[tuple[Response, Document]] = field(default_factory=list)
    joined: Future[Document | None] = field(default_factory=Future)


# A further page, and its request before and after redirects
LaterPage: TypeAlias = tuple[Document, Request, Request]


class ArticlePages:
    """Joins the pages of articles: ``BOILERPLATE_PAGES``."""

    def __init__(self, context: CrawlContext) -> None:
        self._crawler = crawler = context.crawler
        self._settings = context.settings
        self._count, self._report = context.count, context.report
        self._reader = context.reader
        self._in_progress: dict[Response, Future[None]] = {}
        self._articles: WeakKeyDictionary[Response, Joining] = WeakKeyDictionary()  # by first page
        self._joined: dict[bytes, None] = {}  # fingerprints of requests, the oldest first
        self._find_site = Domains(purpose="BOILERPLATE_PAGES")
        self._download_timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        # settings of spider middlewares, which these requests do not pass
        self._max_url_length = crawler.settings.getint("URLLENGTH_LIMIT")
        uses_referer = crawler.settings.getbool("REFERER_ENABLED")
        self._referers = RefererMiddleware(crawler.settings) if uses_referer else None

    async def join(
        self, document: Document, response: Response, wanted_fields: Collection[str]
    ) -> Document:
        """Return the document of all pages of an article whose first page has `document`.

        Return `document` if the page has no further pages, or is not the first. The parts have the
        `wanted_fields` of LAZY_FIELDS. Items of one response share the work. A bad page makes the
        document partial.
        """
        while (joining := self._articles.get(response)) is not None:
            if not joining.wanted_fields.issuperset(wanted_fields):
                break
            joined = await wait_for_future(joining.joined)
            if joined is not None:
                return joined
        next_page = self._find_second_page(document, response)
        if next_page is None:
            return document
        self._articles[response] = joining = Joining(
            wanted_fields=frozenset(wanted_fields),
            end=time.monotonic() + self._settings.pages_seconds,
        )
        try:
            joined = await self._join(joining, document, response, next_page)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._report(f"join {response.url}", error)
            joined = document
        except BaseException:
            if self._articles.get(response) is joining:
                del self._articles[response]
            joining.joined.set_result(None)
            raise
        joining.joined.set_result(joined)
        return joined

    async def read(self, response: Response, wanted_fields: Collection[str]) -> Document:
        """Return the document of a response, joined with the further pages of its article."""
        done: Future[None] = Future()
        is_first = self._in_progress.setdefault(response, done) is done
        try:
            document = await self._reader.read_async(response, wanted_fields)
            if document.error is not None:
                return document
            return await self.join(document, response, wanted_fields)
        finally:
            if is_first:
                del self._in_progress[response]
                done.set_result(None)

    async def is_joined(self, response: Response) -> bool:
        """Return whether the text of a response is in the item of an article's first page.

        Wait for articles in progress that may include the response.
        """
        for first, done in list(self._in_progress.items()):
            step = read_page_step(first.url, response.url)
            if step is not None and step.before <= 1 < step.after:
                await wait_for_future(done)
        request = response.request
        return (
            bool(self._joined)
            and request is not None
            and self._fingerprint(request) in self._joined
        )

    def count_late_errors(self, response: Response) -> None:
        """Count once the further pages whose time ran out before lazy fields were computed."""
        joining = self._articles.get(response)
        for later, document in [] if joining is None else joining.later:
            self._reader.count_errors(self._reader.find_state(later), document)

    def _find_second_page(self, document: Document, response: Response) -> str | None:
        try:
            next_page = document.next_page
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._report(f"find the next page of {response.url}", error)
            return None
        step = None if next_page is None else read_page_step(response.url, next_page)
        return None if step is None or step.before > 1 else next_page

    async def _join(
        self, article: Joining, first: Document, response: Response, second: str
    ) -> Document:
        self._count("pages/articles")
        documents, is_complete = [first], True
        visited = {response.url}
        url: str | None = second
        while url is not None and url not in visited:
            if len(documents) >= self._settings.pages:
                self._count("pages/left")
                is_complete = False
                break
            visited.add(url)
            page = await self._read_or_none(url, response, article)
            if page is None:
                is_complete = False
                break
            document, *requests = page
            is_page = document.url not in visited - {url}
            is_page = is_page and continues_article(documents, document)
            if not is_page:
                self._count("pages/rejected")
                break
            if document.url is not None:
                visited.add(document.url)
            self._count("pages/joined")
            self._remember_joined(*requests)
            documents.append(document)
            url = document.next_page
        if not is_complete:
            self._reader.count_once(self._reader.find_state(response), f"partial/{PAGES}")
        return join_documents(documents, is_complete=is_complete)

    def _remember_joined(self, *requests: Request) -> None:
        """Remember joined pages, and have the duplicate filter drop later requests for them."""
        engine = self._crawler.engine
        if not self._settings.pages_drop or engine is None:
            return
        scheduler = None if engine._slot is None else engine._slot.scheduler
        filtered = getattr(scheduler, "df", None)
        for request in requests:
            self._joined[self._fingerprint(request)] = None
            if filtered is not None:
                filtered.request_seen(request)
        while len(self._joined) > MAX_JOINED:
            del self._joined[next(iter(self._joined))]

    def _fingerprint(self, request: Request) -> bytes:
        return self._crawler.request_fingerprinter.fingerprint(request)

    def _is_over(self, article: Joining) -> bool:
        engine = self._crawler.engine
        if engine is None or not engine.running or time.monotonic() >= article.end:
            return True
        slot = engine._slot
        return slot is None or slot.closing is not None

    async def _read_or_none(self, url: str, first: Response, article: Joining) -> LaterPage | None:
        outcome, is_over = "failed", partial(self._is_over, article)
        try:
            return await run_unless(is_over, self._read(url, first, article))
        except StoppedError:
            outcome, seconds = "late", self._settings.pages_seconds
            reason = f"it did not come within BOILERPLATE_PAGES_SECONDS = {seconds:g}"
            if time.monotonic() < article.end:
                reason = "the spider closed"
        except PageError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            reason = f"{type(error).__name__}: {error}"
        self._count(f"pages/{outcome}")
        logger.warning("The page %s of the article %s is missing: %s", url, first.url, reason)
        return None

    async def _read(self, url: str, first: Response, article: Joining) -> LaterPage:
        engine = self._crawler.engine
        if engine is None:
            raise PageError("no crawl is running")
        if 0 < self._max_url_length < len(url):
            raise PageError(f"its URL is longer than URLLENGTH_LIMIT = {self._max_url_length}")
        request = self._build_request(url, first)
        self._count("pages/requests")
        response = await engine.download_async(request)
        if not 200 <= response.status < 300:
            raise PageError(f"HTTP status {response.status}")
        if self._find_site(response.url) != self._find_site(first.url):
            raise PageError(f"it redirects to another site, {response.url}")
        if not has_html(response):
            raise PageError("the response is empty or not HTML")
        if response.request is None:
            response.request = request
        self._reader.find_state(response).is_watched = False
        document = await self._reader.read_async(response, {*article.wanted_fields, "stub"})
        if document.error is not None:
            raise PageError(document.error)
        if document.stub not in (None, PAYWALL):
            raise PageError(f"a page of the kind {document.stub!r} came instead")
        article.later.append((response, document))
        return document, request, response.request

    def _build_request(self, url: str, first: Response) -> Request:
        """Build the request of a further page, with `meta` and headers of the first request.

        Another host, port or scheme only gets the password of the proxy in `meta`.
        """
        request = Request(url, callback=NO_CALLBACK)
        if first.request is not None:
            for name, value in first.request.meta.items():
                if name not in META_OF_ONE_REQUEST:
                    request.meta[name] = value
            if urlsplit(url)[:2] == urlsplit(first.url)[:2]:
                for header, values in first.request.headers.items():
                    if header not in HEADERS_OF_ONE_REQUEST:
                        request.headers[header] = values
            elif request.meta.get("proxy") and PROXY_PASSWORD in first.request.headers:
                request.headers[PROXY_PASSWORD] = first.request.headers[PROXY_PASSWORD]
        # the downloader keeps the connection of an abandoned request until its timeout
        timeout = request.meta.get("download_timeout", self._download_timeout) or math.inf
        request.meta["download_timeout"] = min(timeout, self._settings.pages_seconds)
        if self._referers is not None:
            referer = self._referers.policy(first, request).referrer(first.url, url)
            if referer is not None:
                request.headers["Referer"] = referer
        return request
