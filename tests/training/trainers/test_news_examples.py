"""What the blocks of a labelled page should be, as far as its corpus says."""

from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import Label
from scrapy_boilerplate.training.gold import UNKNOWN
from scrapy_boilerplate.training.trainers.news import NewsExample, build_example
from tests.builders import document
from tests.training.trainers.pages import (
    COMMENT,
    MENU,
    PARAGRAPHS,
    RIGHTS,
    TEXT,
    TITLE,
    gold,
    page,
    story,
)

B, H, F, S, R, C = Label


def build(html: str = "", **fields: Any) -> NewsExample:
    example = build_example(gold(html, **fields))
    assert example is not None
    return example


def test_a_gold_text_tells_content_from_the_rest() -> None:
    example = build(text=TEXT)
    assert example.content.tolist() == [0, 0, 1, 1, 1, 0, 0]
    assert example.labels.tolist() == [B, UNKNOWN, F, F, F, UNKNOWN, UNKNOWN]
    assert (example.convention, example.weight, len(example.page)) == ("mine", 1.0, 7)


def test_most_of_a_block_is_content_in_part() -> None:
    most, rest = story(60, "ferry"), story(40, "captain")
    example = build(document(f"<p>{most} <b>{rest}</b></p>"), text=most)
    assert example.content.tolist() == [pytest.approx(len(most) / len(most + rest))]


def test_nothing_to_learn() -> None:
    for html, fields in [
        ("<html></html>", {"text": TEXT}),  # no blocks
        ("", {}),  # no gold at all
        ("", {"text": ""}),  # an empty gold text
        ("", {"text": TEXT, "page_type": "forum"}),  # no article
        ("", {"text": story(99, "snow")}),  # another page's text
        (page(*PARAGRAPHS[:2]), {"text": TEXT}),  # a part of the text
        ("", {"title": TITLE}),  # only a title
        ("", {"text": TEXT, "dataset": "cleaneval-final"}),  # a corpus of no news
    ]:
        assert build_example(gold(html, **fields)) is None


def test_snippets_label_the_blocks_that_hold_them() -> None:
    snippets: dict[str, Any] = {
        "text_with": (PARAGRAPHS[1][:30], "  "),
        "text_without": ("rights reserved", MENU),
    }
    example = build(**snippets)
    np.testing.assert_array_equal(
        example.content, [0, np.nan, np.nan, 1, np.nan, np.nan, 0], strict=False
    )
    assert example.labels.tolist() == [B, UNKNOWN, UNKNOWN, F, UNKNOWN, UNKNOWN, UNKNOWN]


def test_weights_and_conventions_by_corpus() -> None:
    for dataset, weight in [("fundus", 4), ("waddle", 0.5), ("mine", 1)]:
        example = build(text=TEXT, dataset=dataset)
        assert (example.weight, example.convention) == (weight, dataset)


def test_the_gold_title_is_the_headline() -> None:
    for html, title, blocks in [
        (page(), TITLE, [1]),
        (page(), '"THE FERRY" comes back', [1]),  # other case and quotes
        (page(), "Snow in June", []),
        (page(), f"{TITLE} to the town of Ann", []),  # too little of it
        (document(f"<p>{TITLE}<p>{TEXT}<h2>{TITLE}"), TITLE, [2]),  # a heading, not a line
        (document(f"<h2>{TITLE}</h2><h1>{TITLE}</h1><p>{TEXT}"), TITLE, [0]),  # the first heading
        (document(f"<p>x<p>{TITLE}<p>{TEXT}"), TITLE, [1]),  # a line, if no heading
        (page(), "…", []),  # no words
    ]:
        labels = build(html, text=TEXT, title=title).labels
        assert np.flatnonzero(labels == Label.HEADLINE).tolist() == blocks


def test_gold_comments() -> None:
    for comments, labelled in [
        ((COMMENT,), True),
        (("first", COMMENT, "third"), True),
        ((COMMENT.rpartition(",")[0] + " no more",), True),  # most of it
        ((COMMENT[:20],), False),
        ((RIGHTS[:5],), False),
    ]:
        labels = build(text=TEXT, comments=comments).labels
        assert np.flatnonzero(labels == C).tolist() == ([5] if labelled else [])


def test_text_that_is_quoted_in_comments_stays_text() -> None:
    labels = build(text=TEXT, comments=(PARAGRAPHS[0], COMMENT)).labels
    assert labels.tolist() == [B, UNKNOWN, F, F, F, C, UNKNOWN]


def test_annotated_pages_tell_all_six_labels() -> None:
    parts = ["Menu", "Rain in May", PARAGRAPHS[0], "Photo: Ann", "See also", "Great news"]
    plain = "".join(f"<p>{text}</p>" for text in [*parts, "never seen by the annotator"])
    marked = "".join(f"<p class=x-nc-sel{n}>{text}</p>" for n, text in enumerate(parts))
    example = build(document(plain), annotated_html=document(marked), dataset="l3s-gn1")
    assert example.labels.tolist() == [B, H, F, S, R, C, UNKNOWN]
    np.testing.assert_array_equal(example.content, [0, 0, 1, 0, 0, 0, np.nan])
