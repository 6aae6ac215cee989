"""Largest tag count: the ranking by size, and what ancestors and descendants do to it."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.systems.candidates.children import child_counts, tag_counts
from tests.systems.candidates.candidate_pages import content, element, page_of


def test_counts_of_children() -> None:
    page = page_of('<div class="x"><p>a</p><i>b</i><p>c</p><p>d<b>e</b></p></div>')
    box = element(page, "x")
    assert child_counts(page.elements)[box] == 4
    assert tag_counts(page.elements)[box] == 3


def test_a_descendant_with_more_of_one_tag_goes_on() -> None:
    page = page_of("<p>a</p><p>b</p><div><p>c</p><p>d</p><p>e</p></div>")
    assert content("largest-tag-count", page) == ["c", "d", "e"]


def test_an_ancestor_with_as_many_stays() -> None:
    page = page_of("<p>a</p><p>b</p><p>c</p><div><p>d</p><p>e</p><p>f</p></div>")
    assert len(content("largest-tag-count", page)) == 6


def test_a_smaller_element_elsewhere_does_not_compete() -> None:
    """The list has most children of one tag, but the article, larger, came first in the ranking."""
    article = "<div>" + "<p><i>x</i><b>y</b><u>z</u></p>" * 4 + "</div>"
    page = page_of(article + "<ul>" + "<li>menu</li>" * 6 + "</ul>")
    assert content("largest-tag-count", page) == ["xyz"] * 4
    assert np.max(tag_counts(page.elements)) == 6
