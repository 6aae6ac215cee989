"""LibExtract: five elements by the count of their commonest child tag."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.systems.candidates.libextract import LibExtract
from tests.systems.candidates.candidate_pages import page_of

LISTS = "".join(f"<ul>{f'<li>{n}' * n}</ul>" for n in range(9, 2, -1))
"""Lists of 9, 8, ... 3 items, each item saying how many there are; the body has 7 lists."""


@pytest.mark.parametrize(
    ("elements", "expected"),
    [(1, {"9"}), (2, {"9", "8"}), (3, {"9", "8", "7", "6", "5", "4", "3"})],
)
def test_so_many_elements(elements: int, expected: set[str]) -> None:
    """The third is the body, the first of two with 7 children of one tag."""
    page = page_of(LISTS)
    kept = LibExtract(elements=elements)(page, Labeling.blank(len(page))).content
    assert {page.texts[block] for block in np.flatnonzero(kept).tolist()} == expected


def test_an_element_without_children_is_never_chosen() -> None:
    page = page_of("<p>a</p>")
    assert LibExtract()(page, Labeling.blank(1)).content.tolist() == [True]
    alone = page_of("")
    assert not len(LibExtract()(alone, Labeling.blank(0)))
