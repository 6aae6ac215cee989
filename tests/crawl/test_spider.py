"""Real crawls of `NewsSpider` against a small site."""

import gzip
import json
import logging
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from signal import SIGINT, SIGKILL
from types import SimpleNamespace
from typing import Any

import pytest
from protego import Protego
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import HtmlResponse

from scrapy_boilerplate import NewsSpider, SettingError
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.crawl.settings import parse_setting
from scrapy_boilerplate.crawl.spider import discovery
from scrapy_boilerplate.crawl.spider.discovery import Link
from scrapy_boilerplate.crawl.spider.frontier import LIKELY, MAX_SECTIONS, Result, UrlRecord
from scrapy_boilerplate.crawl.spider.frontier import Site as SiteUrls
from scrapy_boilerplate.crawl.spider.hosts import (
    MAX_ROBOTS_BYTES,
    Delays,
    Hosts,
    Purpose,
    has_private_address,
)
from scrapy_boilerplate.crawl.spider.news_spider import ARGUMENTS
from scrapy_boilerplate.crawl.spider.urls import create_key, describe_shape, find_url_date
from scrapy_boilerplate.page.limits import NO_LIMITS
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.stores import (
    VERSION,
    Collection,
    SqliteStore,
    StoreError,
    StoreRecord,
)
from tests.crawl.crawling import Crawl, Reactor
from tests.crawl.pages import PARAGRAPHS, Answer, article, page
from tests.crawl.site import Site, nothing, serving
from tests.crawl.test_article_pages import FIRST, SITE
from tests.documented import BLOCKS
from tests.site.conftest import server

__all__ = ["server"]  # a fixture

NOW = datetime.now(UTC)
FEED = {"Content-Type": "application/rss+xml"}
XML = {"Content-Type": "application/xml"}
SETTINGS = {
    "BOILERPLATE_EXTRACTOR": "news",
    "BOILERPLATE_RESERVATIONS": False,
    "LOG_LEVEL": "INFO",
    "RETRY_ENABLED": False,
}

Run = Callable[..., Crawl]


def story(number: int) -> str:
    return f"/news/2026/a-story-of-the-harbour-{10_000 + number}.html"


def write_story(number: int, date: datetime | None = None) -> Answer:
    html = article(f"Story number {number} of the harbour", [f"{number}: {p}" for p in PARAGRAPHS])
    stamp = "" if date is None else date.isoformat()
    meta = f'<meta property="article:published_time" content="{stamp}">' if date else ""
    return page(html.replace("<head>", f'<head><meta property="og:type" content="article">{meta}'))


def write_list(*paths: str, more: str = "", title: str = "News") -> Answer:
    teasers = "".join(f'<h3><a href="{path}">What they said at {path}</a></h3>' for path in paths)
    return page(
        f"<html><head><title>{title}</title>{more if more.startswith('<link') else ''}</head>"
        f"<body>{teasers}{'' if more.startswith('<link') else more}</body></html>"
    )


def write_sitemap(urls: Mapping[str, datetime | None], kind: str = "url") -> bytes:
    root = "urlset" if kind == "url" else "sitemapindex"
    rows = "".join(
        f"<{kind}><loc>{url}</loc>"
        + (f"<lastmod>{date.isoformat()}</lastmod>" if date else "")
        + f"</{kind}>"
        for url, date in urls.items()
    )
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{root}>'.encode()


def write_feed(*urls: str, date: datetime = NOW) -> bytes:
    items = "".join(
        f"<item><link>{url}</link><pubDate>{date:%a, %d %b %Y %H:%M:%S GMT}</pubDate></item>"
        for url in urls
    )
    return f'<rss version="2.0"><channel>{items}</channel></rss>'.encode()


@pytest.fixture
def run(site: Site, reactor: Reactor) -> Run:
    site.pages.clear()

    def crawl(
        pages: Mapping[str, Answer], settings: Mapping[str, Any] = {}, **arguments: Any
    ) -> Crawl:
        site.pages.update(pages)
        written = {"urls": site.url("/"), **arguments}
        spider = type("Given", (NewsSpider,), {"__init__": lambda self, **_: _init(self, written)})
        return reactor.crawl([], lambda _: None, {**SETTINGS, **settings}, spider)

    def _init(spider: NewsSpider, written: Mapping[str, Any]) -> None:
        NewsSpider.__init__(spider, "news", **written)

    return crawl


def paths_of(crawl: Crawl, site: Site) -> set[str]:
    return {item.url.removeprefix(site.url("")) for item in crawl.items}


def summary_of(crawl: Crawl) -> str:
    """The line about the site at the end of a crawl."""
    [line] = [message for message in crawl.messages(logging.INFO) if " URLs wait" in message]
    return line


def test_links_give_items_with_their_fields(site: Site, run: Run) -> None:
    """Sections are read for their articles; pages that are no articles give no item."""
    pages = {story(number): write_story(number) for number in range(6)}
    pages["/"] = write_list(story(0), story(1), more='<nav><a href="/sport/">Sport</a></nav>')
    pages["/sport/"] = write_list(*map(story, range(2, 6)), title="Sport")
    crawl = run(pages)
    assert paths_of(crawl, site) == set(map(story, range(6)))
    found = {item.url: item for item in crawl.items}
    assert found[site.url(story(3))].found_in == site.url("/sport/")
    assert found[site.url(story(3))].headline == "Story number 3 of the harbour"
    assert "3: The ferry sailed" in found[site.url(story(3))].text
    assert crawl.counts["spider/articles/page"] == 6
    assert "6 articles (page 6)" in summary_of(crawl)


def test_a_feed_gives_the_articles_that_no_page_links_to(site: Site, run: Run) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
    pages = {
        "/": write_list(more=link),
        "/news.rss": Answer(write_feed(site.url(story(1)) + "?utm_source=rss"), 200, FEED),
        story(1) + "?utm_source=rss": write_story(1),
    }
    crawl = run(pages, strategy="feeds")
    assert [item.found_in for item in crawl.items] == [site.url("/news.rss")]
    assert "/robots.txt" not in site.asked[1:]


def test_sitemaps_are_read_newest_first(site: Site, run: Run) -> None:
    """An index of packed sitemaps, and the dates of a news sitemap; `since` leaves out the old."""
    old, new = NOW - timedelta(days=900), NOW - timedelta(hours=3)
    news = (
        '<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url>'
        f"<loc>{site.url(story(3))}</loc><news:news><news:publication_date>{new.isoformat()}"
        "</news:publication_date></news:news></url></urlset>"
    )
    dates = {"/old.xml.gz": old, "/new.xml": new, "/again.xml": new, "/news.xml": new}
    index = {site.url(path): date for path, date in dates.items()}
    entries = {site.url(story(2)): new, site.url(story(4)): None, site.url(story(5)): old}
    pages = {
        "/robots.txt": page(f"Sitemap: {site.url('/index.xml')}", "text/plain"),
        "/index.xml": Answer(write_sitemap(index, "sitemap"), 200, XML),
        "/old.xml.gz": Answer(gzip.compress(write_sitemap({site.url(story(1)): old})), 200, XML),
        **dict.fromkeys(("/new.xml", "/again.xml"), Answer(write_sitemap(entries), 200, XML)),
        "/news.xml": Answer(news.encode(), 200, XML),
        **{story(number): write_story(number) for number in (1, 2, 3, 5)},
        story(4): write_story(4, old),
    }
    crawl = run(pages, {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}, strategy="sitemaps")
    assert paths_of(crawl, site) == set(map(story, range(1, 6)))
    assert site.asked.index(story(2)) < site.asked.index("/old.xml.gz")
    assert crawl.counts["spider/articles/news"] == 1
    site.asked.clear()
    crawl = run(pages, strategy="sitemaps", since="2d")
    assert paths_of(crawl, site) == {story(2), story(3)}
    assert not {"/old.xml.gz", story(1), story(5)} & set(site.asked)
    assert crawl.counts["spider/skipped/too old"] == 3


def test_variants_of_an_article_give_one_item(site: Site, run: Run) -> None:
    """AMP, print, tracked and session URLs are one; a copy elsewhere is a duplicate."""
    variants = (
        story(1),
        f"{story(1)}?utm_source=x",
        f"/amp{story(1)}",
        f"{story(1)}?print=1",
        f"{story(1)};jsessionid=AB12",
        "/news/2026/the-same-text-again-77777.html",
    )
    crawl = run({"/": write_list(*variants), **dict.fromkeys(variants, write_story(1))})
    assert len(crawl.items) == 1
    assert crawl.counts["spider/skipped/duplicate"] == 1
    assert len(site.asked) == len(set(site.asked))


def test_a_calendar_ends(site: Site, run: Run) -> None:
    """1,000 days that link to each other cost a few requests."""
    days = [f"/calendar?day=2026-{number:03}" for number in range(1_000)]
    pages = {
        day: write_list(more="".join(f'<a href="{each}">Day {each[-3:]}</a>' for each in days))
        for day in days
    }
    pages["/"] = write_list(story(1), more=f'<a href="{days[0]}">Events</a>')
    crawl = run({**pages, story(1): write_story(1)})
    assert paths_of(crawl, site) == {story(1)}
    assert sum("calendar" in path for path in site.asked) < 30  # some at the same time
    assert "trap" in summary_of(crawl)


def test_new_shapes_that_lead_nowhere_end() -> None:
    """A calendar whose folders are random, so that each page has a shape of its own."""
    random, urls, n_pages = Random(1), SiteUrls("a.example"), 0  # noqa: S311

    def invent() -> Link:
        word = "".join(random.choices("abcdefgh", k=8))
        url = f"https://a.example/{word}/2026/{random.randint(10, 12)}/{random.randint(10, 28)}/"
        return Link(url, "text", 2.0 - random.random())

    urls.add(invent())
    while (link := urls.pop()) is not None:
        n_pages += 1
        n_likely = sum(urls.add(invent()) >= LIKELY for _ in range(30))
        urls.learn(link, Result(links=n_likely))
        urls.end(link)
    assert n_pages < 150
    assert not urls.waiting


def test_limits_of_articles_and_pages(site: Site, run: Run) -> None:
    pages = {story(number): write_story(number) for number in range(9)}
    pages["/"] = write_list(*pages)
    assert len(run(pages, max_articles=3).items) == 3
    site.asked.clear()
    run(pages, {"ROBOTSTXT_OBEY": False}, max_pages="4")
    assert len(site.asked) == 4


def test_another_site_is_not_crawled(site: Site, run: Run) -> None:
    """Neither by a link nor by a redirect; a home page that leads there is reported."""
    with serving() as other:
        there = other.url(story(3)).replace("127.0.0.1", "localhost")
        refresh = f'<html><head><meta http-equiv="refresh" content="0;url={there}"></head></html>'
        pages = {
            "/": write_list(there, "/leave", "/refresh", story(7)),
            "/leave": Answer(b"", 302, {"Location": there}),
            "/refresh": page(refresh),
            story(7): Answer(b"", 301, {"Location": story(2)}),
            story(2): write_story(2),
        }
        other.pages[story(3)] = write_story(3)
        crawl = run(pages)
        assert paths_of(crawl, site) == {story(2)}
        assert crawl.counts["spider/skipped/other site"] == 2
        crawl = run({"/": Answer(b"", 302, {"Location": there})})
        assert not crawl.items
        [warning] = [line for line in crawl.messages(logging.WARNING) if "redirects" in line]
        assert warning.endswith(f"write urls={there}")
        assert not other.asked


def test_where_robots_txt_leads(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """To any public host, at most five times; the proxy looks up the names."""
    monkeypatch.setenv("http_proxy", site.url(""))
    hops = {f"http://far.example/{n}": f"http://far.example/{n + 1}" for n in range(9)}
    leads = {
        "http://a.example/robots.txt": "http://rules.example/all",
        "http://b.example/robots.txt": "http://far.example/0",
        "http://c.example/robots.txt": "http://0x7f.1/secret",
        **hops,
    }
    pages = {url: Answer(b"", 301, {"Location": target}) for url, target in leads.items()}
    rules = f"User-agent: *\nDisallow: {story(1)}\nSitemap: http://a.example/map.xml"
    pages["http://rules.example/all"] = page(rules, "text/plain")
    stories = {f"http://{name}.example{story(1)}": write_story(1) for name in "abc"}
    crawl = run({**pages, **stories}, urls=",".join(stories), strategy="direct")
    assert {item.url[7] for item in crawl.items} == {"b", "c"}
    assert "http://far.example/4" in site.asked
    assert not {"http://far.example/5", "http://0x7f.1/secret"} & set(site.asked)


@pytest.mark.parametrize(
    ("host", "is_private"),
    [
        *((host, True) for host in ("127.0.0.1", "10.1.2.3", "169.254.1.1", "100.64.0.1", "0")),
        *((host, True) for host in ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "224.0.0.1")),
        *((host, True) for host in ("::1", "::", "fe80::1", "fc00::1", "fec0::1", "::127.0.0.1")),
        *(
            (host, True)
            for host in ("::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::")
        ),
        *((host, True) for host in ("localhost", "www.localhost.")),
        *((host, False) for host in ("9.9.9.9", "2620:fe::9", "::ffff:9.9.9.9", "news.example")),
    ],
)
def test_private_addresses(host: str, is_private: bool) -> None:
    assert has_private_address(host, resolves=False) is is_private


def test_a_name_of_a_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(0, 0, 0, "", (address, 0)) for address in ("9.9.9.9", "10.0.0.1")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
    assert has_private_address("news.example", resolves=True)


ASKED = {
    Purpose.PAGE: ["news.co.uk", "www.news.co.uk news.co.uk"],
    Purpose.PART: ["news.co.uk", "feeds.news.co.uk", "news.co.uk feeds.news.co.uk"],
    Purpose.DECLARED: [
        *("burner.example", "www.news.co.uk burner.example", "maps.news.co.uk a.example"),
        "burner.example www.news.co.uk feeds.news.co.uk burner.example",
    ],
    Purpose.ENTRY: [
        *("click.example", "click.example news.co.uk", "click.example click.news.co.uk news.co.uk"),
        "click.example click.example click.example click.example click.example news.co.uk",
    ],
    Purpose.ROBOTS: ["a.example b.example c.example"],
}
NOT_ASKED = {
    Purpose.PAGE: ["feeds.news.co.uk", "news.co.uk.evil.example", "news.co.uk@evil.example"],
    Purpose.PART: ["other.co.uk", "news.co.uk other.example", "news.co.uk@evil.example"],
    Purpose.DECLARED: ["burner.example third.example", "news.co.uk a.example b.example"],
    Purpose.ENTRY: [
        *("second.example", "click.example third.example", "news.co.uk click.example"),
        "click.news.co.uk click.example",
        " ".join(["click.example"] * 7),
    ],
    Purpose.ROBOTS: [" ".join(["a.example"] * 7)],
}


def test_hosts_that_may_be_asked() -> None:
    """By the purpose of a request, after redirects from the hosts before."""
    hosts = Hosts(["https://www.news.co.uk/start"])
    for chains, may in ((ASKED, True), (NOT_ASKED, False)):
        for purpose, rows in chains.items():
            for row in rows:
                chain = [f"https://{host}/x" for host in row.split()]
                asked = hosts.may_request(chain, purpose, "news.co.uk", "https://news.co.uk/feed")
                assert asked is may, (purpose, row)
    for written in ("https://BÜCHER.example:443/", "http://www.xn--bcher-kva.example:80/x"):
        assert list(Hosts([written]).starts) == ["xn--bcher-kva.example"]
    hosts = Hosts(["https://a.news.co.uk/"], subdomains=True)
    assert hosts.find_site("https://news.co.uk@evil.example/x") == "evil.example"


@pytest.mark.parametrize(
    ("url", "found_in", "purpose"),
    [
        ("https://a.example/feed", "https://www.news.co.uk/start", Purpose.DECLARED),
        ("https://a.example/feed", "http://news.co.uk/robots.txt", Purpose.DECLARED),
        ("https://a.example/part.xml", "https://a.example/index.xml", Purpose.DECLARED),
        ("https://a.example/feed", "https://news.co.uk/story", Purpose.PART),
        ("https://a.example/feed", "https://b.example/robots.txt", Purpose.PART),
        ("https://news.co.uk/feed", "https://news.co.uk/story", Purpose.PART),
    ],
)
def test_lists_that_a_site_declares(url: str, found_in: str, purpose: Purpose) -> None:
    hosts = Hosts(["https://www.news.co.uk/start"])
    link = Link(url, discovery.FEEDS, found_in=found_in)
    assert hosts.find_purpose(link, "news.co.uk") is purpose


def test_lists_and_redirectors_on_other_hosts(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through a proxy: a declared feed, its redirector, and hosts that must not be asked."""
    monkeypatch.setenv("http_proxy", site.url(""))
    home, far = "http://www.news.example", "http://feeds.burner.example"
    link = f'<link rel="alternate" type="application/rss+xml" href="{far}/news">'
    entries = [f"http://click.example/{n}" for n in range(3)] + ["http://third.example/3"]
    pages = {
        f"{home}/": write_list(more=link),
        f"{far}/news": Answer(write_feed(*entries), 200, FEED),
        entries[0]: Answer(b"", 302, {"Location": home + story(0)}),
        entries[1]: Answer(b"", 302, {"Location": "http://evil.example/"}),
        "http://click.example/robots.txt": page("User-agent: *\nDisallow: /2", "text/plain"),
        home + story(0): write_story(0),
    }
    crawl = run(pages, urls=f"{home}/")
    assert [item.url for item in crawl.items] == [home + story(0)]
    assert crawl.counts["spider/skipped/other site"] == 2
    assert crawl.counts["spider/skipped/disallowed by robots.txt"] == 1
    asked = " ".join(site.asked)
    assert not any(name in asked for name in ("third.example", "evil.example", "click.example/2"))


ROBOTS = "User-agent: *\nCrawl-delay: {}\nUser-agent: x\nRequest-rate: 1/9"


@pytest.mark.parametrize(
    ("written", "delay", "message"),
    [
        ("4", 4, ""),
        ("2.5 # seconds", 2.5, ""),
        ("0", 0.5, ""),
        ("400", 30, "asks for 400 seconds between requests; waiting 30"),
        ("abc", 0.5, "a line that is no delay: Crawl-delay: abc"),
        ("-1", 0.5, "a line that is no delay: Crawl-delay: -1"),
        ("1\nRequest-rate: 2/1m", 30, ""),
    ],
)
def test_delays_of_robots_txt(
    written: str, delay: float, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """AutoThrottle starts at half a second. The lines for other user agents do not count."""
    slot = Slot(8, 0.5)
    downloader = SimpleNamespace(slots={"a.example": slot}, get_slot_key=lambda _: "a.example")
    settings = {"ROBOTSTXT_USER_AGENT": None, "USER_AGENT": "Scrapy"}
    crawler: Any = SimpleNamespace(settings=settings, engine=SimpleNamespace(downloader=downloader))
    delays, text = Delays(crawler, 30), ROBOTS.format(written)
    delays.read(text, Protego.parse(text), "https://a.example/robots.txt")
    delays.keep(Request("https://a.example/x"))
    assert slot.delay == delay
    assert message in caplog.text
    assert bool(message) == bool(caplog.text)


def test_a_crawl_waits(site: Site, run: Run) -> None:
    """As long as the setting allows."""
    robots = f"User-agent: *\nCrawl-delay: 9\nSITEMAP : {site.url('/map')} # all"
    pages = {
        "/robots.txt": page(robots, "text/plain"),
        "/map": Answer(f"\ufeff{site.url(story(1))}\n".encode(), 200, {}),
        story(1): write_story(1),
    }
    crawl = run(pages, {"BOILERPLATE_MAX_CRAWL_DELAY": 0.01})
    assert paths_of(crawl, site) == {story(1)}
    [warning] = [line for line in crawl.messages(logging.WARNING) if "robots.txt" in line]
    assert warning.endswith("asks for 9 seconds between requests; waiting 0.01 (MAX_CRAWL_DELAY)")


def test_a_declared_url_joins_only_equal_texts(site: Site, run: Run) -> None:
    """Each article claims to be the next one. The end of a long robots.txt is not read."""

    def declare(number: int, other: int) -> Answer:
        url = site.url(story(other % 8))
        more = f'<link rel="canonical" href="{url}"><meta property="og:url" content="{url}">'
        return page(write_story(number).body.decode().replace("<head>", f"<head>{more}"))

    pages = {story(number): declare(number, number + 1) for number in range(8)}
    pages["/print/of-the-first-story-77777.html"] = declare(0, 0)
    robots = "#" * 99 + "\n"
    long = robots * (MAX_ROBOTS_BYTES // len(robots) + 1) + "User-agent: *\nDisallow: /"
    crawl = run({**pages, "/": write_list(*pages), "/robots.txt": page(long, "text/plain")})
    assert len(crawl.items) == 8
    assert crawl.counts["spider/skipped/duplicate"] == 1


def test_a_site_that_hangs_is_given_up_and_the_others_go_on(site: Site, run: Run) -> None:
    dead = [f"http://127.0.0.1:9/{number}" for number in range(30)]
    crawl = run(
        {story(1): write_story(1)},
        {"DOWNLOAD_TIMEOUT": 2},
        urls=",".join([*dead, site.url(story(1))]),
        strategy="direct",
    )
    assert paths_of(crawl, site) == {story(1)}
    assert "127.0.0.1:9 does not answer, and is given up" in crawl.messages(logging.WARNING)
    assert crawl.counts["spider/requests"] < 25  # of 31


BROKEN = [
    Answer(b"<urlset><url><loc>", 200, XML),
    Answer(b"<rss><channel><item", 200, FEED),
    Answer(b"\x1f\x8bnothing", 200, XML),
    Answer(gzip.compress(b"<urlset>" + b" " * (discovery.MAX_SITEMAP_BYTES + 10)), 200, XML),
    Answer(b"<urlset", 200, XML),
    Answer(b'{"version": "https://jsonfeed.org/version/1", "items": 3}', 200, XML),
]


def test_broken_lists_cost_no_article(site: Site, run: Run) -> None:
    lists = {f"/list/{number}": answer for number, answer in enumerate(BROKEN)}
    robots = "\n".join(f"Sitemap: {site.url(path)}" for path in lists)
    pages = {"/robots.txt": page(robots, "text/plain"), "/": write_list(story(1)), **lists}
    crawl = run({**pages, story(1): write_story(1)})
    assert paths_of(crawl, site) == {story(1)}
    assert set(lists) <= set(site.asked)
    assert not crawl.messages(logging.ERROR)


def test_broken_urls_cost_no_other(site: Site, run: Run) -> None:
    """In robots.txt, a sitemap, links and a canonical link."""
    bad = "http://[broken"
    canonical = f'<head><link rel="canonical" href="{bad}">'
    body = write_story(1).body.decode().replace("<head>", canonical)
    pages = {
        "/robots.txt": page(f"Sitemap: {site.url('/map.xml')}\nSitemap: {bad}", "text/plain"),
        "/map.xml": Answer(write_sitemap({bad: None, site.url(story(1)): None}), 200, XML),
        "/": write_list(bad, "//[", "javascript:alert(1)", story(2)),
        story(1): page(body),
        story(2): write_story(2),
    }
    crawl = run(pages)
    assert paths_of(crawl, site) == {story(1), story(2)}
    assert crawl.counts["spider/skipped/bad URL"] == 1  # each URL once
    assert not crawl.messages(logging.ERROR)
    bad_pages = {story(n): Answer(b"", 302, {"Location": bad}) for n in range(10, 15)}
    crawl = run({"/": write_list(*bad_pages, story(2)), story(2): write_story(2), **bad_pages})
    assert paths_of(crawl, site) == {story(1), story(2)}
    assert crawl.counts["spider/skipped/bad URL"] == 1 + len(bad_pages)


@pytest.mark.parametrize("kind", ["job", "sqlite", "redis"])
def test_a_second_run_requests_what_is_new_or_changed(
    kind: str, site: Site, run: Run, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Lists are read again if they changed; articles, if their sitemap says that they changed."""
    tag = {"ETag": '"v1"', "Content-Type": "text/html"}
    stories = {story(number): write_story(number) for number in range(5)}
    home = write_list(*map(story, range(3)), more='<nav><a href="/city/">City</a></nav>')
    sections = {"/": Answer(home.body, 200, tag), "/city/": write_list(story(3), story(4))}
    folder = str(tmp_path / "state")
    store = request.getfixturevalue("server").url if kind == "redis" else folder
    kept = {"JOBDIR": folder} if kind == "job" else {"BOILERPLATE_SITE_STORE": store}
    settings = {**kept, "ROBOTSTXT_OBEY": False}
    assert len(run({**stories, **sections}, settings, strategy="links").items) == 5
    site.asked.clear()
    sections = {"/": Answer(b"", 304, tag), "/city/": write_list(story(3), story(4), story(7))}
    crawl = run({**sections, story(7): write_story(7)}, settings, strategy="links")
    assert paths_of(crawl, site) == {story(7)}
    assert sorted(site.asked) == ["/", "/city/", story(7)]
    assert site.headers["/"]["If-None-Match"] == '"v1"'
    assert crawl.counts["spider/unchanged"] == 1
    assert not crawl.messages(logging.WARNING)
    later = NOW + timedelta(hours=1)
    entries = {site.url(story(1)): later, site.url(story(2)): NOW - timedelta(days=1)}
    sitemap = Answer(write_sitemap(entries), 200, XML)
    site.asked.clear()
    crawl = run({"/sitemap.xml": sitemap, story(1): write_story(99)}, settings, strategy="sitemaps")
    assert paths_of(crawl, site) == {story(1)}
    assert story(2) not in site.asked


def test_articles_of_a_feed_that_was_not_stored_are_requested_again(
    site: Site, run: Run, tmp_path: Path
) -> None:
    pages = {"/": write_list(story(0), story(1)), **{story(n): write_story(n) for n in range(2)}}
    settings = {"BOILERPLATE_SITE_STORE": str(tmp_path / "state"), "ROBOTSTXT_OBEY": False}
    lost = {"FEEDS": {"ftp://u:p@127.0.0.1:1/feed.jsonl": {"format": "jsonlines"}}}
    crawl = run(pages, {**settings, **lost}, strategy="links")
    assert "A feed could not be stored" in " ".join(crawl.messages(logging.ERROR))
    assert len(run(pages, settings, strategy="links").items) == 2
    assert len(run(pages, settings, strategy="links").items) == 0


def test_sections_without_new_articles_are_requested_again(
    site: Site, run: Run, tmp_path: Path
) -> None:
    """In every run: here the home page links to all articles of the section until the last one."""
    stories = {story(number): write_story(number) for number in range(3)}
    home = write_list(*map(story, range(3)), more='<nav><a href="/city/">City</a></nav>')
    settings = {"BOILERPLATE_SITE_STORE": str(tmp_path / "state"), "ROBOTSTXT_OBEY": False}
    pages = {**stories, "/": home, "/city/": write_list(story(0), story(1))}
    assert [len(run(pages, settings, strategy="links").items) for _ in range(5)] == [3, 0, 0, 0, 0]
    pages |= {"/city/": write_list(story(0), story(7)), story(7): write_story(7)}
    assert paths_of(run(pages, settings, strategy="links"), site) == {story(7)}


def test_records_of_a_store(tmp_path: Path) -> None:
    """What was requested when the process ended waits again; a store that fails loses nothing."""
    store = SqliteStore(tmp_path / "sites.sqlite")
    first = SiteUrls("a.example")
    for number in range(3):
        link = Link(f"https://a.example{story(number)}", "title", 5.0 - number)
        assert first.add(link) > 0.5
    lists = [Link(f"https://a.example/{number}/", "nav", 1.0) for number in range(60)]
    for number, link in enumerate(lists):
        first.learn(link, Result(links=number))
    first.pop()
    broken = SqliteStore(tmp_path / "broken.sqlite")
    broken.close()
    with pytest.raises(StoreError):
        first.save(broken)
    first.save(store)
    again = SiteUrls("a.example")
    again.load(store)
    links = list(iter(again.pop, None))
    assert [link.url[-6:-5] for link in links[:3]] == ["0", "1", "2"]
    assert {link.url for link in links[3:]} == {link.url for link in lists[-MAX_SECTIONS:]}


GOOD = "https://a.example/a-story-of-the-harbour-10001.html"
BAD_LINKS: list[Any] = [
    *([GOOD, "title", date, 0, ""] for date in ("x", [1], math.nan, 1e300, True)),
    *([url, "title", 1.0, 0, ""] for url in ("http://[", "javascript:x", "", 5, "http://a/\ud800")),
    *([url, "title", 1.0, 0, ""] for url in ("story", "/story", "//a.example/story")),
    *([GOOD, context, 1.0, 0, ""] for context in ("@other", 5, None)),
    *([GOOD, "title", 1.0, depth, ""] for depth in ("1", -1, 0.5)),
    *([GOOD, "title", 1.0, 0, found] for found in ([1], None)),
    *([], "ab", 5, [GOOD] * 9),
]
BAD_RESULTS: list[Any] = [
    *([False, links, {}, 1.0] for links in ("x", -1, 10**40, None)),
    *([False, 1, {}, at] for at in ("x", math.inf, None)),
    *([False, 1, {name: "x"}, 1.0] for name in ("Host", "if-none-match")),
    *([False, 1, headers, 1.0] for headers in ([["x"]], {"If-None-Match": "x\r\nA: b"}, None)),
    *("x", ["x", 1, {}, 1.0]),
]


def test_wrong_records_of_a_store(tmp_path: Path) -> None:
    """They are counted and ignored; nothing waits for ever."""
    store = SqliteStore(tmp_path / "sites.sqlite")
    good: list[Any] = [GOOD, "title", 1.0, 0, ""]
    result = [False, 1, {}, 1.0]
    rows = [(link, each) for link in BAD_LINKS for each in (None, result)]
    rows += [(good, result) for result in BAD_RESULTS]
    wrong_key = [(good, None), ([GOOD, "nav", 1.0, 1, ""], result)]
    values = [{"link": a, "result": b, "version": VERSION, "at": 1} for a, b in rows + wrong_key]
    bad = [json.dumps(each).encode() for each in values] + [b"\xff", b"[]"]
    names = [StoreRecord(hash_name(str(n)), 1, data) for n, data in enumerate(bad)]
    urls = SiteUrls("a.example")
    store.put(Collection(UrlRecord, "a.example"), names)
    urls.load(store)
    assert (urls.pop(), urls.bad_records) == (None, len(bad))


def test_a_result_from_the_future_hides_no_list(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "sites.sqlite")
    home = Link("https://a.example/", "@home", 1.0)
    record = UrlRecord(home, Result(at=NOW.timestamp() + 9e9))
    key = create_key(home.url) or b""
    data = record.encode(1)
    store.put(Collection(UrlRecord, "a.example"), [StoreRecord(key, 1, data)])
    urls = SiteUrls("a.example")
    urls.load(store)
    urls.add(home)
    assert urls.pop() == home


def test_a_store_that_does_not_answer(site: Site, run: Run) -> None:
    """Nothing is requested: a crawl without its record would repeat all pages."""
    settings = {"BOILERPLATE_SITE_STORE": "redis://127.0.0.1:1/0"}
    crawl = run({"/": write_list(story(1)), story(1): write_story(1)}, settings)
    assert "is not crawled" in crawl.messages(logging.ERROR)[0]
    assert not site.asked


def test_robots_txt_disallows(site: Site, run: Run) -> None:
    pages = {"/robots.txt": page("User-agent: *\nDisallow: /", "text/plain")}
    crawl = run({**pages, "/": write_list(story(1))})
    assert "skipped: disallowed by robots.txt 2" in summary_of(crawl)
    assert site.asked == ["/robots.txt"]


def test_a_page_without_an_answer_is_requested_in_the_next_run(
    site: Site, run: Run, tmp_path: Path
) -> None:
    settings = {"JOBDIR": str(tmp_path)}
    failing = {"/": write_list(story(1), story(2)), story(1): page(status=503)}
    assert not run({**failing, story(2): page(status=404)}, settings, strategy="links").items
    mended = {story(1): write_story(1), story(2): write_story(2)}
    assert paths_of(run(mended, settings, strategy="links"), site) == {story(1)}


def test_a_dropped_item_is_no_article(site: Site, run: Run) -> None:
    reserved = write_story(2).body.replace(
        b"<head>", b'<head><meta name="tdm-reservation" content="1">'
    )
    stories = {story(1): write_story(1), story(2): page(reserved.decode())}
    settings = {"BOILERPLATE_RESERVED_DROP": {"tdmrep": "1"}}
    crawl = run({"/": write_list(*stories), **stories}, settings, strategy="links")
    assert paths_of(crawl, site) == {story(1)}
    assert crawl.counts["spider/articles/page"] == crawl.counts["spider/skipped/dropped"] == 1


def test_a_list_of_old_articles_is_given_up(site: Site, run: Run) -> None:
    """But not its menu, nor the sections among them."""
    old = NOW - timedelta(days=40)
    stories = {story(number): write_story(number, old) for number in range(30)}
    new = {story(number): write_story(number, NOW) for number in (50, 51)}
    sections = {"/city/": write_list(story(50)), "/art/": write_list(story(51))}
    home = write_list(*stories, "/art/", more='<nav><a href="/city/">City</a></nav>')
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    pages = {**stories, **new, **sections, "/": home}
    crawl = run(pages, settings, since="1w", strategy="links")
    assert paths_of(crawl, site) == set(new)
    assert crawl.counts["spider/skipped/too old"] == 5
    assert crawl.counts["spider/skipped/old list"] == 25
    [line] = [line for line in crawl.messages(logging.INFO) if "URLs: old list" in line]
    assert line.startswith("127.0.0.1:")
    assert line.partition("skipped ")[2].startswith("25 URLs: old list (in a list whose last")


def test_the_queue_is_bounded() -> None:
    urls = SiteUrls("a.example", n_sites=10_000)
    for number in range(20):
        urls.add(Link(f"https://a.example{story(number)}", "title", 1.0))
    assert len(urls.waiting) == 10
    assert urls.skipped == {"queue full": 10}


def test_the_newest_are_first() -> None:
    """A list that names a waiting URL dates it; no older link is requested while a list comes."""
    urls, dates = SiteUrls("a.example"), {}
    for number in range(9):
        dates[f"https://a.example{story(number)}"] = 100.0 - number
        urls.add(Link(f"https://a.example{story(number)}", "title", 200.0))
    lists = [Link(f"https://a.example/{n}.xml", "@sitemap", 200.0 - n) for n in range(5)]
    for each in lists:
        urls.add(each)
    requested = []
    while (link := urls.pop()) is not None:
        if link.context == "@sitemap":
            if link == lists[-1]:
                assert urls.pop() is None
                for url, date in dates.items():
                    urls.add(Link(url, "sitemap", date), is_dated=True)
        else:
            requested.append(link.url)
        urls.learn(link, Result(is_article=link.context != "@sitemap"))
        urls.end(link)
    assert requested == list(dates)
    assert not urls.skipped


def test_a_parameter_that_changes_nothing() -> None:
    """Its other values are not requested, unless pages with some of them differ."""
    urls = SiteUrls("a.example")
    for number in (1, 2, 3):
        for name in ("id", "from"):
            at = {"id": 1, "from": 1, name: number}
            url = "https://a.example/story?" + "&".join(f"{n}={v}" for n, v in at.items())
            urls.compare_variants(url, bytes([at["id"]]))
    urls.add(Link("https://a.example/story?id=1&from=9", "title", 1.0))
    urls.add(Link("https://a.example/story?id=9&from=1", "title", 1.0))
    assert [link.url[-11:] for link in iter(urls.pop, None)] == ["id=9&from=1"]
    assert urls.skipped == {"duplicate": 1}


def test_further_pages_of_an_article_are_requested_once(site: Site, run: Run) -> None:
    pages = {"/": write_list(FIRST), **SITE}
    [item] = run(pages, {"BOILERPLATE_PAGES": 5}).items
    assert item.pages == list(map(site.url, SITE))
    assert [site.asked.count(path) for path in SITE] == [1, 1, 1]


def test_a_url_has_one_result() -> None:
    """Also if Scrapy's queue restores its request, or another page claims it."""
    urls = SiteUrls("a.example")
    for number in range(2):
        urls.add(Link(f"https://a.example{story(number)}", "title", 1.0))
    links = [urls.pop(), urls.pop()]
    assert urls.pop() is None
    assert len(urls.in_flight) == 2
    for link in filter(None, links):
        assert urls.accept(link)
        urls.learn(link, Result(is_article=True))
        urls.end(link)
        assert not urls.accept(link)
    assert not urls.in_flight
    assert urls.skipped == {"duplicate": 2}


def test_urls_of_many_shapes_are_requested() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = {one + two for one in letters for two in letters}  # more than MAX_ARMS
    urls = SiteUrls("a.example")
    for name in names:
        urls.add(Link(f"https://a.example/{name}/{name}/story", "text", 1.0))
    assert len({link.url for link in iter(urls.pop, None)}) == len(names)


def test_shapes_that_are_articles_rise() -> None:
    """Links of one context: after four pages, the shape of the articles goes first."""
    urls = SiteUrls("a.example")
    for number in range(8):
        for folder in ("p", "q"):
            urls.add(Link(f"https://a.example/{folder}/{number}", "text", float(number)))
    for _ in range(4):
        link = urls.pop()
        assert link is not None
        urls.learn(link, Result(is_article="/q/" in link.url))
    following = [urls.pop() for _ in range(3)]
    assert all(link is not None and "/q/" in link.url for link in following)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "urls = []: write URLs of home pages"),
        ({"urls": "news.example"}, "urls = 'news.example': write URLs"),
        ({"urls": "http://a.example:x/"}, "urls = "),
        ({"since": "soon"}, "since = 'soon': write an age such as 12h"),
        ({"strategy": "all"}, "strategy = 'all': write 'auto', 'feeds'"),
        ({"max_pages": "many"}, "max_pages = 'many': write a whole number"),
        ({"max_articles": -1}, "max_articles = -1: write a whole number"),
        ({"languages": "en"}, "languages = 'en': write 'listed' or 'all'"),
        ({"subdomains": "perhaps"}, "subdomains = 'perhaps': write True or False"),
        ({"max_page": 3}, "there is no argument max_page; write max_pages"),
    ],
)
def test_wrong_arguments(arguments: Mapping[str, Any], message: str) -> None:
    given = {"urls": "https://a.example/", **arguments} if arguments else {}
    with pytest.raises(SettingError) as error:
        NewsSpider(**given)
    assert str(error.value).startswith(message)


def test_since() -> None:
    two_days_ago = (datetime.now(UTC) - timedelta(days=2)).timestamp()
    assert parse_setting("since", ARGUMENTS["since"], "2d") == pytest.approx(two_days_ago, abs=600)
    day = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
    assert parse_setting("since", ARGUMENTS["since"], "2026-11-01") == day


def test_feeds_need_their_extra(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setitem(__import__("sys").modules, "feedparser", None)
    with pytest.raises(ImportError, match=r"NewsSpider with feeds needs feedparser: pip install"):
        run({})
    run({}, strategy="links")


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        (
            "feed",
            b'{"title": "<b>", "version": "https://jsonfeed.org/version/1.1", "items": [{"id": 2}, '
            b'{"url": "https://a.example/1", "date_published": "2026-11-02T10:00:00Z"}]}',
            Link("https://a.example/1", "feed", 1793613600.0),
        ),
        (  # pictures of a sitemap are not pages
            "sitemap",
            b'<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><i:image>'
            b"<i:loc>https://a.example/x.jpg</i:loc></i:image><!-- first --><loc> "
            b"https://a.example/1 </loc><lastmod>2026-01-02</lastmod></url></urlset>",
            Link("https://a.example/1", "sitemap", 1767312000.0),
        ),
        (  # a later change, a date of a film, and an ampersand
            "sitemap",
            b"<?xml version='1.0'?><!--" + b" <html> " * 900 + b"--><urlset xmlns:n='n' "
            b"xmlns:v='v'><url><loc>https://a.example/?a=1&b=2</loc><lastmod>2026-11-03</lastmod>"
            b"<v:video><v:publication_date>2026-12-01</v:publication_date></v:video><n:news>"
            b"<n:publication_date>2026-11-02</n:publication_date></n:news></url></urlset>",
            Link("https://a.example/?a=1&b=2", "news", 1793664000.0),
        ),
        (
            "sitemap",
            gzip.compress("\ufeffhttps://a.example/1\r\n".encode(), mtime=0),
            Link("https://a.example/1", "sitemap"),
        ),
        (
            "sitemap",
            "https://a.example/1\n".encode("utf-16"),
            Link("https://a.example/1", "sitemap"),
        ),
        (
            "feed",
            b"Warning: x\n<?xml version='1.0'?><rss><channel><item><title><![CDATA[<html>]]>"
            b"</title><link>https://a.example/1</link><pubDate>20-11-2026</pubDate></item></channel></rss>",
            Link("https://a.example/1", "feed", 1795132800.0),
        ),
        (
            "feed",
            b'{"items": [{"title": "<html>", "id": "https://a.example/1"}], "x": "'
            + b"x" * 9_000
            + b'", "version": "https://jsonfeed.org/version/1.1"}',
            Link("https://a.example/1", "feed"),
        ),
        *(
            (
                "feed",
                b"<rss xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'><channel>"
                b"<item>%s</item></channel></rss>" % entry,
                Link("https://a.example/1", "feed"),
            )
            for entry in (
                b"<link>https://b.example/1</link><feedburner:origLink>https://a.example/1"
                b"</feedburner:origLink>",
                b"<link>https://b.example/?to=https%3A%2F%2Fa.example%2F1&amp;from=rss</link>",
                b"<link>https://b.example/go/https%253A%252F%252Fa.example%252F1</link>",
                b"<link/><guid>https://a.example/1</guid>",
                b"<guid isPermaLink='true'>https://a.example/1</guid>",
                b"<link>https://b.example/1</link><guid isPermaLink='false'>https://a.example/1"
                b"</guid>",
            )
        ),
    ],
)
def test_lists(kind: str, body: bytes, expected: Link) -> None:
    found = discovery.read_list(body, lambda url: url.startswith("https://a.example/"))
    assert found == (kind, [expected])


@pytest.mark.parametrize(
    "body",
    [b"<html><rss>", b"<!-- <rss> --><html>", b'{"items": [{"url": "x"}]}', b"see https://x"],
)
def test_pages_that_are_no_lists(body: bytes) -> None:
    assert discovery.read_list(body) == ("page", [])


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026/11/27 10:00", 10),
        ("Fri, 27 Nov 2026 10:00:00 CET", 9),
        ("27 Nov 26 10:00 CET", 9),
        ("Fri, 27 Nov 2026 10:00:00 EST", 15),
        ("27 novembre 2026 10:00", 10),
        ("Fri, 27 Nov 2026 10:00:00 +0200", 8),
    ],
)
def test_dates_of_lists(text: str, hour: int) -> None:
    expected = datetime(2026, 11, 27, hour, tzinfo=UTC).timestamp()
    assert discovery.read_date(text, "fr") == expected


def test_versions_in_other_languages() -> None:
    body = (
        b"<urlset xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>https://a.example/en</loc>"
        b"<x:link rel='alternate' hreflang='en' href='https://a.example/en'/>"
        b"<x:link rel='alternate' hreflang='de' href='https://a.example/de'/></url></urlset>"
    )
    for alternates, count in ((False, 1), (True, 2)):
        assert len(discovery.read_list(body, alternates=alternates)[1]) == count


def test_sitemaps_stop_at_their_limit() -> None:
    body = write_sitemap({f"https://a.example/{number}": None for number in range(50_009)})
    assert len(discovery.read_list(body)[1]) == 50_000


def test_contexts_of_links() -> None:
    html = (
        '<header><a href="/a">Home</a><h2><a href="/b">B</a></h2></header><nav><a href="/c">C</a>'
        '</nav><a href="/d">D</a><a href="/e">five words in a row</a><a href="/d"><h3>D</h3></a>'
        '<a href="/x?page=2">2</a><footer><a href="/f">About</a></footer><a href="/g.pdf">PDF</a>'
        '<a href="mailto:x@a.example">write</a><a href="/blog/feed">RSS</a>'
        '<link type="application/rss+xml" href="/commentary/rss.xml">'
        '<link type="application/rss+xml" href="/comments/feed/">'
    )
    response = HtmlResponse("https://a.example/x", body=html.encode(), encoding="utf-8")
    links = discovery.read_links(response, NO_LIMITS)
    assert {link.url[17:]: link.context for link in links} == {
        "/blog/feed": "text",
        "/a": "nav",
        "/b": "title",
        "/c": "nav",
        "/d": "title",
        "/e": "title",
        "/x?page=2": "text",
        "/f": "nav",
        "/commentary/rss.xml": "@feed",
    }


def test_an_article_after_many_links() -> None:
    html = '<a href="/tag/1">tag</a>' * 20_000 + f'<h3><a href="{story(1)}">News</a></h3>'
    response = HtmlResponse("https://a.example/x", body=html.encode(), encoding="utf-8")
    assert [link.context for link in discovery.read_links(response, NO_LIMITS)] == ["text", "title"]


def test_keys_and_shapes() -> None:
    assert create_key("http://www.a.example/amp/x/?b=2&a=1#top") == create_key(
        "https://a.example/x?a=1&b=2&utm_source=y"
    )
    noise = "amp&print=true&output=amp&ref=home&fbclid=1&sid=8f14e45fceea167a5a36dedd4bea2543"
    assert create_key(f"https://a.example/x?{noise}") == create_key("https://a.example/x")
    for name in ("id", "sid", "print", "ref"):
        keys = [create_key(f"https://a.example/x?{name}={number}") for number in (2, 30)]
        assert keys[0] != keys[1]
    assert create_key("https://a.example/" + "x" * 2_000) is None
    shape = describe_shape("https://a.example/sport/2026/cup-final-won-4711.html?page=2")
    assert shape == "/sport/9/a-a-a-9.a?page"
    assert find_url_date("https://a.example/2026/11/02/x") == 1793664000.0
    assert find_url_date("https://a.example/map-2026-11.xml") == 1796169600.0
    assert find_url_date("https://a.example/story/202611") is None
    assert find_url_date("https://a.example/2026/13/02/x") is None


def test_documented_spider(site: Site, reactor: Reactor) -> None:
    """Its project needs no setting."""
    [block] = [
        each for each in BLOCKS if each.page == "docs/usage/crawl.md" and "Papers" in each.code
    ]
    names: dict[str, Any] = {}
    exec(block.code.replace("https://news.example/", site.url("/")), names)  # noqa: S102
    site.pages.update({"/": write_list(story(1)), story(1): write_story(1)})
    papers = names["Papers"]
    body = {"since": None, "__init__": lambda self, **_: papers.__init__(self)}
    ours = type("Ours", (papers,), {**body, "start_urls": papers.start_urls[:1]})
    [item] = reactor.crawl([], lambda _: None, SETTINGS, ours).items
    assert item.headline == "Story number 1 of the harbour"


def test_the_command(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong options end in one sentence; a list of fields leaves out the others."""
    site.pages.update({story(0): write_story(0), "/": write_list(story(0))})
    given = str(tmp_path / "given.jsonl")
    run_command(site.url(), "-o", given, "-s", "BOILERPLATE_FIELDS=text,headline")
    [line] = Path(given).read_text().splitlines()
    assert list(json.loads(line)) == ["url", "text", "headline", "found_in"]
    out = str(tmp_path / "articles.jsonl")
    assert main(["crawl", site.url(), "-o", "articles.doc"]) == 1
    assert main(["crawl", site.url(), "-o", out, "-s", "LOG_LEVEL"]) == 1
    assert main(["crawl", site.url(), "-o", "a.json", "--jobdir", str(tmp_path / "job")]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("end the name with .jl, .jsonl, .csv, .json, .parquet, .xml")
    assert lines[1].endswith("-s LOG_LEVEL: write NAME=VALUE")
    assert lines[2].endswith("-o a.json: with --jobdir or a store, end the name with .jsonl")


COMMAND = [sys.executable, "-m", "scrapy_boilerplate.cli", "crawl"]


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def start_command(
    site: Site, folder: Path
) -> tuple[subprocess.Popen[bytes], list[str], dict[str, Answer]]:
    """Start a crawl of 20 articles that can be resumed; return it, its arguments and the pages."""
    site.pages.clear()
    stories = {story(number): write_story(number) for number in range(20)}
    site.pages.update({**stories, "/": write_list(*stories)})
    arguments = [site.url(), "-o", str(folder / "articles.jsonl"), "--jobdir", str(folder / "job")]
    arguments += ["-s", "AUTOTHROTTLE_ENABLED=0"]
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.DEVNULL)
    return process, arguments, stories


def test_the_command_is_interrupted_and_resumed(site: Site, tmp_path: Path) -> None:
    """By SIGINT, as of Ctrl-C: no article is lost, and none comes twice."""
    process, arguments, stories = start_command(site, tmp_path)
    out = tmp_path / "articles.jsonl"
    site.on_request = lambda path: process.send_signal(SIGINT) if path == story(8) else None
    assert process.wait(240) == 0
    site.on_request = nothing
    assert 0 < len(out.read_text().splitlines()) < 20
    done = run_command(*arguments)
    assert done.returncode == 0
    assert " articles (page " in done.stderr.splitlines()[-1], "below Scrapy's stats"
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(item["url"] for item in items) == sorted(map(site.url, stories))
    assert all(item["headline"] and item["text"] for item in items)


def test_the_command_is_killed_and_resumed(site: Site, tmp_path: Path) -> None:
    """No article is lost, and the part of a line is removed."""
    process, arguments, stories = start_command(site, tmp_path)
    out = tmp_path / "articles.jsonl"
    site.on_request = lambda path: process.kill() if path == story(15) else None
    assert process.wait(240) == -SIGKILL
    site.on_request = nothing
    out.write_bytes(out.read_bytes().rpartition(b"\n")[0] + b'\n{"url": "http')
    assert run_command(*arguments).returncode == 0
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert {item["url"] for item in items} == set(map(site.url, stories))


def test_the_command_reaches_nothing(site: Site, tmp_path: Path) -> None:
    site.pages.clear()
    done = run_command(site.url(), "-o", str(tmp_path / "a.jsonl"), "-s", "LOG_LEVEL=WARNING")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("scrapy-boilerplate: no page was read (127.0.0.1:")
    assert line.endswith(": status 404 2)")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder.jsonl", "it cannot be written (Is a directory)"),
        ("full.jsonl", "the articles could not be written: see the log"),
    ],
)
def test_articles_that_cannot_be_written(
    site: Site, tmp_path: Path, name: str, message: str
) -> None:
    site.pages.update({story(0): write_story(0), "/": write_list(story(0))})
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    done = run_command(site.url(), "-o", str(tmp_path / name), "--max-articles", "1")
    assert (done.returncode, message in done.stderr) == (1, True), done.stderr
