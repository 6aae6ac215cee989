"""Goose and Newspaper: gravity by hand, the chosen element, its children and siblings."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Page
from scrapy_boilerplate.systems.candidates.goose import PARAGRAPH_TAGS, score_for_goose
from scrapy_boilerplate.systems.candidates.gravity import Prose
from scrapy_boilerplate.systems.candidates.newspaper import find_candidates, score_for_newspaper
from scrapy_boilerplate.systems.candidates.paragraphs import find_paragraphs
from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import SENTENCE, TEXT, element, page_of, the

pytest.importorskip("justext", reason="both count the stop words of jusText's lists")


def prose_of(page: Page) -> Prose:
    """The paragraphs of a page on which nothing is dropped."""
    nothing = np.zeros(len(page.elements), dtype=np.bool_)
    return Prose(find_paragraphs(page, page.elements.tagged(frozenset(PARAGRAPH_TAGS)), nothing))


def newspaper_score(body: str, name: str) -> float:
    """Newspaper's score of the element with the class `name`; no `div` is a paragraph."""
    page = page_of(body + "<pre>x</pre>" * 5)
    return float(score_for_newspaper(Prose(find_candidates(page)))[element(page, name)])


def test_gravity_by_hand() -> None:
    """Goose: 10, 10 + 50/1 and 10 + 50/2 stop words: 105 for the parent, half of it for the next.

    Newspaper: 10, 10 + 30/1 and 10 + 30/2: 75, and .4 of it.
    """
    body = f'<section class="b"><div class="a">{f"<p>{the(10)}</p>" * 3}</div></section>'
    page = page_of(body)
    scores = score_for_goose(prose_of(page))
    assert scores[element(page, "a")] == pytest.approx(105)
    assert scores[element(page, "b")] == pytest.approx(52.5)
    assert scores[page.elements.tags.index("body")] == 0
    assert newspaper_score(body, "a") == pytest.approx(75)
    assert newspaper_score(body, "b") == pytest.approx(30)


def test_the_last_quarter_is_marked_down() -> None:
    for paragraphs, expected in [
        (15, 150),  # too few to be marked down
        (16, 160 - 0 - 1 - 4 - 9),
        (40, 400 - 0 - 1 - 4 - 9 - 16 - 25 - 36 + 3 * 5),  # 49, 64 and 81 are beyond 40
    ]:
        page = page_of(f"<section><p>{the(10)}</p></section>" * paragraphs)
        scores = score_for_goose(prose_of(page))
        assert scores[page.elements.tags.index("body")] == pytest.approx(expected / 2)


def test_what_boosts_a_paragraph() -> None:
    for before, boosted in [
        (f"<p>{the(6)}</p>", True),
        (f"<p>{the(5)}</p>", False),
        (f"<p>{the(6)}</p><p>x</p><p>x</p>", True),
        (f"<p>{the(6)}</p><p>x</p><p>x</p><p>x</p>", False),
        (f"<section><p>{the(6)}</p></section>", False),
    ]:
        prose = prose_of(page_of(f"{before}<p>{the(3)}</p>"))
        assert bool(prose.boostable[-1]) is boosted


def test_which_paragraphs_score() -> None:
    for paragraph, scores in [
        (f"<p>{the(3)}</p>", True),
        (f"<p>{the(2)} zebra zebra</p>", False),  # two stop words
        (f'<p>{the(3)} <a href="/">the</a> <a href="/">the</a></p>', True),  # 2/5 x 2
        (f'<p>{the(2)} <a href="/">the</a> <a href="/">the</a></p>', False),  # 2/4 x 2
        (f'<p><a href="/">{the(4)}</a></p>', False),  # 4/4 x 1
    ]:
        assert bool(score_for_goose(prose_of(page_of(paragraph))).max() > 0) is scores


def test_children_of_the_top_element() -> None:
    links = '<div><p><a href="/">they said it was to be</a> <a href="/">all of us</a></p></div>'
    poor = "<section>it was to be all of us</section>"
    quoted = f"<blockquote><p>{SENTENCE} quoted</p></blockquote>"
    heading, items = "<h2>and so it was</h2>", "<ul><li>and this is one of it</li></ul>"
    page = page_of(f"<div>{TEXT}{links}{poor}{quoted}{heading}{items}</div>")
    kept = content_texts("goose", page)
    assert kept[:4] == [SENTENCE] * 4
    assert kept[4:] == [f"{SENTENCE} quoted", "and so it was", "and this is one of it"]


def test_siblings_before_but_not_after() -> None:
    lead = f"<section><p>{SENTENCE} lead</p><p>of it</p></section>"
    after = f"<section><p>{SENTENCE} after</p></section>"
    page = page_of(f"<div>{lead}<div>{TEXT}</div>{after}</div>")
    assert content_texts("goose", page) == [f"{SENTENCE} lead", *[SENTENCE] * 4]


def test_naughty_containers_are_dropped() -> None:
    page = page_of(f'<div class="comments">{TEXT * 2}</div><div>{TEXT}</div>')
    assert len(content_texts("goose", page)) == 4


def test_newspaper_counts_inner_paragraphs_once() -> None:
    """The article weighs its own 4 words, not the 10 of the `p` in it, and passes them up.

    The section has 4 from the article and .4 x 10 from the paragraph.
    """
    inner = f"<article>{the(4)}<p>{the(10)}</p></article>"
    score = newspaper_score(f'<section class="a">{inner}</section>', "a")
    assert score == pytest.approx(4 + 0.4 * 10)


def test_a_div_named_story_is_a_paragraph_of_newspaper() -> None:
    """Its own words, between lists, are in no other paragraph."""
    for names, weighs in [("story", True), ("history", False)]:
        inner = f'<div class="{names}"><ul><li>{the(10)}</ul></div>'
        assert (newspaper_score(f'<section class="a">{inner}</section>', "a") > 0) is weighs


def test_newspaper_adds_elements_of_one_level() -> None:
    """Same depth and tag, more than .30 of the top score, anywhere on the page."""
    part = f"<div><p>{SENTENCE}</p><p>{SENTENCE}</p></div>"
    little = f"<div><p>{the(4)}</p></div>"
    other_tag = f"<main><p>{SENTENCE}</p><p>{SENTENCE}</p></main>"
    deeper = f"<section><div><p>{SENTENCE}</p></div></section>"
    page = page_of(f"<div>{part}</div><div>{part}{little}</div>{other_tag}<div>{deeper}</div>")
    assert content_texts("newspaper", page) == [SENTENCE] * 4


def test_newspaper_drops_captions_and_short_texts() -> None:
    figure = f"<figure><p>{SENTENCE} figure</p></figure>"
    page = page_of(f"<div><p>{SENTENCE}</p>{figure}<p>zebra zebra</p><p>{SENTENCE}</p></div>")
    assert content_texts("newspaper", page) == [SENTENCE] * 2
