"""Likeness to title, description and other blocks; which block says the title."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.features.facts import title_block
from scrapy_boilerplate.news.features.likeness import LIKENESS
from tests.builders import document, page_of
from tests.news.features.columns import check, columns_of, log1p

DESCRIPTION = "The bridge over the river opens again after nine months of repair, the mayor says."


def described(body: str, description: str = DESCRIPTION) -> str:
    """A page with a meta description."""
    return f'<html><head><meta name="description" content="{description}"></head><body>{body}'


def test_in_title() -> None:
    html = document("<h1>Rain in May</h1><p>RAIN</p><p>in</p><p>Snow in May</p>", "Rain in May | X")
    check(columns_of(LIKENESS, html), {"in_title": [11 / 15, 4 / 15, 0, 0]})


def test_in_description() -> None:
    body = "<p>The bridge over the river opens</p><p>The bridge</p><p>Nine months of no repair</p>"
    check(columns_of(LIKENESS, described(body)), {"in_description": [1, 0, 0]})


def test_holds_the_start_of_the_description() -> None:
    body = f"<p>Our town: {DESCRIPTION}</p><p>{DESCRIPTION[:40]}</p><p>The bridge opens again</p>"
    check(columns_of(LIKENESS, described(body)), {"holds_description": [1, 0, 0]})


@pytest.mark.parametrize("description", ["", "The bridge"])
def test_a_short_description_tells_nothing(description: str) -> None:
    found = columns_of(LIKENESS, described("<p>The bridge over the river</p>", description))
    check(found, {"in_description": [0], "holds_description": [0]})


def test_blocks_that_start_alike() -> None:
    long = "Read more of what the mayor says about the bridge over the river"
    body = f"<p>{long} today</p><p>More</p><p>{long.upper()}</p><p>more</p><p>{long}</p>"
    check(
        columns_of(LIKENESS, document(body)),
        {"same_start": log1p(2, 1, 2, 1, 2), "repeated": [0, 0, 1, 1, 1]},
    )


TITLES = {
    "none": ("<p>Snow</p>", "Rain in May", -1),
    "no title and no h1": ("<p>Snow</p>", "", -1),
    "no block": ("", "Rain in May", -1),
    "the h1 without a title": ("<p>Snow</p><h1>Rain</h1><h1>Hail</h1>", "", 1),
    "the h1 where nothing matches": ("<p>Snow</p><h1>Hail</h1>", "Rain in May", 1),
    "the first of equals": ("<p>Rain in May</p><p>Rain in May</p>", "Rain in May", 0),
    "a heading before others": ("<p>Rain in May</p><h2>Rain in May</h2>", "Rain in May", 1),
    "a shorter heading all the same": ("<p>Rain in May</p><h1>Rain in</h1>", "Rain in May", 1),
    "the longer one": ("<p>Rain in</p><p>Rain in May</p>", "Rain in May", 1),
    "h3 is no heading of an article": ("<p>Rain in May</p><h3>Rain in May</h3>", "Rain in May", 0),
    "too little of the title": ("<p>Rain</p>", "Rain in May and June", -1),
    "two fifths of the title": ("<p>Rain in </p><p>Rain in ju</p>", "Rain in July and August", 1),
    "it may hold the title": ("<p>X: Rain in May</p>", "Rain in May", 0),
    "but not in twice the characters": ("<p>What we know of Rain in May</p>", "Rain in May", -1),
    "case does not count": ("<p>RAIN IN MAY</p>", "Rain in May", 0),
    "three characters": ("<p>Mai</p>", "Mai", -1),
}


@pytest.mark.parametrize(("body", "title", "block"), TITLES.values(), ids=TITLES.keys())
def test_title_block(body: str, title: str, block: int) -> None:
    html = document(body, title)
    assert title_block(page_of(html)) == block
    assert columns_of(LIKENESS, html)["is_title"] == [
        float(number == block) for number in range(len(page_of(html)))
    ]
