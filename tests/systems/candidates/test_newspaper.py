"""Newspaper: differences to the scores of Goose, and elements of one level."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.gravity import Prose
from scrapy_boilerplate.systems.candidates.newspaper import find_candidates, score_for_newspaper
from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import SENTENCE, element, page_of, the

pytest.importorskip("justext", reason="Newspaper counts the stop words of jusText's lists")

ENOUGH = "<pre>x</pre>" * 5
"""Paragraphs enough for a `div` not to be one."""


def score(page: Page, name: str) -> float:
    """The score of the element with the class `name`."""
    return float(score_for_newspaper(Prose.of(find_candidates(page)))[element(page, name)])


def test_gravity_by_hand() -> None:
    """10, 10 + 30/1 and 10 + 30/2 stop words: 75 for the parent, .4 of it for the next."""
    inner = f"<p>{the(10)}</p>" * 3
    page = page_of(f'<section class="b"><div class="a">{inner}</div></section>{ENOUGH}')
    assert score(page, "a") == pytest.approx(75)
    assert score(page, "b") == pytest.approx(30)


def test_inner_paragraphs_count_once() -> None:
    """The article weighs its own 4 words, not the 10 of the `p` in it, and passes them up.

    The section has 4 from the article and .4 x 10 from the paragraph.
    """
    inner = f"<article>{the(4)}<p>{the(10)}</p></article>"
    page = page_of(f'<section class="a">{inner}</section>{ENOUGH}')
    assert score(page, "a") == pytest.approx(4 + 0.4 * 10)


def test_a_div_named_story_is_a_paragraph() -> None:
    """Its own words, between lists, are in no other paragraph."""
    for names, weighs in [("story", True), ("history", False)]:
        items = f"<ul><li>{the(10)}</ul>"
        page = page_of(f'<section class="a"><div class="{names}">{items}</div></section>{ENOUGH}')
        assert (score(page, "a") > 0) is weighs


def test_elements_of_one_level() -> None:
    """Same depth and tag, more than .30 of the top score, anywhere on the page."""
    part = f"<div><p>{SENTENCE}</p><p>{SENTENCE}</p></div>"
    little = f"<div><p>{the(4)}</p></div>"
    other_tag = f"<main><p>{SENTENCE}</p><p>{SENTENCE}</p></main>"
    deeper = f"<section><div><p>{SENTENCE}</p></div></section>"
    page = page_of(f"<div>{part}</div><div>{part}{little}</div>{other_tag}<div>{deeper}</div>")
    assert content_texts("newspaper", page) == [SENTENCE] * 4


def test_captions_and_short_texts_are_dropped() -> None:
    figure = f"<figure><p>{SENTENCE} figure</p></figure>"
    page = page_of(f"<div><p>{SENTENCE}</p>{figure}<p>zebra zebra</p><p>{SENTENCE}</p></div>")
    assert content_texts("newspaper", page) == [SENTENCE] * 2
