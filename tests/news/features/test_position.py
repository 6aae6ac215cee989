"""Positions of blocks on the page, and their elements, by hand."""

from __future__ import annotations

import numpy as np
import pytest

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
    table = columns_of(document(paragraphs(*[20] * 40)))[f"good_within_{width}"]
    assert table[20] == pytest.approx(np.log1p(20 * blocks))
    assert table[0] == table[39] == pytest.approx(np.log1p(20 * (width + 1)))


def test_distances_end_at_30() -> None:
    html = document(f"<h1>Rain in May</h1>{paragraphs(20, *[1] * 50)}", title="Rain in May")
    table = columns_of(html)
    assert table["from_title"][29:33] == pytest.approx([29 / 30, 1, 1, 1])
    assert table["since_good"][-1] == pytest.approx(np.log1p(30))
    assert table["until_good"][2] == pytest.approx(np.log1p(30))


def test_without_a_title_nobody_knows_what_is_after_it() -> None:
    table = columns_of(document(paragraphs(3, 3)))
    assert table["after_title"] == [0.5, 0.5]


def held(html: str, prefix: str) -> list[str]:
    """The names of the columns with `prefix` that hold for the first block."""
    table = columns_of(document(html))
    return [
        name.removeprefix(prefix)
        for name, values in table.items()
        if name in GROUPS["tags"] and name.startswith(prefix) and values[0] == 1
    ]


OWN_TAGS = {
    "<p>x</p>": "p",
    "<div>x</div>": "div",
    "<h1>x</h1>": "h1",
    "<h2>x</h2>": "h2",
    "<h5>x</h5>": "h3",
    "<ul><li>x</ul>": "li",
    "<table><tr><th>x</table>": "cell",
    "<blockquote>x</blockquote>": "quote",
    "<figure><figcaption>x</figure>": "caption",
    "<article>x</article>": "section",
    "<dl><dd>x</dl>": "definition",
}


def test_the_tag_of_the_blocks_own_element() -> None:
    for html, name in OWN_TAGS.items():
        assert held(html, "in_") == [name]
    assert set(OWN_TAGS.values()) == set(OWN)
    assert held("<pre>x</pre>", "in_") == []


AROUND_BLOCK = {
    "<article><div><p>x</p></div></article>": ["article"],
    "<main><p>x</p></main>": ["main"],
    "<aside>x</aside>": ["aside"],
    "<nav><ul><li>x</ul></nav>": ["nav", "list"],
    "<header><h1>x</h1></header>": ["header", "heading"],
    "<footer><p>x</p></footer>": ["footer"],
    "<figure><figcaption>x</figure>": ["figure"],
    "<table><tr><td>x</table>": ["table"],
    "<form><label>x</label></form>": ["form"],
    "<blockquote><p>x</p></blockquote>": ["quote"],
    "<noscript><p>x</p></noscript>": ["hidden"],
    "<div role=nothing>x</div>": [],
    "<nav></nav><p>x</p>": [],
}


def test_tags_and_roles_around_a_block() -> None:
    for html, names in AROUND_BLOCK.items():
        assert held(html, "around_") == names
    assert {name for names in AROUND_BLOCK.values() for name in names} == set(AROUND)
    for role, name in ROLES.items():
        assert held(f"<div role={role}><p>x</p></div>", "around_") == [name]


def test_articles() -> None:
    inner = f"<article>{paragraph(15)}</article>"
    html = f"<p>x</p><article>{paragraph(20)}{inner}</article><article>{paragraph(14)}</article>"
    table = columns_of(document(html))
    assert table["article_elements"] == pytest.approx(log1p(3, 3, 3, 3))
    assert table["best_article"] == pytest.approx([0, 35 / 35, 15 / 35, 14 / 35])


@pytest.mark.parametrize("html", [f"<p>{filler(20)}", "<article>x</article>"])
def test_no_article_or_nothing_good_in_it(html: str) -> None:
    assert columns_of(html)["best_article"] == [0]


def test_media_for_each_word() -> None:
    html = "<p>one two</p><p><a href=/x>one</a> <img> two</p><div>|<button></button></div>"
    table = columns_of(document(html))["media_tags"]
    assert table == pytest.approx(log1p(0, 2 / 2, 1 / 1))
