"""Readers' comments, text around them, and dialogs: only comments are comments; who wrote them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from scrapy_boilerplate.article.comment_list import Comment, list_comments
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news.content import NamedContainers
from scrapy_boilerplate.news.other_labels import BestOtherLabels, NamedBoilerplate
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.steps.comment_places import Place, find_places
from tests.builders import HTML_4, document, page_of, sentences
from tests.news_models import kept

B, H, F, S, R, C = Label
TEXT = f"<div><p>{sentences(100, 'ferry')}</p></div>"
SAID = sentences(30, "boat")
MODERN = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'


def section(inside: str, attributes: str = "id=comments") -> str:
    """A section of comments, whose first block is "one two"."""
    return f"<div {attributes}>{inside}</div>"


ENTRY, OTHER = "<div class=entry>one two</div>", "<div class=entry>three</div>"
ITEM = "<li class=comment>one two</li>"
LIST = "<ul class=comments><li class=entry>one two{}</ul>"
NAMED = 'class="comments no-reply-button"'
IN_FORM = f"<form>{section('one two', 'class=comments')}</form>"
IN_RULES = section("<li class=comment-text>one two</li>", "class=comment-rules")
RECENT = section("<li class=comment-item>one two</li>", "id=recent-comments class=widget")
PLACES = [
    ("<p>one two</p>", Place.OUTSIDE),
    (section("<p>one two</p>"), Place.SECTION),
    (section(ENTRY, "class=comments"), Place.SECTION),
    (section(ENTRY + OTHER.replace("entry", "x")), Place.SECTION),
    (section("<p class=entry>one two<p class=entry>three"), Place.SECTION),
    (section(ITEM), Place.COMMENT),
    (section(ITEM, NAMED), Place.COMMENT),
    (section(ENTRY + OTHER), Place.COMMENT),
    (LIST.format("<li class=entry>three"), Place.COMMENT),
    (section("<li class=comment><b class=comment-title>one two</b>"), Place.COMMENT),
    (LIST.format(""), Place.COMMENT),
    (section("<form><p>one two</p></form>"), Place.CONTROLS),
    (section(IN_FORM), Place.CONTROLS),
    (section("<h3 class=comments-title>one two</h3>"), Place.CONTROLS),
    (section("<li class=comment><div class=comment-report>one two</div>"), Place.CONTROLS),
    (section(IN_RULES), Place.CONTROLS),
    (section("<div class=comment-body>one two</div>", NAMED), Place.CONTROLS),
    (RECENT, Place.CONTROLS),
]


@pytest.mark.parametrize(("box", "place"), PLACES)
def test_places(box: str, place: Place) -> None:
    page = page_of(document(box))
    assert find_places(page)[0] == place


def scored_as_comments(blocks: int) -> Labeling:
    scores = np.zeros((blocks, len(Label)))
    scores[:, Label.COMMENTS], scores[:, Label.SUPPLEMENTAL] = 0.8, 0.2
    return Labeling.blank(blocks).set_predictions(np.zeros(blocks, np.int64), scores, "model")


HTML5 = "<!DOCTYPE html>"
PAGES_WITH_COMMENTS = {
    # beginning of a page; labels outside a section, in one, in its controls, in a comment
    "a page of 2008": (HTML_4, [C, C, C, C]),
    "no doctype": ("", [C, C, C, C]),
    "HTML5": (HTML5, [S, C, S, C]),
    "JSON-LD": (HTML5 + MODERN, [S, S, S, C]),
    "Open Graph": (HTML5 + '<meta property="og:type" content=article>', [S, S, S, C]),
}


@pytest.mark.parametrize(("head", "labels"), PAGES_WITH_COMMENTS.values(), ids=PAGES_WITH_COMMENTS)
def test_where_the_net_may_find_comments(head: str, labels: list[Label]) -> None:
    text = "<p>one two three</p>"
    page = page_of(
        f"{head}<body>{text}<div id=comments>{text}<div class=rules>{text}</div>"
        f"<div class=comment-body>{text}</div></div>"
    )
    assert BestOtherLabels()(page, scored_as_comments(4)).labels.tolist() == labels


def test_what_comments_decided_stays() -> None:
    box = f"<div id=comments><p class=comment-rules>{SAID}</p><li class=comment><p>{SAID}</div>"
    page = page_of(document(f"{TEXT}{box}"))
    scores = np.zeros((3, len(Label)))
    scores[:, F], scores[:, R], scores[:, C] = 0.9, 0.1, 0.1
    labeling = Labeling.blank(3).set_predictions(np.full(3, F, np.int64), scores, "model")
    for step in (NamedContainers(), BestOtherLabels(), NamedBoilerplate()):
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
    labeling = Labeling.blank(len(page)).set_predictions(decided, scores, "model")
    assert NamedBoilerplate()(page, labeling).labels.tolist() == [F, *labels]


HEADINGS = {
    "a heading of another language": ("<h3>Комментарии читателей</h3>", C),
    "a number after it": ("<h3>* Kommentare (12)</h3>", C),
    "eight words": ("<h3>Comments on this story by those on board</h3>", C),
    "nine words": ("<h3>Comments on this story by those on the boat</h3>", F),
    "no word boundary": ("<h3>评论</h3>", C),
    "a single one in its row": ("<table><tr><td>Comments</table>", C),
    "on a modern page": (f"{MODERN}<p>Comments</p>", F),
    "one comment": ("<h3>Comment</h3>", F),
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
    labeling = NamedContainers()(page, kept(page, [0.9] * len(page), *content))
    assert labeling.labels[content].tolist() == [F, label]


def test_a_heading_of_comments_that_is_content_is_boilerplate() -> None:
    below = f"<p>Comments</p><p>Ann</p><p>Bo</p><p>{SAID}</p><p>Contact us</p>"
    page = page_of(f"{HTML_4}<div>{TEXT}{below}</div>")
    labeling = kept(page, [0.9, 0.9, 0.9, 0.1, 0.9, 0.1], 0, 1, 2, 4)
    labeling = NamedContainers()(page, labeling)
    assert labeling.labels.tolist() == [F, B, C, B, C, B]


def test_a_number_of_comments_above_the_text_heads_none() -> None:
    for words in (10, 40):
        above = f"<p>{sentences(words, 'mast')}</p><p>Comments: 12</p>"
        page = page_of(f"{HTML_4}<div>{above}{TEXT}<p>{SAID}</p></div>")
        labeling = kept(page, [0.9] * len(page), 0, 2, 3)
        assert NamedContainers()(page, labeling) is labeling


SPOKEN = sentences(12, "boat")


def find(html: str) -> tuple[Comment, ...]:
    """The comments of a page whose blocks are all comments."""
    page = page_of(html)
    labeling = Labeling.blank(len(page))
    every = np.ones(len(page), dtype=np.bool_)
    return list_comments(page, labeling.relabel(every, Label.COMMENTS, "all", keep_scores=True))


MARKUP = {
    "WordPress": "<li class='comment even depth-1'><div class='comment-author vcard'>"
    "<cite class=fn>Ada Berg</cite> <span class=says>says:</span></div><div class=comment-meta>"
    "<a>May 5, 2023 at 8:30 am</a></div><p>{}</p></li>",
    "name and time in one line": "<div class=comment-item><div class=comment-author>"
    "<b>Ada Berg</b> <time datetime=2023-05-05T08:30:00>8 o'clock</time> <a>Answer</a> <a>Share"
    "</a></div><div class=comment-text><p>{}</p></div></div>",
    "name after the text": "<div class=comment-body><p>{}</p><p class=username>Ada Berg:</p>"
    "<time>2023-05-05T08:30:00</time></div>",
}


@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_author_and_date(markup: str) -> None:
    others = markup.replace("Ada Berg", "Bo").replace("05-05", "06-06").replace("May 5", "June 6")
    html = f"<section id=comments><ol>{markup.format(SPOKEN)}{others.format('No.')}</ol></section>"
    assert find(html) == (
        {"author": "Ada Berg", "date": "2023-05-05T08:30:00", "text": SPOKEN},
        {"author": "Bo", "date": "2023-06-06T08:30:00", "text": "No."},
    )


def test_an_answer_is_a_comment_of_its_own() -> None:
    answer = f"<ul><li class=comment><b class=author>Bo</b><p>{SPOKEN}</p></li></ul>"
    html = f"<ol class=comments><li class=comment><b class=author>Ada</b><p>Yes.</p>{answer}</ol>"
    assert [(each["author"], each["text"]) for each in find(html)] == [
        ("Ada", "Yes."),
        ("Bo", SPOKEN),
    ]


def test_paragraphs_of_a_comment_are_joined_and_blocks_without_items_are_not() -> None:
    comment = {"author": None, "date": None, "text": SPOKEN}
    html = f"<ol class=comments><li class=comment><p>{SPOKEN}</p><p>No.</p></li></ol>"
    assert find(html) == ({**comment, "text": f"{SPOKEN}\n\nNo."},)
    html = f"<div class=comments><h3>15 comments</h3><p>{SPOKEN}</p><p>{SPOKEN}</p></div>"
    assert find(html) == (comment, comment)


def test_of_a_document() -> None:
    comments = MARKUP["WordPress"].format(SPOKEN)
    article = f"<article><p>{sentences(90, 'ferry')}</p></article>"
    document = extract(f"{article}<ol id=comments class=comments>{comments}</ol>")
    assert [each["author"] for each in document.comment_list] == ["Ada Berg"]
    pickled = pickle.loads(pickle.dumps(document))  # noqa: S301 (our own bytes)
    assert pickled.comment_list == document.comment_list
    assert extract("").comment_list == ()
