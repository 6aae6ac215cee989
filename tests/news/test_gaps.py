"""Holes in the content, tables and sub-headings between its paragraphs."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.content import FillHoles, FillTables, SubHeadings
from tests.builders import document, page_of, paragraphs
from tests.news.scored_pages import after, kept

HIGH, LOW, SURE = 0.9, 0.2, 0.1
"""Scores of content, of blocks in a hole, and of blocks of which the model is sure."""


@pytest.mark.parametrize("hole", [1, 2, 3, 4])
def test_holes_of_one_to_four_blocks(hole: int) -> None:
    page = page_of(document(paragraphs(20, *[3] * hole, 20)))
    labeling = kept(page, [HIGH, *[LOW] * hole, HIGH], 0, hole + 1)
    filled = list(range(hole + 2)) if hole <= 3 else [0, hole + 1]
    assert after(FillHoles(), page, labeling) == filled


def test_longer_holes_can_be_asked_for() -> None:
    page = page_of(document(paragraphs(20, *[3] * 4, 20)))
    labeling = kept(page, [HIGH, *[LOW] * 4, HIGH], 0, 5)
    assert after(FillHoles(longest=4), page, labeling) == list(range(6))
    assert after(FillHoles(longest=0), page, labeling) == [0, 5]


HOLES = {
    "none": ("<p>a<p>b", (HIGH, HIGH), (0, 1), [0, 1]),
    "at the start": ("<p>a<p>b", (LOW, HIGH), (1,), [1]),
    "at the end": ("<p>a<p>b", (HIGH, LOW), (0,), [0]),
    "two holes": (
        "<p>a<p>b<p>c<p>d<p>e",
        (HIGH, LOW, HIGH, LOW, HIGH),
        (0, 2, 4),
        [0, 1, 2, 3, 4],
    ),
    "the model is sure": ("<p>a<p>b<p>c", (HIGH, SURE, HIGH), (0, 2), [0, 2]),
    "the model is sure of one": (
        "<p>a<p>b<p>c<p>d",
        (HIGH, LOW, SURE, HIGH),
        (0, 3),
        [0, 3],
    ),
    "another parent in the hole": (
        "<p>a</p><div><p>b</p></div><p>c</p>",
        (HIGH, LOW, HIGH),
        (0, 2),
        [0, 2],
    ),
    "another parent after it": (
        "<p>a</p><p>b</p><div><p>c</p></div>",
        (HIGH, LOW, HIGH),
        (0, 2),
        [0, 2],
    ),
    "same parent, another tag": (
        "<p>a</p><div>b</div><p>c</p>",
        (HIGH, LOW, HIGH),
        (0, 2),
        [0, 1, 2],
    ),
    "a pointer to another article": (
        "<p>a<p>b <a href=/x>c d</a><p>e",
        (HIGH, LOW, HIGH),
        (0, 2),
        [0, 2],
    ),
    "half of it is a link": (
        "<p>a<p>b <a href=/x>c</a><p>e",
        (HIGH, LOW, HIGH),
        (0, 2),
        [0, 1, 2],
    ),
    "nothing is content": ("<p>a<p>b<p>c", (LOW, LOW, LOW), (), []),
}


@pytest.mark.parametrize(("body", "scores", "content", "filled"), HOLES.values(), ids=HOLES.keys())
def test_holes(
    body: str, scores: tuple[float, ...], content: tuple[int, ...], filled: list[int]
) -> None:
    page = page_of(document(body))
    assert after(FillHoles(), page, kept(page, scores, *content)) == filled


HEADINGS = {
    "between two paragraphs": ("<p>a<h2>b</h2><p>c", 0.2, (0, 2), [0, 1, 2]),
    "h6": ("<p>a<h6>b</h6><p>c", 0.2, (0, 2), [0, 1, 2]),
    "no heading": ("<p>a<p>b<p>c", 0.5, (0, 2), [0, 2]),
    "h1 is the headline": ("<p>a<h1>b</h1><p>c", 0.5, (0, 2), [0, 2]),
    "the model is sure": ("<p>a<h2>b</h2><p>c", 0.19, (0, 2), [0, 2]),
    "under another parent": ("<p>a</p><div><h2>b</h2></div><p>c", 0.2, (0, 2), [0, 1, 2]),
    "text before it only": ("<p>a<h2>b</h2><p>c", 0.5, (0,), [0]),
    "text after it only": ("<p>a<h2>b</h2><p>c", 0.5, (2,), [2]),
    "no text around it": ("<p>a<h2>b</h2><p>c", 0.5, (), []),
}


@pytest.mark.parametrize(
    ("body", "score", "content", "filled"), HEADINGS.values(), ids=HEADINGS.keys()
)
def test_sub_headings(body: str, score: float, content: tuple[int, ...], filled: list[int]) -> None:
    page = page_of(document(body))
    assert after(SubHeadings(), page, kept(page, (HIGH, score, HIGH), *content)) == filled


def test_two_headings_in_a_row_stay_out() -> None:
    page = page_of(document("<p>a<h2>b</h2><h3>c</h3><p>d"))
    assert after(SubHeadings(), page, kept(page, (HIGH, 0.5, 0.5, HIGH), 0, 3)) == [0, 3]


@pytest.mark.parametrize("tag", ["h2", "p"])
def test_the_first_and_the_last_block_are_between_nothing(tag: str) -> None:
    page = page_of(document(f"<{tag}>a</{tag}><p>b</p><h2>c</h2>"))
    assert after(SubHeadings(), page, kept(page, (0.5, HIGH, 0.5), 1)) == [1]


ROW = "<tr><td>Goals</td><td>3</td></tr>"
LINKS = "<tr><td><a href=/a>Table of the league</a></td></tr>"
TABLES = {
    "between paragraphs": (f"<p>a<p>b<table>{ROW}</table><p>c", (0, 1, 4), [0, 1, 2, 3, 4]),
    "in a figure": (f"<p>a<figure><table>{ROW}</table></figure><p>c", (0, 3), [0, 1, 2, 3]),
    "a caption stands between": (f"<p>a<p>b<table>{ROW}</table><p>c", (0, 4), [0, 2, 3, 4]),
    "under the last paragraph": (f"<p>a<p>b<table>{ROW}</table>", (0, 1), [0, 1]),
    "over the first paragraph": (f"<table>{ROW}</table><p>a<p>b", (2, 3), [2, 3]),
    "of links": (f"<p>a<table>{LINKS}</table><p>c", (0, 2), [0, 2]),
    "in another box": (
        f"<p>a</p><aside><div><div><div><table>{ROW}</table></div></div></div></aside><p>c",
        (0, 3),
        [0, 3],
    ),
    "one cell is known": (f"<p>a<table>{ROW}</table><p>c", (0, 1, 3), [0, 1, 2, 3]),
    "a table in a table": (
        f"<p>a<table><tr><td><table>{ROW}</table></td></tr>{ROW}</table><p>c",
        (0, 5),
        [0, 1, 2, 3, 4, 5],
    ),
    "the page is a table": (
        f"<table><tr><td><p>a<table>{ROW}</table><p>c</td></tr></table>",
        (0, 3),
        [0, 3],
    ),
    "two tables": (
        f"<p>a<table>{ROW}</table><p>b<table>{ROW}</table><p>c",
        (0, 3, 6),
        [0, 1, 2, 3, 4, 5, 6],
    ),
}


@pytest.mark.parametrize(("body", "content", "expected"), TABLES.values(), ids=TABLES.keys())
def test_tables_of_data(body: str, content: tuple[int, ...], expected: list[int]) -> None:
    page = page_of(document(body))
    labeling = kept(page, [LOW] * len(page), *content)
    assert after(FillTables(), page, labeling) == expected


def test_the_model_can_be_sure_that_a_table_is_no_text() -> None:
    page = page_of(document(f"<p>a<table>{ROW}</table><p>c"))
    assert after(FillTables(), page, kept(page, [HIGH, SURE, SURE, HIGH], 0, 3)) == [0, 3]


@pytest.mark.parametrize("between", [3, 4])
def test_a_table_far_from_the_text_stays_out(between: int) -> None:
    page = page_of(document(f"<p>a{'<p>x' * between}<table>{ROW}</table><p>c"))
    labeling = kept(page, [LOW] * len(page), 0, len(page) - 1)
    inside = [between + 1, between + 2] if between <= 3 else []
    assert after(FillTables(), page, labeling) == [0, *inside, len(page) - 1]
