"""Positions of blocks on the page, and their elements, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from scrapy_boilerplate.native.features import AROUND, OWN, ROLES
from scrapy_boilerplate.news.features import GROUPS
from tests.builders import document, filler, paragraph, paragraphs
from tests.news.features.columns import check, columns_of, log1p


def test_columns_of_a_page() -> None:
    body = f"<p><a href=/x>{filler(2)}</a></p><h1>Rain in May</h1>{paragraphs(12, 13)}"
    check(
        columns_of(document(body, title="Rain in May")),
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
            "page_blocks": log1p(*[4] * 4),
            "page_good_words": log1p(*[25] * 4),
            "page_link_density": [2 / 30] * 4,
            "page_good_share": [25 / 30] * 4,
        },
    )
    assert columns_of(document(paragraphs(3)))["after_title"] == [0.5], "no title"


@pytest.mark.parametrize(("width", "blocks"), [(2, 5), (5, 11), (12, 25)])
def test_windows(width: int, blocks: int) -> None:
    table = columns_of(document(paragraphs(*[20] * 40)))[f"good_within_{width}"]
    assert table[20] == pytest.approx(np.log1p(20 * blocks))
    assert table[0] == table[39] == pytest.approx(np.log1p(20 * (width + 1)))


def test_distances_end_at_30() -> None:
    html = document(f"<h1>Rain in May</h1>{paragraphs(20, *[1] * 50)}", title="Rain in May")
    table = columns_of(html)
    assert table["from_title"][29:33] == pytest.approx([29 / 30, 1, 1, 1])
    assert table["since_good"][-1] == pytest.approx(np.log1p(30))
    assert table["until_good"][2] == pytest.approx(np.log1p(30))


def held(block: str, prefix: str) -> list[str]:
    """The columns with `prefix` that hold for the only block of a tree."""
    table = columns_of(etree.fromstring(f"<html><nav/>{block}</html>"))
    names = [name for name in GROUPS["tags"] if name.startswith(prefix) and table[name] == [1]]
    return [name.removeprefix(prefix) for name in names]


def test_tags_and_roles() -> None:
    for name, tags in OWN.items():
        for tag in tags:
            assert held(f"<{tag}>x</{tag}>", "in_") == [name]
    for name, tags in AROUND.items():
        for tag in tags:
            assert held(f"<{tag}><p>x</p></{tag}>", "around_") == [name]
    for role, name in ROLES.items():
        assert held(f"<div role='{role}'><p>x</p></div>", "around_") == [name]
    assert held("<pre>x</pre>", "in_") == held("<div role='nothing'>x</div>", "around_") == []
    assert held("<main><ul><li>x</li></ul></main>", "around_") == ["main", "list"]


def test_articles() -> None:
    inner = f"<article>{paragraph(15)}</article>"
    html = f"<p>x</p><article>{paragraph(20)}{inner}</article><article>{paragraph(14)}</article>"
    expected = {"article_elements": log1p(3, 3, 3, 3), "best_article": [0, 1, 15 / 35, 14 / 35]}
    check(columns_of(document(html)), expected)
    for nothing in (f"<p>{filler(20)}", "<article>x</article>"):
        assert columns_of(nothing)["best_article"] == [0]


def test_media_for_each_word() -> None:
    html = "<p>one two</p><p><a href=/x>one</a> <img> two</p><div>|<button></button></div>"
    check(columns_of(document(html)), {"media_tags": log1p(0, 2 / 2, 1 / 1)})
