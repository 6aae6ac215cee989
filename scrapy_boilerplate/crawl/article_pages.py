"""Articles over several pages in a crawl: an item waits for the further pages of its article.

Their requests go through the engine, as those of Scrapy's media pipelines do: downloader
middlewares, robots rules, retries, cache, delays and stats are those of the crawl. No callback and
no spider middleware gets requests or responses.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.referer import RefererMiddleware

from scrapy_boilerplate.crawl.defer import wait_for_future
from scrapy_boilerplate.crawl.documents import LazyDocument, has_html
from scrapy_boilerplate.crawl.site import CrawlSites, find_scheduler
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.joining import (
    continues_article,
    covers_page,
    join_documents,
    join_single_page,
)
from scrapy_boilerplate.news.pagination import read_page_step
from scrapy_boilerplate.site.domains import Domains

logger = logging.getLogger(__name__)

META_OF_ONE_REQUEST = frozenset(
    "cache_timestamp depth download_latency download_slot is_start_request link_text "
    "playwright_page redirect_reasons redirect_times redirect_ttl redirect_urls retry_times "
    "rule".split()
)
"""Keys that Scrapy, scrapy-playwright or a `CrawlSpider` write for one request."""

HEADERS_OF_ONE_REQUEST = frozenset(
    b"Content-Encoding Content-Length Content-Type Host If-Match If-Modified-Since If-None-Match "
    b"If-Range If-Unmodified-Since Range Referer Transfer-Encoding".split()
)
"""Headers that tell of one address, its body, or its copy in a cache. Scrapy's `CookiesMiddleware`
replaces Cookie."""

PROXY_PASSWORD = b"Proxy-Authorization"


class PageError(Exception):
    """A further page could not be had."""


@dataclass(frozen=True)
class _Joining:
    """The joined document of one response, or the future of it; and those of its later pages.

    The future is None where the caller that joins is cancelled: then the next one starts again.
    """

    wanted_fields: frozenset[str]
    future: Future[Document | None]
    later: list[tuple[LazyDocument, Document]]


class ArticlePages:
    """Joins the pages of articles: ``BOILERPLATE_PAGES``. `count` takes the name of a stat.

    With the knowledge of `sites` a pattern of numbers that led to pages of other articles confirms
    what a page alone leaves open, and one that never did so is spared.
    """

    def __init__(
        self,
        crawler: Crawler,
        max_pages: int,
        count: Callable[[str], None],
        sites: CrawlSites | None = None,
    ) -> None:
        self._crawler = crawler
        self._max_pages = max_pages
        self._count = count
        self._sites = None if sites is None else sites.sites
        self._find_site = Domains(purpose="BOILERPLATE_PAGES")
        # what Scrapy's spider middlewares do with a request
        self._max_url_length = crawler.settings.getint("URLLENGTH_LIMIT")
        uses_referer = crawler.settings.getbool("REFERER_ENABLED")
        self._referers = RefererMiddleware(crawler.settings) if uses_referer else None
        self._joinings: WeakKeyDictionary[Response, _Joining] = WeakKeyDictionary()

    async def join(
        self,
        document: Document,
        response: Response,
        lazy_document: LazyDocument,
        wanted_fields: Collection[str],
    ) -> Document:
        """Return the document of all pages of an article; `document` is that of its first page.

        It is `document` itself where there are no further pages, and of a later page. Of
        LAZY_FIELDS the parts have `wanted_fields`. Several items of a response share the work.
        Never raises for a bad page: then the document is partial.
        """
        while (joining := self._joinings.get(response)) is not None:
            if not joining.wanted_fields.issuperset(wanted_fields):
                break
            joined = await wait_for_future(joining.future)
            if joined is not None:
                return joined
        next_page = self._find_second(document, response)
        if next_page is None:
            return document
        joining = _Joining(frozenset(wanted_fields), Future(), [])
        self._joinings[response] = joining
        article = _Article(document, response, lazy_document, wanted_fields, joining.later)
        try:
            joined = await self._join(article, next_page)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("%s is not joined: %s: %s", response.url, type(error).__name__, error)
            joined = document
        except BaseException:
            if self._joinings.get(response) is joining:
                del self._joinings[response]
            joining.future.set_result(None)
            raise
        joining.future.set_result(joined)
        return joined

    def count_partial(self, response: Response) -> None:
        """Count the later pages of an article that ran out of time for their late fields; once."""
        joining = self._joinings.get(response)
        for lazy_document, document in [] if joining is None else joining.later:
            lazy_document.count_partial(document)

    def _find_second(self, document: Document, response: Response) -> str | None:
        """Return the address of the second page of an article, of its first page."""
        try:
            next_page = self._find_next(document, response.url)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("errors/page")
            logger.error("No next page of %s: %s", response.url, error)
            return None
        step = None if next_page is None else read_page_step(response.url, next_page)
        if step is None or step.before > 1:
            return None
        if next_page == document.next_page and self._is_refused(response.url, step.pattern):
            self._count("pages/spared")
            return None
        return next_page

    def _find_next(self, document: Document, first_url: str) -> str | None:
        """Return the page after that of a document; `first_url` is that of the article."""
        if document.next_page is not None or self._sites is None:
            return document.next_page
        for address in document.possible_next_pages:
            step = read_page_step(first_url, address)
            if step is not None and self._sites.find_patterns(first_url).is_known(step.pattern):
                self._count("pages/confirmed")
                return address
        return None

    def _is_refused(self, url: str, pattern: str) -> bool:
        return self._sites is not None and self._sites.find_patterns(url).is_refused(pattern)

    def _learn(self, url: str, second: str, *, is_joined: bool) -> None:
        """Remember of its site whether a page is the second of the article at `url`."""
        step = read_page_step(url, second)
        if self._sites is not None and step is not None:
            self._sites.add_outcome(url, step.pattern, is_joined=is_joined)

    async def _join(self, article: _Article, second: str) -> Document:
        first, first_url = article.document, article.response.url
        self._count("pages/articles")
        if first.single_page is not None:
            full = await self._read_or_none(first.single_page, article)
            if full is not None and covers_page(full, first):
                self._count("pages/single")
                return join_single_page(first, full)
        documents, is_complete = [first], True
        visited = {first_url}
        address: str | None = second
        while address is not None and address not in visited:
            if len(documents) >= self._max_pages:
                self._count("pages/left")
                is_complete = False
                break
            visited.add(address)
            document = await self._read_or_none(address, article)
            if document is None:
                is_complete = False
                break
            is_page = document.url not in visited - {address}
            is_page = is_page and continues_article(documents, document)
            if address == second:
                self._learn(first_url, address, is_joined=is_page)
            if not is_page:
                self._count("pages/rejected")
                break
            if document.url is not None:
                visited.add(document.url)
            self._count("pages/joined")
            documents.append(document)
            address = self._find_next(document, first_url)
        if not is_complete:
            self._count("partial/pages")
        return join_documents(documents, is_complete=is_complete)

    async def _read_or_none(self, address: str, article: _Article) -> Document | None:
        """Return the document of a further page; None for one that could not be had."""
        try:
            return await self._read(address, article)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self._count("pages/failed")
            kind = "" if isinstance(error, PageError) else f"{type(error).__name__}: "
            logger.warning(
                "The page %s of the article %s is missing: %s%s",
                *(address, article.response.url, kind, error),
            )
            return None

    async def _read(self, address: str, article: _Article) -> Document:
        engine, first = self._crawler.engine, article.response
        if engine is None:
            raise PageError("no crawl is running")
        if 0 < self._max_url_length < len(address):
            raise PageError(f"its address is longer than URLLENGTH_LIMIT = {self._max_url_length}")
        request = self._build_request(address, first)
        # a spider that follows pages itself does not ask for it once more; before the download, as
        # Scrapy's scheduler does, since a callback can yield its request right after the item
        filtered = getattr(find_scheduler(engine), "df", None)
        if filtered is not None:
            filtered.request_seen(request)
        self._count("pages/requests")
        response = await engine.download_async(request)
        if not 200 <= response.status < 300:
            raise PageError(f"HTTP status {response.status}")
        if self._find_site(response.url) != self._find_site(first.url):
            raise PageError(f"it is redirected to another site, {response.url}")
        if not has_html(response):
            raise PageError("it is no HTML, or empty")
        if response.request is None:
            response.request = request
        lazy_document = article.lazy_document.for_other_page()
        document = await lazy_document.get_async(response, article.wanted_fields)
        if document.error is not None:
            raise PageError(document.error)
        article.later.append((lazy_document, document))
        return document

    def _build_request(self, address: str, first: Response) -> Request:
        """Return the request of a further page, with `meta` and headers of the first one's.

        Another host, port or scheme gets no headers but the password of the proxy in `meta`.
        """
        request = Request(address, callback=NO_CALLBACK)
        if first.request is not None:
            for name, value in first.request.meta.items():
                if name not in META_OF_ONE_REQUEST:
                    request.meta[name] = value
            if urlsplit(address)[:2] == urlsplit(first.url)[:2]:
                for header, values in first.request.headers.items():
                    if header not in HEADERS_OF_ONE_REQUEST:
                        request.headers[header] = values
            elif request.meta.get("proxy") and PROXY_PASSWORD in first.request.headers:
                request.headers[PROXY_PASSWORD] = first.request.headers[PROXY_PASSWORD]
        if self._referers is not None:
            referer = self._referers.policy(first, request).referrer(first.url, address)
            if referer is not None:
                request.headers["Referer"] = referer
        return request


@dataclass(frozen=True)
class _Article:
    """The first page of an article, and the documents of later ones that were read."""

    document: Document
    response: Response
    lazy_document: LazyDocument
    wanted_fields: Collection[str]
    later: list[tuple[LazyDocument, Document]]
