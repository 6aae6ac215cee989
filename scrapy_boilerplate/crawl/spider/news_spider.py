"""`NewsSpider`: finds the articles of sites by their feeds, sitemaps and links."""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess, Crawler
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
from scrapy_boilerplate.crawl.defer import run_in_thread, sleep
from scrapy_boilerplate.crawl.settings import CrawlSettings, SettingError
from scrapy_boilerplate.crawl.spider import discovery, urls
from scrapy_boilerplate.crawl.spider.frontier import (
    FEEDS,
    HOME,
    LIKELY,
    ROBOTS,
    SITEMAPS,
    SOURCES,
    Candidate,
    Frontier,
    Site,
)
from scrapy_boilerplate.crawl.spider.options import (
    AUTO,
    DIRECT,
    FEEDS_ONLY,
    LINKS_ONLY,
    NAMES,
    SITEMAPS_ONLY,
    SpiderOptions,
    check_names,
)
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url
from scrapy_boilerplate.site.domains import Domains

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

STATE_FILE = "news-spider.sqlite"  # in JOBDIR
DEFAULTS = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 30, "DOWNLOAD_MAXSIZE": 50_000_000}
ALONE = {
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 0.5,  # seconds
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}
"""The settings of a crawl without a project."""
USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml")
USUAL_FEEDS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml")
MAX_FEEDS = 20  # of a site
MAX_SITEMAPS = 200  # that robots.txt names
SERVER_ERROR = 500  # and higher statuses: the page may come back
MAX_FAILURES = 5  # requests without an answer in a row until a site is given up
MAX_OLD = 5  # articles before `since` in a row until a list is given up
# log odds that the other pages of an arm add to a page
MIN_ARM_ODDS, MAX_ARM_ODDS = -1.0, 2.0
DAY = 86_400.0  # seconds
PORTION = 200  # entries that are queued before other work of the crawl


class NewsSpider(Spider):
    """Crawls the news of sites: ``scrapy crawl news -a urls=https://news.example/``.

    urls          home pages, with commas between; or `start_urls` of a subclass
    since         an age (``12h``, ``2d``, ``1w``) or a date: older articles give no item
    strategy      ``auto``, ``feeds``, ``sitemaps``, ``links``, or ``direct`` for only the `urls`
    max_articles  items of each site; 0 is no limit
    max_pages     requests to each site; 0 is no limit
    subdomains    whether other hosts of the registrable domain belong to the site

    Items are `ArticleItem`. With JOBDIR, a second run requests only new and changed pages.
    """

    name = "news"
    start_urls: list[str] = []  # noqa: RUF012 - as in Scrapy
    since: Any = None
    strategy: Any = AUTO
    max_articles: Any = 0
    max_pages: Any = 0
    subdomains: Any = False

    def __init__(self, name: str | None = None, urls: Any = None, **kwargs: Any) -> None:
        check_names(kwargs)
        super().__init__(name, **kwargs)
        self.urls = urls or self.start_urls
        self.options = SpiderOptions.parse({name: getattr(self, name) for name in NAMES})

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
        spider._open(crawler.settings)
        return spider

    def _open(self, settings: BaseSettings) -> None:
        if self.options.strategy in (AUTO, FEEDS_ONLY):
            discovery.import_feedparser()
        checked = CrawlSettings.from_settings(settings)
        self._limits, self._threshold = checked.limits, checked.article_threshold
        self._domains = Domains("NewsSpider", "spider")
        self._wake: Deferred[None] | None = None
        names = dict.fromkeys(map(self._find_site, self.options.urls))
        folder = job_dir(settings)
        try:
            self._frontier = Frontier(Path(folder, STATE_FILE) if folder else None, names)
        except sqlite3.Error as error:
            raise SettingError(
                f"JOBDIR: {STATE_FILE} cannot be used ({error}); remove it, or write another folder"
            ) from None
        self._sites = self._frontier.sites

    def _find_site(self, url: str) -> str:
        if self.options.subdomains:
            return self._domains(url)
        try:
            return urlsplit(url).netloc.rpartition("@")[2].lower().removeprefix("www.")
        except ValueError:  # such as http://[
            return ""

    async def start(self) -> AsyncIterator[Any]:
        """Yield the next request of each site in turn, until nothing waits."""
        strategy, now = self.options.strategy, time.time()
        for url in self.options.urls:
            site, robots = self._sites[self._find_site(url)], urljoin(url, "/robots.txt")
            if strategy == DIRECT:
                self._frontier.add(site, Candidate(url, urls.FEED, now))
            elif strategy != SITEMAPS_ONLY:
                self._frontier.add(site, Candidate(url, urls.TEXT, now, arm=HOME))
            if strategy in (AUTO, SITEMAPS_ONLY):
                self._frontier.add(site, Candidate(robots, urls.TEXT, now, arm=ROBOTS))
        while True:
            requests = list(filter(None, map(self._build_next_request, self._sites.values())))
            for request in requests:
                yield request
            if not requests:
                if not any(site.in_flight for site in self._sites.values()):
                    return
                self._wake = Deferred()
                await maybe_deferred_to_future(self._wake)

    def _build_next_request(self, site: Site) -> Request | None:
        options, settings = self.options, self.settings
        in_flight = sum(each.in_flight for each in self._sites.values())
        if (
            site.is_over
            or site.in_flight >= max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
            or in_flight >= max(1, settings.getint("CONCURRENT_REQUESTS"))
            or 0 < options.max_pages <= site.requests
            or 0 < options.max_articles <= site.n_articles
        ):
            return None
        while (candidate := self._frontier.pop(site)) is not None:
            reason = "old list"
            if site.old[candidate.found_in] < MAX_OLD or candidate.arm in SOURCES:
                try:
                    request = self._create_request(site, candidate)
                except ValueError:
                    reason = "bad URL"
                else:
                    site.in_flight += 1
                    self._count("requests")
                    return request
            self._count_reason(site, reason)
            self._frontier.give_up(candidate)
            site.requests -= 1
        return None

    def _create_request(self, site: Site, candidate: Candidate) -> Request:
        meta: dict[str, Any] = {"depth": candidate.depth}
        if candidate.arm == ROBOTS:
            meta.update(dont_obey_robotstxt=True, handle_httpstatus_all=True)
        if candidate.arm == FEEDS:
            meta["download_maxsize"] = discovery.MAX_FEED_BYTES
        return Request(
            candidate.url,
            self.parse,
            errback=self.handle_error,
            cb_kwargs={"site_name": site.name, "candidate": tuple(candidate)},
            meta=meta,
            dont_filter=True,  # the frontier filters duplicates
        )

    def handle_error(self, failure: Failure) -> None:
        """Record a page that gave no response, or a bad status."""
        arguments = failure.request.cb_kwargs  # type: ignore[attr-defined]
        site, candidate = self._sites[arguments["site_name"]], Candidate(*arguments["candidate"])
        error = failure.value
        if isinstance(error, HttpError):
            reason = f"status {error.response.status}"
            is_final = error.response.status < SERVER_ERROR
        else:
            # robots.txt and middlewares filter
            is_final = isinstance(error, IgnoreRequest)
            reason = "filtered" if is_final else "no answer"
        if is_final:
            self._record(site, candidate, reason)
        else:  # still requested: the next run requests it again
            self._count_reason(site, reason)
        site.failures += reason == "no answer"
        if site.failures >= MAX_FAILURES and not site.is_over:
            site.is_over = True
            logger.warning("%s does not answer, and is given up", site.name)
        self._finish(site)

    async def parse(
        self, response: Response, site_name: str, candidate: tuple[Any, ...]
    ) -> AsyncIterator[Any]:
        """Yield the item of an article, and queue the links of the page."""
        site, item = self._sites[site_name], None
        site.failures = 0
        try:
            if not await self._read_other(response, site, Candidate(*candidate)):
                item = await self._read_page(response, site, Candidate(*candidate))
        finally:
            self._finish(site)
        if item is not None:
            yield item

    def _finish(self, site: Site) -> None:
        site.in_flight = max(0, site.in_flight - 1)
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.callback(None)

    async def _read_other(self, response: Response, site: Site, candidate: Candidate) -> bool:
        """Read a response that is not a page of the site; return False for a page."""
        reason = None
        if self._find_site(response.url) != site.name:
            reason = "other site"
            if candidate.arm == HOME:
                advice = "%s redirects to another site; to crawl it, write urls=%s"
                logger.warning(advice, candidate.url, response.url)
        elif candidate.arm == ROBOTS:
            self._read_robots(response, site, candidate)
            return True
        else:
            try:
                body = discovery.unpack(response.body)
                kind = discovery.detect_kind(body)
                if kind != "page":
                    await self._read_list(kind, body, response.url, site, candidate)
                    return True
            except discovery.DiscoveryError as error:
                logger.debug("Cannot read %s: %s", response.url, error)
                reason = "broken list"
        if reason is None and (
            not isinstance(response, HtmlResponse) or candidate.arm in (FEEDS, SITEMAPS)
        ):
            reason = "not a page"
        if reason is not None:
            self._record(site, candidate, reason)
        return reason is not None

    async def _read_page(
        self, response: Response, site: Site, candidate: Candidate
    ) -> ArticleItem | None:
        document = await boilerplate_async(response)
        if not self._is_article(document, site, candidate):
            links = self._follow(response, site, candidate, candidate.date)
            is_list = candidate.arm in SOURCES or links
            self._record(site, candidate, None if is_list else "not an article", links=links)
            return None
        if 0 < self.options.max_articles <= site.n_articles:
            return None  # still requested: the next run requests it again
        date = discovery.parse_timestamp(document.date_published or "")
        self._follow(response, site, candidate, date or candidate.date)
        reason = None
        if self.options.since is not None and date is not None and date < self.options.since:
            reason = "too old"
            site.old[candidate.found_in] += 1
        elif self._is_duplicate(document, response, site, candidate):
            reason = "duplicate"
        is_article = reason != "duplicate"
        looks_so = is_article and (document.article_probability or 0) >= self._threshold
        self._frontier.learn(site, candidate, is_article=is_article, looks_so=looks_so)
        self._count_reason(site, reason)
        if reason is not None:
            return None
        site.old.pop(candidate.found_in, None)
        lists = (urls.FEED, urls.NEWS, urls.SITEMAP)
        source = candidate.context if candidate.context in lists else "page"
        site.found[source] += 1
        site.n_articles += 1
        self._count(f"articles/{source}")
        return ArticleItem(url=response.url, found_in=candidate.found_in or None)

    def _is_article(self, document: Document, site: Site, candidate: Candidate) -> bool:
        """Return whether a page is an article, judged with the other pages of its arm."""
        if candidate.arm in SOURCES:
            return False
        arm = site.arms[site.find_arm(candidate)]
        odds = min(MAX_ARM_ODDS, max(MIN_ARM_ODDS, _find_log_odds(arm.probability)))
        odds += _find_log_odds(document.article_probability or 0)
        return odds >= _find_log_odds(self._threshold)

    def _is_duplicate(
        self, document: Document, response: Response, site: Site, candidate: Candidate
    ) -> bool:
        """Return whether the site had the article before: at another URL, or with its text."""
        own = urls.create_key(candidate.url)
        for url in {document.canonical_url or response.url, response.url}:
            key = urls.create_key(url) if self._find_site(url) == site.name else None
            if key not in (None, own) and not self._frontier.claim(site, key):
                return True
        text = document.fingerprint
        return bool(text) and not self._frontier.claim_text(site, text)

    def _record(self, site: Site, candidate: Candidate, reason: str | None, links: int = 0) -> None:
        """Record a page that is not an article, and count the reason why it gives no item."""
        self._count_reason(site, reason)
        self._frontier.learn(site, candidate, links=links)

    def _count_reason(self, site: Site, reason: str | None) -> None:
        if reason is not None:
            site.skipped[reason] += 1
            self._count(f"skipped/{reason}")

    def _read_robots(self, response: Response, site: Site, candidate: Candidate) -> None:
        sitemaps: list[str] = []
        with suppress(ValueError):  # such as http://[
            if response.status == 200:
                listed = sitemap_urls_from_robots(response.body, response.url)
                sitemaps.extend(islice(listed, MAX_SITEMAPS))
        if not sitemaps:
            usual = USUAL_SITEMAPS[: 1 if self.options.strategy == AUTO else None]
            sitemaps = [urljoin(response.url, path) for path in usual]
        for position, url in enumerate(sitemaps):
            source = Candidate(url, urls.SITEMAP, time.time() - position, arm=SITEMAPS)
            self._add_source(site, source, response.url)
        self._record(site, candidate, None, links=len(sitemaps))

    def _add_source(self, site: Site, source: Candidate, found_in: str) -> bool:
        """Queue a feed or sitemap, which may be on another host of the domain."""
        is_own = self._domains(source.url) == self._domains(found_in)
        return is_own and self._frontier.add(site, source._replace(found_in=found_in)) > 0

    async def _read_list(
        self, kind: str, body: bytes, url: str, site: Site, candidate: Candidate
    ) -> None:
        """Queue the entries of a feed or sitemap, or the sitemaps of an index."""
        self._count(f"{kind}s")
        if kind == "sitemap":
            is_index, entries = discovery.read_sitemap(body)
        else:
            is_index, entries = False, iter(await run_in_thread(discovery.read_feed, body))
        now, links = time.time(), 0
        for position, entry in enumerate(entries):
            if position % PORTION == PORTION - 1:
                await sleep(0)
            cleaned = clean_url(entry.url, url, IMAGE_SCHEMES)
            if cleaned is None:
                self._count_reason(site, "bad URL")
                continue
            link = entry._replace(url=cleaned)
            if not is_index:
                estimate = min(candidate.date, now) - position
                links += self._add_link(site, link, url, candidate, estimate) > 0
                continue
            date = link.date or discovery.find_archive_date(link.url) or now - position
            if date < (self.options.since or 0):
                self._count("skipped/too old")
                continue
            source = Candidate(
                link.url, urls.SITEMAP, min(date, now), bool(link.date), arm=SITEMAPS
            )
            links += self._add_source(site, source, url)
        self._record(site, candidate, None, links=links)

    def _add_link(
        self,
        site: Site,
        link: discovery.Link,
        found_in: str,
        candidate: Candidate,
        estimate: float,
    ) -> float:
        """Queue a page of the site; return the probability that it is a new article."""
        is_deep = candidate.depth >= self.settings.getint("DEPTH_LIMIT") > 0
        if is_deep or self._find_site(link.url) != site.name:
            return 0.0
        date = link.date or urls.find_url_date(link.url)
        if date is not None and date < (self.options.since or 0) - DAY * (link.date is None):
            site.skipped["too old"] += 1
            return 0.0
        date, is_dated, depth = date or estimate, link.date is not None, candidate.depth + 1
        page = Candidate(link.url, link.context, min(date, time.time()), is_dated, depth, found_in)
        return self._frontier.add(site, page)

    def _follow(self, response: Response, site: Site, candidate: Candidate, date: float) -> int:
        """Queue the feeds and links of a page; return the number of new likely articles."""
        strategy, n_likely = self.options.strategy, 0
        if strategy in (DIRECT, SITEMAPS_ONLY):
            return 0
        try:
            feeds, links = discovery.read_links(response, self._limits)
        except Exception as error:
            logger.debug("Cannot read the links of %s", response.url, exc_info=error)
            return 0
        if strategy == FEEDS_ONLY and candidate.arm == HOME and not feeds:
            feeds = [urljoin(response.url, path) for path in USUAL_FEEDS]
        for url in feeds if strategy != LINKS_ONLY and site.n_feeds < MAX_FEEDS else ():
            source = Candidate(url, urls.FEED, time.time(), arm=FEEDS)
            site.n_feeds += self._add_source(site, source, response.url)
        if strategy == FEEDS_ONLY:
            return 0
        # further pages of a list that shows nothing new are not requested
        links.sort(key=lambda link: link.context == urls.NEXT)
        for position, link in enumerate(links):
            if link.context == urls.NEXT and not n_likely:
                break
            estimate = date - DAY * (position + 1) / (len(links) + 1)
            n_likely += self._add_link(site, link, response.url, candidate, estimate) >= LIKELY
        return n_likely

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"boilerplate/spider/{name}")

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy's signature
        """Log a line for each site, and close the state."""
        for site in self._sites.values():
            logger.info(
                "%s: %d articles (%s) in %d requests; skipped: %s; %d URLs wait",
                *(site.name, site.n_articles, _describe(site.found)),
                *(site.requests, _describe(site.skipped), site.waiting),
            )
        self._frontier.close()


def _find_log_odds(probability: float) -> float:
    bounded = min(1 - 1e-6, max(1e-6, probability))
    return math.log(bounded / (1 - bounded))


def _describe(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def crawl(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Crawl in this process, without a project. Raises SettingError and MissingExtraError."""
    process = AsyncCrawlerProcess({**ALONE, **settings})
    task = process.crawl(NewsSpider, **arguments)
    process.start()
    task.result()
