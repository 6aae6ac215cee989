"""What the feature groups share: good blocks, containers, the best container."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from scrapy_boilerplate.native.features import FeatureMatrix, compute_matrix
from scrapy_boilerplate.news.features import COLUMNS, WordWeights
from scrapy_boilerplate.page.page import Page
from tests.builders import document, filler, page_of, paragraphs
from tests.news.features.columns import columns_of


@pytest.mark.parametrize(
    ("block", "good"),
    [
        pytest.param(12, True, id="12 words"),
        pytest.param(11, False, id="11 words"),
        pytest.param((12, 4), True, id="a third in links"),
        pytest.param((12, 5), False, id="more than a third in links"),
    ],
)
def test_good_blocks(block: int | tuple[int, int], good: bool) -> None:
    assert columns_of(paragraphs(block))["good"] == [good]


def compute(page: Page) -> FeatureMatrix:
    return compute_matrix(page, -1, WordWeights().scores, len(COLUMNS))


def tags_of_containers(body: str) -> list[str]:
    page = page_of(document(body))
    elements = page.elements
    containers = list(compute(page).container)[: len(page)]
    return [elements.classes[e] or elements.tags[e] for e in containers]


CONTAINERS = {
    "its own element, if it holds other blocks": ("<div class=a>x<p>y</p></div>", ["a", "a"]),
    "wrappers of one block": ("<div class=a><div><p>x</p></div><p>y</p></div>", ["a", "a"]),
    "lists": ("<div class=a><ul><li>x<li>y</ul><p>z</p></div>", ["a", "a", "a"]),
    "quotation": ("<div class=a><p>x</p><quote></quote><blockquote><p>y<p>z</blockquote></div>",
                  ["a", "a", "a"]),
    "lines of a paragraph": ("<div class=a><p>x<br>y</p><p>z</p></div>", ["a", "a", "a"]),
    "a single one on the page": ("<div class=a><p>x</p></div>", ["html"]),
    "cells": ("<table><tr class=a><td>x</td><td>y</td></tr></table>", ["a", "a"]),
    "six hops at most": ("<div>" * 7 + "<p>x</p>" + "</div>" * 7 + "y", ["div", "body"]),
}  # fmt: skip


@pytest.mark.parametrize(("body", "containers"), CONTAINERS.values(), ids=CONTAINERS.keys())
def test_container(body: str, containers: list[str]) -> None:
    assert tags_of_containers(body) == containers


def test_the_best_container_has_the_most_good_words_directly_in_it() -> None:
    inner = f"<div class=inner>{paragraphs(20, 20)}</div>"
    page = page_of(document(f"<div class=outer>{paragraphs(15, 15)}{inner}</div>"))
    assert page.elements.classes[compute(page).best] == "inner"


@pytest.mark.parametrize("html", ["<p>one", "<p>one<p>two"])
def test_the_root_is_best_where_nothing_is_good(html: str) -> None:
    assert compute(page_of(html)).best == 0


def test_the_parent_of_a_root_is_the_first_element() -> None:
    page = page_of(f"<p>x</p></body></html><p>{filler(20)}</p>")
    roots = np.flatnonzero(page.elements.parent_column < 0)
    if etree.LXML_VERSION < (5,):
        pytest.skip("libxml2 of lxml 4.9 puts elements after </html> below the one root")
    assert len(roots) == 2
    above = compute(page).above
    assert [above[root] for root in roots.tolist()] == [0, 0]
