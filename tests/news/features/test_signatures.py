"""What blocks with the same class path have in common, by hand."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.features.signatures import SIGNATURES
from tests.builders import document, filler
from tests.news.features.columns import check, columns_of, log1p


def test_columns_of_a_page() -> None:
    """Two paragraphs of class a (20 words and, half linked, 8), one of class b (30 words)."""
    linked = f"<p class=a><a href=/x>{filler(4)}</a> {filler(4)}</p>"
    html = f"<p class=a>{filler(20)}</p>{linked}<p class=b>{filler(30)}</p>"
    by_path = {
        "path_blocks": log1p(2, 2, 1),
        "path_words": log1p(14, 14, 30),
        "path_links": [4 / 28, 4 / 28, 0],
        "path_good": [20 / 50, 20 / 50, 30 / 50],
        "path_good_blocks": [0.5, 0.5, 1],
    }
    expected = {f"{name}_{depth}": found for name, found in by_path.items() for depth in (1, 3)}
    found = columns_of(SIGNATURES, document(html))
    assert found.keys() == expected.keys()
    check(found, expected)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("<p class=a>", "<p class=a>", True, id="class"),
        pytest.param("<p class=a>", "<p class=b>", False, id="another class"),
        pytest.param("<p class=a>", "<div class=a>", False, id="another tag"),
        pytest.param("<p class=a1>", "<p class=a22>", True, id="digits do not count"),
        pytest.param("<p class=a1>", "<p class=a>", True, id="no digits at all"),
        pytest.param("<p class=a>", "<p class=a1>", True, id="digits in the second"),
        pytest.param("<p id=a>", "<p id=b>", True, id="an id does not count"),
    ],
)
def test_same_path(one: str, other: str, same: bool) -> None:
    found = columns_of(SIGNATURES, document(f"{one}x{other}y"))["path_blocks_1"]
    assert found == pytest.approx(log1p(2, 2) if same else log1p(1, 1))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("<div><p>", "<div><p>", True, id="same"),
        pytest.param("<div class=a><p>", "<div class=b><p>", False, id="another parent"),
        pytest.param("<div class=a><i><p>", "<div><i><p>", False, id="another grandparent"),
        pytest.param(
            "<div class=a><div><div><p>", "<div><div><div><p>", True, id="further up: not seen"
        ),
    ],
)
def test_paths_of_three(one: str, other: str, same: bool) -> None:
    close = "</div>" * 3
    html = document(f"{one}x</p></i>{close}{other}y</p></i>{close}")
    found = columns_of(SIGNATURES, html)
    assert found["path_blocks_1"] == pytest.approx(log1p(2, 2))
    assert found["path_blocks_3"] == pytest.approx(log1p(2, 2) if same else log1p(1, 1))
