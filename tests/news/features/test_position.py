"""Where a block stands, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.news.features.position import POSITION
from tests.builders import document, filler, paragraphs
from tests.news.features.columns import check, columns_of, log1p


def test_columns_of_a_page() -> None:
    body = f"<p><a href=/x>{filler(2)}</a></p><h1>Rain in May</h1>{paragraphs(12, 13)}"
    check(
        columns_of(POSITION, document(body, title="Rain in May")),
        {
            "position": [0, 0.25, 0.5, 0.75],
            "words_before": [0, 2 / 30, 5 / 30, 17 / 30],
            "good_before": [0, 0, 0, 12 / 25],
            "from_start": log1p(0, 1, 2, 3),
            "to_end": log1p(4, 3, 2, 1),
            "from_title": [-1 / 30, 0, 1 / 30, 2 / 30],
            "after_title": [0, 0, 1, 1],
            "since_good": log1p(30, 30, 0, 0),
            "until_good": log1p(2, 1, 0, 0),
            "good_within_2": log1p(12, 25, 25, 25),
            "good_within_5": log1p(25, 25, 25, 25),
            "good_within_12": log1p(25, 25, 25, 25),
            "page_blocks": log1p(*[4] * 4),
            "page_good_words": log1p(*[25] * 4),
            "page_link_density": [2 / 30] * 4,
            "page_good_share": [25 / 30] * 4,
        },
    )


@pytest.mark.parametrize(("width", "blocks"), [(2, 5), (5, 11), (12, 25)])
def test_windows(width: int, blocks: int) -> None:
    table = columns_of(POSITION, document(paragraphs(*[20] * 40)))[f"good_within_{width}"]
    assert table[20] == pytest.approx(np.log1p(20 * blocks))
    assert table[0] == table[39] == pytest.approx(np.log1p(20 * (width + 1)))


def test_distances_end_at_30() -> None:
    html = document(f"<h1>Rain in May</h1>{paragraphs(20, *[1] * 50)}", title="Rain in May")
    table = columns_of(POSITION, html)
    assert table["from_title"][29:33] == pytest.approx([29 / 30, 1, 1, 1])
    assert table["since_good"][-1] == pytest.approx(np.log1p(30))
    assert table["until_good"][2] == pytest.approx(np.log1p(30))


def test_without_a_title_nobody_knows_what_is_after_it() -> None:
    table = columns_of(POSITION, document(paragraphs(3, 3)))
    assert table["after_title"] == [0.5, 0.5]


def test_a_page_without_words() -> None:
    table = columns_of(POSITION, "<p>|</p><p>—</p>")
    check(table, {"words_before": [0, 0], "page_link_density": [0, 0], "page_good_share": [0, 0]})
