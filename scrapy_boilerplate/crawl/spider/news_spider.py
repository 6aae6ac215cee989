"""`NewsSpider`: finds the articles of sites by their feeds, sitemaps and links."""

from __future__ import annotations

import difflib
import logging
import math
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.job import job_dir
from scrapy.utils.sitemap import sitemap_urls_from_robots
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scrapy_boilerplate.crawl.addon import Addon
from scrapy_boilerplate.crawl.callbacks import boilerplate_async
from scrapy_boilerplate.crawl.defer import sleep
from scrapy_boilerplate.crawl.settings import CrawlSettings, SettingError
from scrapy_boilerplate.crawl.spider.discovery import (
    MAX_FEED_BYTES,
    MAX_SITEMAP_BYTES,
    DiscoveryError,
    Link,
    find_archive_date,
    find_kind,
    import_feedparser,
    read_feed,
    read_links,
    read_sitemap,
    unpack,
)
from scrapy_boilerplate.crawl.spider.frontier import (
    FEEDS,
    HOME,
    LIKELY,
    ROBOTS,
    SITEMAPS,
    SOURCES,
    Candidate,
    Frontier,
)
from scrapy_boilerplate.crawl.spider.options import (
    AUTO,
    DIRECT,
    FEEDS_ONLY,
    SITEMAPS_ONLY,
    parse_options,
)
from scrapy_boilerplate.crawl.spider.urls import (
    FEED,
    NEWS,
    NEXT,
    SITEMAP,
    TEXT,
    create_key,
    find_url_date,
)
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.site.domains import Domains

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

STATE_FILE = "news-spider.sqlite"  # in JOBDIR
ARGUMENTS = ("urls", "since", "strategy", "max_articles", "max_pages", "subdomains")
DEFAULTS = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 30, "DOWNLOAD_MAXSIZE": MAX_SITEMAP_BYTES}
USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml")
USUAL_FEEDS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml")
MAX_FEEDS = 20  # of a site
MAX_FAILURES = 5  # requests without an answer in a row until a site is given up
MAX_OLD = 5  # articles before `since` in a row until a list is given up
# log odds that the other pages of an arm add to those of a page
MIN_SITE_ODDS, MAX_SITE_ODDS = -1.0, 2.0
DAY = 86_400.0  # seconds
PORTION = 200  # entries that are queued before other work of the crawl


@dataclass
class NewsSite:
    """A site of a crawl: requests on their way, and what was found where."""

    name: str
    is_over: bool = False
    in_flight: int = 0
    failures: int = 0
    feeds: int = 0
    articles: int = 0
    found: Counter[str] = field(default_factory=Counter)
    # URLs of lists to articles before `since` in a row
    old: Counter[str] = field(default_factory=Counter)


class NewsSpider(Spider):
    """Crawls the news of sites: ``scrapy crawl news -a urls=https://news.example/``.

    urls          home pages, with commas between; or `start_urls` of a subclass
    since         an age (``12h``, ``2d``, ``1w``) or a date: articles before it give no item
    strategy      ``auto``, ``feeds``, ``sitemaps``, ``links``, or ``direct`` for the `urls` alone
    max_articles  items of each site; 0 is no limit
    max_pages     requests to each site; 0 is no limit
    subdomains    whether other hosts of the registrable domain belong to the site

    Items are `ArticleItem`. With JOBDIR, a second run requests only new and changed pages.
    """

    name = "news"
    start_urls: list[str] = []  # noqa: RUF012 - as in Scrapy
    since: Any = None
    strategy: str = AUTO
    max_articles: Any = 0
    max_pages: Any = 0
    subdomains: Any = False

    def __init__(self, name: str | None = None, urls: Any = None, **kwargs: Any) -> None:
        for argument in kwargs:
            near = difflib.get_close_matches(argument, ARGUMENTS, 1, 0.8)
            if near and argument not in ARGUMENTS:
                raise SettingError(f"there is no argument {argument}; write {near[0]}")
        super().__init__(name, **kwargs)
        self.options = parse_options(
            urls or self.start_urls,
            *(getattr(self, argument) for argument in ARGUMENTS[1:]),
        )

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Enable the add-on, and DEFAULTS where the project sets nothing else."""
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("ADDONS", Addon, 500)
        for name, value in DEFAULTS.items():
            settings.set(name, value, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and open its state. Raises SettingError and MissingExtraError."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._open(crawler)
        return spider

    def _open(self, crawler: Crawler) -> None:
        if self.options.uses_feeds:
            import_feedparser()
        settings = crawler.settings
        self._domains = Domains("NewsSpider", "spider")
        self._limits = CrawlSettings.from_settings(settings).limits
        self._threshold = CrawlSettings.from_settings(settings).article_threshold
        self._depth_limit = settings.getint("DEPTH_LIMIT")
        self._window = max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        self._max_in_flight = max(1, settings.getint("CONCURRENT_REQUESTS"))
        self._wake: Deferred[None] | None = None
        names = dict.fromkeys(map(self._find_site, self.options.urls))
        self._sites = {name: NewsSite(name) for name in names}
        folder = job_dir(settings)
        try:
            self._frontier = Frontier(Path(folder, STATE_FILE) if folder else None, self._sites)
        except sqlite3.Error as error:
            raise SettingError(
                f"JOBDIR: {STATE_FILE} cannot be used ({error}); remove it, or write another folder"
            ) from None

    def _find_site(self, url: str) -> str:
        if self.options.subdomains:
            return self._domains(url)
        return urlsplit(url).netloc.rpartition("@")[2].lower().removeprefix("www.")

    async def start(self) -> AsyncIterator[Any]:
        """Yield the next request of each site in turn, until nothing waits."""
        self._add_start_urls()
        while True:
            requests = [
                request
                for site in self._sites.values()
                if (request := self._build_next_request(site)) is not None
            ]
            for request in requests:
                yield request
            if not requests:
                if not any(site.in_flight for site in self._sites.values()):
                    return
                self._wake = Deferred()
                await maybe_deferred_to_future(self._wake)

    def _add_start_urls(self) -> None:
        options, now = self.options, time.time()
        for url in options.urls:
            site = self._find_site(url)
            if options.strategy == DIRECT:
                self._frontier.add(site, Candidate(url=url, context=FEED, date=now))
                continue
            if options.strategy != SITEMAPS_ONLY:
                self._frontier.add(site, Candidate(url=url, context=TEXT, date=now, arm=HOME))
            if options.uses_sitemaps:
                robots = urljoin(url, "/robots.txt")
                self._frontier.add(site, Candidate(url=robots, context=TEXT, date=now, arm=ROBOTS))

    def _build_next_request(self, site: NewsSite) -> Request | None:
        queue, options = self._frontier.queues[site.name], self.options
        in_flight = sum(each.in_flight for each in self._sites.values())
        if site.in_flight >= self._window or in_flight >= self._max_in_flight or site.is_over:
            return None
        if 0 < options.max_pages <= queue.requests or 0 < options.max_articles <= site.articles:
            return None
        while (candidate := self._frontier.pop(site.name)) is not None:
            if site.old[candidate.found_in] < MAX_OLD or candidate.arm in SOURCES:
                break
            self._skip(site, candidate, "older list")
            queue.requests -= 1
        else:
            return None
        meta: dict[str, Any] = {"depth": candidate.depth}
        if candidate.arm == ROBOTS:
            meta.update(dont_obey_robotstxt=True, handle_httpstatus_all=True)
        if candidate.arm == FEEDS:
            meta["download_maxsize"] = MAX_FEED_BYTES
        site.in_flight += 1
        self._count("requests")
        return Request(
            candidate.url,
            self.parse,
            errback=self.handle_error,
            cb_kwargs={"site_name": site.name, "candidate": candidate},
            meta=meta,
            dont_filter=True,  # the frontier knows what was requested
        )

    def handle_error(self, failure: Failure) -> None:
        """Record a page that gave no response, or a bad status."""
        request: Request = failure.request  # type: ignore[attr-defined]
        site = self._sites[request.cb_kwargs["site_name"]]
        candidate: Candidate = request.cb_kwargs["candidate"]
        if isinstance(failure.value, HttpError):
            reason = f"status {failure.value.response.status}"
        elif failure.check(IgnoreRequest):
            reason = "filtered"  # by robots.txt, or a middleware
        else:
            reason = "no answer"
            site.failures += 1
            if site.failures >= MAX_FAILURES and not site.is_over:
                site.is_over = True
                logger.warning("%s does not answer: given up", site.name)
        self._skip(site, candidate, reason)
        self._finish(site)

    async def parse(  # type: ignore[override]
        self, response: Response, site_name: str, candidate: Candidate
    ) -> AsyncIterator[Any]:
        """Yield the item of an article, and queue what the page links to."""
        site = self._sites[site_name]
        site.failures = 0
        try:
            async for item in self._parse_response(response, site, candidate):
                yield item
        finally:
            self._finish(site)

    def _finish(self, site: NewsSite) -> None:
        site.in_flight = max(0, site.in_flight - 1)
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.callback(None)

    async def _parse_response(
        self, response: Response, site: NewsSite, candidate: Candidate
    ) -> AsyncIterator[ArticleItem]:
        if self._find_site(response.url) != site.name:
            if candidate.arm == HOME:
                logger.warning(
                    "%s redirects to another site; write urls=%s to crawl that",
                    candidate.url,
                    response.url,
                )
            self._skip(site, candidate, "other site")
            return
        if candidate.arm == ROBOTS:
            self._read_robots(response, site, candidate)
            return
        body = response.body
        try:
            if candidate.arm == SITEMAPS or body.startswith(b"\x1f\x8b"):
                body = unpack(body)
            kind = find_kind(body)
            if kind != "page":
                await self._read_list(kind, body, response, site, candidate)
                return
        except DiscoveryError as error:
            logger.debug("Cannot read %s: %s", response.url, error)
            self._skip(site, candidate, "broken list")
            return
        if not isinstance(response, HtmlResponse) or candidate.arm in (FEEDS, SITEMAPS):
            self._skip(site, candidate, "not a page")
            return
        document = await boilerplate_async(response)
        if not self._is_article(document, site, candidate):
            links = self._follow(response, site, candidate, candidate.date)
            if candidate.arm not in SOURCES:
                self._count("skipped/not an article")
                self._frontier.queues[site.name].skipped["not an article"] += 1
            self._frontier.learn(site.name, candidate, is_article=False, links=links)
            return
        if 0 < self.options.max_articles <= site.articles:
            return  # a later run requests it again
        date = _find_date(document)
        self._follow(response, site, candidate, date or candidate.date)
        reason = self._find_reason(response, document, date, site, candidate)
        if reason is not None:
            self._skip(site, candidate, reason, is_article=reason == "too old")
            return
        looks = (document.article_probability or 0.0) >= self._threshold
        self._frontier.learn(site.name, candidate, is_article=True, looks_like_article=looks)
        source = candidate.context if candidate.context in (FEED, NEWS, SITEMAP) else "page"
        site.found[source] += 1
        site.articles += 1
        self._count(f"articles/{source}")
        yield ArticleItem(url=response.url, found_in=candidate.found_in or None)

    def _is_article(self, document: Document, site: NewsSite, candidate: Candidate) -> bool:
        """Return whether a page is an article, by itself and by other pages of its arm."""
        if candidate.arm in SOURCES:
            return False
        queue = self._frontier.queues[site.name]
        name = candidate.arm if candidate.arm in queue.arms else queue.find_arm(candidate)
        odds = _find_log_odds(document.article_probability or 0.0)
        odds += min(MAX_SITE_ODDS, max(MIN_SITE_ODDS, _find_log_odds(queue.find_probability(name))))
        return odds >= _find_log_odds(self._threshold)

    def _find_reason(
        self,
        response: Response,
        document: Document,
        date: float | None,
        site: NewsSite,
        candidate: Candidate,
    ) -> str | None:
        """Return why an article gives no item, or None."""
        since = self.options.since
        if since is not None and date is not None:
            if date < since:
                site.old[candidate.found_in] += 1
                return "too old"
            site.old.pop(candidate.found_in, None)
        own = create_key(candidate.url)
        others = {document.canonical_url or response.url, response.url}
        for url in others:
            if self._find_site(url) == site.name and create_key(url) != own:
                if not self._frontier.claim(site.name, url):
                    return "duplicate"
        fingerprint = document.fingerprint
        if fingerprint and not self._frontier.claim_text(site.name, fingerprint):
            return "duplicate"
        return None

    def _skip(
        self, site: NewsSite, candidate: Candidate, reason: str, *, is_article: bool = False
    ) -> None:
        self._frontier.queues[site.name].skipped[reason] += 1
        self._count(f"skipped/{reason}")
        self._frontier.learn(site.name, candidate, is_article=is_article)

    def _read_robots(self, response: Response, site: NewsSite, candidate: Candidate) -> None:
        urls = []
        if response.status == 200:
            urls = list(sitemap_urls_from_robots(response.body, response.url))
        if not urls:
            paths = USUAL_SITEMAPS[: 1 if self.options.uses_links else None]
            urls = [urljoin(response.url, path) for path in paths]
        for position, url in enumerate(urls[:PORTION]):
            self._add_source(site, url, SITEMAPS, candidate, time.time() - position)
        self._frontier.learn(site.name, candidate, is_article=False, links=len(urls))

    def _add_source(
        self, site: NewsSite, url: str, arm: str, candidate: Candidate, date: float
    ) -> None:
        """Queue a feed or sitemap; it may be on another host of the domain."""
        if self._domains(url) == self._domains(candidate.url):
            self._frontier.add(
                site.name,
                Candidate(
                    url=url,
                    context=SITEMAP if arm == SITEMAPS else FEED,
                    date=date,
                    depth=candidate.depth,
                    found_in=candidate.url,
                    arm=arm,
                ),
            )

    async def _read_list(
        self, kind: str, body: bytes, response: Response, site: NewsSite, candidate: Candidate
    ) -> None:
        """Queue the entries of a feed or sitemap, or the sitemaps of an index."""
        is_index, entries = (
            read_sitemap(body) if kind == "sitemap" else (False, iter(read_feed(body)))
        )
        arm = candidate.arm if candidate.arm in SOURCES else FEEDS if kind == "feed" else SITEMAPS
        self._count(f"{kind}s")
        now, links = time.time(), 0
        for position, entry in enumerate(entries):
            if position % PORTION == PORTION - 1:
                await sleep(0)
            link = replace(entry, url=urljoin(response.url, entry.url))
            if is_index:
                date = link.date or find_archive_date(link.url)
                if date is not None and self.options.since is not None:
                    if date < self.options.since:
                        self._count("skipped/too old")
                        continue
                source = Candidate(
                    url=link.url,
                    context=SITEMAP,
                    date=min(date or now - position, now),
                    is_dated=link.date is not None,
                    depth=candidate.depth,
                    found_in=response.url,
                    arm=SITEMAPS,
                )
                if self._domains(link.url) == self._domains(response.url):
                    links += self._frontier.add(site.name, source) > 0
            else:
                estimate = min(candidate.date, now) - position
                links += self._add_link(site, link, response.url, candidate, estimate) > 0
        self._frontier.learn(
            site.name, replace(candidate, arm=arm), is_article=False, links=links
        )

    def _add_link(
        self, site: NewsSite, link: Link, found_in: str, candidate: Candidate, estimate: float
    ) -> float:
        """Queue a page of the site; return the probability that it is a new article."""
        if self._find_site(link.url) != site.name or candidate.depth >= self._depth_limit > 0:
            return 0.0
        date = link.date or find_url_date(link.url)
        since = self.options.since
        if since is not None and date is not None and date < since - (link.date is None) * DAY:
            self._frontier.queues[site.name].skipped["too old"] += 1
            return 0.0
        return self._frontier.add(
            site.name,
            Candidate(
                url=link.url,
                context=link.context,
                date=min(date or estimate, time.time()),
                is_dated=link.date is not None,
                depth=candidate.depth + 1,
                found_in=found_in,
            ),
        )

    def _follow(
        self, response: Response, site: NewsSite, candidate: Candidate, date: float
    ) -> int:
        """Queue the feeds and links of a page; return the number of new likely articles."""
        options = self.options
        if options.strategy in (DIRECT, SITEMAPS_ONLY):
            return 0
        if options.strategy == FEEDS_ONLY and candidate.arm != HOME:
            return 0
        feeds, links = read_links(response, self._limits)
        if options.uses_feeds:
            if options.strategy == FEEDS_ONLY and not feeds:
                feeds = [urljoin(response.url, path) for path in USUAL_FEEDS]
            for url in feeds[: MAX_FEEDS - site.feeds]:
                self._add_source(site, url, FEEDS, candidate, time.time())
            site.feeds += len(feeds[: MAX_FEEDS - site.feeds])
        found = 0
        if not options.uses_links:
            return 0
        # further pages of a list that shows nothing new are not requested
        links.sort(key=lambda link: link.context == NEXT)
        for position, link in enumerate(links):
            if link.context == NEXT and not found:
                break
            estimate = date - DAY * (position + 1) / (len(links) + 1)
            found += self._add_link(site, link, response.url, candidate, estimate) >= LIKELY
        return found

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"boilerplate/spider/{name}")

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy's signature
        """Log a line for each site, and close the state."""
        for site in self._sites.values():
            queue = self._frontier.queues[site.name]
            logger.info(
                "%s: %d articles (%s) in %d requests; skipped: %s; %d URLs wait",
                site.name,
                site.articles,
                _describe(site.found),
                queue.requests,
                _describe(queue.skipped),
                queue.waiting,
            )
        self._frontier.close()


def _find_date(document: Document) -> float | None:
    from scrapy_boilerplate.crawl.spider.discovery import parse_timestamp

    return parse_timestamp(document.date_published) if document.date_published else None


def _find_log_odds(probability: float) -> float:
    bounded = min(1 - 1e-6, max(1e-6, probability))
    return math.log(bounded / (1 - bounded))


def _describe(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
