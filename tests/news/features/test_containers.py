"""Containers of good words, the way to the best of them, and class paths, by hand."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.features import GROUPS
from tests.builders import document, filler, paragraphs
from tests.news.features.columns import check, columns_of, log1p

PAGE = document(
    f"<div class=a>{paragraphs(12, 18)}</div><div class=b><p><a href=/x>{filler(3)}</a></p></div>"
)
"""html, body, div a with two good blocks, div b with a link: container of a's blocks is a, of
b's body."""


def test_what_the_elements_above_hold() -> None:
    check(
        columns_of(PAGE),
        {
            "held_0": [1, 1, 1],
            "held_links_0": [0, 0, 3 / 33],
            "held_words_0": log1p(30, 30, 33),
            "held_mean_0": log1p(15, 15, 11),
            "held_links_1": [3 / 33] * 3,
            "held_words_1": log1p(33, 33, 33),
            "held_mean_3": log1p(11, 11, 11),
        },
    )


def test_what_stands_directly_in_them() -> None:
    check(
        columns_of(PAGE),
        {
            "direct_container": [1, 1, 0],
            "good_blocks_container": log1p(2, 2, 0),
            "direct_parent": [1, 1, 0],
            "good_blocks_parent": log1p(2, 2, 0),
            "direct_grandparent": [1, 1, 1],
            "good_blocks_grandparent": log1p(2, 2, 2),
        },
    )


def test_direct_words_are_told_of_those_of_the_best() -> None:
    html = document(f"<div>{paragraphs(20, 20)}</div><div>{paragraphs(15, 15)}</div>")
    table = columns_of(html)
    check(table, {"direct_container": [1, 1, 0.75, 0.75], "in_best": [1, 1, 0, 0]})


def test_the_way_to_the_best_container() -> None:
    check(
        columns_of(PAGE),
        {
            "hops": [1 / 8, 1 / 8, 2 / 8],
            "under_top": [0, 0, 0.1],
            "depth_to_best": [0.1, 0.1, 0.1],
            "before_best": [0, 0, 0],
            "after_best": [0, 0, 1],
            "in_best": [1, 1, 0],
            "depth": [0.3, 0.3, 0.3],
        },
    )


def test_before_the_best_container() -> None:
    html = document(f"<p>x</p><div>{paragraphs(20, 20)}</div><p>y</p>")
    table = columns_of(html)
    check(table, {"before_best": [1, 0, 0, 0], "after_best": [0, 0, 0, 1]})


def test_hops_end_at_8_and_depth_at_40() -> None:
    deep = "<div>" * 60 + "<p>x</p>" + "</div>" * 60
    table = columns_of(document(f"{deep}<div>{paragraphs(20, 20)}</div>"))
    assert (table["hops"][0], table["depth"][0]) == (1, 4)


def test_runs_of_one_container() -> None:
    html = document(f"<div>{paragraphs(12, 18)}</div><p>x</p><div>{paragraphs(3, 30)}</div>")
    table = columns_of(html)
    assert table["run_blocks"] == pytest.approx(log1p(2, 2, 1, 2, 2))
    assert table["run_good"] == pytest.approx([0.5, 0.5, 0, 0.5, 0.5])


def test_a_container_can_have_two_runs() -> None:
    html = document(f"<div>{paragraphs(12)}<div>{paragraphs(3, 3)}</div>{paragraphs(12, 12)}</div>")
    assert columns_of(html)["run_blocks"] == pytest.approx(log1p(1, 2, 2, 2, 2))


def test_columns_of_a_page() -> None:
    """Two paragraphs of class a (20 words and, half linked, 8), one of class b (30 words)."""
    linked = f"<p class=a><a href=/x>{filler(4)}</a> {filler(4)}</p>"
    html = f"<p class=a>{filler(20)}</p>{linked}<p class=b>{filler(30)}</p>"
    by_path = {
        "path_blocks": log1p(2, 2, 1),
        "path_words": log1p(14, 14, 30),
        "path_links": [4 / 28, 4 / 28, 0],
        "path_good": [20 / 50, 20 / 50, 30 / 50],
        "path_good_blocks": [0.5, 0.5, 1],
    }
    expected = {f"{name}_{depth}": table for name, table in by_path.items() for depth in (1, 3)}
    table = columns_of(document(html))
    assert GROUPS["signatures"].keys() == expected.keys()
    check(table, expected)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param("<p class=a>", "<div class=a>", False, id="another tag"),
        pytest.param("<p class=a1>", "<p class=a22>", True, id="digits do not count"),
        pytest.param("<p class=a>", "<p class=a1>", True, id="digits in the second"),
        pytest.param("<p id=a>", "<p id=b>", True, id="an id does not count"),
    ],
)
def test_same_path(first: str, second: str, same: bool) -> None:
    table = columns_of(document(f"{first}x{second}y"))["path_blocks_1"]
    assert table == pytest.approx(log1p(2, 2) if same else log1p(1, 1))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param("<div class=a><p>", "<div class=b><p>", False, id="another parent"),
        pytest.param("<div class=a><i><p>", "<div><i><p>", False, id="another grandparent"),
        pytest.param(
            "<div class=a><div><div><p>", "<div><div><div><p>", True, id="further up: not seen"
        ),
    ],
)
def test_paths_of_three(first: str, second: str, same: bool) -> None:
    close = "</div>" * 3
    html = document(f"{first}x</p></i>{close}{second}y</p></i>{close}")
    table = columns_of(html)
    assert table["path_blocks_1"] == pytest.approx(log1p(2, 2))
    assert table["path_blocks_3"] == pytest.approx(log1p(2, 2) if same else log1p(1, 1))
