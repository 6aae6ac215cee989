"""``request.meta["boilerplate"]``: values, refused values, and effects."""

import logging
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import EXTRACTORS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.kinds import FAILED
from tests.crawl.pages import HEADLINE

EXECUTORS = ["inline", "process"]
OWN = EXTRACTORS["num-words"]


@pytest.mark.parametrize(
    ("written", "extractor"),
    [
        (None, "container"),
        ({}, "container"),
        ("num-words", "num-words"),
        (OWN, "num-words"),
        ({"extractor": "density"}, "density"),
        ({"extractor": OWN, "favor": None}, "num-words"),
    ],
)
def test_the_extractor_of_a_page(written: Any, extractor: str, crawl: CrawlPages) -> None:
    [item] = crawl(items_of(dict), meta={"boilerplate": written}).items
    assert item["extractor"] == extractor


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        (["text", "html"], ["text", "html"]),
        ("text, html", ["text", "html"]),
        ({"text": "body", "html": None}, ["body", *FAILED.keys() - {"text"}]),
        ([], []),
    ],
)
def test_fields(written: Any, fields: list[str], crawl: CrawlPages) -> None:
    [item] = crawl(items_of(dict), meta={"boilerplate": {"fields": written}}).items
    assert item.keys() == {"url", *fields}


MISTAKES: dict[str, tuple[Any, str]] = {
    "key": (
        {"extracter": "news"},
        "meta['boilerplate'] has the key 'extracter'; write extractor, favor, fields, every_item",
    ),
    "field": (
        {"fields": ["author"]},
        "meta['boilerplate']['fields']: there is no field 'author'; did you mean 'authors'? The",
    ),
    "fields": ({"fields": 7}, "meta['boilerplate']['fields'] = 7: write a dict from field to item"),
    "two fields": ({"fields": {"text": "headline"}}, "give each a name of its own"),
    "no name": ({"extractor": ["news"]}, "no extractor is called ['news']"),
    "number": (3, "no extractor is called 3"),
    "several favors": ({"favor": ["recall"]}, "no favor is called ['recall']; write 'balanced'"),
    "favor of no name": ({"favor": 3}, "no favor is called 3; write 'balanced', 'precision' or 'r"),
    "every_item": ({"every_item": "yes"}, "meta['boilerplate']['every_item']: write True or False"),
    "extractor": (
        {"extractor": "nonsense"},
        "no extractor is called 'nonsense'; write one of: news",
    ),
    "favor": ({"favor": "speed"}, "no favor is called 'speed'; write 'balanced', 'precision' or"),
    "favor of rules": (
        {"extractor": "num-words", "favor": "recall"},
        "the extractor 'num-words' cannot favor recall",
    ),
}


@dataclass
class UrlItem:
    """An item that takes none of the fields."""

    url: str


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gives_empty_fields_and_one_line(mistake: str, crawl: CrawlPages) -> None:
    """In the workers too, and of items that take no fields."""
    written, sentence = MISTAKES[mistake]

    def parse(response: Response) -> Any:
        return [{"url": response.url}, UrlItem(response.url)]

    for executor in EXECUTORS:
        settings = {"BOILERPLATE_EXECUTOR": executor}
        crawled = crawl(parse, settings, meta={"boilerplate": written})
        plain, other = crawled.items
        assert plain == {"url": other.url, **FAILED}
        assert crawled.counts == {"responses": 1, "errors/meta": 1, "items/failed": 2}
        [line] = crawled.messages(logging.ERROR)
        assert sentence in line


@pytest.mark.parametrize("executor", EXECUTORS)
def test_options_of_one_page(executor: str, crawl: CrawlPages) -> None:
    """The favor applies to the crawl's extractor, instead of the crawl's favor."""
    settings = {
        "BOILERPLATE_EXECUTOR": executor,
        "BOILERPLATE_EXTRACTOR": "news",
        "BOILERPLATE_FAVOR": "precision",
        "BOILERPLATE_FIELDS": ["headline"],
    }
    favor = {"favor": "recall", "fields": ["extractor", "article_probability"]}
    [item] = crawl(items_of(dict), settings, meta={"boilerplate": favor}).items
    assert list(item) == ["url", "extractor", "article_probability"]
    assert item["extractor"] == "news"
    assert 0 < item["article_probability"] <= 1
    name = {"extractor": "keep-everything", "fields": {"headline": "url_", "text": True}}
    [item] = crawl(items_of(dict), settings, meta={"boilerplate": name}).items
    assert item["extractor"] == "keep-everything"
    assert "All rights reserved." in item["text"]
    assert item["url_"] == HEADLINE


def test_options_can_be_queued() -> None:
    meta = {"boilerplate": {"extractor": "density", "fields": {"text": "body"}}}
    request = Request("http://x.example", meta=meta)
    assert pickle.loads(pickle.dumps(request.to_dict()))["meta"] == meta  # noqa: S301
