"""`BOILERPLATE_SITES` in real crawls."""

from logging import WARNING
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler

from scrapy_boilerplate import Extraction, SettingError, extract
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.site.test_rules import OUTSIDE, PAGE

STORY = {"content": "#story", "remove": ".ad", "headline": "h2", "authors": ".by", "date": "time"}
PAGES = {
    "/a": Answer(PAGE.encode()),
    "/b": Answer(b"<html><body><p>No story here.</p></body></html>"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "inline": {},
    "process": {"BOILERPLATE_EXECUTOR": "process", "BOILERPLATE_WORKERS": 1},
    "site": {"BOILERPLATE_SITE": True},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_rule_counts_and_is_counted(name: str, crawl: CrawlPages, site: Site) -> None:
    fields = ["headline", "text", "authors", "date_published", "evidence"]
    settings = {
        "BOILERPLATE_SITES": {site.url(""): STORY},
        "BOILERPLATE_FIELDS": fields,
        **SETTINGS[name],
    }
    crawled = crawl(items_of(dict), {**settings, "BOILERPLATE_EXTRACTOR": "num-words"}, pages=PAGES)
    story, other = crawled.items
    assert [story[field] for field in fields[:4]] == [
        "The ferry sails", "One.\n\nTwo.", ["Ann Lee", "Bob Ray"], "2024-05-01"
    ]  # fmt: skip
    told = {field for field, source in story["evidence"].items() if source == "override"}
    assert told == {"headline", "text", "authors", "date_published", "date"}
    assert "override" not in other["evidence"].values()
    assert crawled.counts[f"overrides/{site.url('')}"] == 2
    assert crawled.counts["overrides/missed"] == 1
    assert crawled.counts[f"overrides/content/{site.url('')}"] == 1


def test_selectors_that_never_match_are_reported(crawl: CrawlPages, site: Site) -> None:
    rules = {
        site.url("/a"): {**STORY, "remove": ".advert"},
        site.url("/b"): STORY,
        site.url("/article"): {"favor": "recall"},
        site.url("/elsewhere"): STORY,
        "not-crawled.example": STORY,
    }
    pages = {**PAGES, "/a2": PAGES["/a"], "/article": PAGES["/b"]}
    crawled = crawl(items_of(dict), {"BOILERPLATE_SITES": rules}, pages=pages)
    advice = "check the selectors in BOILERPLATE_SITES"
    keys = "content, remove, headline, authors, date"
    assert [each for each in crawled.messages(WARNING) if "Site rule" in each] == [
        f"Site rule {site.url('/a')}: remove matched 0 of 2 pages; {advice}",
        f"Site rule {site.url('/b')}: {keys} matched 0 of 1 pages; {advice}",
    ]


def test_extractor_and_fields_of_a_rule_and_of_a_request(crawl: CrawlPages, site: Site) -> None:
    rule = {"extractor": "keep-everything", "fields": ["text", "extractor"]}
    settings = {"BOILERPLATE_SITES": {site.url("/a"): rule}}
    of_rule, without = crawl(items_of(dict), settings, pages=PAGES).items
    assert list(of_rule) == ["url", "text", "extractor"]
    assert (of_rule["extractor"], without["extractor"]) == ("keep-everything", "container")
    assert OUTSIDE in of_rule["text"]
    meta = {"boilerplate": {"extractor": "num-words", "fields": ["extractor"]}}
    [of_request] = crawl(items_of(dict), settings, ask=["/a"], meta=meta).items
    assert (list(of_request), of_request["extractor"]) == (["url", "extractor"], "num-words")


def test_html_inside_json() -> None:
    crawler = Crawler(Spider, {"BOILERPLATE_SITES": {"x.example": STORY}})
    extraction = Extraction.from_crawler(crawler)
    assert extraction.extract(PAGE, "http://x.example/a").text == "One.\n\nTwo."
    assert OUTSIDE in extraction.extract(PAGE, "http://y.example/a").text


@pytest.mark.parametrize(
    ("rule", "favor"),
    [
        ({"favor": "precision"}, "precision"),
        ({"favor": "balanced"}, "balanced"),
        ({"extractor": "news"}, "balanced"),
        ({}, "recall"),
    ],
)
def test_favor_inside_json_and_of_a_response(
    rule: dict[str, Any], favor: str, crawl: CrawlPages, site: Site
) -> None:
    url = site.url("/a")
    settings = {
        "BOILERPLATE_EXTRACTOR": "news",
        "BOILERPLATE_FAVOR": "recall",
        "BOILERPLATE_SITES": {site.url(""): rule},
    }
    [item] = crawl(items_of(dict), settings, pages={"/a": PAGES["/a"]}).items
    inside = Extraction.from_crawler(Crawler(Spider, settings)).extract(PAGE, url)
    scores, other = (
        [block.score for block in extract(PAGE, url, favor=each).blocks]
        for each in (favor, "recall" if favor != "recall" else "precision")
    )
    assert [block["score"] for block in item["blocks"]] == scores
    assert [block.score for block in inside.blocks] == scores
    assert scores != other


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (
            {"x.example": {"content": "p:("}},
            r"BOILERPLATE_SITES\['x.example'\]\['content'\] = 'p:\('",
        ),
        ({"x.example": {"extractor": "nwes"}}, r"\['x.example'\]\['extractor'\]: .*news"),
        ({"x.example": {"favor": "speed"}}, r"\['favor'\]: .*precision"),
        ({"x.example": {"fields": ["titel"]}}, r"\['fields'\]: .*there is no field 'titel'"),
        ("none.toml", "BOILERPLATE_SITES: none.toml cannot be read"),
        (5, "write a dict such as"),
        ("{x", "write a dict such as"),
    ],
)
def test_a_wrong_rule_stops_the_crawl(written: Any, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Extraction.from_crawler(Crawler(Spider, {"BOILERPLATE_SITES": written}))


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text('["x.example"]\nextractor = "nwes"\n')
    with pytest.raises(SettingError, match=r"sites.toml: \['x.example'\]\['extractor'\]: "):
        Extraction.from_crawler(Crawler(Spider, {"BOILERPLATE_SITES": str(file)}))
    file.write_text('["x.example"]\ncontent = "#story"\n')
    for written in (file, str(file), '{"x.example": {"content": "#story"}}'):
        extraction = Extraction.from_crawler(Crawler(Spider, {"BOILERPLATE_SITES": written}))
        document = extraction.extract(PAGE, "http://x.example/")
        assert document.rule_matches == ("content",)
