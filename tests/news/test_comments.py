"""Readers' comments, text around them, and dialogs: only comments are comments."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.news.comments import Place, find_places
from scrapy_boilerplate.news.content import LEFT_OUT, NamedContainers
from scrapy_boilerplate.news.other_labels import BestOtherLabels, RelabelledBoilerplate
from scrapy_boilerplate.page.labels import Label, Labeling
from tests.builders import HTML_4, document, filler, page_of, paragraphs, sentences
from tests.news.scored_pages import applied, kept

B, H, F, S, R, C = Label
TEXT = f"<div><p>{sentences(100, 'ferry')}</p></div>"
SAID = sentences(30, "boat")
MODERN = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'

PLACES = {
    "beside": ("<p>one two three</p>", Place.OUTSIDE),
    "in the section": ("<div id=comments><p>one two three</p></div>", Place.SECTION),
    "an item by its class": ("<div id=comments><li class=comment>one two", Place.ITEM),
    "a part of an item": ("<div class=comment-content><p>one two three</p></div>", Place.ITEM),
    "an item with a number": ("<div id=comment-123><p>one two three</p></div>", Place.ITEM),
    "another language": ("<div class=texto-comentario><p>one two three</p></div>", Place.ITEM),
    "one of several": (
        "<ul class=comments><li class=entry>one two<li class=entry>three</ul>",
        Place.ITEM,
    ),
    "the only one of a list": ("<ul class=comments><li class=entry>one two</ul>", Place.ITEM),
    "the only one": ("<div class=comments><div class=entry>one two</div></div>", Place.SECTION),
    "one of several boxes alike": (
        "<div id=comments><div class=entry>one two</div><div class=entry>three</div></div>",
        Place.ITEM,
    ),
    "boxes of other classes": (
        "<div id=comments><div class=one>one two</div><div class=two>three</div></div>",
        Place.SECTION,
    ),
    "boxes without a class": (
        "<div id=comments><div>one two</div><div>three</div></div>",
        Place.SECTION,
    ),
    "paragraphs alike": (
        "<div id=comments><p class=entry>one two<p class=entry>three</div>",
        Place.SECTION,
    ),
    "a second section": ("<div id=comments></div><div class=comments>one two</div>", Place.SECTION),
    "related links": ("<div class=related><p>one two three</p></div>", Place.OUTSIDE),
    "a form": ("<div id=comments><form><p>one two three</p></form></div>", Place.FURNITURE),
    "a section in a form": (
        "<div id=comments><form><div class=comments>one two</div></form></div>",
        Place.FURNITURE,
    ),
    "rules": ("<div class=comments__disclaimer><p>one two</p></div>", Place.FURNITURE),
    "a login": ("<div id=comments><p class=must-log-in>one two</p></div>", Place.FURNITURE),
    "none yet": ("<div id=comments><p class=no-comments>one two</p></div>", Place.FURNITURE),
    "a heading of the section": (
        "<div id=comments><h3 class=comments-title>one two</h3></div>",
        Place.FURNITURE,
    ),
    "a heading of an item": (
        "<div id=comments><li class=comment><b class=comment-title>one two</b>",
        Place.ITEM,
    ),
    "a button in an item": (
        "<div id=comments><li class=comment><div class=comment-report>one two</div>",
        Place.FURNITURE,
    ),
    "an item of a section that is named like furniture": (
        '<div class="comments no-reply-button"><li class=comment><p>one two</p></li></div>',
        Place.ITEM,
    ),
    "rules in such items": (
        "<div id=comments><div class=comment-rules><li class=comment-text>one two</li></div></div>",
        Place.FURNITURE,
    ),
    "recent comments of other pages": (
        "<div id=recent-comments class=widget><li class=comment-item>one two</li></div>",
        Place.FURNITURE,
    ),
    "a box in one": (
        '<div class="comments no-reply-button"><div class=comment-body>one two</div></div>',
        Place.FURNITURE,
    ),
    "rules in a list": (
        "<div class=comments><ul class=tips><li>one two<li>three</ul></div>",
        Place.FURNITURE,
    ),
}


@pytest.mark.parametrize(("box", "place"), PLACES.values(), ids=PLACES.keys())
def test_places(box: str, place: Place) -> None:
    page = page_of(document(box))
    assert find_places(page)[0] == place


NAMED = {
    # in the page, labels of the blocks after the text
    "a comment": (f"<div id=comments><li class=comment><p>{SAID}</div>", [C]),
    "rules": (f"<div id=comments><p class=comment-rules>{SAID}</div>", [B]),
    "a login in a form": (f"<div id=comments><form><p>{SAID}</form></div>", [B]),
    "a heading": ("<div id=comments><h2>one two three</h2></div>", [B]),
    "only in the section": (f"<div id=comments><p>{SAID}</div>", [B]),
    "above 60 % of the words": (
        f"<div id=comments><li class=comment><p>{sentences(900, 'boat')}</div>",
        [C],
    ),
    "a paragraph below them": (
        f"<div id=comments><li class=comment><p>{sentences(900, 'boat')}</div><p>{SAID}",
        [C, F],
    ),
    "more of the text below them": (
        f"<div id=comments><li class=comment><p>{sentences(900, 'boat')}</div>{TEXT}{TEXT}",
        [F, F, F],
    ),
}


@pytest.mark.parametrize(("box", "labels"), NAMED.values(), ids=NAMED.keys())
def test_content_in_containers_of_comments(box: str, labels: list[Label]) -> None:
    page = page_of(document(f"{MODERN}{TEXT}{box}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, *labels]
    np.testing.assert_array_equal(labeling.marked(LEFT_OUT), labeling.labels == B)


@pytest.mark.parametrize(
    ("above", "below", "label"),
    [
        pytest.param(101, 100, C, id="a word more above"),
        pytest.param(100, 100, F, id="as many below"),
        pytest.param(20, 0, C, id="the shortest text"),
        pytest.param(19, 0, F, id="no text"),
    ],
)
def test_most_of_the_words_are_comments_if_a_longer_text_is_above_than_below(
    above: int, below: int, label: Label
) -> None:
    box = f"<div id=comments><li class=comment><p>{filler(350)}</p></div>"
    page = page_of(document(f"<p>{filler(above)}</p>{box}{paragraphs(below) if below else ''}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, label, *[F] * bool(below)]


def test_a_few_comments_stand_anywhere() -> None:
    box = f"<div id=comments><li class=comment><p>{SAID}</p></div>"
    page = page_of(document(f"{TEXT}{box}{TEXT}{TEXT}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, C, F, F]


def test_what_is_no_content_in_comments_stays() -> None:
    box = f"<div id=comments><li class=comment><p>{SAID}</p><p>Answer Ann or Bo</p></div>"
    page = page_of(document(f"{MODERN}{TEXT}{box}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9, 0.9, 0.1], 0, 1))
    assert labeling.labels.tolist() == [F, C, B]
    assert not labeling.marked(LEFT_OUT).any()


def test_an_article_that_is_named_like_comments_has_the_headline() -> None:
    box = f"<h1>Rain in May</h1><p>{SAID}</p>"
    page = page_of(document(f"{TEXT}<div class=comments-page>{box}</div>"))
    labeling = kept(page, [0.9, 0.1, 0.9], 0, 2).choose(np.array([1]), H, "test")
    assert applied(NamedContainers(), page, labeling).labels.tolist() == [F, H, F]


def test_pages_without_declarations_have_comments_in_sections() -> None:
    page = page_of(document(f"{TEXT}<div id=comments><p>{SAID}</p></div>"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, C]


def scored_as_comments(blocks: int) -> Labeling:
    scores = np.zeros((blocks, len(Label)))
    scores[:, Label.COMMENTS], scores[:, Label.SUPPLEMENTAL] = 0.8, 0.2
    return Labeling.blank(blocks).predict(np.zeros(blocks, np.int64), scores, "model")


HTML5 = "<!DOCTYPE html>"
PAGES_WITH_COMMENTS = {
    # beginning of a page; labels outside a section, in one, in its furniture, in an item
    "a page of 2008": (HTML_4, [C, C, C, C]),
    "no doctype": ("", [C, C, C, C]),
    "HTML5": (HTML5, [S, C, S, C]),
    "JSON-LD": (HTML5 + MODERN, [S, S, S, C]),
    "Open Graph": (HTML5 + '<meta property="og:type" content=article>', [S, S, S, C]),
}


@pytest.mark.parametrize(
    ("head", "labels"), PAGES_WITH_COMMENTS.values(), ids=PAGES_WITH_COMMENTS.keys()
)
def test_where_the_net_may_find_comments(head: str, labels: list[Label]) -> None:
    text = "<p>one two three</p>"
    page = page_of(
        f"{head}<body>{text}<div id=comments>{text}<div class=rules>{text}</div>"
        f"<div class=comment-body>{text}</div></div>"
    )
    assert applied(BestOtherLabels(), page, scored_as_comments(4)).labels.tolist() == labels


def test_what_comments_decided_stays() -> None:
    box = f"<div id=comments><p class=comment-rules>{SAID}</p><li class=comment><p>{SAID}</div>"
    page = page_of(document(f"{TEXT}{box}"))
    scores = np.zeros((3, len(Label)))
    scores[:, F], scores[:, R], scores[:, C] = 0.9, 0.1, 0.1
    labeling = Labeling.blank(3).predict(np.full(3, F, np.int64), scores, "model")
    for step in (NamedContainers(), BestOtherLabels(), RelabelledBoilerplate()):
        labeling = step(page, labeling)
    assert labeling.labels.tolist() == [F, B, C]


DOUBTFUL = {
    # boxes with their best scores, the labels of their blocks
    "a comment": ([("<li class=comment-text><p>{}</li>", 0.2)], [C]),
    "a list named so": ([("<li class=comment-text><p>{}</li>", 0.02)], [B]),
    "a section": ([("<div id=comments><p>{}</div>", 0.8)], [C]),
    "no comments yet": ([("<div id=comments><p>{}</div>", 0.6)], [B]),
    "no name": ([("<p>{}", 0.8)], [C]),
    "no name and no high score": ([("<p>{}", 0.6)], [B]),
    "four words": ([("<li class=comment-text>Log in to comment</li>", 0.5)], [B]),
    "a form": ([("<form class=comments><p>{}</form>", 0.9)], [B]),
    "a form and a comment": (
        [("<form class=comments><p>{}</form>", 0.9), ("<li class=comment-text><p>{}</li>", 0.2)],
        [C, C],
    ),
}


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_comments_need_a_score(kind: str) -> None:
    boxes, labels = DOUBTFUL[kind]
    page = page_of(document(TEXT + "".join(box.format(SAID) for box, _ in boxes)))
    scores = np.zeros((len(page), len(Label)))
    scores[:, C] = [0.0, *(score for _, score in boxes)]
    decided = np.array([F, *[C] * len(boxes)], np.int64)
    labeling = Labeling.blank(len(page)).predict(decided, scores, "model")
    assert applied(RelabelledBoilerplate(), page, labeling).labels.tolist() == [F, *labels]


DIALOGS = {
    "an element": ("<dialog><p>{}</p></dialog>", B),
    "a role": ("<div role=dialog><p>{}</p></div>", B),
    "a class": ("<div class='login-modal'><p>{}</p></div>", B),
    "a consent banner": ("<div class='cookie-banner'><p>{}</p></div>", B),
    "a vendor": ("<div id=onetrust-consent-sdk><p>{}</p></div>", B),
    "a state of the page": ("<div class=modal-open><p>{}</p></div>", F),
    "another word": ("<div class=multimodality><p>{}</p></div>", F),
    "no name": ("<div class=wide><p>{}</p></div>", F),
}


@pytest.mark.parametrize(("box", "label"), DIALOGS.values(), ids=DIALOGS.keys())
def test_dialogs(box: str, label: Label) -> None:
    page = page_of(document(f"{TEXT}{box.format(SAID)}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, label]
    np.testing.assert_array_equal(labeling.marked(LEFT_OUT), labeling.labels == B)


@pytest.mark.parametrize(
    ("box", "text", "label"),
    [
        pytest.param("<div class=modal><p>{}</p></div>", 100, F, id="the article is in it"),
        pytest.param("<div class=cookie-modal><p>{}</p></div>", 100, B, id="long rules"),
        pytest.param("<div class=cookie-modal><p>{}</p></div>", 9, F, id="no article"),
    ],
)
def test_dialogs_longer_than_the_text(box: str, text: int, label: Label) -> None:
    long = box.format(sentences(500, "boat"))
    page = page_of(document(f"<p>{sentences(text, 'ferry')}</p>{long}"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, label]


def test_a_page_in_a_box_of_a_vendor_of_consent_keeps_its_article() -> None:
    boxes = f"<p>{sentences(100, 'ferry')}</p><p class=cookie-banner>{sentences(500, 'boat')}</p>"
    page = page_of(document(f"<div id=onetrust-page>{boxes}</div>"))
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *range(len(page))))
    assert labeling.labels.tolist() == [F, B]


HEADINGS = {
    "a line": ("<p>Comments</p>", C),
    "a heading of another language": ("<h3>Комментарии читателей</h3>", C),
    "a number after it": ("<h3>* Kommentare (12)</h3>", C),
    "words after it": ("<h3>Comments on this story</h3>", C),
    "eight words": ("<h3>Comments on this story by those on board</h3>", C),
    "nine words": ("<h3>Comments on this story by those on the boat</h3>", F),
    "no word boundary": ("<h3>评论</h3>", C),
    "a single one in its row": ("<table><tr><td>Comments</table>", C),
    "on a modern page": (f"{MODERN}<p>Comments</p>", F),
    "one comment": ("<h3>Comment</h3>", F),
    "another word": ("<h3>Commentsville</h3>", F),
    "inside a line": ("<p>No comments yet</p>", F),
    "the start of a sentence": ("<p>Comments of the crew were heard at the port on Monday", F),
    "a link to them": ("<p><a href=#c>Comments</a></p>", F),
    "a column of a table": ("<table><tr><th>Ship<th>Comments</table>", F),
    "below such a table": ("<table><tr><th>Ship<th>Comments</table><h3>Comments</h3>", C),
}


@pytest.mark.parametrize(("heading", "label"), HEADINGS.values(), ids=HEADINGS.keys())
def test_content_below_a_heading_of_comments(heading: str, label: Label) -> None:
    page = page_of(f"{HTML_4}<div>{TEXT}{heading}<p>{SAID}</p></div>")
    content = [block for block, words in enumerate(page.words.tolist()) if words > 20]
    labeling = applied(NamedContainers(), page, kept(page, [0.9] * len(page), *content))
    assert labeling.labels[content].tolist() == [F, label]


def test_a_heading_of_comments_that_is_content_is_boilerplate() -> None:
    below = f"<p>Comments</p><p>Ann</p><p>Bo</p><p>{SAID}</p><p>Contact us</p>"
    page = page_of(f"{HTML_4}<div>{TEXT}{below}</div>")
    labeling = kept(page, [0.9, 0.9, 0.9, 0.1, 0.9, 0.1], 0, 1, 2, 4)
    labeling = applied(NamedContainers(), page, labeling)
    assert labeling.labels.tolist() == [F, B, C, B, C, B]


@pytest.mark.parametrize("words", [10, 40])
def test_a_number_of_comments_above_the_text_heads_none(words: int) -> None:
    above = f"<p>{sentences(words, 'mast')}</p><p>Comments: 12</p>"
    page = page_of(f"{HTML_4}<div>{above}{TEXT}<p>{SAID}</p></div>")
    labeling = kept(page, [0.9] * len(page), 0, 2, 3)
    assert applied(NamedContainers(), page, labeling) is labeling
