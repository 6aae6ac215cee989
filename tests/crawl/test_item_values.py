"""From a document to item values."""

import logging
from dataclasses import make_dataclass
from typing import Any

import pydantic
import pytest
from scrapy.settings import Settings

from scrapy_boilerplate import Document, Limits, extract
from scrapy_boilerplate.crawl.items import (
    ItemPlanner,
    adapt,
    build_item_values,
)
from scrapy_boilerplate.crawl.settings import CrawlSettings, FieldNames
from tests.builders import spend_time
from tests.crawl.kinds import FAILED, KINDS, NUMBER_KINDS, names_but
from tests.crawl.pages import article

BLOCK_KEYS = ["text", "label", "score"]
EVERY_LABEL = {"boilerplate", "headline", "full_text", "comments"}


def values(document: Document | None = None, **written: Any) -> dict[str, Any]:
    settings = Settings({f"BOILERPLATE_{name}": value for name, value in written.items()})
    if document is None:
        document = extract(article())
    read = CrawlSettings.from_settings(settings)
    return build_item_values(document, read.fields, read.blocks)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"text": "body", "blocks": None}, ["headline", "body", *names_but("blocks")[2:]]),
        (["text", "headline"], ["text", "headline"]),
        (["related", "supplemental"], ["related", "supplemental"]),
        ([], []),
    ],
)
def test_fields_named_and_ordered(fields: Any, names: list[str]) -> None:
    assert list(values(FIELDS=fields)) == names


@pytest.mark.parametrize(
    ("choice", "labels", "keys"),
    [
        ("labels", EVERY_LABEL, BLOCK_KEYS),
        ("content", {"headline", "full_text"}, BLOCK_KEYS),
        ("all", EVERY_LABEL, [*BLOCK_KEYS, "xpath"]),
    ],
)
def test_blocks_chosen(choice: str, labels: set[str], keys: list[str]) -> None:
    blocks = values(BLOCKS=choice)["blocks"]
    assert {block["label"] for block in blocks} == labels
    assert all(type(block) is dict and list(block) == keys for block in blocks)


def test_what_nobody_asked_for_is_not_built() -> None:
    document = extract(article())
    assert "blocks" not in values(document, BLOCKS="none")
    assert not {"blocks", "html", "markdown"} & set(vars(document))


def test_a_failed_document_gives_nothing_that_looks_like_data() -> None:
    document = Document(url="http://x.example/", error="broken")
    assert values(document) == FAILED
    assert values(document, FIELDS={"text": "body"}, BLOCKS="none") == {
        "headline": None,
        "body": None,
        **dict.fromkeys(names_but("headline", "text", "blocks")),
    }


def test_evidence_is_a_plain_dict() -> None:
    document = Document(evidence={"headline": "h1"})
    assert values(document, FIELDS=["evidence"]) == {"evidence": {"headline": "h1"}}
    assert values(document, FIELDS=["evidence"])["evidence"] is not document.evidence


def test_what_was_computed_before_the_time_was_over_stays() -> None:
    document = extract("<p>a", extractor="num-words", limits=Limits(milliseconds=300))
    with document.clock:
        spend_time(0.3)
    fields = ["partial", "blocks", "text", "authors", "confidence"]
    assert values(document, FIELDS=fields) == {
        "partial": "milliseconds",
        "blocks": None,
        "text": "",
        "authors": None,
        "confidence": 0.0,
    }


NAMED = FieldNames({"headline": "headline", "text": "body"}, ["text", "tags", "html"])
TAKEN = {
    # fields of a class: document field to item field, of the fields it takes and of renamed ones
    "all": (["headline", "body"], {"headline": "headline", "text": "body"}, {}),
    "a part": (["headline"], {"headline": "headline"}, {}),
    "another beside them": (["body", "tags"], {"text": "body", "tags": "tags"}, {}),
    "its old name": (["text"], {"text": "text"}, {"text": "body"}),
    "the old name, too": (["body", "text"], {"text": "body"}, {}),
    "fields of the spider": (["price"], {}, {}),
}


@pytest.mark.parametrize(("names", "taken", "renamed"), TAKEN.values(), ids=TAKEN.keys())
def test_fields_that_a_class_takes(
    names: list[str],
    taken: dict[str, str],
    renamed: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    item = make_dataclass("Story", [(name, Any, None) for name in names])()
    assert ItemPlanner(CrawlSettings(fields=NAMED)).plan(adapt(item)).fields == taken
    told = [message for message in caplog.messages if "renames" in message]
    assert told == [
        f"Items of class Story declare {field!r}, which BOILERPLATE_FIELDS renames to {name!r}; "
        f"{field!r} is not filled"
        for field, name in renamed.items()
    ]


def test_a_dict_takes_what_is_written_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    plan = ItemPlanner(CrawlSettings(fields=NAMED)).plan(adapt({"text": "mine", "html": "mine"}))
    assert plan.fields == dict(NAMED)
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("item", "name", "taken"),
    [
        ({}, "other", True),
        (KINDS["pydantic"](url="u"), "other", False),
        (KINDS["pydantic"](url="u"), "text", True),
    ],
)
def test_what_an_item_takes(item: Any, name: str, taken: bool) -> None:
    assert adapt(item).takes(name) is taken


WRITTEN: dict[str, tuple[Any, Any, Any]] = {
    # value of the spider, value of the page, result
    "nothing": (None, "x", "x"),
    "an empty text": ("", "x", "x"),
    "an empty list": ([], ["x"], ["x"]),
    "an empty text, and no value": ("", None, ""),
    "a text of the spider": ("mine", "x", "mine"),
    "a number of the spider": (0, 1, 0),
    "a mark of the spider": (False, True, False),
}


@pytest.mark.parametrize(("left", "value", "kept"), WRITTEN.values(), ids=WRITTEN.keys())
@pytest.mark.parametrize("kind", ["dict", "dataclass"])
def test_only_what_the_spider_left_open_is_written(
    kind: str, left: Any, value: Any, kept: Any
) -> None:
    item = adapt(KINDS[kind](url="u", content=left))
    _, refused = item.fill({"content": value, "url": "of the page"})
    assert (item["url"], item["content"]) == ("u", kept)
    assert not refused


NUMBERS = {
    # field, value of the spider, value of the page, result
    "the default": ("confidence", {}, 0.5, 0.5),
    "a number of the spider": ("confidence", {"confidence": 0.25}, 0.5, 0.25),
    "a default mark": ("is_article", {}, True, True),
    "no value": ("site_pages", {}, None, 0),
    "a list instead of a count": ("comments", {}, ["x"], 0),
}


@pytest.mark.parametrize(("name", "own", "value", "kept"), NUMBERS.values(), ids=NUMBERS.keys())
@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_numbers_by_default_are_open(
    kind: str, name: str, own: dict[str, Any], value: Any, kept: Any
) -> None:
    item = NUMBER_KINDS[kind](url="u", **own)
    adapt(item).fill({name: value})
    assert getattr(item, name) == kept


class Checked(pydantic.BaseModel, validate_assignment=True):
    url: str
    text: str | None = None
    tags: list[str] | None = None
    section: int | None = None


def test_a_value_that_a_class_refuses_keeps_no_other_back() -> None:
    item = Checked(url="u")
    written, refused = adapt(item).fill({"section": "sport", "text": "x", "tags": "none"})
    assert (item.text, item.tags, item.section) == ("x", None, None)
    assert (written, list(refused)) == (1, ["section", "tags"])
    assert "valid integer" in str(refused["section"])


def test_a_field_that_takes_documents_alone_loses_its_value() -> None:
    class Strict(pydantic.BaseModel, validate_assignment=True, arbitrary_types_allowed=True):
        content: Document

    item = adapt(Strict(content=Document(text="a")))
    assert item.find_document() == "content"
    item.remove("content")
    assert dict(item) == {}
