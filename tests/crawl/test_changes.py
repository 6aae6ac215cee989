"""`BOILERPLATE_CHANGES` in real crawls: new, unchanged, updated."""

import re
from pathlib import Path
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request

from scrapy_boilerplate import ArticleItem
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Crawl, Reactor
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.crawl.test_site import DUPLICATES
from tests.site.conftest import location, server
from tests.site.redis_server import RedisServer
from tests.site_pages import article_text, page_around

__all__ = ["location", "server"]  # fixtures

STORY = article_text(3)
LINE = "An update of the story came in at noon, and nobody had expected it by then."
CHANGES = {**DUPLICATES, "BOILERPLATE_CHANGES": True}


def story(*paragraphs: str) -> Answer:
    return Answer(page_around(list(paragraphs), 1).encode())


def changes(crawled: Crawl) -> list[tuple[Any, Any]]:
    return [(item["change"], item["duplicate"]) for item in crawled.items]


def test_new_unchanged_updated_across_crawls(crawl: CrawlPages, location: str) -> None:
    settings = {**CHANGES, "BOILERPLATE_CHANGES": "paragraphs", "BOILERPLATE_SITE_STORE": location}
    settings["BOILERPLATE_FIELDS"] = ["text", "fingerprint"]
    states = (STORY, STORY, [*STORY[:2], *STORY[3:], LINE], [*STORY[:2], *STORY[3:], LINE])
    crawls = [crawl(items_of(dict), settings, pages={"/s": story(*state)}) for state in states]
    [new], [same], [updated], [again] = (crawled.items for crawled in crawls)
    names = ("change", "previous_fingerprint", "paragraphs_added", "paragraphs_removed")
    assert [new[name] for name in names] == ["new", None, None, None]
    assert new["previously_seen"] is None
    assert [same[name] for name in names] == ["unchanged", new["fingerprint"], [], []]
    lost = STORY[2][:59] + "…"
    assert [updated[name] for name in names] == ["updated", new["fingerprint"], [LINE], [lost]]
    assert [again[name] for name in names] == ["unchanged", updated["fingerprint"], [], []]
    dates = [item["previously_seen"] for item in (same, updated, again)]
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", date) for date in dates)
    assert [crawled.counts.get("changes/updated", 0) for crawled in crawls] == [0, 0, 1, 0]
    assert not any("site/bad_records" in crawled.counts for crawled in crawls)


def test_copies_stay_copies_until_they_change_and_originals_stay_originals(
    crawl: CrawlPages, tmp_path: Path
) -> None:
    settings = {
        **CHANGES,
        "BOILERPLATE_DUPLICATES": "mark",
        "BOILERPLATE_SITE_STORE": str(tmp_path / "seen.sqlite"),
    }
    pages = {"/story": story(*STORY), "/copy": story(*STORY), "/near": story(*STORY, LINE)}
    first = crawl(items_of(dict), settings, pages=pages)
    assert changes(first) == [("new", None), ("new", "exact"), ("new", "template")]
    again = crawl(items_of(dict), settings, ask=list(pages))
    verdicts = [None, "exact", "template"]
    assert changes(again) == [("unchanged", verdict) for verdict in verdicts]
    pages = {
        path: story(*STORY, f"The page {path} says one thing more, which it did not say before.")
        for path in pages
    }
    assert changes(crawl(items_of(dict), settings, pages=pages)) == [
        ("updated", verdict) for verdict in (None, "template", "template")
    ]


def test_items_of_one_page_and_classes(crawl: CrawlPages) -> None:
    """A page without text has no change."""

    def twice(response: Any) -> list[Any]:
        return [{"url": response.url}, ArticleItem(url=response.url)]

    pages = {"/s": story(*STORY), "/empty": Answer(b"<html><body></body></html>")}
    items = crawl(twice, CHANGES, pages=pages).items
    assert [ItemAdapter(item)["change"] for item in items] == ["new", "new", None, None]
    assert "paragraphs_added" not in items[0]


PAPER = "http://paper.example/story"
OTHER = article_text(5)


def items_at_canonical_links(response: Any) -> list[dict[str, Any]]:
    """Items as of spiders that take the canonical link for the URL."""
    return [{"url": response.css("link[rel=canonical]::attr(href)").get() or response.url}]


def naming(url: str, *paragraphs: str) -> Answer:
    body = story(*paragraphs).body
    return Answer(body.replace(b"<head>", f'<head><link rel="canonical" href="{url}">'.encode()))


@pytest.mark.parametrize(
    ("url", "verdict", "after"),
    [
        ("http://mirror.example/x", "new", "unchanged"),
        ("http://paper.example.mirror.example/story", "new", "unchanged"),
        ("http://m.paper.example/x", "updated", "updated"),
    ],
)
def test_a_page_changes_the_history_of_its_own_site_only(
    url: str, verdict: str, after: str, crawl: CrawlPages, location: str
) -> None:
    settings = {**CHANGES, "BOILERPLATE_SITE_STORE": location}
    pages = {PAPER: story(*STORY), url: naming(PAPER, *OTHER)}
    asked = (PAPER, url, url, PAPER)
    crawls = [crawl(items_at_canonical_links, settings, pages=pages, ask=[each]) for each in asked]
    found = [item["change"] for crawled in crawls for item in crawled.items]
    assert found == ["new", verdict, "unchanged", after]


NEARLY = [*STORY, LINE]


@pytest.mark.parametrize(
    ("written", "copied", "verdicts"),
    [
        pytest.param("drop-near", OTHER, [None], id="another text"),
        pytest.param("drop", NEARLY, ["near"], id="nearly the same text"),
        pytest.param("drop-near", NEARLY, [], id="nearly the same text, dropped"),
        pytest.param("drop", STORY, [], id="the same text"),
    ],
)
def test_a_page_of_another_site(
    written: str, copied: list[str], verdicts: list[str], crawl: CrawlPages, tmp_path: Path
) -> None:
    """An earlier text decides, not the URL that the page names; a later page drops nothing."""
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": written}
    pages = {"http://mirror.example/x": naming(PAPER, *copied), PAPER: story(*STORY)}
    earlier = {**settings, "BOILERPLATE_SITE_STORE": str(tmp_path / "earlier.sqlite")}
    for url, found in zip(pages, ([None], verdicts), strict=True):
        crawled = crawl(items_at_canonical_links, earlier, pages=pages, ask=[url])
        assert [item["duplicate"] for item in crawled.items] == found
    later = {**CHANGES, **settings, "BOILERPLATE_SITE_STORE": str(tmp_path / "later.sqlite")}
    for url in (PAPER, "http://mirror.example/x", PAPER):
        crawled = crawl(items_at_canonical_links, later, pages=pages, ask=[url])
    assert changes(crawled) == [("unchanged", None)]


def test_texts_of_one_response_are_compared_each(crawl: CrawlPages) -> None:
    """As of an API that gives articles without URLs: the first one is a duplicate."""
    texts = {"/1": [STORY], "/2": [STORY, OTHER]}

    def parse(response: Any) -> list[dict[str, Any]]:
        path = "/" + response.url.rpartition("/")[2]
        return [{"text": "\n\n".join(paragraphs)} for paragraphs in texts[path]]

    crawled = crawl(parse, CHANGES, pages=dict.fromkeys(texts, story(*STORY)))
    assert [item["text"] for item in crawled.items] == [
        "\n\n".join(each) for each in (STORY, OTHER)
    ]


def test_a_redis_that_goes_away_costs_no_item(
    site: Site, reactor: Reactor, server: RedisServer
) -> None:
    site.pages = {f"/{n}": story(*article_text(n)) for n in range(6)}
    site.on_request = lambda path: server.kill() if path == "/3" else None
    settings = {**ADDON, **CHANGES, "BOILERPLATE_SITE_STORE": server.url, "CONCURRENT_REQUESTS": 1}
    wanted = [Request(site.url(path)) for path in [*site.pages, "/5", "/1"]]
    wanted = [request.replace(dont_filter=True) for request in wanted]
    crawled = reactor.crawl(wanted, items_of(dict), settings)
    found = sorted((item["url"].rpartition("/")[2], item["change"]) for item in crawled.items)
    repeated = [("1", "unchanged"), ("5", "unchanged")]
    assert found == sorted([*((str(n), "new") for n in range(6)), *repeated])
    assert crawled.counts["site/store_errors"] >= 1
