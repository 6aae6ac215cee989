"""Errors on a page: the item is kept, its fields are empty, and one line is logged."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from itemadapter import ItemAdapter
from scrapy.http import Response

from scrapy_boilerplate import EXTRACTORS, ArticleItem, Labeling, Page, boilerplate
from scrapy_boilerplate.crawl.pipelines import LowConfidence, NotAnArticle, TooFewWords
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.metadata.fields import FINDERS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import Crawl
from tests.crawl.kinds import KINDS
from tests.crawl.names import FAILED
from tests.crawl.pages import article, page, text_of

WORDS = len(text_of().split())


class Broken:
    """A step that fails on some pages."""

    name = "broken"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if "Mackerel" in (page.title or ""):
            raise ZeroDivisionError("fish over nothing")
        return labeling


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings with an extractor that fails on pages about mackerel."""
    steps = (*EXTRACTORS["container"].steps, Broken())
    extractor = replace(EXTRACTORS["container"], name="broken", steps=steps)
    catalog = get_extractor.__globals__
    monkeypatch.setitem(catalog, "EXTRACTORS", {**EXTRACTORS, "broken": extractor})
    monkeypatch.setitem(catalog, "MODULES", {**catalog["MODULES"], "broken": "tests"})
    return {"BOILERPLATE_EXTRACTOR": "broken"}


PAGES = {"/bad": page(article(headline="Mackerel")), "/good": page()}


def test_a_page_that_fails(broken: dict[str, Any], crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), broken, pages=PAGES)
    bad, good = crawled.items
    url = bad.pop("url")
    assert bad == FAILED
    assert good["text"] == text_of()
    assert crawled.messages(logging.ERROR) == [
        f"Cannot read {url}: ZeroDivisionError: fish over nothing"
    ]
    assert crawled.counts == {
        "responses": 2,
        "documents": 1,
        "documents/broken": 1,
        "errors/page": 1,
        "items/failed": 1,
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

    monkeypatch.setitem(FINDERS, "authors", fail)
    crawled = crawl(parse)
    assert {(item["text"], len(item["authors"])) for item in crawled.items} == {(text_of(), 0)}
    assert crawled.counts["errors/fields/authors"] == 1
    [line] = crawled.messages(logging.ERROR)
    assert line.startswith("Cannot find authors of http://")
    assert "errors/page" not in crawled.counts
    assert "items/failed" not in crawled.counts


@pytest.mark.parametrize("kind", KINDS)
def test_items_of_every_kind_stay(kind: str, broken: dict[str, Any], crawl: CrawlPages) -> None:
    crawled = crawl(items_of(KINDS[kind]), broken, pages={"/bad": PAGES["/bad"]})
    assert len(crawled.items) == 1
    assert crawled.counts["errors/page"] == 1
    assert len(crawled.messages(logging.ERROR)) == 1


def test_one_line_a_page(broken: dict[str, Any], crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        assert boilerplate(response).error == "ZeroDivisionError: fish over nothing"
        yield {"n": 1}
        yield {"n": 2}

    crawled = crawl(parse, broken, pages={"/bad": PAGES["/bad"]})
    assert len(crawled.items) == 2
    assert crawled.counts["errors/page"] == 1
    assert len(crawled.messages(logging.ERROR)) == 1


def test_what_the_spider_set_is_kept(broken: dict[str, Any], crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield {"headline": "Mine"}

    [item] = crawl(parse, broken, pages={"/bad": PAGES["/bad"]}).items
    assert item == {**FAILED, "headline": "Mine"}


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


@pytest.mark.parametrize(
    ("settings", "dropped"),
    [
        ({"BOILERPLATE_MIN_WORDS": WORDS}, False),
        ({"BOILERPLATE_MIN_WORDS": WORDS + 1}, True),
        ({"BOILERPLATE_MIN_WORDS": str(WORDS + 1)}, True),
        ({"BOILERPLATE_MIN_WORDS": 0}, False),
    ],
)
def test_min_words(settings: dict[str, Any], dropped: bool, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), settings)
    assert (len(crawled.items), len(crawled.dropped)) == ((0, 1) if dropped else (1, 0))
    if dropped:
        [(_, reason)] = crawled.dropped
        assert isinstance(reason, TooFewWords)
        assert f"{WORDS} words of text on http://" in str(reason)
        assert crawled.counts["dropped/min_words"] == 1
        assert crawled.stats["item_dropped_reasons_count/TooFewWords"] == 1
        assert "items/filled" not in crawled.counts
        assert crawled.messages(logging.WARNING) == []


@pytest.mark.parametrize(("least", "dropped"), [(0.0, False), (0.5, False), (1.0, True)])
def test_min_confidence(least: float, dropped: bool, crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), {"BOILERPLATE_MIN_CONFIDENCE": least})
    assert len(crawled.dropped) == int(dropped)
    if dropped:
        assert isinstance(crawled.dropped[0][1], LowConfidence)
        assert crawled.counts["dropped/min_confidence"] == 1
        assert crawled.stats["item_dropped_reasons_count/LowConfidence"] == 1


SHOP = (
    "<title>Hats</title><form><input></form><ul>"
    + "<li class=product><a href=/hat>Hat</a><b class=price>$5</b>" * 20
)


@pytest.mark.parametrize(("only", "kept"), [(True, ["/article"]), (False, ["/article", "/shop"])])
def test_articles_only(only: bool, kept: list[str], crawl: CrawlPages) -> None:
    crawled = crawl(
        items_of(dict),
        {"BOILERPLATE_ARTICLES_ONLY": only},
        pages={"/shop": page(SHOP)},
        ask=["/article", "/shop"],
    )
    assert sorted(urlsplit(item["url"]).path for item in crawled.items) == kept
    if only:
        [(_, reason)] = crawled.dropped
        assert isinstance(reason, NotAnArticle)
        assert re.fullmatch(r"probability 0\.\d+ of an article on http://.*/shop", str(reason))
        assert crawled.counts["dropped/articles_only"] == crawled.counts["items/filled"] == 1
        assert crawled.stats["item_dropped_reasons_count/NotAnArticle"] == 1
        assert crawled.messages(logging.WARNING) == []


@dataclass
class MarkedItem:
    """An item class that declares no other field of the package."""

    url: str
    is_article: bool | None = None


@dataclass
class UnmarkedItem:
    url: str
    text: str | None = None


def crawl_marked(crawl: CrawlPages, kind: Any, **settings: Any) -> Crawl:
    """A crawl of an article and a shop, whose items are marked."""
    return crawl(
        items_of(kind),
        {"BOILERPLATE_ARTICLES_ONLY": "mark", **settings},
        pages={"/shop": page(SHOP)},
        ask=["/article", "/shop"],
    )


@pytest.mark.parametrize("kind", [dict, ArticleItem, MarkedItem])
@pytest.mark.parametrize("executor", ["inline", "process"])
def test_articles_are_marked(kind: Any, executor: str, crawl: CrawlPages) -> None:
    crawled = crawl_marked(crawl, kind, BOILERPLATE_EXECUTOR=executor)
    marks = {
        urlsplit(adapter["url"]).path: adapter["is_article"]
        for adapter in map(ItemAdapter, crawled.items)
    }
    assert marks == {"/article": True, "/shop": False}
    assert crawled.dropped == []
    assert crawled.counts["items/filled"] == 2
    assert not [line for line in crawled.messages(logging.INFO) if "declare none" in line]


def test_a_class_without_the_mark(crawl: CrawlPages) -> None:
    crawled = crawl_marked(crawl, UnmarkedItem)
    assert [bool(item.text) for item in crawled.items].count(True) >= 1
    assert crawled.counts["items/filled"] == 2
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


def test_the_mark_of_a_spider_is_kept(crawl: CrawlPages) -> None:
    kind: Any = partial(dict, is_article=False)
    assert [item["is_article"] for item in crawl_marked(crawl, kind).items] == [False, False]


@pytest.mark.parametrize(("threshold", "mark"), [(0, True), (1, False)])
def test_threshold_of_an_article(threshold: float, mark: bool, crawl: CrawlPages) -> None:
    crawled = crawl_marked(crawl, dict, BOILERPLATE_ARTICLE_THRESHOLD=threshold)
    assert [item["is_article"] for item in crawled.items] == [mark, mark]
    settings = {"BOILERPLATE_ARTICLES_ONLY": True, "BOILERPLATE_ARTICLE_THRESHOLD": threshold}
    assert len(crawl(items_of(dict), settings).items) == int(mark)


def test_a_failed_page_has_no_mark(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_ARTICLES_ONLY": "mark"}
    [item] = crawl(items_of(dict), settings, meta={"boilerplate": "nonsense"}).items
    assert item["is_article"] is None


def test_an_item_stays_where_the_question_fails(
    crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> float:
        raise ZeroDivisionError("fish over nothing")

    monkeypatch.setattr("scrapy_boilerplate.document.compute_article_probability", failing)
    crawled = crawl(items_of(dict), {"BOILERPLATE_ARTICLES_ONLY": True})
    assert [item["text"] for item in crawled.items] == [text_of()]
    assert crawled.counts["errors/page"] == 1
    [line] = crawled.messages(logging.ERROR)
    assert line.startswith("Cannot compute article_probability of http://")


STRICT = {
    "BOILERPLATE_MIN_WORDS": 5,
    "BOILERPLATE_MIN_CONFIDENCE": 0.5,
    "BOILERPLATE_ARTICLES_ONLY": True,
}


def test_a_page_without_text_is_dropped(crawl: CrawlPages) -> None:
    pages = {"/links": page("<html><body><nav><a href='/'>Home</a></nav></body></html>")}
    crawled = crawl(items_of(dict), STRICT, pages=pages)
    assert (len(crawled.items), len(crawled.dropped)) == (0, 1)


def test_the_item_of_a_failed_page_is_never_dropped(
    broken: dict[str, Any], crawl: CrawlPages
) -> None:
    crawled = crawl(items_of(dict), {**broken, **STRICT}, pages={"/bad": PAGES["/bad"]})
    assert (len(crawled.items), len(crawled.dropped)) == (1, 0)
    crawled = crawl(items_of(dict), STRICT, meta={"boilerplate": "nonsense"})
    assert (len(crawled.items), len(crawled.dropped)) == (1, 0)


@pytest.mark.parametrize("meta", [{}, {"dont_boilerplate": True}])
def test_items_of_no_page_are_never_dropped(meta: dict[str, Any], crawl: CrawlPages) -> None:
    pages = {"/x": page(content_type="application/pdf")} if not meta else {}
    crawled = crawl(items_of(dict), STRICT, pages=pages, meta=meta)
    assert (len(crawled.items), len(crawled.dropped)) == (1, 0)
