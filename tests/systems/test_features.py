"""Groups of columns: matrices, unions, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.common.features import (
    FeatureGroup,
    add_neighbours,
    build_matrix,
    join_groups,
)
from scrapy_boilerplate.systems.shallow.features import CURRENT, LOCAL, add_text_frequency
from scrapy_boilerplate.systems.texrex.features import TEXREX
from tests.builders import page_of, paragraphs

WORDS = FeatureGroup({"words": "number of words"}, lambda page: {"words": page.words})
LINKS = FeatureGroup({"links": "share of linked words"}, lambda page: {"links": page.link_density})
PAGE = page_of(paragraphs(1, (4, 2), 3))


def test_a_matrix_has_the_columns_in_the_order_of_their_names() -> None:
    group = join_groups(LINKS, WORDS)
    assert list(group.about) == ["links", "words"]
    assert build_matrix(group, PAGE).tolist() == [[0, 1], [0.5, 4], [0, 3]]


def test_neighbours() -> None:
    group = add_neighbours(WORDS, (-1, 2))
    assert list(group.about) == ["words", "words@-1", "words@+2"]
    assert build_matrix(group, PAGE).tolist() == [[1, 0, 3], [4, 1, 0], [3, 4, 0]]
    assert group.about["words@-1"] == "number of words, of the block 1 before"


def test_one_name_for_two_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="one name"):
        join_groups(WORDS, WORDS)


def test_every_column_is_finite() -> None:
    for group in (CURRENT, LOCAL, add_text_frequency({}), TEXREX):
        assert set(group.compute(PAGE)) == set(group.about)
        for html in ("", "<p>one", "<p>one<p>two", "<p>|</p>"):
            page = page_of(html)
            rows = build_matrix(group, page)
            assert rows.shape == (len(page), len(group.about))
            assert np.isfinite(rows).all()
