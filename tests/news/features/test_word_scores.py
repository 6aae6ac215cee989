"""Learned word scores: which words count, and their sum."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.native import features
from scrapy_boilerplate.news.features import GROUPS, WordWeights
from tests.builders import document
from tests.news.features.columns import columns_of

MAX_SCORE = 8.0

WEIGHTS = WordWeights(
    first={"read": -2.0, "more": -1.0, "the": 0.5, "雨": 1.0},
    names={"story": 2.0, "nav": -3.0, "body": 1.0},
    comments={"comment": 4.0},
)


def scores(body: str, column: str) -> list[float]:
    return columns_of(document(body), WEIGHTS)[column]


WORDS = {
    "lower case": ("Read MORE", {"read", "more"}),
    "six words": ("a b c d e f g h", set("abcdef")),
    "words twice": ("more more more", {"more"}),
    "80 characters": (f"{'x' * 76} abcdefgh", {"x" * 76, "abc"}),
    "Chinese": ("更多新闻报道请看", set("更多新闻报道")),
    "Thai": ("อ่านต่อ", set("อ่านต่")),
    "Korean has spaces": ("더 보기", {"더", "보기"}),
}


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS.keys())
def test_first_words(text: str, expected: set[str]) -> None:
    start = text[: features.FIRST_CHARACTERS].lower()
    assert set(features.split_first_words(start)) == expected


def test_scores_of_first_words_add_up() -> None:
    assert scores("<p>Read more</p><p>The end</p><p>Unknown</p><p>雨。</p>", "first_words") == [
        -3,
        0.5,
        0,
        1,
    ]


def test_the_mean_around_is_of_the_same_parent() -> None:
    body = "<div><p>Read more</p><p>The end</p></div><div><p>More</p></div>"
    assert scores(body, "first_words_around") == pytest.approx([-1.25, -1.25, -1])


NAMES = {
    "class": ("<p class=story>x", 2),
    "both": ("<p class=story id=nav>x", -1),
    "parts of a name": ("<p class='main-story_body'>x", 3),
    "camel case": ("<p class='storyBody'>x", 3),
    "of the parent": ("<div class=story><p>x", 2),
    "all levels": ("<div class=story><div class=story><div class=story><p class=story>x", 8),
    "three above, no more": ("<div class=story><div><div><div><p>x", 0),
    "a longer word": ("<p class=storyline>x", 0),
    "a line break in the class": ("<p class='story\n body'>x", 3),
    "no more than MAX_SCORE": ("<div class=story><p class='story story story story'>x", MAX_SCORE),
    "no less than -MAX_SCORE": ("<div class=nav><p class='nav nav nav nav'>x", -MAX_SCORE),
}


@pytest.mark.parametrize(("html", "score"), NAMES.values(), ids=NAMES.keys())
def test_scores_of_names(html: str, score: float) -> None:
    assert scores(html, "names") == [score]


def test_comments_have_weights_of_their_own() -> None:
    body = "<div class='comment story'><p>x</p></div><p>y</p>"
    assert scores(body, "comment_names") == [4, 0]
    assert scores(body, "names") == [2, 0]


def test_no_weights_no_scores() -> None:
    columns = columns_of("<p class=story>Read more")
    assert [columns[name] for name in GROUPS["words"]] == [[0]] * 4
