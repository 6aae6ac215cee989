"""Fan-out: most children."""

from __future__ import annotations

from tests.systems.candidates.candidate_pages import content, page_of


def test_the_element_with_most_children() -> None:
    page = page_of("<p>a</p><div><p>c</p><i>d</i><b>e</b></div>")
    assert content("fan-out", page) == ["c", "de"]


def test_the_first_of_equals() -> None:
    page = page_of("<ul><li>a<li>b<li>c</ul><ol><li>d<li>e<li>f</ol>")
    assert content("fan-out", page) == ["a", "b", "c"]


def test_children_not_descendants_count() -> None:
    page = page_of("<div><div><p>a</p><p>b</p></div></div><div><p>c</p><p>d</p><p>e</p></div>")
    assert content("fan-out", page) == ["c", "d", "e"]
