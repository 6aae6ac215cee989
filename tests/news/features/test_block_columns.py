"""What the feature groups share: good blocks, containers, the best container."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from scrapy_boilerplate.news.features.block_columns import divide
from tests.builders import document, filler, paragraphs
from tests.news.features.columns import blocks_of


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
    blocks = blocks_of(paragraphs(block))
    assert blocks.good.tolist() == [good]
    assert blocks.good_words.tolist() == [12.0 * good]


def tags_of_containers(body: str) -> list[str]:
    blocks = blocks_of(document(body))
    elements = blocks.page.elements
    return [elements.classes[e] or elements.tags[e] for e in blocks.container.tolist()]


CONTAINERS = {
    "its own element, if it holds other blocks": ("<div class=a>x<p>y</p></div>", ["a", "a"]),
    "wrappers of one block": ("<div class=a><div><p>x</p></div><p>y</p></div>", ["a", "a"]),
    "lists": ("<div class=a><ul><li>x<li>y</ul><p>z</p></div>", ["a", "a", "a"]),
    "quotation": ("<div class=a><p>x</p><quote></quote><blockquote><p>y<p>z</blockquote></div>",
                  ["a", "a", "a"]),
    "lines of a paragraph": ("<div class=a><p>x<br>y</p><p>z</p></div>", ["a", "a", "a"]),
    "alone on the page": ("<div class=a><p>x</p></div>", ["html"]),
    "cells": ("<table><tr class=a><td>x</td><td>y</td></tr></table>", ["a", "a"]),
    "six hops at most": ("<div>" * 7 + "<p>x</p>" + "</div>" * 7 + "y", ["div", "body"]),
}  # fmt: skip


@pytest.mark.parametrize(("body", "containers"), CONTAINERS.values(), ids=CONTAINERS.keys())
def test_container(body: str, containers: list[str]) -> None:
    assert tags_of_containers(body) == containers


def test_the_best_container_has_the_most_good_words_directly_in_it() -> None:
    inner = f"<div class=inner>{paragraphs(20, 20)}</div>"
    blocks = blocks_of(document(f"<div class=outer>{paragraphs(15, 15)}{inner}</div>"))
    assert blocks.page.elements.classes[blocks.best] == "inner"
    assert blocks.sum_by_element(blocks.good_words, blocks.container)[blocks.best] == 40
    assert blocks.sum_within(blocks.good_words)[blocks.page.elements.classes.index("outer")] == 70


@pytest.mark.parametrize("html", ["", "<p>one", "<p>one<p>two"])
def test_the_root_is_best_where_nothing_is_good(html: str) -> None:
    assert blocks_of(html).best == 0


def test_the_parent_of_a_root_is_the_first_element() -> None:
    blocks = blocks_of(f"<p>x</p></body></html><p>{filler(20)}</p>")
    roots = np.flatnonzero(blocks.parents < 0)
    if etree.LXML_VERSION < (5,):
        pytest.skip("libxml2 of lxml 4.9 puts what follows </html> below the one root")
    assert len(roots) == 2
    assert blocks.find_parents(roots).tolist() == [0, 0]


def test_shares_of_nothing_are_zero() -> None:
    assert divide(np.array([0.0, 0.0]), 0.0).tolist() == [0.0, 0.0]
    assert divide(np.array([1.0, 3.0]), 4.0).tolist() == [0.25, 0.75]
