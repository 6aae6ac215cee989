"""What attributes say: known containers, boosts, hidden elements, and who listens to them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.systems.candidates.goose import find_known_containers
from scrapy_boilerplate.systems.candidates.newspaper import find_article_boosts
from scrapy_boilerplate.systems.candidates.readability import (
    find_authored_elements,
    find_hidden_elements,
)
from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import SENTENCE, TEXT, page_of


def test_a_pickled_page_keeps_its_attributes_and_not_its_tree() -> None:
    page = pickle.loads(pickle.dumps(page_of("<p hidden>a</p>")))  # noqa: S301 - our own
    assert list(page.elements.with_attribute("hidden")) == [(page.elements.tags.index("p"), "")]


@pytest.mark.parametrize(
    ("function", "by_start"),
    [
        (
            find_known_containers,
            {
                "<article>": True,
                '<div itemprop="text articlebody">': True,
                '<div itemprop="headline">': False,
                '<div class="main post-content wide">': True,
                '<div id="post-content">': False,
            },
        ),
        (
            find_article_boosts,
            {
                '<div itemprop="articleBody">': 100,
                '<section itemprop="articleBody">': 0,  # only some tags are asked
                '<div itemprop="articleText" itemtype="https://schema.org/Article">': 40,
                '<article itemtype="https://schema.org/NewsArticle">': 30,
                '<article itemtype="https://schema.org/BlogPosting" class="entry-content">': 20,
                '<article role="article">': 25,
                '<div class="article-body">': 15,
            },
        ),
        (
            find_hidden_elements,
            {
                "<p hidden>": True,
                '<p style="color: red; Display : none">': True,
                '<p style="visibility:hidden">': True,
                '<p aria-hidden="true">': True,
                '<p aria-hidden="true" class="x fallback-image">': False,
                '<div role="dialog" aria-modal="true">': True,
                '<div aria-modal="true">': False,
            },
        ),
        (
            find_authored_elements,
            {'<a rel="author">': True, '<p itemprop="author name">': True, '<a rel="next">': False},
        ),
    ],
)
def test_attributes(function: Callable[[Elements], Any], by_start: dict[str, float]) -> None:
    for start, value in by_start.items():
        elements = page_of(f"{start}text").elements
        assert function(elements)[elements.tags.index("body") + 1] == value, start


def test_goose_looks_only_into_what_is_marked() -> None:
    pytest.importorskip("justext", reason="Goose counts the stop words of jusText's lists")
    more = f"<p>{SENTENCE} more</p>" * 8
    unmarked = page_of(f"<div>{TEXT}</div><div>{more}</div>")
    assert f"{SENTENCE} more" in content_texts("goose", unmarked)
    marked = page_of(f'<div itemprop="articleBody">{TEXT}</div><div>{more}</div>')
    assert content_texts("goose", marked) == [SENTENCE] * 4


def test_readability_leaves_out_what_is_hidden() -> None:
    body = f'<div>{TEXT * 3}<p hidden>{SENTENCE} hidden</p><p itemprop="author">Ann</p></div>'
    assert content_texts("readability", page_of(body)) == [SENTENCE] * 12
