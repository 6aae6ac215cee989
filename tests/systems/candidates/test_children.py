"""Methods that only use the number of children: largest tag count, fan-out, LibExtract."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.candidates import children
from scrapy_boilerplate.systems.candidates.children import (
    count_like_children,
)
from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import page_of


def test_a_descendant_with_more_of_one_tag_goes_on() -> None:
    page = page_of("<p>a</p><p>b</p><div><p>c</p><p>d</p><p>e</p></div>")
    assert content_texts("largest-tag-count", page) == ["c", "d", "e"]


def test_a_smaller_element_elsewhere_does_not_compete() -> None:
    """The list has most children of one tag, but the article, larger, came first in the ranking."""
    article = "<div>" + "<p><i>x</i><b>y</b><u>z</u></p>" * 4 + "</div>"
    page = page_of(article + "<ul>" + "<li>menu</li>" * 6 + "</ul>")
    assert content_texts("largest-tag-count", page) == ["xyz"] * 4
    assert np.max(count_like_children(page.elements)) == 6


def test_fan_out_takes_the_element_with_most_children() -> None:
    page = page_of("<p>a</p><div><p>c</p><i>d</i><b>e</b></div>")
    assert content_texts("fan-out", page) == ["c", "de"]


LISTS = "".join(f"<ul>{f'<li>{n}' * n}</ul>" for n in range(9, 2, -1))
"""Lists of 9, 8, ... 3 items, each item saying how many there are; the body has 7 lists."""


def test_libextract_takes_so_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third is the body, the first of two with 7 children of one tag."""
    for elements, expected in [
        (1, {"9"}),
        (2, {"9", "8"}),
        (3, {"9", "8", "7", "6", "5", "4", "3"}),
    ]:
        monkeypatch.setattr(children, "LIBEXTRACT_ELEMENTS", elements)
        assert set(content_texts("libextract", page_of(LISTS))) == expected
