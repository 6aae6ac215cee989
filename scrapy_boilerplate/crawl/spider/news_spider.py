"""`NewsSpider`: finds the articles of sites by their feeds, sitemaps and links."""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
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
from scrapy_boilerplate.crawl.spider import discovery, options, urls
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link
from scrapy_boilerplate.crawl.spider.frontier import ARTICLE, HOME, LIKELY, SOURCES, Frontier, Site
from scrapy_boilerplate.crawl.spider.options import SpiderOptions
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url
from scrapy_boilerplate.site.domains import Domains

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

STATE_FILE, CACHE_FOLDER = "news-spider.sqlite", "httpcache"  # in JOBDIR
DEFAULTS = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 30, "DOWNLOAD_MAXSIZE": 50_000_000}
CACHE = {
    "HTTPCACHE_ENABLED": True,
    "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
}
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
PLACES = frozenset({urls.TITLE, urls.NEXT, urls.TEXT, urls.NAV, urls.FOOT})
SITEMAP_LINKS = frozenset({SITEMAPS, urls.SITEMAP, urls.NEWS})
FOLLOWED = {
    options.AUTO: PLACES | SITEMAP_LINKS | {FEEDS, urls.FEED},
    options.FEEDS_ONLY: frozenset({FEEDS, urls.FEED}),
    options.SITEMAPS_ONLY: SITEMAP_LINKS,
    options.LINKS_ONLY: PLACES,
    options.DIRECT: frozenset(),
}
"""Strategy to the contexts of the links that it follows."""
MAX_FEEDS = 20  # of a site
MAX_SITEMAPS = 200  # that robots.txt names
SERVER_ERROR = 500  # and higher statuses: the page may come back
MAX_FAILURES = 5  # requests without an answer in a row until a site is given up
MAX_OLD = 5  # articles before `since` in a row until a list is given up
# log odds that the other pages of an arm add to a page
MIN_ARM_ODDS, MAX_ARM_ODDS = -1.0, 2.0
DAY = 86_400.0  # seconds
PORTION = 200  # links that are queued before other work of the crawl


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
    strategy: Any = options.AUTO
    max_articles: Any = 0
    max_pages: Any = 0
    subdomains: Any = False

    def __init__(self, name: str | None = None, urls: Any = None, **kwargs: Any) -> None:
        options.check_names(kwargs)
        super().__init__(name, **kwargs)
        self.urls = urls or self.start_urls
        self.n_read = 0  # pages and lists
        self.options = SpiderOptions.parse(
            {name: getattr(self, name) for name in options.ARGUMENTS}
        )

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Enable the add-on, and DEFAULTS where the project sets nothing else.

        With JOBDIR, Scrapy's cache makes requests for lists conditional (ETag, Last-Modified),
        unless the project uses the cache itself.
        """
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("ADDONS", Addon, 500)
        defaults: dict[str, Any] = dict(DEFAULTS)
        folder = job_dir(settings)
        if folder and settings.getpriority("HTTPCACHE_ENABLED") == SETTINGS_PRIORITIES["default"]:
            defaults.update(CACHE, HTTPCACHE_DIR=str(Path(folder, CACHE_FOLDER).absolute()))
        for name, value in defaults.items():
            settings.set(name, value, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and open its state. Raises SettingError and MissingExtraError."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._open(crawler.settings)
        crawler.signals.connect(spider._read_robots, signals.response_received)
        return spider

    def _open(self, settings: BaseSettings) -> None:
        if self.options.strategy in (options.AUTO, options.FEEDS_ONLY):
            discovery.import_feedparser()
        checked = CrawlSettings.from_settings(settings)
        self._limits, self._threshold = checked.limits, checked.article_threshold
        written = settings.getpriority("HTTPCACHE_ENABLED")
        self._caches_lists = written == SETTINGS_PRIORITIES["addon"]
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
        for url in self.options.urls:
            site = self._sites[self._find_site(url)]
            context = urls.FEED if self.options.strategy == options.DIRECT else HOME
            self._frontier.add(site, Link(url, context, time.time()))
            if not self.settings.getbool("ROBOTSTXT_OBEY"):
                self._add_sitemaps(site, url, ())
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
        limits, settings = self.options, self.settings
        in_flight = sum(each.in_flight for each in self._sites.values())
        if (
            site.is_over
            or site.in_flight >= max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
            or in_flight >= max(1, settings.getint("CONCURRENT_REQUESTS"))
            or 0 < limits.max_pages <= site.requests
            or 0 < limits.max_articles <= site.articles.total()
            or (link := self._frontier.pop(site)) is None
        ):
            return None
        site.in_flight += 1
        self._count("requests")
        meta: dict[str, Any] = {"depth": link.depth}
        headers = {}
        if self._caches_lists:
            is_article = site.arms[site.find_arm(link)].probability >= LIKELY
            meta["dont_cache"] = is_article
            headers = {} if is_article else {"Cache-Control": "max-age=0"}
        if link.context == FEEDS:
            meta["download_maxsize"] = discovery.MAX_FEED_BYTES
        return Request(
            link.url,
            self.parse,
            errback=self.handle_error,
            headers=headers,
            cb_kwargs={"site_name": site.name, "link": tuple(link)},
            meta=meta,
            dont_filter=True,  # the frontier filters duplicates
        )

    def handle_error(self, failure: Failure) -> None:
        """Record a page that gave no response, or a bad status."""
        arguments = failure.request.cb_kwargs  # type: ignore[attr-defined]
        site, link = self._sites[arguments["site_name"]], Link(*arguments["link"])
        error = failure.value
        is_final = isinstance(error, IgnoreRequest)
        reason = "filtered" if is_final else "no answer"
        if isinstance(error, HttpError):
            reason = f"status {error.response.status}"
            is_final = error.response.status < SERVER_ERROR
        elif "robots.txt" in str(error):
            reason = "disallowed by robots.txt"
        if is_final:
            self._record(site, link, reason)
        else:  # still requested: the next run requests it again
            self._skip(site, reason)
        site.failures += reason == "no answer"
        if site.failures >= MAX_FAILURES and not site.is_over:
            site.is_over = True
            logger.warning("%s does not answer, and is given up", site.name)
        self._finish(site)

    async def parse(
        self, response: Response, site_name: str, link: tuple[Any, ...]
    ) -> AsyncIterator[Any]:
        """Yield the item of an article, and queue the links of the page."""
        site, item = self._sites[site_name], None
        site.failures = 0
        try:
            item = await self._read(response, site, Link(*link))
        finally:
            self._finish(site)
        if item is not None:
            yield item

    def _finish(self, site: Site) -> None:
        site.in_flight = max(0, site.in_flight - 1)
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.callback(None)

    async def _read(self, response: Response, site: Site, link: Link) -> ArticleItem | None:
        """Queue the links of a response; return the item of an article."""
        if self._find_site(response.url) != site.name:
            if link.context == HOME:
                advice = "%s redirects to another site; to crawl it, write urls=%s"
                logger.warning(advice, link.url, response.url)
            self._record(site, link, "other site")
            return None
        self.n_read += 1
        try:
            kind, links = await run_in_thread(discovery.read_list, response.body)
        except discovery.DiscoveryError as error:
            logger.debug("Cannot read %s: %s", response.url, error)
            self._record(site, link, "broken list")
            return None
        if kind != "page":
            self._count(f"{kind}s")
            n_links = await self._add_links(site, link, response.url, links)
            self._record(site, link, None, n_links)
        elif isinstance(response, HtmlResponse) and link.context not in (FEEDS, SITEMAPS):
            return await self._read_page(response, site, link)
        else:
            self._record(site, link, "not a page")
        return None

    async def _read_page(self, response: Response, site: Site, link: Link) -> ArticleItem | None:
        document = await boilerplate_async(response)
        if not self._is_article(document, site, link):
            n_links = await self._follow(response, site, link)
            is_list = link.context in SOURCES or n_links
            self._record(site, link, None if is_list else "not an article", n_links)
            return None
        if 0 < self.options.max_articles <= site.articles.total():
            return None  # still requested: the next run requests it again
        date = discovery.parse_timestamp(document.date_published or "")
        await self._follow(response, site, link._replace(date=date or link.date))
        reason = None
        if date is not None and date < self.options.since:
            reason = "too old"
            site.old[link.found_in] += 1
            if site.old[link.found_in] == MAX_OLD:
                self._skip(site, "old list", self._frontier.drop(site, "found_in", link.found_in))
        elif self._is_duplicate(document, response, site, link):
            reason = "duplicate"
        self._frontier.learn(site, link, is_article=reason != "duplicate")
        self._skip(site, reason)
        if reason is not None:
            return None
        site.old.pop(link.found_in, None)
        source = "page" if link.context in PLACES else link.context
        site.articles[source] += 1
        self._count(f"articles/{source}")
        return ArticleItem(url=response.url, found_in=link.found_in or None)

    def _is_article(self, document: Document, site: Site, link: Link) -> bool:
        """Return whether a page is an article, judged with the other pages of its arm."""
        if link.context in SOURCES:
            return False
        arm = site.arms[site.find_arm(link)]
        odds = min(MAX_ARM_ODDS, max(MIN_ARM_ODDS, _find_log_odds(arm.probability)))
        odds += _find_log_odds(document.article_probability or 0)
        return odds >= _find_log_odds(self._threshold)

    def _is_duplicate(self, document: Document, response: Response, site: Site, link: Link) -> bool:
        """Return whether the site had the article before: at another URL, or with its text."""
        own = urls.create_key(link.url)
        for url in {document.canonical_url or response.url, response.url}:
            key = urls.create_key(url) if self._find_site(url) == site.name else None
            if key not in (None, own) and self._frontier.claim(site, key) == ARTICLE:
                return True
        text = document.fingerprint
        key = urls.hash_text(f"{site.name} {text}")
        return bool(text) and self._frontier.claim(site, key) is not None

    def _record(self, site: Site, link: Link, reason: str | None, n_links: int = 0) -> None:
        """Record a page that is not an article."""
        self._skip(site, reason)
        self._frontier.learn(site, link, links=n_links)

    def _skip(self, site: Site, reason: str | None, pages: int = 1) -> None:
        """Count why pages give no item, or are not requested."""
        if reason is not None and pages:
            site.skipped[reason] += pages
            self._count(f"skipped/{reason}", pages)

    def _read_robots(self, response: Response) -> None:
        """Queue the sitemaps of a robots.txt that Scrapy's middleware has downloaded."""
        site = self._sites.get(self._find_site(response.url))
        if site is None or urlsplit(response.url).path != "/robots.txt":
            return
        named: list[str] = []
        with suppress(ValueError):  # such as http://[
            if response.status == 200:
                listed = sitemap_urls_from_robots(response.body, response.url)
                named.extend(islice(listed, MAX_SITEMAPS))
        self._add_sitemaps(site, response.url, named)

    def _add_sitemaps(self, site: Site, url: str, named: Iterable[str]) -> None:
        usual = USUAL_SITEMAPS[: 1 if self.options.strategy == options.AUTO else None]
        home = Link(url, HOME, time.time())
        sitemaps = named or [urljoin(url, path) for path in usual]
        for position, sitemap in enumerate(sitemaps):
            self._add_link(site, home, url, Link(sitemap, SITEMAPS), time.time() - position)

    async def _follow(self, response: Response, site: Site, link: Link) -> int:
        """Queue the links of a page; return the number of new likely articles."""
        if not FOLLOWED[self.options.strategy]:
            return 0
        try:
            links = discovery.read_links(response, self._limits)
        except Exception as error:
            logger.debug("Cannot read the links of %s", response.url, exc_info=error)
            return 0
        is_home = self.options.strategy == options.FEEDS_ONLY and link.context == HOME
        if is_home and not any(each.context == FEEDS for each in links):
            links += [Link(urljoin(response.url, path), FEEDS) for path in USUAL_FEEDS]
        # further pages of a list that shows nothing new are not requested
        links.sort(key=lambda each: each.context == urls.NEXT)
        return await self._add_links(site, link, response.url, links)

    async def _add_links(self, site: Site, link: Link, found_in: str, links: list[Link]) -> int:
        """Queue the links of a page or list; return the number of new likely articles."""
        n_likely, date = 0, min(link.date or 0.0, time.time())
        for position, target in enumerate(links, 1):
            if target.context == urls.NEXT and not n_likely:
                break
            if position % PORTION == 0:
                await sleep(0)
            estimate = date - DAY * position / (len(links) + 1)
            n_likely += self._add_link(site, link, found_in, target, estimate) >= LIKELY
        return n_likely

    def _add_link(
        self, site: Site, link: Link, found_in: str, target: Link, estimate: float
    ) -> float:
        """Queue what a page or list links to; return the probability that it is a new article."""
        url = clean_url(target.url, found_in, IMAGE_SCHEMES)
        if url is None:
            self._skip(site, "bad URL")
            return 0.0
        if not self._accepts(site, link, found_in, target._replace(url=url)):
            return 0.0
        date = target.date or urls.find_url_date(url)
        if date is not None and date < self.options.since:
            self._skip(site, "too old")
            return 0.0
        date = min(date or estimate, time.time())
        depth = 0 if target.context in SOURCES else link.depth + 1
        page = Link(url, target.context, date, depth, found_in)
        return self._frontier.add(site, page, is_dated=target.date is not None)

    def _accepts(self, site: Site, link: Link, found_in: str, target: Link) -> bool:
        """Return whether a link may be followed, by the strategy, its site and its depth."""
        if target.context not in FOLLOWED[self.options.strategy]:
            return False
        feeds = site.arms.get(FEEDS)
        if target.context == FEEDS and feeds and feeds.tried + feeds.waiting >= MAX_FEEDS:
            return False
        if target.context in SOURCES:  # may be on another host of the domain
            return self._domains(target.url) == self._domains(found_in)
        is_deep = link.depth >= self.settings.getint("DEPTH_LIMIT") > 0
        return not is_deep and self._find_site(target.url) == site.name

    def _count(self, name: str, count: int = 1) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"boilerplate/spider/{name}", count)

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy's signature
        """Log a line for each site, and close the state."""
        for site in self._sites.values():
            logger.info(
                "%s: %d articles (%s) in %d requests; skipped: %s; %d URLs wait",
                *(site.name, site.articles.total(), _describe(site.articles)),
                *(site.requests, _describe(site.skipped), site.waiting),
            )
        self._frontier.close()


def _find_log_odds(probability: float) -> float:
    bounded = min(1 - 1e-6, max(1e-6, probability))
    return math.log(bounded / (1 - bounded))


def _describe(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def crawl(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> str | None:
    """Crawl in this process, without a project; return why no page was read, or None.

    Raises SettingError and MissingExtraError.
    """
    process = AsyncCrawlerProcess({**ALONE, **settings})
    task = process.crawl(NewsSpider, **arguments)
    [crawler] = process.crawlers
    process.start()
    task.result()
    spider = crawler.spider
    if not isinstance(spider, NewsSpider) or spider.n_read:
        return None
    reasons = [f"{site.name}: {_describe(site.skipped)}" for site in spider._sites.values()]
    return f"no page was read ({'; '.join(reasons)})"
