"""`NewsSpider`: finds the articles of sites by their feeds, sitemaps and links."""

import difflib
import logging
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage, StdoutFeedStorage
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings, Settings
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from scrapy_boilerplate.article.pagination import read_page_step
from scrapy_boilerplate.crawl.addon import Addon
from scrapy_boilerplate.crawl.defer import run_in_thread, sleep
from scrapy_boilerplate.crawl.exporters import MARKS
from scrapy_boilerplate.crawl.items import ARTICLE_FIELD
from scrapy_boilerplate.crawl.page_reader import find_reader
from scrapy_boilerplate.crawl.reservations import SITE_KEY, find_chain, is_robots
from scrapy_boilerplate.crawl.settings import (
    BOOLEAN,
    PREFIX,
    CrawlSettings,
    SettingError,
    SettingKind,
    choice,
    parse_setting,
    whole_number,
)
from scrapy_boilerplate.crawl.site import open_site_store
from scrapy_boilerplate.crawl.spider import discovery, hosts, urls
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link, Skip
from scrapy_boilerplate.crawl.spider.frontier import (
    HOME,
    LIKELY,
    SOURCES,
    VALIDATORS,
    Result,
    Site,
    is_header,
)
from scrapy_boilerplate.crawl.url_list import ALONE
from scrapy_boilerplate.document import PLAIN_LAZY_FIELDS, Document
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.stores import Store, StoreError

logger = logging.getLogger(__name__)

DEFAULTS = {
    "ROBOTSTXT_OBEY": True,
    "BOILERPLATE_RESERVATIONS": True,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_MAXSIZE": 50_000_000,
    # the store keeps the URLs; the queue on disk of a killed crawl gives its requests for ours
    "SCHEDULER_START_DISK_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}
LISTED, ALL = "listed", "all"
AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT = "auto", "feeds", "sitemaps", "links", "direct"
PLACES = (urls.TITLE, urls.TEXT, urls.NAV)
# Strategies to the contexts of the links that they follow; AUTO follows all.
STRATEGIES = {
    FEEDS_ONLY: (FEEDS, urls.FEED),
    SITEMAPS_ONLY: (SITEMAPS, urls.SITEMAP, urls.NEWS),
    LINKS_ONLY: PLACES,
    DIRECT: (),
}
USUAL_SITEMAP = "/sitemap.xml"
MAX_SITEMAPS = 200  # that robots.txt names
OK, NOT_MODIFIED = 200, 304
SERVER_ERROR = 500  # from this status on, a page is requested again in the next run
MAX_FAILURES = 5  # requests in a row without an answer after which a site is given up
MAX_ARM_ODDS = 7.4  # maximum factor by which the other pages of an arm change the odds of a page
DAY = 86_400.0  # seconds
BAD_RECORDS = "Ignored %d invalid records of %s in the store; their pages are requested again"
SKIPPED = "%s: skipped %d URLs: %s%s, such as %s"
POLL_SECONDS = 0.02
PORTION = 200  # links that are queued at a time, between other work of the crawl
_HOURS = {"h": 1, "d": 24, "w": 168}
_match_age = re.compile(r"(\d{1,5})([hdw])").fullmatch


def _parse_urls(written: Any) -> list[str]:
    texts = written.split(",") if isinstance(written, str) else written
    urls = [text.strip() for text in texts if text.strip()]
    for parts in map(urlsplit, urls):
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError
    if not urls:
        raise ValueError
    return urls


def _parse_since(written: Any) -> float:
    text = str(written or "").strip()
    if match := _match_age(text):
        age = timedelta(hours=int(match[1]) * _HOURS[match[2]])
        return (datetime.now(UTC) - age).timestamp()
    moment = discovery.parse_timestamp(text) if text else 0.0
    if moment is None:
        raise ValueError
    return moment


ARGUMENTS = {
    "urls": SettingKind(
        _parse_urls, "write URLs of home pages such as https://news.example/, commas between"
    ),
    "since": SettingKind(
        _parse_since, "write an age such as 12h, 2d or 1w, or a date such as 2026-11-01"
    ),
    "strategy": choice(AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT),
    "max_articles": whole_number(),
    "max_pages": whole_number(),
    "subdomains": BOOLEAN,
    "languages": choice(LISTED, ALL),
}


class NewsSpider(Spider):
    """Crawls the news of sites: ``scrapy crawl news -a urls=https://news.example/``.

    urls          home pages, with commas between; or `start_urls` of a subclass
    since         an age (``12h``, ``2d``, ``1w``) or a date: older articles give no item
    strategy      ``auto``, ``feeds``, ``sitemaps``, ``links``, or ``direct`` for only the `urls`
    max_articles  items of each site; 0 is no limit
    max_pages     requests to each site; 0 is no limit
    subdomains    whether other hosts of the registrable domain belong to the site
    languages     ``all``: also the versions in other languages that a sitemap declares

    Items are `ArticleItem`. With BOILERPLATE_SITE_STORE or JOBDIR, a second run requests only new
    and changed pages.
    """

    name = "news"
    start_urls: list[str] = []  # noqa: RUF012 - as in Scrapy
    since: Any = None
    strategy: Any = AUTO
    max_articles: Any = 0
    max_pages: Any = 0
    subdomains: Any = False
    languages: Any = LISTED
    uses_site_store = True

    def __init__(self, name: str | None = None, urls: Any = None, **kwargs: Any) -> None:
        _check_names(kwargs)
        super().__init__(name, **kwargs)
        self.urls = urls or self.start_urls
        for argument, kind in ARGUMENTS.items():
            setattr(self, argument, parse_setting(argument, kind, getattr(self, argument)))

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Enable the components, and DEFAULTS where the project sets nothing else."""
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("ADDONS", Addon, 500)
        settings.setdict(DEFAULTS, "addon")
        name = "DOWNLOADER_MIDDLEWARES"
        settings.setdefault_in_component_priority_dict(name, hosts.HostsMiddleware, hosts.ORDER)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and open its store. Raises SettingError and MissingExtraError."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._open(crawler.settings)
        crawler.signals.connect(spider._read_robots, signals.response_received)
        crawler.signals.connect(spider._finish, signals.engine_stopped)
        return spider

    def _open(self, settings: BaseSettings) -> None:
        if self.strategy in (AUTO, FEEDS_ONLY):
            discovery.import_feedparser()
        checked = CrawlSettings.from_settings(settings)
        self._limits, self._threshold = checked.limits, checked.article_threshold
        self._joins_pages = checked.pages > 1
        self._wanted_fields = (*PLAIN_LAZY_FIELDS, "next_page")
        self.hosts = hosts.Hosts(self.urls, subdomains=self.subdomains)
        self._delays = hosts.Delays(self.crawler, checked.max_crawl_delay)
        names = self.hosts.starts
        self._store = open_site_store(settings, checked)
        is_stored = self._store is not None
        self.sites = {name: Site(name, len(names), is_stored=is_stored) for name in names}
        self._is_saving = False

    async def start(self) -> AsyncIterator[Any]:
        """Yield the next request of each site in turn, until nothing waits."""
        for site in self.sites.values() if self._store is not None else ():
            await self._load(site)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            self.crawler.signals.connect(self._release, signal)  # after the feeds
        self.crawler.signals.connect(self._uncount, signals.item_dropped)
        for signal in (signals.request_reached_downloader, signals.response_downloaded):
            self.crawler.signals.connect(self._delays.keep, signal)  # after AutoThrottle
        for url in self.urls:
            context = urls.FEED if self.strategy == DIRECT else HOME
            site = self.sites[self.hosts.find_site(url)]
            site.add(Link(url, context, time.time()))
            if not self.settings.getbool("ROBOTSTXT_OBEY"):
                self._add_sitemaps(site, url)
        while True:
            requests = list(filter(None, map(self._build_next_request, self.sites.values())))
            for request in requests:
                yield request
            if not requests:
                if not any(site.in_flight for site in self.sites.values()):
                    return
                await sleep(POLL_SECONDS)

    async def _load(self, site: Site) -> None:
        try:
            await run_in_thread(site.load, self._store)
        except StoreError as error:
            site.is_given_up = True
            logger.error("%s; %s is not crawled", error, site.name)
        if site.bad_records:
            logger.warning(BAD_RECORDS, site.bad_records, site.name)
            self.crawler.stats.inc_value("boilerplate/site/bad_records", site.bad_records)

    def _build_next_request(self, site: Site) -> Request | None:
        if (
            site.is_given_up
            or len(site.in_flight) >= max(1, self.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
            or 0 < self.max_pages <= site.requests
            # those in flight are newer than the next ones
            or 0 < self.max_articles <= site.articles.total() + len(site.in_flight)
            or (link := site.pop()) is None
        ):
            return None
        return Request(
            link.url,
            self.parse,
            errback=self.handle_error,
            headers=dict(site.find_headers(link)),
            meta={SITE_KEY: site.name},
            cb_kwargs={"site_name": site.name, "link": link},
            dont_filter=True,  # the sites filter duplicates
        )

    def handle_error(self, failure: Failure) -> None:
        """Record a page that gave no response, or a bad status."""
        arguments = failure.request.cb_kwargs  # type: ignore[attr-defined]
        site, link = self.sites[arguments["site_name"]], arguments["link"]
        error, request = failure.value, failure.request  # type: ignore[attr-defined]
        if not site.accept(link):
            return
        status = error.response.status if isinstance(error, HttpError) else 0
        site.failures = 0 if status else site.failures
        # a request that was not sent says nothing about its arm
        refuse = site.skip if len(find_chain(request)) > 1 else site.refuse
        if isinstance(error, hosts.RefusedRequest):
            refuse(link, error.reason)
            self._advise(link, request.url)
        elif isinstance(error, ValueError):  # a redirect to http://[, for example: it waits
            site.drop(link.url, Skip.BAD_URL)
        elif isinstance(error, IgnoreRequest) and not status:
            refuse(link, Skip.DISALLOWED if "robots.txt" in str(error) else Skip.FILTERED)
        elif status == NOT_MODIFIED:
            site.read["unchanged"] += 1
            site.learn(link, Result(headers=site.find_headers(link)))
        elif 0 < status < SERVER_ERROR:
            site.skip(link, f"status {status}")
        else:  # it waits for the next run
            site.drop(link.url, f"status {status}" if status else Skip.NO_ANSWER)
            site.failures += not status
        if site.failures >= MAX_FAILURES and not site.is_given_up:
            site.is_given_up = True
            logger.warning("%s does not answer, and is given up", site.name)
        site.end(link)

    async def parse(self, response: Response, site_name: str, link: Link) -> AsyncIterator[Any]:
        """Yield the item of an article, and queue the links of the page."""
        site = self.sites[site_name]
        site.failures = 0
        if not site.accept(link):
            return
        try:
            item = await self._read(response, site, link)
        finally:
            site.end(link)
        if item is not None:
            yield item
        await self._save(site)

    async def _save(self, site: Site) -> None:
        if self._store is not None and not self._is_saving:
            self._is_saving = True
            try:
                if self._flush_feeds():
                    await run_in_thread(site.write, self._store, site.take_changes())
            except StoreError as error:
                logger.warning("%s; the URLs of %s are written later", error, site.name)
            finally:
                self._is_saving = False

    def _find_origin(self, response: Response | None) -> tuple[Site, Link] | None:
        arguments = {} if response is None or response.request is None else response.cb_kwargs
        link = arguments.get("link")
        return (self.sites[arguments["site_name"]], link) if isinstance(link, Link) else None

    def _release(self, response: Response | None) -> None:
        if origin := self._find_origin(response):
            site, link = origin
            site.release(link)

    def _uncount(self, response: Response | None) -> None:
        if origin := self._find_origin(response):
            site, link = origin
            site.articles -= Counter([_find_source(link)])
            site.drop(link.url, Skip.DROPPED)

    def _flush_feeds(self) -> bool:
        """Write the buffers of the feeds; return whether a killed process would lose no item.

        Compressed feeds, and feeds on other machines, are written when the spider closes.

        Raises StoreError.
        """
        exporter = self.crawler.get_extension(FeedExporter)
        for slot in () if exporter is None else exporter.slots:
            if slot.file is not None and not slot.file.closed:
                is_local = isinstance(slot.storage, FileFeedStorage | StdoutFeedStorage)
                if not is_local or "postprocessing" in slot.feed_options:
                    return False
                try:
                    slot.file.flush()
                except OSError as error:
                    raise StoreError(f"{slot.uri} cannot be written: {error}") from error
        return True

    async def _read(self, response: Response, site: Site, link: Link) -> ArticleItem | None:
        is_list = link.context in (FEEDS, SITEMAPS)
        if not is_list and self.hosts.find_site(response.url) != site.name:
            self._advise(link, response.url)
            site.skip(link, Skip.OTHER_SITE)
            return None
        try:
            kind, links = await run_in_thread(self._read_list, response, site)
        except discovery.DiscoveryError as error:
            logger.debug("Cannot read %s: %s", response.url, error)
            site.skip(link, Skip.BROKEN_LIST)
            return None
        site.read[f"{kind}s"] += 1
        if kind == "page":
            if not isinstance(response, HtmlResponse) or is_list:
                site.skip(link, Skip.NO_PAGE)
                return None
            document = await find_reader(response).read_async(response, self._wanted_fields)
            if self._is_article(document, site, link):
                return await self._read_article(response, document, site, link)
            links = await run_in_thread(self._find_links, response)
        n_links = await self._add_links(site, link, response.url, links)
        if kind == "page" and link.context not in SOURCES and not n_links:
            site.drop(link.url, Skip.NO_ARTICLE)
        site.learn(link, Result(links=n_links, headers=_find_validators(response)))
        return None

    def _read_list(self, response: Response, site: Site) -> tuple[str, list[Link]]:
        def is_own(written: str) -> bool:
            url = clean_url(written, response.url, IMAGE_SCHEMES)
            return url is not None and self.hosts.find_site(url) == site.name

        return discovery.read_list(response.body, is_own, alternates=self.languages == ALL)

    def _advise(self, link: Link, url: str) -> None:
        if link.context == HOME:
            advice = "%s redirects to another site; to crawl it, write urls=%s"
            logger.warning(advice, link.url, url)

    def _is_article(self, document: Document, site: Site, link: Link) -> bool:
        if link.context in SOURCES or urls.names_no_article(link.url):
            return False
        odds = _find_odds(site.estimate(site.find_arm(link)))
        odds = min(MAX_ARM_ODDS, max(1 / MAX_ARM_ODDS, odds))
        odds *= _find_odds(document.article_probability or 0)
        return odds >= _find_odds(self._threshold)

    async def _read_article(
        self, response: Response, document: Document, site: Site, link: Link
    ) -> ArticleItem | None:
        date = discovery.parse_timestamp(document.date_published or "")
        dated = link._replace(date=date or link.date)
        links = await run_in_thread(self._find_links, response)
        if self._joins_pages and document.next_page is not None:  # the pipeline requests them
            steps = (read_page_step(response.url, target.url) for target in links)
            links = [each for each, step in zip(links, steps, strict=True) if step is None]
        await self._add_links(site, dated, response.url, links)
        if 0 < self.max_articles <= site.articles.total():
            return None  # it waits for the next run
        is_old, old = date is not None and date < self.since, site.find_arm(link).old
        with site.hold(link):
            is_duplicate = not is_old and self._is_duplicate(document, response.url, site, link)
            site.learn(link, Result(is_article=not is_duplicate))
        if is_old or is_duplicate:
            site.release(link)
            old[link.found_in] += is_old
            site.drop(link.url, Skip.TOO_OLD if is_old else Skip.DUPLICATE)
            return None
        old.pop(link.found_in, None)
        site.articles[_find_source(link)] += 1
        return ArticleItem(url=response.url, found_in=link.found_in or None)

    def _is_duplicate(self, document: Document, url: str, site: Site, link: Link) -> bool:
        own = urls.create_key(link.url)
        key = urls.create_key(url)  # after redirects; the URLs that a page declares prove nothing
        known = site.claim(key) if key not in (None, own) else None
        if known is not None and known.is_article:
            return True
        if not document.fingerprint:
            return False
        text = hash_name(document.fingerprint)
        site.compare_variants(url, text)
        return site.claim(text) is not None

    def _read_robots(self, response: Response, request: Request) -> None:
        """Obey the delay of a robots.txt of Scrapy's middleware, and queue the sitemaps."""
        if not is_robots(request):
            return
        url = find_chain(request)[0]
        text = response.body.decode("utf-8-sig", "ignore") if response.status == OK else ""
        robots = Protego.parse(text)
        self._delays.read(text, robots, url)
        if site := self.sites.get(self.hosts.find_site(url)):
            self._add_sitemaps(site, url, list(islice(robots.sitemaps, MAX_SITEMAPS)))

    def _add_sitemaps(self, site: Site, url: str, named: Sequence[str] = ()) -> None:
        home = Link(url, HOME, time.time())
        links = [Link(each, SITEMAPS) for each in named or [USUAL_SITEMAP]]
        for position, target in enumerate(links):
            self._add_link(site, home, url, target, time.time() - position)

    def _find_links(self, response: Response) -> list[Link]:
        try:
            return discovery.read_links(response, self._limits)
        except Exception as error:
            logger.debug("Cannot read the links of %s", response.url, exc_info=error)
            return []

    async def _add_links(self, site: Site, link: Link, found_in: str, links: list[Link]) -> int:
        n_likely, date = 0, min(link.date or 0.0, time.time())
        for position, target in enumerate(links, 1):
            if position % PORTION == 0:
                await sleep(0)
            estimate = date - DAY * position / (len(links) + 1)
            n_likely += self._add_link(site, link, found_in, target, estimate) >= LIKELY
        return n_likely

    def _add_link(
        self, site: Site, link: Link, found_in: str, target: Link, estimate: float
    ) -> float:
        """Queue a link unless the arguments exclude it; return the probability of a new article.

        `estimate` is the date of a link without one.
        """
        url = clean_url(target.url, found_in, IMAGE_SCHEMES)
        # the home page declares lists also where it redirects
        source = link.url if link.context == HOME else found_in
        if url is None:
            site.drop(target.url, Skip.BAD_URL)
            return 0.0
        if target.context not in STRATEGIES.get(self.strategy, (target.context,)):
            site.drop(url, Skip.STRATEGY, is_counted=False)
            return 0.0
        is_list = target.context in SOURCES
        if not is_list and link.depth >= self.settings.getint("DEPTH_LIMIT") > 0:
            site.drop(url, Skip.TOO_DEEP)
            return 0.0
        date = target.date or urls.find_url_date(url)
        page = Link(url, target.context, date or estimate, 0 if is_list else link.depth + 1, source)
        purpose = self.hosts.find_purpose(page, site.name)
        if not self.hosts.may_request([url], purpose, site.name, source):
            # pages link to many other sites
            site.drop(url, Skip.OTHER_SITE, is_counted=target.context not in PLACES)
            return 0.0
        if date is not None and date < self.since:
            site.drop(url, Skip.TOO_OLD)
            return 0.0
        page = page._replace(date=min(date or estimate, time.time()))
        return site.add(page, is_dated=target.date is not None)

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy's signature
        """Write the counts of each site to the stats."""
        for site in self.sites.values():
            counts = {"requests": site.requests, **site.read}
            counts |= {f"articles/{source}": count for source, count in site.articles.items()}
            counts |= {f"skipped/{cause}": count for cause, count in site.skipped.items()}
            for name, count in counts.items():
                self.crawler.stats.inc_value(f"boilerplate/spider/{name}", count)

    def _finish(self) -> None:
        """Save the sites, once the feeds are stored, and log a summary of each, after the stats."""
        if self._store is not None:
            self._save_sites(self._store)
            self._store.close()
        self._log_sites()

    def _save_sites(self, store: Store) -> None:
        stats = self.crawler.stats.get_stats() if self.crawler.stats else {}
        if has_failed_feed(stats):
            logger.error("A feed could not be stored; the next run repeats requests of this one")
            return
        try:
            for site in self.sites.values():
                site.release()
                site.save(store)
        except StoreError as error:
            logger.error("%s; the next run repeats requests of this one", error)

    def _log_sites(self) -> None:
        for site in self.sites.values():
            for reason, count in site.skipped.most_common():
                meaning = f" ({reason.meaning})" if isinstance(reason, Skip) else ""
                example = site.examples.get(reason)
                logger.info(SKIPPED, site.name, count, reason, meaning, example)
            logger.info(
                "%s: %d articles (%s) in %d requests; skipped: %s; %d URLs wait",
                *(site.name, site.articles.total(), _describe(site.articles)),
                *(site.requests, _describe(site.skipped), len(site.waiting)),
            )


def _check_names(names: Iterable[str]) -> None:
    for name in names:  # a subclass can have others of its own
        near = difflib.get_close_matches(name, ARGUMENTS, 1, 0.8)
        if near and name not in ARGUMENTS:
            raise SettingError(f"there is no argument {name}; write {near[0]}")


def _find_source(link: Link) -> str:
    return "page" if link.context in PLACES or not link.found_in else link.context


def _find_validators(response: Response) -> dict[str, str]:
    values = {name: response.headers.get(header) or b"" for name, header in VALIDATORS.items()}
    texts = {name: value.decode("latin-1") for name, value in values.items()}
    return {name: text for name, text in texts.items() if is_header(text)}


def has_failed_feed(stats: Mapping[str, Any]) -> bool:
    """Return whether Scrapy could not store a feed."""
    return any(name.startswith("feedexport/failed_count/") for name in stats)


def _find_odds(probability: float) -> float:
    return probability / max(1e-6, 1 - probability)


def _describe(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def list_fields(written: Mapping[str, Any]) -> list[str]:
    """Return the fields that articles can have with these settings; others are always None."""
    fields = CrawlSettings.from_settings(Settings({**DEFAULTS, **written})).fields
    is_list = not str(written.get(f"{PREFIX}FIELDS", "{")).lstrip().startswith("{")
    marks = MARKS if "ITEM_PIPELINES" in written else (ARTICLE_FIELD,)
    return ["url", *fields.values(), *(() if is_list else marks), "found_in"]


def crawl(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> str | None:
    """Crawl in this process, without a project.

    Return an error message if no page was read or the articles could not be written, else None.

    Raises SettingError and MissingExtraError.
    """
    own = {"LOG_LEVEL": "INFO", "REMOTE_CONTROL_ENABLED": False}
    process = AsyncCrawlerProcess({**ALONE, **own, **settings})
    task = process.crawl(NewsSpider, **arguments)
    [crawler] = process.crawlers
    process.start()
    task.result()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    if has_failed_feed(stats):
        return "the articles could not be written: see the log"
    sites = getattr(crawler.spider, "sites", {}).values()
    reasons = "; ".join(f"{site.name}: {_describe(site.skipped)}" for site in sites)
    return None if any(site.read.total() for site in sites) else f"no page was read ({reasons})"
