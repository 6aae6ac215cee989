"""Content in containers named like notes is left out of the text."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.content import LEFT_OUT, NamedContainers
from scrapy_boilerplate.page.labels import Label
from tests.builders import document, labelled, page_of, sentences, true_at
from tests.news.scored_pages import applied, kept

NOTE = "We earn a commission when you buy."
BOXES = {
    # a box between two paragraphs, whether its text stays
    "disclaimer": (f"<p class=affiliate-disclaimer>{NOTE}", False),
    "disclosure": (f"<div class=adDisclosure><p>{NOTE}</div>", False),
    "newsletter": (f"<div id=newsletter-box><p>{NOTE}</div>", False),
    "sign-up": (f"<div class=replay-signup><p>{NOTE}</div>", False),
    "a design": (f"<div class=design-updates><p>{NOTE}</div>", True),
    "a panel that opens": (f"<div class=disclosure-panel><p>{NOTE}</div>", True),
    "footnotes": (f"<ol class=footnotes><li>{NOTE}</ol>", False),
    "tooltip": (f"<div class=tooltip>{NOTE}</div>", False),
    "about the author": (f"<div class=author-box><p>{NOTE}</div>", False),
    "only a short word": (f"<div class=author_bio><p>{NOTE}</div>", False),
    "a call to action": (f"<div class='blog-cta big'><p>{NOTE}</div>", False),
    "a label of advertising": ("<div class=ad-label style='display: none'>Anzeige</div>", False),
    "a label in an aside": ("<aside><span class=ad>Advertisement</span></aside>", False),
    "a label of a slot": ("<div class=werbung-oben>\u5e83\u544a</div>", False),
    "an adviser": (f"<div class=advertiser><p>{NOTE}</div>", True),
    "a short word inside another": (f"<div class=biology><p>{NOTE}</div>", True),
    "and inside a third": (f"<div class=directart><p>{NOTE}</div>", True),
    "the state of a page": (f"<div class=has-newsletter><p>{NOTE}</div>", True),
    "no name": (f"<p>{NOTE}", True),
}


@pytest.mark.parametrize(("box", "stays"), BOXES.values(), ids=BOXES.keys())
def test_notes(box: str, stays: bool) -> None:
    page = page_of(document(f"<p>{sentences(50, 'ferry')}</p>{box}<p>{sentences(50, 'boat')}</p>"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), 0, 1, 2))
    assert labelled(labeling, Label.FULL_TEXT) == ([0, 1, 2] if stays else [0, 2])
    assert true_at(labeling.marked(LEFT_OUT)) == ([] if stays else [1])


@pytest.mark.parametrize(("words", "stays"), [(20, False), (60, True)])
def test_notes_that_are_much_of_the_content_may_be_the_article(words: int, stays: bool) -> None:
    note = f"<div class=disclaimer><p>{sentences(words, 'boat')}</div>"
    page = page_of(document(f"<p>{sentences(100, 'ferry')}</p>{note}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9, 0.9], 0, 1))
    assert labelled(labeling, Label.FULL_TEXT) == ([0, 1] if stays else [0])


def test_what_is_no_content_is_no_note() -> None:
    page = page_of(document(f"<p>{sentences(50, 'ferry')}</p><p class=disclaimer>{NOTE}"))
    labeling = kept(page, [0.9, 0.1], 0)
    assert applied(NamedContainers(), page, labeling) is labeling
