"""Containers of good words and the way to the best of them, by hand."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.features.containers import CONTAINERS
from tests.builders import document, filler, paragraphs
from tests.news.features.columns import check, columns_of, log1p

PAGE = document(
    f"<div class=a>{paragraphs(12, 18)}</div><div class=b><p><a href=/x>{filler(3)}</a></p></div>"
)
"""html, body, div a with two good blocks, div b with a link: container of a's blocks is a, of
b's body."""


def test_what_the_elements_above_hold() -> None:
    check(
        columns_of(CONTAINERS, PAGE),
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
        columns_of(CONTAINERS, PAGE),
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
    found = columns_of(CONTAINERS, html)
    check(found, {"direct_container": [1, 1, 0.75, 0.75], "in_best": [1, 1, 0, 0]})


def test_the_way_to_the_best_container() -> None:
    check(
        columns_of(CONTAINERS, PAGE),
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
    found = columns_of(CONTAINERS, html)
    check(found, {"before_best": [1, 0, 0, 0], "after_best": [0, 0, 0, 1]})


def test_hops_end_at_8_and_depth_at_40() -> None:
    deep = "<div>" * 60 + "<p>x</p>" + "</div>" * 60
    found = columns_of(CONTAINERS, document(f"{deep}<div>{paragraphs(20, 20)}</div>"))
    assert (found["hops"][0], found["depth"][0]) == (1, 4)


def test_runs_of_one_container() -> None:
    html = document(f"<div>{paragraphs(12, 18)}</div><p>x</p><div>{paragraphs(3, 30)}</div>")
    found = columns_of(CONTAINERS, html)
    assert found["run_blocks"] == pytest.approx(log1p(2, 2, 1, 2, 2))
    assert found["run_good"] == pytest.approx([0.5, 0.5, 0, 0.5, 0.5])


def test_a_container_can_have_two_runs() -> None:
    html = document(f"<div>{paragraphs(12)}<div>{paragraphs(3, 3)}</div>{paragraphs(12, 12)}</div>")
    assert columns_of(CONTAINERS, html)["run_blocks"] == pytest.approx(log1p(1, 2, 2, 2, 2))
