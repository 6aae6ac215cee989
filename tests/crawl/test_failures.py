"""Errors on a page: the item is kept, its fields are empty, and one line is logged."""

import logging
import re
from dataclasses import dataclass
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy.http import Response

from scrapy_boilerplate import Document, Page, boilerplate, extract
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import Options
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.kinds import FAILED
from tests.crawl.pages import page, text_of
from tests.crawl.site import Site

WORDS = len(text_of().split())


STRICT = {
    "BOILERPLATE_MIN_WORDS": 5,
    "BOILERPLATE_MIN_CONFIDENCE": 0.5,
    "BOILERPLATE_ARTICLES_ONLY": True,
}


def test_a_page_that_fails(crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the spider set is kept, and nothing is dropped."""

    def fail(response: Response, url: str, options: Options) -> Document:
        if "/bad" in url:
            raise ZeroDivisionError("fish over nothing")
        return extract_page(response, url, options)

    def parse(response: Response) -> Any:
        error = boilerplate(response).error
        assert error == ("ZeroDivisionError: fish over nothing" if "/bad" in response.url else None)
        yield {"url": response.url}
        if error:
            yield {"headline": "Mine"}

    monkeypatch.setattr("scrapy_boilerplate.crawl.page_reader.extract_page", fail)
    crawled = crawl(parse, STRICT, pages={"/bad": page(), "/good": page()})
    bad, own, good = crawled.items
    url = bad.pop("url")
    assert bad == FAILED
    assert own == {**FAILED, "headline": "Mine"}
    assert good["text"] == text_of()
    assert crawled.messages(logging.ERROR) == [
        f"Cannot read {url}: ZeroDivisionError: fish over nothing"
    ]
    assert crawled.counts == {
        "responses": 2,
        "documents": 1,
        "documents/container": 1,
        "errors/page": 1,
        "items/failed": 2,
        "items/filled": 1,
    }


@pytest.mark.parametrize("holds_document", [False, True])
def test_a_field_that_fails_gives_one_line_and_a_stat(
    holds_document: bool, crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("broken")

    def parse(response: Response) -> Any:
        if holds_document:
            yield {"document": extract(response.text, "http://a.example/")}
        else:
            yield {"url": response.url}
            yield {"url": response.url}

    monkeypatch.setattr("scrapy_boilerplate.metadata.fields.find_authors", fail)
    crawled = crawl(parse)
    assert {(item["text"], len(item["authors"])) for item in crawled.items} == {(text_of(), 0)}
    assert crawled.counts["errors/fields/authors"] == 1
    [line] = crawled.messages(logging.ERROR)
    assert line.startswith("Cannot find authors of http://")
    assert "errors/page" not in crawled.counts
    assert "items/failed" not in crawled.counts


def test_blocks_that_cannot_be_built(crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are built late, when the item is written."""

    def no_paths(page: Page) -> list[str]:
        raise ZeroDivisionError("no way there")

    monkeypatch.setattr(Page, "xpaths", property(no_paths))
    crawled = crawl(items_of(dict), {"BOILERPLATE_BLOCKS": "all"})
    assert [item["text"] for item in crawled.items] == [None]
    assert crawled.counts["errors/page"] == crawled.counts["items/failed"] == 1
    assert "items/filled" not in crawled.counts
    assert len(crawled.messages(logging.ERROR)) == 1


SHOP = (
    "<title>Hats</title><form><input></form><ul>"
    + "<li class=product><a href=/hat>Hat</a><b class=price>$5</b>" * 20
)


@pytest.mark.parametrize(
    ("name", "kept", "dropped", "reason", "sentence"),
    [
        ("min_words", WORDS, WORDS + 1, "TooFewWords", f"{WORDS} words of text on http://"),
        ("min_confidence", 0.5, 1, "LowConfidence", r"confidence 0\.\d+ on http://"),
        (
            "articles_only",
            False,
            True,
            "NotAnArticle",
            r"probability 0\.\d+ of an article on http://",
        ),
    ],
)
def test_dropped(  # noqa: PLR0917
    name: str, kept: Any, dropped: Any, reason: str, sentence: str, crawl: CrawlPages
) -> None:
    pages = {"/page": page(SHOP if name == "articles_only" else None)}
    setting = f"BOILERPLATE_{name.upper()}"
    assert len(crawl(items_of(dict), {setting: kept}, pages=pages).items) == 1
    crawled = crawl(items_of(dict), {setting: dropped}, pages=pages)
    assert crawled.items == []
    [(_, error)] = crawled.dropped
    assert type(error).__name__ == reason
    assert re.match(sentence, str(error))
    assert crawled.counts[f"dropped/{name}"] == 1
    assert crawled.stats[f"item_dropped_reasons_count/{reason}"] == 1
    assert "items/filled" not in crawled.counts
    assert crawled.messages(logging.WARNING) == []


@dataclass
class MarkedItem:
    """An item class that declares no other field of the package."""

    url: str
    is_article: bool | None = None


@pytest.mark.parametrize(
    ("kind", "executor", "threshold", "marks"),
    [
        (dict, "inline", 0.5, [True, False]),
        (dict, "process", 0, [True, True]),
        (MarkedItem, "process", 0.5, [True, False]),
        (MarkedItem, "inline", 1, [False, False]),
    ],
)
def test_articles_are_marked(
    kind: Any, executor: str, threshold: float, marks: list[bool], crawl: CrawlPages
) -> None:
    """Unless the spider has set the mark."""

    def parse(response: Response) -> Any:
        yield kind(url=response.url)
        yield kind(url=response.url, is_article="mine")

    settings = {
        "BOILERPLATE_ARTICLES_ONLY": "mark",
        "BOILERPLATE_ARTICLE_THRESHOLD": threshold,
        "BOILERPLATE_EXECUTOR": executor,
    }
    crawled = crawl(parse, settings, pages={"/article": page(), "/shop": page(SHOP)})
    found = [ItemAdapter(item)["is_article"] for item in crawled.items]
    assert found == [marks[0], "mine", marks[1], "mine"]
    assert crawled.dropped == []
    assert not [line for line in crawled.messages(logging.INFO) if "declare" in line]


def test_an_item_stays_where_the_question_fails(
    crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> float:
        raise ZeroDivisionError("fish over nothing")

    module = "scrapy_boilerplate.article.article_probability"
    monkeypatch.setattr(f"{module}.compute_article_probability", failing)
    crawled = crawl(items_of(dict), {"BOILERPLATE_ARTICLES_ONLY": True})
    assert [item["text"] for item in crawled.items] == [text_of()]
    assert crawled.counts["errors/page"] == 1
    [line] = crawled.messages(logging.ERROR)
    assert line.startswith("Cannot compute article_probability of http://")


def test_items_of_no_page_are_never_dropped(site: Site, reactor: Reactor) -> None:
    """But those of a page without text are."""
    site.pages["/pdf"] = page(content_type="application/pdf")
    site.pages["/links"] = page("<html><body><nav><a href='/'>Home</a></nav></body></html>")
    skipped = site.request("/article", {"dont_boilerplate": True})
    wanted = [skipped, site.request("/pdf"), site.request("/links")]
    crawled = reactor.crawl(wanted, items_of(dict), {**ADDON, **STRICT})
    assert {item["url"] for item in crawled.items} == {site.url("/article"), site.url("/pdf")}
    assert len(crawled.dropped) == 1
