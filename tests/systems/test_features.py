"""Groups of columns: matrices, unions, neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.common.features import (
    Columns,
    FeatureGroup,
    Neighbours,
    Union,
    build_matrix,
    shift_column,
)
from scrapy_boilerplate.systems.shallow.features import CURRENT, LOCAL, add_text_frequency
from scrapy_boilerplate.systems.texrex.features import TEXREX
from tests.builders import page_of, paragraphs


@dataclass(frozen=True)
class Words:
    about: Mapping[str, str] = field(default_factory=lambda: {"words": "number of words"})

    def __call__(self, page: Page) -> Columns:
        return {"words": page.words}


@dataclass(frozen=True)
class Links:
    about: Mapping[str, str] = field(default_factory=lambda: {"links": "share of linked words"})

    def __call__(self, page: Page) -> Columns:
        return {"links": page.link_density}


PAGE = page_of(paragraphs(1, (4, 2), 3))
GROUPS = pytest.mark.parametrize("group", [CURRENT, LOCAL, add_text_frequency({}), TEXREX])


def test_a_matrix_has_the_columns_in_the_order_of_their_names() -> None:
    group = Union((Links(), Words()))
    assert list(group.about) == ["links", "words"]
    assert build_matrix(group, PAGE).tolist() == [[0, 1], [0.5, 4], [0, 3]]


def test_neighbours() -> None:
    group = Neighbours(Words(), (-1, 2))
    assert list(group.about) == ["words", "words@-1", "words@+2"]
    assert build_matrix(group, PAGE).tolist() == [[1, 0, 3], [4, 1, 0], [3, 4, 0]]
    assert group.about["words@-1"] == "number of words, of the block 1 before"


def test_one_name_for_two_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="one name"):
        _ = Union((Words(), Words())).about


def test_shifted() -> None:
    for column, offset, moved in [
        ([1, 2, 3], -1, [0, 1, 2]),
        ([1, 2, 3], 1, [2, 3, 0]),
        ([1, 2, 3], 0, [1, 2, 3]),
        ([1, 2, 3], 3, [0, 0, 0]),
        ([1, 2, 3], -5, [0, 0, 0]),
        ([1], 1, [0]),
        ([], -1, []),
    ]:
        assert shift_column(np.array(column, dtype=np.int64), offset).tolist() == moved


@GROUPS
def test_every_column_is_described_and_finite(group: FeatureGroup) -> None:
    assert all(line and "\n" not in line for line in group.about.values())
    assert set(group(PAGE)) == set(group.about)
    for html in ("", "<p>one", "<p>one<p>two", "<p>|</p>"):
        page = page_of(html)
        rows = build_matrix(group, page)
        assert rows.shape == (len(page), len(group.about))
        assert np.isfinite(rows).all()
