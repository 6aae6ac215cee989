"""Readers' comments, text around them, and dialogs: only comments are comments; who wrote them."""

import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import EXTRACTORS, Label, Labeling, Page, extract
from tests.builders import HTML_4, document, page_of, sentences, step_of
from tests.news_models import kept

B, H, F, S, R, C = Label
CONTAINERS = step_of("news", "named-containers")
OTHERS = step_of("news", "best-other-labels")
NAMED_BOXES = step_of("news", "named-boilerplate")
TEXT = f"<div><p>{sentences(100, 'ferry')}</p></div>"
SAID = sentences(30, "boat")
MODERN = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'


def section(inside: str, attributes: str = "id=comments") -> str:
    """A section of comments, whose first block is "one two three"."""
    return f"<div {attributes}>{inside}</div>"


ENTRY, OTHER = "<div class=entry>one two three</div>", "<div class=entry>four five six</div>"
ITEM = "<li class=comment>one two three</li>"
LIST = "<ul class=comments><li class=entry>one two three{}</ul>"
NAMED = 'class="comments no-reply-button"'
IN_FORM = f"<form>{section('one two three', 'class=comments')}</form>"
IN_RULES = section("<li class=comment-text>one two three</li>", "class=comment-rules")
RECENT = section("<li class=comment-item>one two three</li>", "id=recent-comments class=widget")
# labels of a block that the net scores as comments, on a page of HTML5 and one with JSON-LD
IN_SECTION, A_COMMENT, CONTROLS = (C, S), (C, C), (S, S)
PLACES = [
    (section("<p>one two three</p>"), IN_SECTION),
    (section(ENTRY, "class=comments"), IN_SECTION),
    (section(ENTRY + OTHER.replace("entry", "x")), IN_SECTION),
    (section("<p class=entry>one two three<p class=entry>four five six"), IN_SECTION),
    (section(ITEM), A_COMMENT),
    (section(ITEM, NAMED), A_COMMENT),
    (section(ENTRY + OTHER), A_COMMENT),
    (LIST.format("<li class=entry>four five six"), A_COMMENT),
    (section("<li class=comment><b class=comment-title>one two three</b>"), A_COMMENT),
    (LIST.format(""), A_COMMENT),
    (section("<form><p>one two three</p></form>"), CONTROLS),
    (section(IN_FORM), CONTROLS),
    (section("<h3 class=comments-title>one two three</h3>"), CONTROLS),
    (section("<li class=comment><div class=comment-report>one two three</div>"), CONTROLS),
    (section(IN_RULES), CONTROLS),
    (section("<div class=comment-body>one two three</div>", NAMED), CONTROLS),
    (RECENT, CONTROLS),
]


def scored_as_comments(blocks: int) -> Labeling:
    scores = np.zeros((blocks, len(Label)))
    scores[:, Label.COMMENTS], scores[:, Label.SUPPLEMENTAL] = 0.8, 0.2
    return Labeling.blank(blocks).set_predictions(np.zeros(blocks, np.int64), scores, "model")


HTML5 = "<!DOCTYPE html>"


@pytest.mark.parametrize(("box", "labels"), PLACES)
def test_places(box: str, labels: tuple[Label, Label]) -> None:
    for head, label in zip((HTML5, HTML5 + MODERN), labels, strict=True):
        page = page_of(f"{head}<body>{box}")
        assert OTHERS(page, scored_as_comments(len(page))).labels[0] == label


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
    assert OTHERS(page, scored_as_comments(4)).labels.tolist() == labels


def test_what_comments_decided_stays() -> None:
    box = f"<div id=comments><p class=comment-rules>{SAID}</p><li class=comment><p>{SAID}</div>"
    page = page_of(document(f"{TEXT}{box}"))
    scores = np.zeros((3, len(Label)))
    scores[:, F], scores[:, R], scores[:, C] = 0.9, 0.1, 0.1
    labeling = Labeling.blank(3).set_predictions(np.full(3, F, np.int64), scores, "model")
    for step in (CONTAINERS, OTHERS, NAMED_BOXES):
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
    assert NAMED_BOXES(page, labeling).labels.tolist() == [F, *labels]


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
    labeling = CONTAINERS(page, kept(page, [0.9] * len(page), *content))
    assert labeling.labels[content].tolist() == [F, label]


def test_a_heading_of_comments_that_is_content_is_boilerplate() -> None:
    below = f"<p>Comments</p><p>Ann</p><p>Bo</p><p>{SAID}</p><p>Contact us</p>"
    page = page_of(f"{HTML_4}<div>{TEXT}{below}</div>")
    labeling = kept(page, [0.9, 0.9, 0.9, 0.1, 0.9, 0.1], 0, 1, 2, 4)
    labeling = CONTAINERS(page, labeling)
    assert labeling.labels.tolist() == [F, B, C, B, C, B]


def test_a_number_of_comments_above_the_text_heads_none() -> None:
    for words in (10, 40):
        above = f"<p>{sentences(words, 'mast')}</p><p>Comments: 12</p>"
        page = page_of(f"{HTML_4}<div>{above}{TEXT}<p>{SAID}</p></div>")
        labeling = kept(page, [0.9] * len(page), 0, 2, 3)
        assert CONTAINERS(page, labeling) is labeling


SPOKEN = sentences(12, "boat")


def label_comments(page: Page, labeling: Labeling) -> Labeling:
    every = np.ones(len(page), dtype=np.bool_)
    return labeling.relabel(every, Label.COMMENTS, "all", keep_scores=True)


def find(html: str) -> tuple[Mapping[str, Any], ...]:
    steps: Any = (label_comments,)
    every = replace(EXTRACTORS["keep-everything"], steps=steps, finish=())
    return extract(html, extractor=every).comment_list


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
