"""Items of every kind, through a real crawl."""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import pydantic
import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response

from scrapy_boilerplate import ArticleItem, Document, boilerplate, extract
from scrapy_boilerplate.items import OPTIONAL_FIELDS
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.kinds import KINDS, NUMBER_KINDS, names_but
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, Answer, article, page, text_of
from tests.crawl.site import Site

EXECUTORS = ["inline", "process"]


@dataclass
class ShortItem:
    """An item that takes one of the fields."""

    url: str
    text: str | None = None


@dataclass
class BareItem:
    """An item that takes none of the fields."""

    url: str
    price: int = 3


@dataclass(frozen=True)
class FrozenItem:
    """An item that can be neither filled nor emptied."""

    url: str
    headline: str | None = None
    text: str | None = None
    content: Any = None


@pytest.mark.parametrize("kind", KINDS)
def test_filled(kind: str, site: Site, reactor: Reactor) -> None:
    """An empty item, one with values of the spider, one with a document, and one of no page."""
    build = KINDS[kind]

    def parse(response: Response) -> Any:
        yield build(url=response.url)
        yield build(url=response.url, headline="Mine", confidence=0.0, comments=["also mine"])
        holding = build(url=response.url)
        ItemAdapter(holding)["content"] = boilerplate(response)
        yield holding

    start = build(url="none")
    before = dict(ItemAdapter(start))
    wanted = [start, Request(site.url("/article"))]
    crawled = reactor.crawl(wanted, parse, {**ADDON, "CONCURRENT_ITEMS": 1})
    assert {type(item) for item in crawled.items} == {build}
    first, *others = sorted(crawled.items, key=lambda item: ItemAdapter(item)["url"] != "none")
    assert first is start
    assert dict(ItemAdapter(start)) == before
    got, mine, held = (dict(ItemAdapter(item)) for item in others)
    assert got["url"] == site.url("/article")
    assert (got["headline"], got["text"], got["comments"]) == (HEADLINE, text_of(), [COMMENT])
    assert (got["language"], got["extractor"]) == ("en", "container")
    assert 0 < got["confidence"] <= 1
    assert {block["label"] for block in got["blocks"]} >= {"headline", "full_text", "comments"}
    assert (mine["headline"], mine["confidence"], mine["comments"]) == ("Mine", 0.0, ["also mine"])
    assert got["text"] == mine["text"] == held["text"]
    assert got["blocks"] is not mine["blocks"], "lists of their own"
    assert held.get("content") is None, "feeds could not hold it"
    assert crawled.counts == {
        "responses": 1,
        "documents": 1,
        "documents/container": 1,
        "items/filled": 3,
        "items/untouched": 1,
    }
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


def test_a_class_gets_the_fields_that_it_declares(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(ShortItem), {"BOILERPLATE_ARTICLES_ONLY": "mark"})
    assert [item.text for item in crawled.items] == [text_of()]
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []
    assert [line for line in crawled.messages(logging.INFO) if "do not declare the field" in line]


def test_a_class_that_declares_no_field_is_told_of_once(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(BareItem), pages={"/1": page(), "/2": page()})
    assert [vars(item).keys() for item in crawled.items] == [{"url", "price"}] * 2
    assert crawled.counts == {"responses": 2, "items/untouched": 2}, "no page is read for them"
    assert [line for line in crawled.messages(logging.INFO) if "BareItem" in line] == [
        "Items of class BareItem declare no field to fill; declare those you want, such as "
        "headline, text, blocks"
    ]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_numbers_that_a_class_has_by_default(executor: str, crawl: CrawlPages) -> None:
    """They are filled, unless the spider set another one or the page tells nothing."""
    build = NUMBER_KINDS["attrs"]

    def parse(response: Response) -> Any:
        return [build(url=response.url), build(url=response.url, confidence=0.25)]

    settings = {"BOILERPLATE_EXECUTOR": executor, "BOILERPLATE_ARTICLE_THRESHOLD": 0.01}
    crawled = crawl(parse, settings)
    item, own = crawled.items
    assert 0 < item.confidence <= 1
    assert own.confidence == 0.25
    assert 0 < item.article_probability <= 1
    assert item.is_article is True
    assert (item.site_pages, item.is_accessible_for_free) == (0, True)
    assert item.comments == 0, "a count; the field is a list"
    assert "errors/write" not in crawled.counts
    [late] = crawl(items_of(build), {**settings, "BOILERPLATE_MAX_MILLISECONDS": 0.001}).items
    assert [late.confidence, late.article_probability, late.is_article] == 3 * [None]


class CheckedItem(pydantic.BaseModel, validate_assignment=True):
    """Takes the text, and a headline that is a number."""

    url: str
    text: str | None = None
    headline: int | None = None


def test_classes_that_refuse_values_are_told_of_once(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        yield FrozenItem(response.url)
        yield FrozenItem(response.url, content=boilerplate(response))
        yield CheckedItem(url=response.url)
        yield CheckedItem(url=response.url)

    crawled = crawl(parse)
    values = [(item.headline, item.text) for item in crawled.items]
    assert values == [(None, None)] * 2 + [(None, text_of())] * 2
    assert crawled.counts["errors/write"] == 5 + 2, "fields"
    assert (crawled.counts["items/untouched"], crawled.counts["items/filled"]) == (2, 2)
    frozen, checked = crawled.messages(logging.ERROR)
    assert frozen.startswith("Items of class FrozenItem refuse the field")
    assert frozen.endswith("; items of a frozen class are not filled")
    assert checked.startswith("Items of class CheckedItem refuse the field 'headline': ")
    assert "frozen" not in checked


def test_documents_of_items_need_no_spider_middleware(crawl: CrawlPages) -> None:
    """They win over the page of the response, whichever page they are of."""

    def parse(response: Response) -> Any:
        yield {"url": response.url, "content": boilerplate(response)}
        yield {"content": Document(headline="Elsewhere", text="Another page.")}

    components = {
        "DOWNLOADER_MIDDLEWARES": {"scrapy_boilerplate.BoilerplateDownloaderMiddleware": 547},
        "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplatePipeline": 50},
    }
    for crawled in (crawl(parse), crawl(parse, components=components)):
        texts = [(item["headline"], item["text"]) for item in crawled.items]
        assert texts == [(HEADLINE, text_of()), ("Elsewhere", "Another page.")]
        assert not any("content" in item for item in crawled.items)
        assert (crawled.counts["documents"], crawled.counts["items/filled"]) == (1, 2)


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"{}", "application/json", "is not HTML; for HTML inside it, see scrapy_boilerplate.Extr"),
        (b"%PDF-1.7", "application/pdf", "Response (application/pdf) is not HTML"),
        (b"", "text/html", "the response is empty"),
    ],
)
def test_items_of_what_is_no_html_are_told_once(
    crawl: CrawlPages, body: bytes, kind: str, reason: str
) -> None:
    """Unless they hold a document of HTML inside of it."""

    def parse(response: Response) -> Any:
        yield {"url": response.url, "content": extract(article())}
        if "/a" not in response.url:
            yield {"url": response.url}

    pages = {path: Answer(body, headers={"Content-Type": kind}) for path in ("/a", "/b", "/c")}
    crawled = crawl(parse, pages=pages)
    assert [item.get("text") for item in crawled.items] == [text_of(), *[text_of(), None] * 2]
    [line] = [line for line in crawled.messages(logging.INFO) if "are not filled" in line]
    assert "/b are not filled: " in line
    assert reason in line
    assert ("Extraction" in line) == (kind == "application/json")


def test_renamed_and_left_out(crawl: CrawlPages) -> None:
    names = {"text": "body", "blocks": None, "comments": None, "related": True}
    [item] = crawl(items_of(dict), {"BOILERPLATE_FIELDS": names}).items
    assert [*item] == ["url", "headline", "body", *names_but("blocks", "comments")[2:], "related"]
    assert item["body"] == text_of()


def parse_past_the_time(response: Response) -> Any:
    """Two items whose late fields come too late."""
    vars(boilerplate(response).clock)["_left"] = 0.0
    return [{"url": response.url}, {"url": response.url}]


def parse_another_document(response: Response) -> Any:
    """An item with another document of its page, whose late fields come too late."""
    document = boilerplate(response, "num-words")
    vars(document.clock)["_left"] = 0.0
    return [{"url": response.url, "content": document}]


@pytest.mark.parametrize(
    ("field", "parse"),
    [
        ("blocks", parse_past_the_time),
        ("article_probability", parse_past_the_time),
        ("blocks", parse_another_document),
    ],
)
def test_a_late_field_past_the_time_is_counted_once(
    field: str, parse: Callable[[Response], Any], crawl: CrawlPages
) -> None:
    crawled = crawl(parse, {"BOILERPLATE_FIELDS": [field, "text", "partial"]})
    for item in crawled.items:
        assert (item[field], item["partial"]) == (None, "milliseconds")
        assert text_of() in item["text"]
    assert crawled.counts["partial/milliseconds"] == 1


def test_items_get_their_own_pages(crawl: CrawlPages) -> None:
    async def parse(response: Response) -> Any:
        yield {"url": response.url}

    pages = {f"/{number}": page(article(headline=f"Story {number}")) for number in range(20)}
    crawled = crawl(parse, {"CONCURRENT_REQUESTS": 8}, pages=pages)
    got = {item["url"].rpartition("/")[2]: item["headline"] for item in crawled.items}
    assert got == {str(number): f"Story {number}" for number in range(20)}


# --- the ready-made class ---


# The fields that the pipeline does not fill in these crawls
BY_OTHERS = (
    *("url", "is_article", "duplicate", "found_in", "change", "previous_fingerprint"),
    *("previously_seen", "paragraphs_added", "paragraphs_removed"),
)
FILLED = [field.name for field in fields(ArticleItem) if field.name not in BY_OTHERS]
WHOLE = Document(text=text_of())
ASKED = {"BOILERPLATE_FIELDS": dict.fromkeys(OPTIONAL_FIELDS, True)}
LISTED = {"BOILERPLATE_FIELDS": list(FILLED)}


@pytest.mark.parametrize(
    "settings",
    [ASKED, LISTED, {**ASKED, "BOILERPLATE_EXECUTOR": "process"}],
    ids=["added", "listed", "by workers"],
)
def test_it_is_filled_without_complaint(settings: dict[str, Any], crawl: CrawlPages) -> None:
    pytest.importorskip("html_to_markdown")
    crawled = crawl(items_of(ArticleItem), settings)
    [item] = crawled.items
    assert (item.headline, item.text, item.comments) == (HEADLINE, text_of(), [COMMENT])
    assert (item.language, item.extractor) == ("en", "container")
    assert item.html == "\n".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    assert item.markdown == text_of()
    assert (item.fingerprint, item.simhash) == (WHOLE.fingerprint, WHOLE.simhash)
    assert (item.supplemental, item.related, item.partial, item.site_pages) == ([], [], None, None)
    assert item.evidence["headline"]
    assert 0 < item.article_probability <= 1
    assert (item.is_article, item.duplicate) == (item.article_probability >= 0.5, None)
    assert crawled.counts["items/filled"] == 1
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]


@dataclass(kw_only=True)
class Again(ArticleItem):
    """It declares some of the optional fields itself."""

    kind: str = "story"
    html: str | None = None
    markdown: str | None = None
    fingerprint: str | None = None
    simhash: str | None = None


def test_its_optional_fields_are_filled_by_name(crawl: CrawlPages) -> None:
    """Or where a subclass declares them."""

    def both(response: Any) -> list[Any]:
        return [ArticleItem(url=response.url), Again(url=response.url)]

    settings = {"BOILERPLATE_FIELDS": {"supplemental": True}}
    for item, own in zip(crawl(both, settings).items, [(), Again.__annotations__], strict=True):
        filled = {name for name in OPTIONAL_FIELDS if getattr(item, name) is not None}
        assert filled == {"supplemental", *own} - {"kind"}
        assert (item.text, item.is_article) == (text_of(), True)


@pytest.mark.parametrize("names", [{"html": None}, {"text": "html"}, ["fingerprint"]])
def test_a_declared_field_can_be_left_out(names: Any, crawl: CrawlPages) -> None:
    """By None, by its name for another field, or by a list without it."""
    [item] = crawl(items_of(Again), {"BOILERPLATE_FIELDS": names}).items
    assert item.html == (text_of() if names == {"text": "html"} else None)
    assert item.fingerprint == WHOLE.fingerprint
    assert (item.simhash is None) == isinstance(names, list)


def test_a_field_whose_package_is_missing_stays_none(
    crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    crawled = crawl(items_of(Again), pages={"/1": page(), "/2": page()})
    assert [item.markdown for item in crawled.items] == [None] * 2
    assert [line for line in crawled.messages(logging.INFO) if "html_to_markdown" in line] == [
        "Items of class Again: the field 'markdown' needs html_to_markdown: "
        "pip install 'scrapy-boilerplate-removal[html]'; it stays empty"
    ]
    assert crawled.messages(logging.WARNING) == crawled.messages(logging.ERROR) == []


@pytest.mark.parametrize(
    ("settings", "meta", "partial"),
    [
        ({"BOILERPLATE_MAX_MILLISECONDS": 0.001}, {}, "milliseconds"),
        ({}, {"boilerplate": "nonsense"}, None),
    ],
)
def test_of_a_page_that_is_not_read_it_has_no_value_that_looks_like_data(
    settings: dict[str, Any], meta: dict[str, Any], partial: str | None, crawl: CrawlPages
) -> None:
    """And it is never dropped."""
    strict = {"BOILERPLATE_MIN_CONFIDENCE": 0.5, "BOILERPLATE_ARTICLES_ONLY": True}
    [item] = crawl(items_of(ArticleItem), {**ASKED, **settings, **strict}, meta=meta).items
    assert item.partial == partial
    assert [item.authors, item.comments, item.evidence, item.confidence, item.text] == 5 * [None]
    assert [item.html, item.article_probability, item.is_article] == 3 * [None]
