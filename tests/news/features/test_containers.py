"""Good blocks, their containers, the way to the best of them, and class paths, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from scrapy_boilerplate.native.features import FeatureMatrix, compute_matrix
from scrapy_boilerplate.news.features import COLUMNS, GROUPS, WordWeights
from scrapy_boilerplate.page.page import Page
from tests.builders import document, filler, page_of, paragraphs
from tests.news.features.columns import check, columns_of, log1p


@pytest.mark.parametrize(
    ("block", "good"), [(12, True), (11, False), ((12, 4), True), ((12, 5), False)]
)
def test_good_blocks_have_12_words_and_a_third_of_them_in_links(
    block: int | tuple[int, int], good: bool
) -> None:
    assert columns_of(paragraphs(block))["good"] == [good]


def compute(page: Page) -> FeatureMatrix:
    return compute_matrix(page, -1, WordWeights().scores, len(COLUMNS))


CONTAINERS = {
    "its own element, if it holds other blocks": ("<div class=a>x<p>y</p></div>", "aa"),
    "wrappers of one block": ("<div class=a><div><p>x</p></div><p>y</p></div>", "aa"),
    "lists, quotations, lines": (
        "<div class=a><ul><li>x<li>y</ul><blockquote><p>x<p>y</blockquote><p>x<br>y</p></div>",
        "aaaaaa",
    ),
    "a single one on the page": ("<div class=a><p>x</p></div>", ["html"]),
    "six hops at most": ("<div>" * 7 + "<p>x</p>" + "</div>" * 7 + "y", ["div", "body"]),
}


@pytest.mark.parametrize(("body", "expected"), CONTAINERS.values(), ids=CONTAINERS)
def test_container(body: str, expected: str | list[str]) -> None:
    page = page_of(document(body))
    elements, containers = page.elements, list(compute(page).container)[: len(page)]
    assert [elements.classes[e] or elements.tags[e] for e in containers] == list(expected)


def test_the_best_container_has_the_most_good_words_directly_in_it() -> None:
    inner = f"<div class=inner>{paragraphs(20, 20)}</div>"
    page = page_of(document(f"<div class=outer>{paragraphs(15, 15)}{inner}</div>"))
    assert page.elements.classes[compute(page).best] == "inner"
    assert compute(page_of("<p>one<p>two")).best == 0, "the root, where nothing is good"


def test_the_parent_of_a_root_is_the_first_element() -> None:
    page = page_of(f"<p>x</p></body></html><p>{filler(20)}</p>")
    roots = np.flatnonzero(page.elements.parent_column < 0)
    if etree.LXML_VERSION < (5,):
        pytest.skip("libxml2 of lxml 4.9 puts elements after </html> below the one root")
    assert len(roots) == 2
    above = compute(page).above
    assert [above[root] for root in roots.tolist()] == [0, 0]


def test_columns_of_a_page() -> None:
    """html, body, div a with two good blocks, div b with a link: the container of b is body."""
    link = f"<div class=b><p><a href=/x>{filler(3)}</a></p></div>"
    check(
        columns_of(document(f"<div class=a>{paragraphs(12, 18)}</div>{link}")),
        {
            "held_0": [1, 1, 1],
            "held_links_0": [0, 0, 3 / 33],
            "held_words_0": log1p(30, 30, 33),
            "held_mean_0": log1p(15, 15, 11),
            "held_links_1": [3 / 33] * 3,
            "held_words_1": log1p(33, 33, 33),
            "held_mean_3": log1p(11, 11, 11),
            "direct_container": [1, 1, 0],
            "good_blocks_container": log1p(2, 2, 0),
            "direct_parent": [1, 1, 0],
            "good_blocks_parent": log1p(2, 2, 0),
            "direct_grandparent": [1, 1, 1],
            "good_blocks_grandparent": log1p(2, 2, 2),
            "hops": [1 / 8, 1 / 8, 2 / 8],
            "under_top": [0, 0, 0.1],
            "depth_to_best": [0.1, 0.1, 0.1],
            "before_best": [0, 0, 0],
            "after_best": [0, 0, 1],
            "in_best": [1, 1, 0],
            "depth": [0.3, 0.3, 0.3],
        },
    )


def test_beside_the_best_container() -> None:
    html = document(f"<p>x</p><div>{paragraphs(20, 20)}</div><div>{paragraphs(15, 15)}</div>")
    check(
        columns_of(html),
        {
            "direct_container": [0, 1, 1, 0.75, 0.75],
            "in_best": [0, 1, 1, 0, 0],
            "before_best": [1, 0, 0, 0, 0],
            "after_best": [0, 0, 0, 1, 1],
        },
    )


def test_hops_end_at_8_and_depth_at_40() -> None:
    deep = "<div>" * 60 + "<p>x</p>" + "</div>" * 60
    table = columns_of(document(f"{deep}<div>{paragraphs(20, 20)}</div>"))
    assert (table["hops"][0], table["depth"][0]) == (1, 4)


def test_a_container_can_have_two_runs() -> None:
    html = document(f"<div>{paragraphs(12)}<div>{paragraphs(3, 3)}</div>{paragraphs(12, 12)}</div>")
    expected = {"run_blocks": log1p(1, 2, 2, 2, 2), "run_good": [1 / 3, 0, 0, 2 / 3, 2 / 3]}
    check(columns_of(html), expected)


def test_class_paths_of_a_page() -> None:
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
    assert GROUPS["signatures"].keys() == expected.keys()
    check(columns_of(document(html)), expected)


PATHS = {
    # tags above two texts, whether their paths of one and of three elements are the same
    "another tag": ("<p class=a>", "<div class=a>", False, False),
    "digits and ids do not count": ("<p class=a1 id=a>", "<p class=a22 id=b>", True, True),
    "another parent": ("<div class=a><p>", "<div class=b><p>", True, False),
    "another grandparent": ("<div class=a><i><p>", "<div><i><p>", True, False),
    "further up": ("<div class=a><div><div><p>", "<div><div><div><p>", True, True),
}


@pytest.mark.parametrize(("first", "second", "of_one", "of_three"), PATHS.values(), ids=PATHS)
def test_the_same_path(first: str, second: str, of_one: bool, of_three: bool) -> None:
    close = "</p></i>" + "</div>" * 3
    expected = {
        "path_blocks_1": log1p(*[1 + of_one] * 2),
        "path_blocks_3": log1p(*[1 + of_three] * 2),
    }
    check(columns_of(document(f"{first}x{close}{second}y{close}")), expected)
