"""Tags of and around a block, by hand."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.features.tags import AROUND, OWN, ROLES, TAGS
from tests.builders import document, filler, paragraph
from tests.news.features.columns import columns_of, log1p


def held(html: str, prefix: str) -> list[str]:
    """The names of the columns with `prefix` that hold for the first block."""
    table = columns_of(TAGS, document(html))
    return [
        name.removeprefix(prefix)
        for name, values in table.items()
        if name.startswith(prefix) and values[0] == 1
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


@pytest.mark.parametrize(("html", "name"), OWN_TAGS.items())
def test_the_tag_of_the_blocks_own_element(html: str, name: str) -> None:
    assert held(html, "in_") == [name]


def test_every_own_tag_is_tested() -> None:
    assert set(OWN_TAGS.values()) == set(OWN)


def test_another_tag_is_none_of_them() -> None:
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
    "<div role=navigation><p>x</p></div>": ["nav"],
    "<div role=dialog>x</div>": ["form"],
    "<div role=nothing>x</div>": [],
    "<nav></nav><p>x</p>": [],
}


@pytest.mark.parametrize(("html", "names"), AROUND_BLOCK.items())
def test_tags_and_roles_around_a_block(html: str, names: list[str]) -> None:
    assert held(html, "around_") == names


def test_every_tag_around_is_tested() -> None:
    assert {name for names in AROUND_BLOCK.values() for name in names} == set(AROUND)


@pytest.mark.parametrize(("role", "name"), ROLES.items())
def test_roles_that_mean_a_tag(role: str, name: str) -> None:
    assert held(f"<div role={role}><p>x</p></div>", "around_") == [name]


def test_articles() -> None:
    inner = f"<article>{paragraph(15)}</article>"
    html = f"<p>x</p><article>{paragraph(20)}{inner}</article><article>{paragraph(14)}</article>"
    table = columns_of(TAGS, document(html))
    assert table["article_elements"] == pytest.approx(log1p(3, 3, 3, 3))
    assert table["best_article"] == pytest.approx([0, 35 / 35, 15 / 35, 14 / 35])


@pytest.mark.parametrize("html", [f"<p>{filler(20)}", "<article>x</article>"])
def test_no_article_or_nothing_good_in_it(html: str) -> None:
    assert columns_of(TAGS, html)["best_article"] == [0]


def test_media_for_each_word() -> None:
    html = "<p>one two</p><p><a href=/x>one</a> <img> two</p><div>|<button></button></div>"
    table = columns_of(TAGS, document(html))["media_tags"]
    assert table == pytest.approx(log1p(0, 2 / 2, 1 / 1))
