"""What a document says, and what of it travels."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import pytest

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from tests.builders import document, filler

HTML = document(
    f"<h1>Rain in May</h1><p>{filler(60, 'First')}</p><p>{filler(60)}<br>{filler(60)}</p>"
    f"<figure><figcaption>A wet street</figcaption></figure>"
    f"<div class=related><a href=/x>Snow in June</a></div>"
    f"<div class=comments><p>So wet it was</p><p>Not so dry</p></div><p>|</p>",
    title="Rain in May | Daily",
).replace("<html>", "<html lang=en-GB>")


def made() -> Document:
    return extract(HTML, url="https://news.example/1")


def test_fields() -> None:
    found = made()
    assert found.url == "https://news.example/1"
    assert found.language == "en"
    assert found.headline == "Rain in May"
    assert found.text == f"{filler(60, 'First')}\n\n{filler(60)}\n{filler(60)}"
    assert found.comments == ("So wet it was", "Not so dry")
    assert found.supplemental == ("A wet street",)
    assert found.related == ("Snow in June",)
    assert found.extractor == "container"
    assert found.error is None
    assert 0.5 < found.confidence <= 1


def test_blocks_are_the_page_in_order() -> None:
    blocks = made().blocks
    labels = "headline full_text full_text full_text supplemental related comments comments"
    assert [block.label for block in blocks] == [*labels.split(), "boilerplate"]
    assert [block.text[:12] for block in blocks][:2] == ["Rain in May", "First word w"]
    assert {block.score for block in blocks} == {1.0}
    assert blocks[0].xpath == "/html[1]/body[1]/h1[1]"
    assert blocks[2].xpath == blocks[3].xpath


def test_block_as_dict() -> None:
    assert made().blocks[0].as_dict() == {
        "text": "Rain in May",
        "label": "headline",
        "score": 1.0,
        "xpath": "/html[1]/body[1]/h1[1]",
    }


def test_blocks_are_built_on_first_use_and_once() -> None:
    found = made()
    assert "blocks" not in vars(found)
    assert found.blocks is found.blocks


def test_pickling_keeps_everything_but_the_page() -> None:
    found = made()
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own bytes
    assert copy.labelled is None
    assert copy.blocks == found.blocks
    for name in ("url", "headline", "text", "comments", "related", "confidence", "extractor"):
        assert getattr(copy, name) == getattr(found, name)
    assert found.labelled is not None


def test_documents_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        made().text = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    "html", ["<html></html>", "<body></body>", "<script>one</script>", "<p> </p>"]
)
def test_page_without_text(html: str) -> None:
    found = extract(html)
    assert (found.text, found.headline, found.language) == ("", None, None)
    assert (found.blocks, found.comments, found.related, found.supplemental) == ((),) * 4
    assert found.confidence == 0.0
    assert found.error is None


def test_document_of_an_error() -> None:
    found = Document(error="the page could not be read")
    assert (found.text, found.blocks, found.confidence) == ("", (), 0.0)


def test_confidence_rises_with_the_length_of_the_text() -> None:
    confidences = [extract(f"<p>{filler(words)}</p>").confidence for words in (0, 20, 50, 100)]
    assert confidences == sorted(confidences)
    assert len(set(confidences)) == 4


def test_confidence_falls_with_the_text_left_out() -> None:
    article = f"<article><p>{filler(80)}</p><p>{filler(80)}</p></article>"
    beside = f"<footer><p>{filler(100)}</p></footer>"
    assert extract(article + beside).confidence < extract(article).confidence


def test_text_of_a_block_is_never_empty() -> None:
    blocks = extract("<p>one</p><p>\x01</p>", extractor="keep-everything").blocks
    assert all(block.text for block in blocks)
