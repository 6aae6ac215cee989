"""Properties of all features of `news`, for any page."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from lxml import etree

from scrapy_boilerplate.news.features import COLUMNS, GROUPS, WordWeights, compute_features
from tests.builders import document, page_of, paragraphs
from tests.test_extraction_properties import TREES

WEIGHTS = WordWeights(
    first={"word": 0.5, "one": -3.0, "汉": 2.0},
    names={"nav": -2.0, "story": 4.0},
    comments={"comments": 9.0},
)


def features(source: Any) -> np.ndarray:
    """The feature matrix of HTML or a tree; its shape and values must be sound."""
    page = page_of(source)
    matrix = compute_features(page, WEIGHTS)
    assert matrix.shape == (len(page), len(COLUMNS))
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    return matrix


def test_every_column_is_named_once() -> None:
    counts = Counter(name for columns in GROUPS.values() for name in columns)
    assert [name for name, count in counts.items() if count > 1] == []
    assert list(COLUMNS) == list(counts)


PAGES = {
    "no block": "",
    "1 block without words": "<p>|",
    "2 blocks, one the headline": document("<h1>Rain</h1><p>two</p>", title="Rain"),
    "2 roots": "<p>x</p></body></html><p>y</p>",
    "2 roots, the text in the second": f"<p>x</p></body></html>{paragraphs(30, 30)}",
    "empty title": document(paragraphs(20), title=" "),
    "the title is the page": document("<h1>Rain</h1>", title="Rain"),
    "NUL": "<p>one\x00two</p>\x00<p>\x00</p>",
    "surrogates": "<p>one \ud800 two</p><p>\udfff</p>",
    "characters beyond the first plane": "<p>\U0001f327 \U00020000\U0010ffff</p>",
    "zero-width characters": "<p>\u200b</p><p>a\u200bb\u00ad</p>",
    "a huge word": f"<p>{'x' * 300_000}</p>",
    "a huge class": f"<div class='{'x' * 100_000}'><p>one</p></div>",
    "many words of classes": f"<p class='{' '.join(['story'] * 10_000)}'>one</p>",
    "table, list, figure": "<table><tr><td>a<td>b</table><ul><li>c</ul><figure><figcaption>d",
    "roles": "<div role=navigation>a</div><div role='x y'>b</div>",
    "articles in articles": "<article>a<article>b<article>c</article></article></article>",
}


def test_shape_and_values() -> None:
    for html in PAGES.values():
        features(html)


@given(TREES)
def test_any_tree(root: etree._Element) -> None:
    before = etree.tostring(root)
    features(root)
    assert etree.tostring(root) == before


def test_columns_that_do_not_fit_are_refused() -> None:
    """Compiled code reads nothing beyond the columns of a page."""
    columns = ("parent_column", "end_column", "depth_column")
    for name, value in product(columns, (99, -9, None)):
        page = page_of(document(f"<h1>Rain</h1>{paragraphs(30, (9, 3))}"))
        column = getattr(page.elements, name)
        changed = column[:-1] if value is None else np.full_like(column, value)
        page.elements.__dict__[name] = changed
        if name == "depth_column" and value is not None:
            compute_features(page, WEIGHTS)
            continue
        if (name, value) == ("parent_column", -9):  # as a root
            continue
        with pytest.raises(IndexError):
            compute_features(page, WEIGHTS)
