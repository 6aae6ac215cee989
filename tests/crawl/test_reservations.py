"""Crawls of a site that reserves the use of its texts, by each scheme."""

import json
import logging
from dataclasses import make_dataclass
from typing import Any

import pytest
from scrapy.settings import BaseSettings

from scrapy_boilerplate import NewsSpider
from scrapy_boilerplate.crawl.settings import CrawlSettings, SettingError
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import QUIET, Reactor
from tests.crawl.pages import HTML, Answer, article, page
from tests.crawl.site import Site

TDMREP = "/.well-known/tdmrep.json"
ROBOTS = (
    "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /a train-ai=n\n"
    "License: https://a.example/rsl.xml"
)
HEAD = '<meta name="tdm-policy" content="/policy"><link rel="license" href="/cc">'
RULES = [{"location": "/open", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]
HEADERS = {"Content-Type": HTML, "X-Robots-Tag": "noai"}
PAGES = {
    "/a": Answer(article().replace("<head>", f"<head>{HEAD}").encode(), 200, HEADERS),
    "/open": page(),
}
FILES = {"/robots.txt": page(ROBOTS, "text/plain"), TDMREP: page(json.dumps(RULES), "text/plain")}
FOUND = [
    ("tdmrep", "1", "{}/policy", "tdmrep.json"),
    ("rsl", "https://a.example/rsl.xml", None, "robots.txt"),
    ("content-signals", "search=yes", None, "robots.txt"),
    ("content-signals", "ai-train=no", None, "robots.txt"),
    ("aipref", "train-ai=n", None, "robots.txt"),
    ("robots", "noai", None, "header"),
    ("license", "{}/cc", None, "link"),
]


@pytest.mark.parametrize("obeys", [True, False])
def test_every_scheme(crawl: CrawlPages, site: Site, obeys: bool) -> None:
    """Each file of the site is requested once, and robots.txt by Scrapy if it obeys it."""
    site.pages.update(FILES)
    settings = {"BOILERPLATE_RESERVATIONS": True, "ROBOTSTXT_OBEY": obeys}
    result = crawl(items_of(dict), settings, pages=PAGES)
    found = {item["url"]: item["reservations"] for item in result.items}
    root = site.url("")
    expected = [
        {"scheme": s, "value": v.format(root), "policy": p and p.format(root), "source": source}
        for s, v, p, source in FOUND
    ]
    assert found[site.url("/a")] == expected
    assert [each["value"] for each in found[site.url("/open")]][:2] == ["0", FOUND[1][1]]
    assert sorted(site.asked) == sorted([*PAGES, *FILES])


def test_news_spider(site: Site, reactor: Reactor) -> None:
    """It records them by default, and asks for the file once."""
    site.pages.update({**FILES, **PAGES})
    given = type("Given", (NewsSpider,), {"__init__": lambda self, **_: init(self)})

    def init(spider: NewsSpider) -> None:
        NewsSpider.__init__(spider, urls=site.url("/a"), strategy="direct")

    crawl = reactor.crawl([], lambda _: None, {"BOILERPLATE_EXTRACTOR": "news"}, given)
    assert [each["scheme"] for each in crawl.items[0].reservations] == [row[0] for row in FOUND]
    assert [path for path in site.asked if path in FILES] == list(FILES)


def test_without_the_setting_only_pages_and_headers_count(crawl: CrawlPages, site: Site) -> None:
    site.pages.update(FILES)
    kind = make_dataclass("Page", ["url", ("reservations", Any, None)])
    [item] = crawl(items_of(kind), pages=PAGES, ask=["/a"]).items
    assert [each["source"] for each in item.reservations] == ["meta", "header", "link"]
    assert site.asked == ["/a"]


@pytest.mark.parametrize(
    ("reserved", "dropped", "message"),
    [
        ({"tdmrep": "1"}, ["/a"], "tdmrep 1 of tdmrep.json for {}/a"),
        ('{"robots": "noai"}', ["/a"], "robots noai of header for {}/a"),
        ({"content-signals": "ai-train=no"}, ["/a", "/open"], "ai-train=no of robots.txt for"),
        ({"content-signals": "ai-input=no"}, [], ""),
    ],
)
def test_reserved_texts_are_dropped(
    crawl: CrawlPages, site: Site, reserved: Any, dropped: list[str], message: str
) -> None:
    site.pages.update(FILES)
    result = crawl(items_of(dict), {"BOILERPLATE_RESERVED_DROP": reserved}, pages=PAGES)
    assert [item["url"] for item, _ in result.dropped] == [site.url(path) for path in dropped]
    assert result.counts.get("dropped/reserved", 0) == len(dropped)
    named = [line for line in result.messages(logging.INFO) if line.startswith("Dropped")]
    assert len(named) == len(dropped)
    assert all(message.format(site.url("")) in line for line in named[:1])


@pytest.mark.parametrize(
    ("answer", "n_unknown"),
    [
        (page("<html>", "text/html"), 1),
        (Answer(b"", 503), 1),
        (Answer(b"", 301, {"Location": "http://127.0.0.1:1/"}), 1),
        (Answer(b"", 404), 0),
    ],
)
def test_an_unknown_file_reserves_nothing(
    crawl: CrawlPages, site: Site, answer: Answer, n_unknown: int
) -> None:
    site.pages[TDMREP] = answer
    settings = {"BOILERPLATE_RESERVED_DROP": {"tdmrep": "1"}, "RETRY_ENABLED": False}
    result = crawl(items_of(dict), settings, pages={"/x": page(), "/y": page()})
    assert len(result.items) == 2
    assert result.counts.get("reservations/unknown", 0) == n_unknown
    assert site.asked.count(TDMREP) == 1


@pytest.mark.parametrize(
    ("reserved", "message"),
    [
        ({"tdm": "1"}, "there is no scheme 'tdm'; write tdmrep, content-signals"),
        ({"tdmrep": "2"}, "tdmrep has no value '2'; write 0, 1"),
        ({"content-signals": "ai-train"}, "content-signals has no value 'ai-train'; write search="),
        ({"aipref": "train-ai=no"}, "write a preference such as train-ai=n"),
        ({"rsl": "yes"}, "rsl has no value 'yes'; write a URL"),
        ("tdmrep", 'write a dict such as {"tdmrep": "1"}'),
    ],
)
def test_settings_that_cannot_be_read(reserved: Any, message: str) -> None:
    settings = BaseSettings({**QUIET, "BOILERPLATE_RESERVED_DROP": reserved})
    with pytest.raises(SettingError, match="RESERVED_DROP") as error:
        CrawlSettings.from_settings(settings)
    assert message in str(error.value)
