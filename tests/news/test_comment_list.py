"""`Document.comment_list`: the comments of readers with author and date."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news.comment_list import Comment, list_comments
from scrapy_boilerplate.page.labels import Label, Labeling
from tests.builders import page_of, sentences

SAID = sentences(12, "boat")


def find(html: str) -> tuple[Comment, ...]:
    """The comments of a page whose blocks are all comments."""
    page = page_of(html)
    labeling = Labeling.blank(len(page))
    every = np.ones(len(page), dtype=np.bool_)
    return list_comments(page, labeling.choose(every, Label.COMMENTS, "all"))


MARKUP = {
    "WordPress": "<li class='comment even depth-1'><div class='comment-author vcard'>"
    "<cite class=fn>Ada Berg</cite> <span class=says>says:</span></div><div class=comment-meta>"
    "<a>May 5, 2023 at 8:30 am</a></div><p>{}</p></li>",
    "name and time in one line": "<div class=comment-item><div class=comment-author>"
    "<b>Ada Berg</b> <time datetime=2023-05-05T08:30:00>8 o'clock</time> <a>Answer</a> <a>Share"
    "</a></div><div class=comment-text><p>{}</p></div></div>",
    "name after the text": "<div class=comment-body><p>{}</p><p class=username>Ada Berg wrote</p>"
    "<time>2023-05-05T08:30:00</time></div>",
}


@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_author_and_date(markup: str) -> None:
    others = markup.replace("Ada Berg", "Bo").replace("05-05", "06-06").replace("May 5", "June 6")
    html = f"<section id=comments><ol>{markup.format(SAID)}{others.format('No.')}</ol></section>"
    assert find(html) == (
        {"author": "Ada Berg", "date": "2023-05-05T08:30:00", "text": SAID},
        {"author": "Bo", "date": "2023-06-06T08:30:00", "text": "No."},
    )


def test_an_answer_is_a_comment_of_its_own() -> None:
    answer = f"<ul><li class=comment><b class=author>Bo</b><p>{SAID}</p></li></ul>"
    html = f"<ol class=comments><li class=comment><b class=author>Ada</b><p>Yes.</p>{answer}</ol>"
    assert [(each["author"], each["text"]) for each in find(html)] == [
        ("Ada", "Yes."),
        ("Bo", SAID),
    ]


def test_paragraphs_of_a_comment_are_joined_and_blocks_without_items_are_not() -> None:
    comment = {"author": None, "date": None, "text": SAID}
    html = f"<ol class=comments><li class=comment><p>{SAID}</p><p>No.</p></li></ol>"
    assert find(html) == ({**comment, "text": f"{SAID}\n\nNo."},)
    html = f"<div class=comments><h3>15 comments</h3><p>{SAID}</p><p>{SAID}</p></div>"
    assert find(html) == (comment, comment)


def test_of_a_document() -> None:
    comments = MARKUP["WordPress"].format(SAID)
    article = f"<article><p>{sentences(90, 'ferry')}</p></article>"
    document = extract(f"{article}<ol id=comments class=comments>{comments}</ol>")
    assert [each["author"] for each in document.comment_list] == ["Ada Berg"]
    pickled = pickle.loads(pickle.dumps(document))  # noqa: S301 (our own bytes)
    assert pickled.comment_list == document.comment_list
    assert extract("").comment_list == ()
