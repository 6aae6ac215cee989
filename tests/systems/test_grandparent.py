"""The tree filter: paragraphs stay if they share the n-th ancestor that holds most text."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.systems.grandparent import GrandparentFilter
from tests.builders import all_content, filler, page_of, true_at, with_content

TREE = f"""
<body>
 <div><p>{filler(5)}</p></div>
 <div>
  <p>{filler(9)}</p>
  <section>
   <p>{filler(20)}</p>
   <article><div><p>{filler(30)}</p></div></article>
  </section>
 </div>
</body>
"""
"""Blocks 0 to 3. Ancestors of 3: div, article, section, div, body; of 2: section, div, body."""


@pytest.mark.parametrize(
    ("depth", "kept"),
    [
        pytest.param(1, [3], id="father: each is a group"),
        pytest.param(2, [3], id="grandfather: article against div and body"),
        pytest.param(3, [3], id="section against body and root"),
        pytest.param(4, [0, 1, 2], id="div of 3 against root of the others"),
        pytest.param(5, [0, 1, 2], id="body of 3 against root of the others"),
        pytest.param(6, [0, 1, 2, 3], id="all at the root"),
    ],
)
def test_depth(depth: int, kept: list[int]) -> None:
    page = page_of(TREE)
    assert true_at(GrandparentFilter(depth=depth)(page, all_content(page)).content) == kept


@pytest.mark.parametrize(
    ("body", "depth", "kept"),
    [
        pytest.param("<div><p>one</p><p>two</p></div><div>x</div>", 1, [0, 1], id="brothers"),
        pytest.param(
            "<div><div><p>one</p></div><div><p>two</p></div></div><div><div>x</div></div>",
            2,
            [0, 1],
            id="cousins",
        ),
        pytest.param(
            "<div><blockquote>one</blockquote><p>seven</p></div><div>x</div>",
            1,
            [1],
            id="a quote is no paragraph: its div is",
        ),
        pytest.param("<div><p>a b c</p></div><div><p>abcdefg</p></div>", 1, [1], id="characters"),
        pytest.param("<div><p>aa</p></div><div><p>bb</p></div>", 1, [0], id="first of equals"),
    ],
)
def test_groups(body: str, depth: int, kept: list[int]) -> None:
    page = page_of(f"<body>{body}</body>")
    assert true_at(GrandparentFilter(depth=depth)(page, all_content(page)).content) == kept


def test_groups_weigh_content_only_and_never_add_to_it() -> None:
    page = page_of(f"<div><p>a</p><p>{filler(50)}</p></div><div><p>bb</p></div>")
    filtered = GrandparentFilter(depth=1)(page, with_content(page, 0, 2))
    assert true_at(filtered.content) == [2]


@pytest.mark.parametrize("html", ["", "<p>one</p>"])
def test_without_content_nothing_changes(html: str) -> None:
    page = page_of(html)
    labeling = Labeling.blank(len(page))
    assert GrandparentFilter()(page, labeling) is labeling
