"""Content in containers that are named like comments, dialogs, notes, captions and code."""

import numpy as np
import pytest

from scrapy_boilerplate import Label
from tests.builders import document, filler, page_of, paragraphs, sentences, step_of
from tests.news_models import all_kept, kept

B, H, F, S, R, C = Label
NAMED = step_of("news", "named-containers")
MODERN = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
TEXT = f"<div><p>{sentences(100, 'ferry')}</p></div>"
DECLARED = MODERN + TEXT
SAID = f"<p>{sentences(30, 'boat')}</p>"
LONG = f"<p>{sentences(500, 'boat')}</p>"
NOTE = "<p>We earn a commission when you buy.</p>"


def comments(text: str) -> str:
    return f"<div id=comments><li class=comment>{text}</div>"


def between(box: str) -> str:
    """The box between two paragraphs."""
    return f"<p>{sentences(50, 'ferry')}</p>{box}<p>{sentences(50, 'mast')}</p>"


COMMENTS = {
    "a comment": (DECLARED + comments(SAID), [F, C]),
    "rules": (f"{DECLARED}<div id=comments><div class=comment-rules>{SAID}</div>", [F, B]),
    "a login in a form": (f"{DECLARED}<div id=comments><form>{SAID}</form></div>", [F, B]),
    "a heading": (f"{DECLARED}<div id=comments><h2>one two three</h2></div>", [F, B]),
    "only in the section": (f"{DECLARED}<div id=comments>{SAID}</div>", [F, B]),
    "the same where nothing is declared": (f"{TEXT}<div id=comments>{SAID}</div>", [F, C]),
    "above 60 % of the words": (DECLARED + comments(LONG), [F, C]),
    "a paragraph below them": (DECLARED + comments(LONG) + SAID, [F, C, F]),
    "more of the text below them": (DECLARED + comments(LONG) + TEXT * 2, [F, F, F, F]),
    "few, above more of the text": (TEXT + comments(SAID) + TEXT * 2, [F, C, F, F]),
    "a word more above": (paragraphs(101) + comments(filler(350)) + paragraphs(100), [F, C, F]),
    "as many below": (paragraphs(100) + comments(filler(350)) + paragraphs(100), [F, F, F]),
    "the shortest text above": (paragraphs(20) + comments(filler(350)), [F, C]),
    "no text above": (paragraphs(19) + comments(filler(350)), [F, F]),
    "most of the content, above the rest": (f"<div class=comments>{LONG}</div>{TEXT}", [F, F]),
    "an opinion": (f"{TEXT}<div class=commentary>{SAID}</div>", [F, F]),
}
DIALOGS = {
    "an element": (f"{TEXT}<dialog>{SAID}</dialog>", [F, B]),
    "a role": (f"{TEXT}<div role=dialog>{SAID}</div>", [F, B]),
    "a class": (f"{TEXT}<div class=login-modal>{SAID}</div>", [F, B]),
    "a consent banner": (f"{TEXT}<div class=cookie-banner>{SAID}</div>", [F, B]),
    "a vendor": (f"{TEXT}<div id=onetrust-consent-sdk>{SAID}</div>", [F, B]),
    "a state of the page": (f"{TEXT}<div class=modal-open>{SAID}</div>", [F, F]),
    "another word": (f"{TEXT}<div class=multimodality>{SAID}</div>", [F, F]),
    "the article is in it": (f"{TEXT}<div class=modal>{LONG}</div>", [F, F]),
    "long rules": (f"{TEXT}<div class=cookie-modal>{LONG}</div>", [F, B]),
    "long rules and no article": (f"{paragraphs(9)}<div class=cookie-modal>{LONG}</div>", [F, F]),
    "a page in a box of a vendor": (
        f"<div id=onetrust-page>{TEXT}<div class=cookie-banner>{LONG}</div></div>",
        [F, B],
    ),
}
NOTES = {
    "disclaimer": (between(f"<div class=affiliate-disclaimer>{NOTE}</div>"), [F, B, F]),
    "a design": (between(f"<div class=design-updates>{NOTE}</div>"), [F, F, F]),
    "footnotes": (between("<ol class=footnotes><li>By boat.</ol>"), [F, B, F]),
    "only a short word": (between(f"<div class=author_bio>{NOTE}</div>"), [F, B, F]),
    "a label in an aside": (between("<aside><i class=ad>Advertisement</i></aside>"), [F, B, F]),
    "an adviser": (between(f"<div class=advertiser>{NOTE}</div>"), [F, F, F]),
    "the state of a page": (between(f"<div class=has-newsletter>{NOTE}</div>"), [F, F, F]),
    "a fifth of the content": (f"{TEXT}<div class=disclaimer>{paragraphs(20)}</div>", [F, B]),
    "much of the content": (f"{TEXT}<div class=disclaimer>{paragraphs(60)}</div>", [F, F]),
}
CAPTION = sentences(12, "mast")
CAPTIONS = {
    "figcaption": (between(f"<figure><figcaption>{CAPTION}</figcaption></figure>"), [F, S, F]),
    "by its class": (between(f"<div class=wp-caption-text>{CAPTION}</div>"), [F, S, F]),
    "a box of facts": (between(f"<aside class=fact-box><p>{CAPTION}</p></aside>"), [F, S, F]),
    "too much of the text": (between(f"<div class=caption>{paragraphs(60)}</div>"), [F, F, F]),
    "source to embed": (f"{TEXT}<textarea>{SAID}</textarea>", [F, B]),
    "source beside no article": (f"{paragraphs(5)}<textarea>{SAID}</textarea>", [F, F]),
}


@pytest.mark.parametrize("rows", [COMMENTS, DIALOGS, NOTES, CAPTIONS])
def test_content_in_named_containers(rows: dict[str, tuple[str, list[Label]]]) -> None:
    for kind, (body, labels) in rows.items():
        page = page_of(document(body))
        labeling = NAMED(page, all_kept(page))
        assert labeling.labels.tolist() == labels, kind
        np.testing.assert_array_equal(labeling.marked("left-out"), labeling.labels == B)


def test_what_is_no_content_stays() -> None:
    answer = "<p>Answer Ann or Bo</p>"
    page = page_of(document(DECLARED + comments(SAID + answer)))
    labeling = NAMED(page, kept(page, [0.9, 0.9, 0.1], 0, 1))
    assert labeling.labels.tolist() == [F, C, B]
    assert not labeling.marked("left-out").any()
    page = page_of(document(f"{TEXT}<div class=disclaimer>{NOTE}</div>"))
    labeling = kept(page, [0.9, 0.1], 0)
    assert NAMED(page, labeling) is labeling


def test_an_article_that_is_named_like_comments_has_the_headline() -> None:
    page = page_of(document(f"{TEXT}<div class=comments-page><h1>Rain in May</h1>{SAID}</div>"))
    labeling = kept(page, [0.9, 0.1, 0.9], 0, 2).relabel(np.array([1]), H, "test", keep_scores=True)
    assert NAMED(page, labeling).labels.tolist() == [F, H, F]
