"""The steps of `news` for the content: the threshold, a copy of the body, other articles."""

from dataclasses import replace
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import EXTRACTORS, Labeling
from tests.builders import HTML_4, document, page_of, paragraphs, sentences, step_of
from tests.news_models import after, kept, scored

THRESHOLD = step_of("news", "expected-f1")
COPIES_OUT = step_of("news", "repeated-body")
SEVERAL = step_of("news", "several-articles")
confidence = EXTRACTORS["news"].confidence

NEWS = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
GRAPH = '<meta property="og:title" content="Rain">'

THRESHOLDS = {
    # words of the blocks, scores, content
    "sure of some": ((20, 20, 20), (0.99, 0.01, 0.98), [0, 2]),
    "over the higher clip: always": ((900, 1), (1.0, 0.61), [0, 1]),
    "the higher clip itself": ((900, 1), (1.0, 0.6), [0, 1]),
    "under the lower clip: never": ((20, 900), (0.29, 0.29), []),
    "a long block of .4 beside little": ((5, 100), (0.9, 0.4), [0, 1]),
    "a long block of .4 beside much": ((500, 100), (0.99, 0.4), [0]),
    "short blocks of .55 beside much": ((500, 5, 5), (0.99, 0.55, 0.45), [0, 1]),
    "equal scores stay together": ((20, 20, 20), (0.5, 0.5, 0.5), [0, 1, 2]),
    "order does not matter": ((20, 20, 20), (0.01, 0.98, 0.99), [1, 2]),
}


@pytest.mark.parametrize(("words", "scores", "content"), THRESHOLDS.values(), ids=THRESHOLDS)
def test_threshold(words: tuple[int, ...], scores: tuple[float, ...], content: list[int]) -> None:
    page = page_of(document(NEWS + paragraphs(*words)))
    assert after(THRESHOLD, page, scored(page, scores)) == content


LENIENT_PAGES = {
    # HTML, whether the threshold is lower
    "modern": (document(paragraphs(500, 5, 5)), True),
    "modern news": (document(NEWS + paragraphs(500, 5, 5)), False),
    "old": (HTML_4 + paragraphs(500, 5, 5), False),
    "old, declared": (HTML_4 + GRAPH + paragraphs(500, 5, 5), True),
    "old, declared, news": (HTML_4 + NEWS + paragraphs(500, 5, 5), False),
}


@pytest.mark.parametrize(("html", "is_lenient"), LENIENT_PAGES.values(), ids=LENIENT_PAGES)
def test_a_page_of_today_that_is_no_news_has_a_lower_threshold(html: str, is_lenient: bool) -> None:
    page = page_of(html)
    labeling = scored(page, (0.99, 0.55, 0.45))  # of .55, and .44
    assert after(THRESHOLD, page, labeling) == [0, 1, 2][: 2 + is_lenient]
    assert after(replace(THRESHOLD, lenient_factor=0.9), page, labeling) == [0, 1]


def test_clips() -> None:
    for score, content in ((0.3, [0]), (0.29, [])):
        page = page_of(document(paragraphs(20)))
        assert after(THRESHOLD, page, scored(page, [score])) == content
    page = page_of(document(paragraphs(500, 20, 20)))
    labeling = scored(page, (0.99, 0.25, 0.05))
    assert after(replace(THRESHOLD, lowest=0.2, highest=0.2), page, labeling) == [0, 1]
    assert after(replace(THRESHOLD, lowest=0.0, highest=0.01), page, labeling) == [0, 1, 2]


WITHOUT_CLIPS = replace(THRESHOLD, lowest=0.0, highest=1.0, lenient_factor=1.0)
SCORES = st.lists(
    st.tuples(st.integers(1, 40), st.floats(0, 1).map(lambda score: round(score, 2))), max_size=6
)


@given(SCORES)
def test_without_clips_no_other_choice_of_blocks_promises_more(
    blocks: list[tuple[int, float]],
) -> None:
    page = page_of(document(paragraphs(*(words for words, _ in blocks))))
    labeling = scored(page, [score for _, score in blocks])
    promised = confidence(page, WITHOUT_CLIPS(page, labeling))
    for choice in product((False, True), repeat=len(blocks)):
        other = kept(page, [score for _, score in blocks], *np.flatnonzero(choice).tolist())
        assert confidence(page, other) <= promised + 1e-6


CONFIDENCE = {
    # words, scores, content, expected F1
    "sure": ((20, 30), (1.0, 1.0), (0, 1), 1.0),
    "one block": ((20,), (16 / 18,), (0,), 16 / 17),
    "one of two that are wanted": ((20, 20), (1.0, 1.0), (0,), 2 * 20 / (20 + 40)),
    "the wrong one": ((20, 20), (0.0, 1.0), (0,), 0.0),
    "mixed": ((10, 20), (0.9, 0.3), (0, 1), 2 * 15 / (30 + 15)),
    "no content": ((20, 20), (0.2, 0.1), (), 0.0),
    "scores of 0": ((20,), (0.0,), (0,), 0.0),
}


@pytest.mark.parametrize(("words", "scores", "content", "f1"), CONFIDENCE.values(), ids=CONFIDENCE)
def test_confidence(
    words: tuple[int, ...], scores: tuple[float, ...], content: tuple[int, ...], f1: float
) -> None:
    page = page_of(document(paragraphs(*words)))
    assert confidence(page, kept(page, scores, *content)) == pytest.approx(calibrate(f1))


def calibrate(f1: float) -> float:
    """The expected F1 of corpora left out: the odds to the power of .75, times 2.5."""
    odds = 2.5 * (f1 / (1 - f1)) ** 0.75 if f1 < 1 else inf
    return odds / (1 + odds) if odds < inf else 1.0


def test_blocks_without_a_word_count_as_one_and_are_worth_nothing() -> None:
    page = page_of("<p>|<p>—")
    assert after(THRESHOLD, page, scored(page, [0.9] * 2)) == [0, 1]
    assert confidence(page, kept(page, (1.0, 1.0), 0, 1)) == 0.0
    assert confidence(page_of(""), Labeling.blank(0)) == 0.0


def words_of(topic: str, words: int = 24) -> str:
    """A text of so many words, none of whose runs is in a text of another topic."""
    return " ".join(f"{topic}{number}" for number in range(words))


def body(*topics: str, words: int = 24) -> str:
    return "<div>" + "".join(f"<p>{words_of(topic, words)}</p>" for topic in topics) + "</div>"


def remaining(html: str, *content: int, step: Any = COPIES_OUT) -> list[int]:
    """The content after the step; all blocks are content before it, unless `content` says."""
    page = page_of(document(html))
    labeling = kept(page, [0.9] * len(page), *(content or range(len(page))))
    return after(step, page, labeling)


COPIES = {
    "the body twice": (body(*"abc") + body(*"abc"), [0, 1, 2]),
    "the longer one stays": (body("a", "b") + body(*"abc"), [2, 3, 4]),
    "a part of it": (body(*"abcd") + body("b"), [0, 1, 2, 3]),
    "twice under one parent": (f"<p>{words_of('a')}</p>" * 2, [0, 1]),
    "nothing twice": (body(*"ab") + body(*"cd"), [0, 1, 2, 3]),
    "new text beside the copy": (body(*"abc") + body("a", "b", "x"), [0, 1, 2, 5]),
    "joined in one block": (f"{body(*'abc')}<p>{words_of('a')} {words_of('b')}", [0, 1, 2]),
    "cut in small blocks": (f"{body(*'ab')}<p>{words_of('a', 12)}<p>{words_of('b', 12)}", [0, 1]),
    "Chinese": ("<div><p>这座桥在九个月的修理之后重新开放市长说很高兴</p></div>" * 2, [0]),
}


@pytest.mark.parametrize(("html", "content"), COPIES.values(), ids=COPIES)
def test_copies(html: str, content: list[int]) -> None:
    assert remaining(html) == content


def test_only_content_counts() -> None:
    html = body(*"abc") + body(*"abc")
    assert remaining(html, 0, 1, 2) == [0, 1, 2]
    assert remaining(html, 3, 4, 5) == [3, 4, 5]
    half = parts(words_of("a", 10), 100)
    assert remaining(half, step=replace(COPIES_OUT, min_part=0.0)) == [1]


def parts(first: str, words: int) -> str:
    """A text, and a longer one of so many words."""
    return f"<section><p>{first}</p></section><div><p>{words_of('a', words)}</p></div>"


PARTS_TWICE = {
    # a text that is repeated in part, words of the longer text, whether it stays
    "under a fifth of the words": (words_of("a", 19), 100, True),
    "a fifth": (words_of("a", 20), 100, False),
    "3 runs": (words_of("a", 6), 20, True),
    "4 runs": (words_of("a", 7), 20, False),
    "2 of 21 runs new": (f"{words_of('a', 22)} x y", 60, False),
    "3 of 21 runs new": (f"{words_of('a', 21)} x y z", 60, True),
}


@pytest.mark.parametrize(("first", "words", "stays"), PARTS_TWICE.values(), ids=PARTS_TWICE)
def test_what_makes_a_copy(first: str, words: int, stays: bool) -> None:
    assert remaining(parts(first, words)) == ([0, 1] if stays else [1])


FIRST, SECOND, THIRD = "Rain floods the market", "Bridge opens again", "Mayor goes on a journey"


def article(headline: str, *, byline: str = "<p>14:30</p>", words: int = 50, name: str = "") -> str:
    """A headline of the class `name`, a byline and a paragraph about the headline."""
    return f'<h1 class="{name}">{headline}</h1>{byline}<p>{sentences(words, headline)}</p>'


def stay(html: str, title: str = FIRST) -> list[str]:
    """The headlines whose paragraphs stay; all long blocks are content before the step."""
    page = page_of(document(html, title))
    content = [block for block, words in enumerate(page.words.tolist()) if words > 20]
    kept_texts = [
        page.texts[block] for block in after(SEVERAL, page, kept(page, [0.9] * len(page), *content))
    ]
    return [known for known in (FIRST, SECOND, THIRD) if any(known in text for text in kept_texts)]


BEFORE = article(FIRST, name="t")
BOTH = BEFORE + article(SECOND, name="t")
AGAIN = BEFORE.replace("The", "So the")
FAR = BEFORE + "<p>x</p>" * 4  # the byline is too far away for the next headline
SECOND_UNSIGNED = article(SECOND, name="t", byline="")
PAGES = {
    # html, title, headlines whose text stays
    "the first by title": (BOTH, FIRST, [FIRST]),
    "the second by title": (BOTH, SECOND, [SECOND]),
    "title cut": (BOTH, "Bridge opens", [SECOND]),
    "parts of one article if the title names neither": (BOTH, "The Courier", [FIRST, SECOND]),
    "one of three": (BOTH + article(THIRD, name="t"), SECOND, [SECOND]),
    "no byline under the second": (FAR + SECOND_UNSIGNED, FIRST, [FIRST, SECOND]),
    "another class": (BEFORE + article(SECOND, name="u"), FIRST, [FIRST, SECOND]),
    "the same headline": (BEFORE + AGAIN, FIRST, [FIRST]),
    "h2": (BEFORE + article(SECOND, name="t").replace("h1", "h2"), FIRST, [FIRST, SECOND]),
}


@pytest.mark.parametrize(("html", "title", "headlines"), PAGES.values(), ids=PAGES)
def test_which_articles_stay(html: str, title: str, headlines: list[str]) -> None:
    assert stay(html, title) == headlines


BYLINES = {
    "<p>Ann Lee</p>": False,
    "<p class=post-date>today</p>": True,
    "<p class=postDate>yesterday</p>": True,
    "<p class='update candidate-list'>Ann Lee</p>": False,
    "<p class=post-author>Ann Lee</p>": True,
    "<p class=author></p>": False,
    "<p>14.30 Uhr</p>": True,
    "<p>14h30</p>": True,
    "<p>21.11.2026</p>": True,
    "<p>Nov 21, 2026</p>": True,
    "<p>11月21日</p>": True,
    "<p>v1984x</p>": False,
    f"<p>{sentences(21, 'ferry')} 14:30</p>": False,
}


@pytest.mark.parametrize("byline", BYLINES)
def test_what_a_byline_is(byline: str) -> None:
    html = FAR + article(SECOND, name="t", byline=byline)
    assert stay(html) == ([FIRST] if BYLINES[byline] else [FIRST, SECOND])


@pytest.mark.parametrize(
    ("before", "after_it", "is_article"),
    [(3, None, True), (4, None, False), (None, 6, True), (None, 7, False)],
)
def test_how_near_a_byline_is(before: int | None, after_it: int | None, is_article: bool) -> None:
    date = "<p>14:30</p>"
    above = date + "<p>x</p>" * (before - 1) if before else "<p>x</p>"
    below = "<p>x</p>" * (after_it - 1) + date if after_it else ""
    text = f"<h1 class=t>{SECOND}</h1>{below}<p>{sentences(50, SECOND)}</p>"
    assert stay(FAR + above + text) == ([FIRST] if is_article else [FIRST, SECOND])


@pytest.mark.parametrize(("words", "is_article"), [(39, False), (40, True)])
def test_how_much_text_makes_an_article(words: int, is_article: bool) -> None:
    text = "one " * words
    html = f"{BEFORE}<h1 class=t>{SECOND}</h1><p>14:30</p><p>{text}</p>"
    page = page_of(document(html, FIRST))
    content = [2, len(page) - 1]
    left = after(SEVERAL, page, kept(page, [0.9] * len(page), *content))
    assert left == (content[:1] if is_article else content)


def test_what_stands_before_all_headlines_stays() -> None:
    intro = f"<p>{sentences(30, THIRD)}</p>"
    assert stay(intro + BOTH, FIRST) == [FIRST, THIRD]
    assert stay(intro + BOTH, SECOND) == [SECOND, THIRD]
