"""Goose and Newspaper: the chosen element, its children and siblings."""

import pytest

from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import SENTENCE, TEXT, page_of, the

pytest.importorskip("justext", reason="both count the stop words of jusText's lists")


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
