"""The labels beside full text, one headline, and what happens where the model finds nothing."""

from collections.abc import Mapping

import numpy as np
import pytest

from scrapy_boilerplate import Label, Labeling
from tests.builders import (
    HTML_4,
    document,
    filler,
    labelled,
    page_of,
    paragraphs,
    run,
    sentences,
    step_of,
    true_at,
)
from tests.news_models import all_kept, kept, scored

B, H, F, S, R, C = Label
OTHERS = step_of("news", "best-other-labels")
NAMED = step_of("news", "named-boilerplate")
RULES = step_of("news", "otherwise-by-rules")


def with_scores(*rows: Mapping[Label, float], content: tuple[int, ...] = ()) -> Labeling:
    """A labeling with these scores; boilerplate gets the rest of a row."""
    scores = np.zeros((len(rows), len(Label)))
    for block, row in enumerate(rows):
        for label, score in row.items():
            scores[block, label] = score
        scores[block, Label.BOILERPLATE] += 1 - sum(row.values())
    blank = Labeling.blank(len(rows))
    labeling = blank.set_predictions(blank.labels, scores, "model")
    return labeling.relabel(np.array(content, np.int64), Label.FULL_TEXT, "test", keep_scores=True)


def relabel(body: str, *rows: Mapping[Label, float], content: tuple[int, ...] = ()) -> list[Label]:
    """The labels after `best-other-labels` of the blocks of a body with these scores."""
    page = page_of(document(body))
    labeling = OTHERS(page, with_scores(*rows, content=content))
    return [Label(label) for label in labeling.labels]


MODERN = '<meta property="og:type" content="article">'
LABELS = {
    # scores, content, labels
    "the best of the others": ([{S: 0.8}, {R: 0.7}, {C: 0.6}, {}], (), [S, R, C, B]),
    "full text that was not kept": ([{F: 0.9, C: 0.08}], (), [C]),
    "equal scores: the lower code": ([{S: 0.4, C: 0.4, B: 0.2}], (), [S]),
    "the best headline of several": ([{H: 0.8}, {H: 0.9}], (), [B, H]),
    "the first of equals": ([{H: 0.9}, {H: 0.9}], (), [H, B]),
    "a weak headline is better than none": ([{H: 0.1}, {H: 0.05}], (), [H, B]),
    "but not a weaker one": ([{H: 0.09}, {H: 0.05}], (), [B, B]),
    "no headline where all is content": ([{H: 0.9}, {H: 0.9}], (0, 1), [F, F]),
    "the others that look like it": ([{H: 0.9}, {H: 0.6, S: 0.3}], (), [H, S]),
}


@pytest.mark.parametrize(("rows", "content", "labels"), LABELS.values(), ids=LABELS)
def test_labels(
    rows: list[dict[Label, float]], content: tuple[int, ...], labels: list[Label]
) -> None:
    blocks = paragraphs(*[3] * len(rows))
    body = f"{MODERN}<div class=comment-text>{blocks}</div>"
    assert relabel(body, *rows, content=content) == labels


LINE, FULL = {F: 0.6, H: 0.4}, {F: 1.0}
HEADLINES = {
    # words of the first block, scores, content, labels
    "a second line below": (3, [{H: 0.9}, {H: 0.6, S: 0.3}], (), [H, H]),
    "with the least score": (3, [{H: 0.9}, {S: 0.5, H: 0.5}], (), [H, H]),
    "but not above": (3, [{H: 0.8}, {H: 0.9}, {H: 0.55}], (), [B, H, H]),
    "nor with a low score": (3, [{H: 0.9}, {H: 0.4}], (), [H, B]),
    "the first line of the text": (25, [LINE, FULL, FULL], (0, 1, 2), [H, F, F]),
    "of many words": (26, [LINE, FULL, FULL], (0, 1, 2), [F, F, F]),
    "below a paragraph": (26, [FULL, LINE, FULL], (0, 1, 2), [F, F, F]),
    "first line, least score": (3, [{F: 0.7, H: 0.3}, FULL, FULL], (0, 1, 2), [H, F, F]),
    "instead of another": (3, [{H: 0.2}, LINE, FULL, FULL], (1, 2, 3), [B, H, F, F]),
    "below a better one": (3, [{H: 0.9}, LINE, FULL, FULL], (1, 2, 3), [H, H, F, F]),
    "the third line": (3, [FULL, FULL, LINE], (0, 1, 2), [F, F, F]),
    "all the text": (3, [LINE, FULL], (0, 1), [F, F]),
}


@pytest.mark.parametrize(("words", "rows", "content", "labels"), HEADLINES.values(), ids=HEADLINES)
def test_headlines_on_pages_that_are_not_declared(
    words: int, rows: list[dict[Label, float]], content: tuple[int, ...], labels: list[Label]
) -> None:
    blocks = paragraphs(words, *[3] * (len(rows) - 1))
    assert relabel(blocks, *rows, content=content) == labels


TRAIL = "<nav><ol><li>News<li><h1>Rain in May</h1></ol></nav>"
BREADCRUMBS = {
    # body, scores for the headline, the block that is it
    "a heading below": (f"{TRAIL}<h2>May has rain", (0, 0.9, 0.6), 2),
    "with less": (f"{TRAIL}<h2>May has rain", (0, 0.9, 0.49), 1),
    "with half of its words": (f"{TRAIL}<h2>Why May has rain", (0, 0.9, 0.6), 2),
    "with fewer": (f"{TRAIL}<h2>Why May has so much rain", (0, 0.9, 0.6), 1),
    "an h1 of other words": (f"{TRAIL}<h1>Wet weeks", (0, 0.9, 0.6), 2),
    "the first of equals": (f"{TRAIL}<h2>Rain</h2><h2>May has rain", (0, 0.9, 0.6, 0.6), 2),
    "no heading": (f"{TRAIL}<p>May has rain", (0, 0.9, 0.8), 1),
    "a heading above": (f"<h2>May has rain</h2>{TRAIL}", (0.8, 0, 0.9), 2),
    "a heading in another": (f"{TRAIL}<nav><h2>May has rain</h2></nav>", (0, 0.9, 0.8), 1),
    "by its class": ("<div class=BreadCrumbs><p>Rain in May</div><h2>Rain", (0.9, 0.6), 1),
    "another name": ("<div class=bread><p>Rain in May</div><h2>Rain", (0.9, 0.6), 0),
}


@pytest.mark.parametrize(("body", "scores", "block"), BREADCRUMBS.values(), ids=BREADCRUMBS)
def test_the_title_in_a_breadcrumb_is_not_the_headline(
    body: str, scores: tuple[float, ...], block: int
) -> None:
    labels = relabel(f"{MODERN}{body}", *({H: score} for score in scores))
    assert labels == [H if n == block else B for n in range(len(scores))]


@pytest.mark.parametrize(("label", "few", "enough"), [(C, 2, 3), (S, 2, 3), (R, 1, 2)])
def test_blocks_of_few_words_are_buttons(label: Label, few: int, enough: int) -> None:
    body = f"<div class=comment-text>{paragraphs(few, enough)}</div>"
    assert relabel(MODERN + body, {label: 0.9}, {label: 0.9}) == [B, label]
    page = page_of(HTML_4 + paragraphs(1, 2))
    labeling = OTHERS(page, with_scores({label: 0.95}, {label: 0.95}))
    assert labeling.labels.tolist() == [B if label is R else label, label]


WEIGHED = {
    "comments need more": ({C: 0.7}, "side", B),
    "but not in a container named so": ({C: 0.3}, "comments", C),
    "supplemental text needs more": ({S: 0.6}, "side", B),
    "links need less": ({R: 0.3}, "side", R),
    "and next to nothing in a container named so": ({R: 0.03}, "related", R),
}


@pytest.mark.parametrize(("scores", "name", "label"), WEIGHED.values(), ids=WEIGHED)
def test_scores_weigh_on_pages_that_are_not_declared(
    scores: dict[Label, float], name: str, label: Label
) -> None:
    assert relabel(f"<div class={name}><p>one two three</p></div>", scores) == [label]


@pytest.mark.parametrize(
    ("name", "label", "supplemental"), [("related", R, [4]), ("comment-text", C, [3, 4])]
)
def test_boilerplate_in_a_named_container(name: str, label: Label, supplemental: list[int]) -> None:
    """In comments supplemental text, too; by names alone no links on other pages."""
    box = f"<div class={name}><p>{'one ' * 12}</p><p>{'two ' * 12}</p></div>"
    page = page_of(document(f"{MODERN}{BODY}{box}{BODY}<p>three"))
    labeling = kept(page, [0.9] * 3 + [0.0] * 2 + [0.9] * 3 + [0.0], 0, 1, 2, 5, 6, 7)
    labeling.scores[3:5, C] = 0.1
    assert labelled(NAMED(page, labeling), label) == [3, 4]
    for other, expected in ((S, supplemental), (F, [4])):
        decided = labeling.relabel(np.array([3]), other, "test", keep_scores=True)
        assert labelled(NAMED(page, decided), label) == expected
    left_out = labeling.mark("left-out", np.arange(len(page)) == 3)
    assert labelled(NAMED(page, left_out), label) == [4]
    page = page_of(document(f"{BODY}{box}{BODY}<p>three"))
    named = labelled(NAMED(page, labeling), label)
    assert named == ([] if label is R else [3, 4])


LINKS = "<p><a href=/a>Rain in May</a><p>Jane Doe<p><a href=/b>Snow in June</a>"
RELATED_BOXES = {
    "a heading of its own": (f"<div class=related><p>Read this, too{LINKS}</div>", [B, R, R, R]),
    "of each box": (
        f"<div class=related><p>A</div><div class=related><p>B{LINKS}</div>",
        [B, B, R, R, R],
    ),
    "of eight words": (f"<div class=related><p>{filler(8)}{LINKS}</div>", [B, R, R, R]),
    "of nine": (f"<div class=related><p>{filler(9)}{LINKS}</div>", [R, R, R, R]),
    "a link": (f"<div class=related>{LINKS}</div>", [R, R, R]),
    "the rest of a box": (f"<div class=related>{LINKS}<p>Read this</div>", [R, R, R, R]),
}


@pytest.mark.parametrize(("box", "labels"), RELATED_BOXES.values(), ids=RELATED_BOXES)
def test_the_heading_of_related_links_is_none_of_them(box: str, labels: list[Label]) -> None:
    page = page_of(document(f"{MODERN}{BODY}{box}"))
    labeling = kept(page, [0.9] * 3 + [0.0] * len(labels), 0, 1, 2)
    assert NAMED(page, labeling).labels.tolist()[3:] == labels


OTHER_CAPTIONS = {
    "of a figure": ("<figure><figcaption>Rain in May</figcaption></figure>", S),
    "a part of it": ("<figcaption><p>Rain in May<p>Two</figcaption>", S),
    "of two words": ("<figcaption>Rain today</figcaption>", B),
    "a link": ("<figcaption><a href=/>Rain in May</a></figcaption>", B),
    "of a comment": ("<li class=comment-text><figcaption>A wet day in May</figcaption></li>", C),
    "of a related link": ("<div class=related><figcaption>Rain in May</figcaption></div>", B),
    "another element": ("<div class=caption>Rain in May</div>", B),
}


@pytest.mark.parametrize(("box", "label"), OTHER_CAPTIONS.values(), ids=OTHER_CAPTIONS)
def test_captions_that_read_like_boilerplate(box: str, label: Label) -> None:
    page = page_of(document(f"{MODERN}{BODY}{box}"))
    labeling = kept(page, [0.9] * 3 + [0.0] * (len(page) - 3), 0, 1, 2)
    labeling.scores[3, C] = 0.1
    assert NAMED(page, labeling).labels[3] == label
    left_out = labeling.mark("left-out", np.arange(len(page)) == 3)
    assert NAMED(page, left_out).labels[3] == B


TITLED = {
    "says the title": (f"<h2>Ferry runs</h2><p>{sentences(60, 'ferry')}</p>", [H, F]),
    "says something else": (f"<h2>Day one</h2><p>{sentences(60, 'ferry')}</p>", [F, F]),
    "is all the content": ("<h2>Ferry runs</h2>", [F]),
}


@pytest.mark.parametrize(("body", "labels"), TITLED.values(), ids=TITLED)
def test_a_leading_heading_of_the_content(body: str, labels: list[Label]) -> None:
    page = page_of(document(body, title="Ferry runs"))
    assert OTHERS(page, all_kept(page)).labels.tolist() == labels


BODY = "<div>" + "".join(f"<p>{sentences(40, topic)}</p>" for topic in "abc") + "</div>"


def test_a_copy_of_the_body_gets_no_other_label() -> None:
    """Neither comments nor supplemental text: the document has it already."""
    page = page_of(document(BODY + BODY))
    labeling = with_scores(*[{F: 0.9, C: 0.06, S: 0.03, B: 0.0}] * 6, content=tuple(range(6)))
    result = run(page, labeling, step_of("news", "repeated-body"), OTHERS)
    assert result.labels.tolist() == [F, F, F, B, B, B]
    assert result.decided_by.tolist()[3:] == ["repeated-body"] * 3


def test_another_article_gives_neither_headline_nor_other_labels() -> None:
    titles = "Rain in May", "Snow in June"
    parts = (f"<h1 class=t>{one}</h1><p>14:30</p><p>{sentences(50, one)}</p>" for one in titles)
    page = page_of(document("".join(parts), titles[0]))
    article: tuple[dict[Label, float], ...] = ({H: 0.5}, {}, {F: 0.9, S: 0.08})
    other: tuple[dict[Label, float], ...] = ({H: 0.9}, {}, {F: 0.9, S: 0.08})
    labeling = with_scores(*article, *other, content=(2, 5))
    result = run(page, labeling, step_of("news", "several-articles"), OTHERS)
    assert result.labels.tolist() == [H, B, F, B, B, B]


ARTICLE = document(f"<ul><li><a href=/>Home</a></ul><h1>Rain</h1>{BODY}<p>Rights", "Rain")


def test_where_the_model_finds_nothing_the_rules_decide() -> None:
    page = page_of(ARTICLE)
    labeling = scored(page, [0.01, 0.02, 0.2, 0.29, 0.2, 0.01])
    result = RULES(page, labeling)
    assert true_at(result.content) == [2, 3, 4]
    assert set(result.decided_by[2:5]) == {"otherwise-by-rules"}
    assert result.decided_by[0] == "model"
    np.testing.assert_array_equal(result.scores, labeling.scores)
    labeling = kept(page, [0.01] * 6, 5)
    assert RULES(page, labeling) is labeling, "the model finds something"


SOURCES = {
    "a textarea": f"<textarea>{sentences(90, 'ferry')}</textarea>",
    "a template": f"<template><p>{{{{#each items}}}} {sentences(60, 'ferry')} {{{{/each}}}}",
    "markup": f"<p>&lt;p class='x'>{sentences(60, 'ferry')}&lt;/p>",
    "a script": f"<p>function show() {{ return '{sentences(60, 'ferry')}'; }}",
}


@pytest.mark.parametrize("box", SOURCES.values(), ids=SOURCES)
def test_source_code_is_no_article(box: str) -> None:
    page = page_of(document(box))
    assert not RULES(page, scored(page, [0.1] * len(page))).content.any()


def test_captions_are_the_text_where_there_is_no_other() -> None:
    for words, content in ((30, [0, 1]), (2, [])):
        caption = f"<figure><figcaption>{filler(words)}</figcaption></figure>"
        page = page_of(document(f"{caption * 2}<nav><a href=/>Home</a></nav>"))
        assert true_at(RULES(page, scored(page, [0.1] * len(page))).content) == content


BYLINES = {
    "By and a name": ("By Jane Doe", S),
    "two names, a role, a date": ("Von Anna Blum und Al Poe, Reporter, 1. Mai 2024", S),
    "a sentence": ("By Monday all ferries had returned.", F),
    "no names": ("By the sea", F),
    "more than a name": ("By Jane Doe ferries were never thought of as ships", F),
    "a date": ("3 February 2026", S),
    "a date, a time, an author": ("Published 3 February 2026, 2:20 p.m. by Jane van Doe", S),
    "in German": ("Veröffentlicht am 3. Februar 2026 um 14:20 Uhr von Jane Doe", S),
    "in Chinese": ("2026年02月03日14:20 新聞", S),
    "a sentence after a date": ("On 3 February 2026 the council met again at the harbour", F),
    "a short one": ("3 FEBRUARY 2026, LONDON — Ferries.", F),
    "a sentence in Chinese": ("2026年2月3日，市議會再次開會", F),
    "the start of a sentence": ("LONDON, 3 February 2026 /Agency/ --", F),
    "a cry": ("Ferry closed 3 May 2024！", F),
    "many words": ("The second ferry disaster, 3 May 2024", F),
}


@pytest.mark.parametrize(("line", "label"), BYLINES.values(), ids=BYLINES)
def test_a_byline_or_dateline_is_no_line_of_the_text(line: str, label: Label) -> None:
    page = page_of(document(f"<p>{line}</p>{BODY}"))
    labeling = OTHERS(page, all_kept(page))
    assert labeling.labels.tolist() == [label, F, F, F]


OVER = f"<p>{sentences(30, 'ferry')}</p>"
PLACES = {
    # HTML, labels of its lines with bylines and datelines
    "over the shortest text": (f"<p>By Jane Doe</p><p>{filler(20)}</p>", [S]),
    "over a shorter one": (f"<p>By Jane Doe</p><p>{filler(19)}</p>", [F]),
    "the second line": (f"{OVER}<p>By Jane Doe</p>{BODY}", [S]),
    "a heading": (f"<h2>By Jane Doe</h2>{BODY}", [F]),
    "further below": (f"{BODY}<p>By Jane Doe</p>", [F]),
    "byline and dateline": (f"<p>By Jane Doe</p><p>3 May 2024</p>{BODY}", [S, S]),
    "a dateline as heading": (f"<h2>3 May 2024</h2>{BODY}", [F]),
    "a dateline further below": (f"{BODY}<p>3 May 2024</p>", [F]),
    "of a list": (f"<p>3 May 2024</p>{BODY}<p>2 May 2024</p>", [F, F]),
    "a byline over a list": (
        f"<p>By Jane Doe</p><p>3 May 2024</p>{BODY}<p>2 May 2024</p>",
        [S, F, F],
    ),
}


@pytest.mark.parametrize(("body", "labels"), PLACES.values(), ids=PLACES)
def test_where_bylines_and_datelines_are(body: str, labels: list[Label]) -> None:
    page = page_of(document(body))
    labeling = OTHERS(page, all_kept(page))
    lines = [block for block, text in enumerate(page.texts) if text.endswith(("Doe", "2024"))]
    assert labeling.labels[lines].tolist() == labels


def test_the_heading_over_comments_is_none() -> None:
    body = "<section class=comments><h2>Comments</h2><p>one two three</section>"
    assert relabel(body, {C: 0.2}, {C: 0.2}) == [B, C]
