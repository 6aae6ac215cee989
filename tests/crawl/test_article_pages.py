"""BOILERPLATE_PAGES: real crawls of articles over several pages."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from threading import Event
from time import monotonic
from types import SimpleNamespace
from typing import Any, ClassVar
from weakref import ReferenceType, ref

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.utils.request import RequestFingerprinter

from scrapy_boilerplate import Document, boilerplate
from scrapy_boilerplate.crawl.article_pages import ArticlePages
from scrapy_boilerplate.crawl.page_reader import DEFAULT_READER
from scrapy_boilerplate.crawl.pipelines import JoinedPage
from scrapy_boilerplate.crawl.settings import CrawlSettings
from tests.builders import spend_time
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, WITHOUT_REACTOR, PagesSpider, Reactor
from tests.crawl.pages import HEADLINE, PARAGRAPHS, Answer, article, page, text_of
from tests.crawl.site import Site
from tests.test_joining import SECOND, THIRD

PAGES = {"BOILERPLATE_PAGES": 10}
HOST, FIRST = "http://x.example", "/ferry"
PATHS = [FIRST, f"{FIRST}?page=2", f"{FIRST}?page=3"]
PARTS = (PARAGRAPHS, SECOND, THIRD)
WHOLE = text_of((*PARAGRAPHS, *SECOND, *THIRD))


def numbered(number: int, paragraphs: tuple[str, ...], headline: str = HEADLINE) -> Answer:
    """A page of an article of three, which repeats its standfirst."""
    links = " ".join(
        str(n) if n == number else f'<a href="{FIRST}?page={n}">{n}</a>' for n in (1, 2, 3)
    )
    standfirst = PARAGRAPHS[:1] if number > 1 else ()
    html = article(headline, (*standfirst, *paragraphs))
    return page(html.replace("</article>", f'<p class="pages">{links}</p></article>'))


SITE = {path: numbered(n, part) for n, (path, part) in enumerate(zip(PATHS, PARTS, strict=True), 1)}


def count(counts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in counts.items() if name.startswith("pages/")}


@pytest.mark.parametrize(
    ("executor", "markup"), [("inline", "html"), ("process", "html"), ("process", "markdown")]
)
def test_the_pages_of_an_article_are_one_item(
    crawl: CrawlPages, site: Site, executor: str, markup: str
) -> None:
    settings = {**PAGES, "BOILERPLATE_EXECUTOR": executor, "BOILERPLATE_FIELDS": {markup: True}}
    crawled = crawl(items_of(dict), settings, pages=SITE, ask=[FIRST])
    [item] = crawled.items
    assert item["text"] == WHOLE
    assert item["headline"] == HEADLINE
    assert item["pages"] == [site.url(path) for path in PATHS]
    assert [item[markup].count(text) for part in PARTS for text in part] == [1] * 6
    full_text = [block["text"] for block in item["blocks"] if block["label"] == "full_text"]
    assert full_text == WHOLE.split("\n\n")
    assert site.asked == PATHS
    assert count(crawled.counts) == {"pages/articles": 1, "pages/requests": 2, "pages/joined": 2}
    assert crawled.counts["documents"] == 3


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_a_first_page_alone_has_its_late_fields(crawl: CrawlPages, executor: str) -> None:
    names = ("article_probability", "blocks", "html", "markdown", "partial", "text")
    settings = {
        "BOILERPLATE_EXECUTOR": executor,
        "BOILERPLATE_FIELDS": dict.fromkeys(names, True),
        "RETRY_ENABLED": False,
    }
    pages = {FIRST: SITE[FIRST], PATHS[1]: Answer(b"<p>gone</p>", 404)}
    [item] = crawl(items_of(dict), {**settings, **PAGES}, pages=pages, ask=[FIRST]).items
    assert (item["text"], item["partial"]) == (text_of(), "pages")
    complete = crawl(items_of(dict), settings, pages=pages, ask=[FIRST])
    for name in ("article_probability", "blocks", "html", "markdown"):
        assert item[name]
        assert item[name] == complete.items[0][name]
    assert count(complete.counts) == {}, "nothing is joined unless asked for"
    assert "pages" not in complete.items[0]


def test_a_cut_article_is_logged_without_the_field(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), pages=SITE, ask=[FIRST])
    assert "partial" not in crawled.items[0]
    assert crawled.counts["partial/pages"] == 1
    [warning] = crawled.messages(logging.WARNING)
    assert "set BOILERPLATE_PAGES = 10" in warning


MISSING = {
    "not found": {PATHS[2]: Answer(b"<p>gone</p>", 404)},
    "no HTML": {PATHS[2]: page("{}", content_type="application/json")},
    "empty": {PATHS[2]: page("")},
    "another site": {PATHS[2]: Answer(b"", 302, {"Location": "http://localhost:9/ferry"})},
    "a check for bots": {PATHS[2]: page("<title>Just a moment...</title><p>One moment.</p>")},
    "robots": {"/robots.txt": Answer(b"User-agent: *\nDisallow: /ferry?page=3", 200, {})},
}


@pytest.mark.parametrize("kind", MISSING)
def test_an_article_without_a_page_is_partial(crawl: CrawlPages, site: Site, kind: str) -> None:
    settings = {**PAGES, "BOILERPLATE_FIELDS": {"partial": True}, "ROBOTSTXT_OBEY": True}
    pages = {"/robots.txt": Answer(b"", 404), **SITE, **MISSING[kind]}
    crawled = crawl(items_of(dict), {**settings, "RETRY_ENABLED": False}, pages=pages, ask=[FIRST])
    [item] = crawled.items
    assert (item["text"], item["partial"]) == (text_of((*PARAGRAPHS, *SECOND)), "pages")
    assert item["pages"] == [site.url(path) for path in PATHS[:2]]
    assert crawled.counts["pages/failed"] == crawled.counts["partial/pages"] == 1
    [warning] = [text for text in crawled.messages(logging.WARNING) if "is missing" in text]
    assert site.url(PATHS[2]) in warning
    if kind == "robots":
        assert PATHS[2] not in site.asked


REJECTED = {
    "another article": numbered(2, SECOND, "Council raises the price of goats"),
    "the first page": Answer(b"", 302, {"Location": FIRST}),
}


@pytest.mark.parametrize("kind", REJECTED)
def test_another_article_is_not_joined(crawl: CrawlPages, kind: str) -> None:
    settings = {**PAGES, "BOILERPLATE_FIELDS": {"partial": True}}
    pages = {**SITE, PATHS[1]: REJECTED[kind]}
    crawled = crawl(items_of(dict), settings, pages=pages, ask=[FIRST])
    assert (crawled.items[0]["text"], crawled.items[0]["partial"]) == (text_of(), None)
    assert crawled.counts["pages/rejected"] == 1


class Engine:
    """Has the pages of SITE; each is downloaded once `is_open` is set."""

    running = True
    _slot = SimpleNamespace(closing=None, scheduler=None)

    def __init__(self) -> None:
        self.is_open = asyncio.Event()
        self.asked: list[Request] = []

    async def download_async(self, request: Request) -> Response:
        self.asked.append(request)
        await self.is_open.wait()
        return build_response(request.url.removeprefix(HOST), request)


def build_response(path: str, request: Request | None = None) -> HtmlResponse:
    return HtmlResponse(HOST + path, body=SITE[path].body, encoding="utf-8", request=request)


def build_pages(engine: Engine | None, **settings: Any) -> ArticlePages:
    """What joins pages, over an engine and with settings of Scrapy."""
    crawler: Any = SimpleNamespace(
        settings=Settings(settings), engine=engine, request_fingerprinter=RequestFingerprinter()
    )
    context: Any = SimpleNamespace(
        crawler=crawler,
        settings=CrawlSettings(pages=10),
        reader=DEFAULT_READER,
        count=lambda _: None,
        report=pytest.fail,
    )
    return ArticlePages(context)


@WITHOUT_REACTOR
@pytest.mark.parametrize("n_waiting", [0, 1, 2])
def test_an_item_that_no_longer_waits_costs_no_other(n_waiting: int) -> None:
    async def crawl() -> list[Document]:
        engine = Engine()
        pages, response = build_pages(engine), build_response(FIRST)
        document = boilerplate(response)

        async def join() -> Document:
            return await pages.join(document, response, ())

        first, *waiting = (asyncio.ensure_future(join()) for _ in range(1 + n_waiting))
        await asyncio.sleep(0.01)
        assert len(engine.asked) == 1
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        engine.is_open.set()
        joined = await asyncio.gather(*waiting, join())
        assert len(engine.asked) == 3, "the items that wait share the work again"
        return joined

    documents = asyncio.run(crawl())
    assert [document.text for document in documents] == [WHOLE] * (1 + n_waiting)


@WITHOUT_REACTOR
def test_the_first_page_goes_when_its_response_goes() -> None:
    async def crawl() -> ReferenceType[Response]:
        engine = Engine()
        engine.is_open.set()
        pages, response = build_pages(engine), build_response(FIRST)
        assert (await pages.join(boilerplate(response), response, ())).text == WHOLE
        return ref(response)

    response = asyncio.run(crawl())
    gc.collect()
    assert response() is None


ENDS = {
    "a limit of time": ({"BOILERPLATE_PAGES_SECONDS": 0.5}, "finished"),
    "the spider closes": ({"CLOSESPIDER_TIMEOUT": 0.5}, "closespider_timeout"),
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_page_that_hangs_holds_nothing_up(crawl: CrawlPages, site: Site, kind: str) -> None:
    settings, reason = ENDS[kind]
    fields = {"BOILERPLATE_FIELDS": {"partial": True}}
    start, released = monotonic(), Event()

    def hang(path: str) -> None:
        if path == PATHS[2]:
            released.wait(30)

    site.on_request = hang
    crawled = crawl(items_of(dict), {**PAGES, **fields, **settings}, pages=SITE, ask=[FIRST])
    assert monotonic() - start < 25
    released.set()
    [item] = crawled.items
    assert (item["text"], item["partial"]) == (text_of((*PARAGRAPHS, *SECOND)), "pages")
    assert crawled.stats["finish_reason"] == reason
    assert crawled.counts["pages/late"] == crawled.counts["partial/pages"] == 1


async def follow_links(response: Response) -> AsyncIterator[Any]:
    """An item of each page, and later requests for all its links."""
    yield {"url": response.url}
    await asyncio.sleep(0.1)
    for link in response.css("article a::attr(href)").getall():
        yield response.follow(link)


def test_no_article_of_a_chain_is_lost(crawl: CrawlPages, site: Site) -> None:
    pages = {}
    topics = ("goats", "tides", "milk", "coal", "wool", "iron", "corn", "ships")
    for n, topic in enumerate(topics, 1):
        paragraphs = [text.replace("the", topic) for text in PARAGRAPHS]
        html = article(f"Council of the island discusses {topic}", paragraphs)
        link = f'<a rel="next" href="/story/{n + 1}">Next story</a></article>'
        pages[f"/story/{n}"] = page(html.replace("</article>", link))
    crawled = crawl(follow_links, PAGES, pages=pages, ask=["/story/1"])
    urls = {site.url(path) for path in pages}
    assert {item["url"] for item in crawled.items} == urls
    assert count(crawled.counts) == {
        "pages/articles": 1,
        "pages/requests": 1,
        "pages/rejected": 1,
    }


class LateSpider(PagesSpider):
    """Asks for the second page once more when everything else is done."""

    meta: ClassVar[dict[str, Any]] = {}
    dont_filter = is_done = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Any:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.ask_again, signals.spider_idle)
        return spider

    def ask_again(self) -> None:
        if not self.is_done and self.crawler.engine is not None:
            self.is_done = True
            request = self.wanted[0].replace(
                url=self.wanted[0].url + "?page=2", dont_filter=self.dont_filter, meta=self.meta
            )
            self.crawler.engine.crawl(request)
            raise DontCloseSpider


LATER: dict[str, tuple[dict[str, Any], bool, int, int]] = {
    # attributes of the spider, whether joined pages are dropped: items, and how often the page is
    # requested
    "filtered": ({}, True, 1, 1),
    "dropped": ({"dont_filter": True}, True, 1, 2),
    "an item about any page": ({"dont_filter": True, "meta": {"boilerplate": True}}, True, 2, 2),
    "neither": ({}, False, 2, 2),
}


@pytest.mark.parametrize("kind", LATER)
def test_a_page_that_was_joined_has_no_item_of_its_own(
    crawl: CrawlPages, site: Site, kind: str
) -> None:
    attributes, drops, n_items, n_requests = LATER[kind]
    spider = type("Late", (LateSpider,), attributes)
    settings = {**PAGES, "BOILERPLATE_PAGES_DROP": drops}
    crawled = crawl(items_of(dict), settings, pages=SITE, ask=[FIRST], spider=spider)
    assert crawled.items[0]["text"] == WHOLE
    assert len(crawled.items) == n_items
    assert site.asked.count(PATHS[1]) == n_requests
    dropped = [type(error) for _, error in crawled.dropped]
    assert dropped == [JoinedPage] * (kind == "dropped")
    assert crawled.counts.get("dropped/joined", 0) == len(dropped)


def test_a_page_that_was_not_joined_has_an_item(crawl: CrawlPages, site: Site) -> None:
    def fail_once(path: str) -> None:
        is_first = path == PATHS[1] and site.asked.count(path) == 1
        site.pages[PATHS[1]] = Answer(b"", 503) if is_first else SITE[PATHS[1]]

    site.on_request = fail_once
    settings = {**PAGES, "RETRY_ENABLED": False}
    crawled = crawl(items_of(dict), settings, pages=SITE, ask=[FIRST], spider=LateSpider)
    assert [item["url"] for item in crawled.items] == [site.url(FIRST), site.url(PATHS[1])]


def test_the_number_of_joined_pages_in_memory_is_bounded() -> None:
    pages = build_pages(Engine())
    requests = [Request(f"{HOST}/{number}") for number in range(100_001)]
    for request in requests:
        pages._remember_joined(request, request)
    responses = [Response(request.url, request=request) for request in requests[:2]]

    async def find_joined() -> list[bool]:
        return [await pages.is_joined(response) for response in responses]

    assert asyncio.run(find_joined()) == [False, True]


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_a_spider_that_follows_the_pages_itself(
    crawl: CrawlPages, site: Site, executor: str
) -> None:
    settings = {**PAGES, "BOILERPLATE_EXECUTOR": executor}
    crawled = crawl(follow_links, settings, pages=SITE, ask=[FIRST])
    assert [item["url"] for item in crawled.items] == [site.url(FIRST)]
    assert crawled.items[0]["text"] == WHOLE
    # requests of joined pages are filtered, or their items dropped: which comes first varies
    assert all(isinstance(error, JoinedPage) for _, error in crawled.dropped)


class Seen:
    requests: ClassVar[list[Request]] = []

    def process_request(self, request: Request) -> None:
        self.requests.append(request)


OF_ALL = {"Accept-Language": "de", "Authorization": "Bearer 7", "X-Edition": "north"}
OF_ONE = {"Range": "bytes=0-", "If-None-Match": "7", "Content-Type": "text/plain"}


class SeenBySpider:
    urls: ClassVar[list[str]] = []

    def process_spider_input(self, response: Response) -> None:
        self.urls.append(response.url)


@pytest.mark.parametrize("cookies", [False, True])
def test_requests_have_meta_and_headers_of_the_first(
    site: Site, reactor: Reactor, cookies: bool
) -> None:
    """Downloader middlewares see them, and spider middlewares do not."""
    Seen.requests.clear()
    SeenBySpider.urls.clear()
    site.pages.update(SITE)
    settings = {**ADDON, **PAGES, "COOKIES_ENABLED": cookies}
    settings["DOWNLOADER_MIDDLEWARES"] = {Seen: 1000}
    settings["SPIDER_MIDDLEWARES"] = {SeenBySpider: 600}
    meta = {"cookiejar": 7, "boilerplate": {"extractor": "num-words"}, "retry_times": 1}
    headers = {**OF_ALL, **OF_ONE, "Cookie": "a=1"}
    first = Request(site.url(FIRST), headers=headers, meta=meta)
    crawled = reactor.crawl([first], items_of(dict), settings)
    assert len(crawled.items[0]["pages"]) == 3
    assert crawled.counts["documents/num-words"] == 3
    assert [request.url for request in Seen.requests] == [site.url(path) for path in PATHS]
    assert SeenBySpider.urls == [first.url]
    for request in Seen.requests[1:]:
        assert request.meta["cookiejar"] == 7
        assert "retry_times" not in request.meta
        sent = {name.decode(): values[0].decode() for name, values in request.headers.items()}
        assert sent.items() >= OF_ALL.items()
        assert not sent.keys() & OF_ONE.keys()
        assert sent.get("Cookie") == (None if cookies else "a=1")
        assert sent["Referer"] == first.url


@pytest.mark.parametrize("url", [f"https://x.example{FIRST}?page=2", "http://y.example/2"])
def test_another_host_gets_none_of_the_headers(url: str) -> None:
    request = Request(HOST + FIRST, headers=OF_ALL)
    response = HtmlResponse(HOST + FIRST, request=request)
    pages = build_pages(None, REFERER_ENABLED=False)
    assert pages._build_request(HOST + PATHS[1], response).headers.keys() == request.headers.keys()
    assert dict(pages._build_request(url, response).headers) == {}
    request.headers["Proxy-Authorization"] = "Basic 7"
    assert dict(pages._build_request(url, response).headers) == {}
    request.meta["proxy"] = "http://proxy.example:8"
    further = pages._build_request(url, response)
    assert further.meta["proxy"] == "http://proxy.example:8"
    assert further.headers.to_unicode_dict() == {"Proxy-Authorization": "Basic 7"}


@pytest.mark.parametrize(
    ("settings", "meta", "referer"),
    [
        ({"REFERER_ENABLED": False}, {}, None),
        ({"REFERRER_POLICY": "no-referrer"}, {}, None),
        ({}, {"referrer_policy": "no-referrer"}, None),
        ({"REFERRER_POLICY": "origin"}, {}, f"{HOST}/"),
        ({}, {}, HOST + FIRST),
    ],
)
def test_the_referer_of_further_pages(
    settings: dict[str, Any], meta: dict[str, Any], referer: str | None
) -> None:
    first = HtmlResponse(HOST + FIRST, request=Request(HOST + FIRST, meta=meta))
    request = build_pages(None, **settings)._build_request(HOST + PATHS[1], first)
    assert request.headers.to_unicode_dict().get("Referer") == referer


BOUNDS: dict[str, tuple[dict[str, Any], int, str | None]] = {
    # settings, the pages of the item, and the stat
    "their number": ({"BOILERPLATE_PAGES": 2}, 2, "pages/left"),
    "no length": ({"URLLENGTH_LIMIT": 0}, 3, None),
    "their length": ({"URLLENGTH_LIMIT": 30}, 1, "pages/failed"),
}


@pytest.mark.parametrize("kind", BOUNDS)
def test_bounds_of_pages(crawl: CrawlPages, site: Site, kind: str) -> None:
    settings, n_pages, stat = BOUNDS[kind]
    settings = {**PAGES, "BOILERPLATE_FIELDS": {"partial": True}, **settings}
    crawled = crawl(items_of(dict), settings, pages=SITE, ask=[FIRST])
    [item] = crawled.items
    assert item["pages"] == ([site.url(path) for path in PATHS[:n_pages]] if n_pages > 1 else [])
    assert item["partial"] == (None if stat is None else "pages")
    assert site.asked == PATHS[:n_pages]
    assert stat is None or crawled.counts[stat] == crawled.counts["partial/pages"] == 1
    warnings = [text for text in crawled.messages(logging.WARNING) if "URLLENGTH_LIMIT" in text]
    assert len(warnings) == (n_pages == 1)


def test_each_page_is_learnt_of_its_site(crawl: CrawlPages) -> None:
    settings = {**PAGES, "BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words"}
    crawled = crawl(items_of(dict), settings, pages=SITE, ask=[FIRST])
    assert crawled.counts["site/pages"] == 3


def test_late_fields_of_all_pages_past_their_time_are_counted_once(
    crawl: CrawlPages, site: Site
) -> None:
    def two_items(response: Response) -> list[dict[str, str]]:
        with boilerplate(response).clock:
            spend_time(1)
        return [{"url": response.url}, {"url": response.url}]

    fields = ["text", "html", "partial"]
    settings = {**PAGES, "BOILERPLATE_FIELDS": fields, "BOILERPLATE_MAX_MILLISECONDS": 1_000}
    crawled = crawl(two_items, settings, pages=SITE, ask=[FIRST])
    expected = {"text": text_of(), "html": None, "partial": "milliseconds"}
    assert [{name: item[name] for name in expected} for item in crawled.items] == [expected] * 2
    assert crawled.counts["partial/milliseconds"] == 1
