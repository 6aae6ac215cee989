"""What the blocks of a labelled page should be, as far as its corpus says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.trainers.news_examples import (
    MIN_COVER,
    NewsExample,
    build_example,
)
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


def test_page_and_gold_belong_together() -> None:
    for kept, learned in [
        (3, True),  # all of the gold text is on the page
        (2, False),  # two thirds are less than MIN_COVER
    ]:
        assert MIN_COVER == 0.7
        example = build_example(gold(page(*PARAGRAPHS[:kept]), text=TEXT))
        assert (example is not None) == learned


def test_nothing_to_learn() -> None:
    for html, fields in [
        ("<html></html>", {"text": TEXT}),  # no blocks
        ("", {}),  # no gold at all
        ("", {"text": ""}),  # an empty gold text
        ("", {"text": TEXT, "page_type": "forum"}),  # no article
        ("", {"text": story(99, "snow")}),  # another page's text
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


def test_a_snippet_that_must_be_in_wins() -> None:
    example = build(text_with=(PARAGRAPHS[0],), text_without=(PARAGRAPHS[0][:9],))
    assert example.content[2] == 1


def test_weights_and_conventions_by_corpus() -> None:
    for dataset, weight in [
        ("fundus", 4),
        ("article-extraction", 2),
        ("waddle", 0.5),
        ("dragnet", 0.5),
        ("mine", 1),
    ]:
        example = build(text=TEXT, dataset=dataset)
        assert (example.weight, example.convention) == (weight, dataset)


TITLES = {
    "the heading": (page(), TITLE, 1),
    "other case and quotes": (page(), '"THE FERRY" comes back', 1),
    "nowhere": (page(), "Snow in June", None),
    "too little of it": (page(), f"{TITLE} to the town of Ann", None),
    "a heading rather than a line": (document(f"<p>{TITLE}<p>{TEXT}<h2>{TITLE}"), TITLE, 2),
    "the first heading": (document(f"<h2>{TITLE}</h2><h1>{TITLE}</h1><p>{TEXT}"), TITLE, 0),
    "a line, if no heading": (document(f"<p>x<p>{TITLE}<p>{TEXT}"), TITLE, 1),
    "no words": (page(), "…", None),
}


def test_the_gold_title_is_the_headline() -> None:
    for html, title, block in TITLES.values():
        labels = build(html, text=TEXT, title=title).labels
        assert np.flatnonzero(labels == Label.HEADLINE).tolist() == (
            [] if block is None else [block]
        )


COMMENTS = {
    "whole": ((COMMENT,), True),
    "among others": (("first", COMMENT, "third"), True),
    "most of it": ((COMMENT.rpartition(",")[0] + " no more",), True),
    "a little of it": ((COMMENT[:20],), False),
    "others": ((RIGHTS[:5],), False),
}


def test_gold_comments() -> None:
    for comments, labelled in COMMENTS.values():
        labels = build(text=TEXT, comments=comments).labels
        assert np.flatnonzero(labels == C).tolist() == ([5] if labelled else [])


def test_text_that_is_quoted_in_comments_stays_text() -> None:
    labels = build(text=TEXT, comments=(PARAGRAPHS[0], COMMENT)).labels
    assert labels.tolist() == [B, UNKNOWN, F, F, F, C, UNKNOWN]


def test_comments_beside_snippets_are_not_looked_for() -> None:
    labels = build(text_with=(PARAGRAPHS[0],), comments=(COMMENT,)).labels
    assert C not in labels


def span(number: int, text: str) -> str:
    return f'<span class="x-nc-sel{number}">{text}</span>'


def test_annotated_pages_tell_all_six_labels() -> None:
    parts = ["Menu", "Rain in May", PARAGRAPHS[0], "Photo: Ann", "See also", "Great news"]
    classes = (0, 1, 2, 3, 4, 5)
    plain = "".join(f"<p>{text}</p>" for text in parts)
    marked = "".join(f"<p>{span(n, text)}</p>" for n, text in zip(classes, parts, strict=True))
    example = build(
        document(plain + "<p>never seen by the annotator</p>"),
        annotated_html=document(marked),
        dataset="l3s-gn1",
    )
    assert example.labels.tolist() == [B, H, F, S, R, C, UNKNOWN]
    np.testing.assert_array_equal(example.content, [0, 0, 1, 0, 0, 0, np.nan])
