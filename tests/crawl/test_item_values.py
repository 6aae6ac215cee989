"""From a document to item values."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_boilerplate import Document, extract
from scrapy_boilerplate.crawl.item_values import build_item_values, is_unset
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.page.limits import Limits, OutOfTimeError
from tests.crawl.names import EMPTY, FAILED, NAMES, names_but
from tests.crawl.pages import COMMENT, HEADLINE, article, text_of

PLAIN = {
    "headline": HEADLINE,
    "text": text_of(),
    "comments": [COMMENT],
    "language": "en",
    "extractor": "news",
}
METADATA = "description date_published date_modified authors main_image section tags".split()
BLOCK_KEYS = ["text", "label", "score"]
EVERY_LABEL = {"boilerplate", "headline", "full_text", "comments"}


def values(document: Document | None = None, **written: Any) -> dict[str, Any]:
    settings = Settings({f"BOILERPLATE_{name}": value for name, value in written.items()})
    if document is None:
        document = extract(article())
    read = CrawlSettings.from_settings(settings)
    return build_item_values(document, read.fields, read.blocks)


def test_default_values() -> None:
    item_values = values()
    assert list(item_values) == NAMES
    assert {name: item_values[name] for name in PLAIN} == PLAIN
    assert 0 < item_values["confidence"] <= 1


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


@pytest.mark.parametrize(("choice", "written"), [("labels", 0), ("content", 0), ("all", 1)])
def test_xpaths_are_written_for_those_who_ask(choice: str, written: int) -> None:
    document = extract(article())
    assert document.labelled is not None
    blocks = values(document, BLOCKS=choice)["blocks"]
    assert ("xpaths" in vars(document.labelled[0])) == bool(written)
    texts = [block.text for block in document.list_blocks(with_xpaths=False)]
    assert {block["text"] for block in blocks} <= set(texts)
    assert [block.text for block in document.blocks if block.xpath] == texts


def test_no_blocks() -> None:
    document = extract(article())
    assert "blocks" not in values(document, BLOCKS="none")
    assert "blocks" not in document.__dict__, "they are built only where asked for"


def test_blocks_left_out_are_not_built() -> None:
    document = extract(article())
    values(document, FIELDS=["text"])
    assert "blocks" not in document.__dict__


@pytest.mark.parametrize("field", ["comments", "supplemental", "related"])
def test_texts_are_lists_of_text(field: str) -> None:
    document = Document(comments=("a",), supplemental=("a",), related=("a",))
    assert values(document, FIELDS=[field]) == {field: ["a"]}


def test_an_empty_document_gives_every_field() -> None:
    assert values(Document(url="http://x.example/")) == EMPTY


def test_a_failed_document_gives_nothing_that_looks_like_data() -> None:
    document = Document(url="http://x.example/", error="broken")
    assert values(document) == FAILED
    assert values(document, FIELDS={"text": "body"}, BLOCKS="none") == {
        "headline": None,
        "body": None,
        **dict.fromkeys(names_but("headline", "text", "blocks")),
    }


def test_markup_is_built_only_where_asked_for() -> None:
    document = extract(article())
    values(document)
    assert not {"html", "markdown"} & set(vars(document))


def test_evidence_is_a_plain_dict() -> None:
    document = Document(evidence={"headline": "h1"})
    assert values(document, FIELDS=["evidence"]) == {"evidence": {"headline": "h1"}}
    assert values(document, FIELDS=["evidence"])["evidence"] is not document.evidence


@pytest.mark.parametrize("value", [None, "", [], (), {}, set(), frozenset()])
def test_unset(value: Any) -> None:
    assert is_unset(value)


@pytest.mark.parametrize("value", [0, 0.0, False, " ", "no", [None], {"a": None}])
def test_set(value: Any) -> None:
    assert not is_unset(value)


def test_partial_tells_of_fields_that_are_computed_after_it() -> None:
    document = extract("<p>one two three</p>", limits=Limits(milliseconds=60_000))
    vars(document.clock)["_left"] = 0.0
    assert build_item_values(document, {"partial": "partial", "blocks": "blocks"}) == {
        "partial": "milliseconds",
        "blocks": None,
    }


@pytest.mark.parametrize("choice", ["labels", "all"])
def test_blocks_that_were_built_before_the_time_was_over_stay(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(*_: object) -> str:
        vars(document.clock)["_end"] = 0.0
        raise OutOfTimeError

    monkeypatch.setattr("scrapy_boilerplate.document.write_html", run_out)
    document = extract(article(), limits=Limits(milliseconds=60_000))
    fields = {name: name for name in ("blocks", "html", "partial")}
    item_values = build_item_values(document, fields, choice)
    assert (item_values["html"], item_values["partial"]) == (None, "milliseconds")
    assert len(item_values["blocks"]) > 3


def test_what_was_computed_before_the_time_was_over_stays() -> None:
    document = extract("<p>a", extractor="num-words", limits=Limits(milliseconds=60_000))
    vars(document.clock)["_left"] = 0.0
    fields = dict.fromkeys(("text", "authors", "confidence", "blocks"))
    assert build_item_values(document, {name: name for name in fields}) == {
        "text": "",
        "authors": [],
        "confidence": 0.0,
        "blocks": None,
    }
