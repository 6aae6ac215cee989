"""Features of the words and characters of a block, of names, and of similar texts."""

from __future__ import annotations

from math import log

import pytest

from scrapy_boilerplate.native.features import classify_characters
from scrapy_boilerplate.news.features import GROUPS, WordWeights
from scrapy_boilerplate.steps.titles import find_title_block
from tests.builders import document, filler, page_of
from tests.news.features.columns import LOG_OF_1, check, columns_of, log1p

LETTERS = "l Udscq/%"
"""A letter for each kind of character: space, letter, upper case, digit, stop, comma, ..."""
SAMPLES = {
    "English": ("Rain, 3 mm.", "Ulllc d lls"),
    "Chinese": ("雨\uff0c3毫米。“好”、", "lcdllsqlqc"),
    "Thai": ("ฝน ๓ มม น้ำที่", "ll d ll llllll"),
    "Arabic": ("مَطَر، ٣؟ ۔؛", "lllllc ds sc"),
    "Greek": ("Βροχή; «Ναι»\u037e", "Ullllc qUllqs"),
    "Hindi": ("बारिश, ३ मिमी।", "lllllc d lllls"),
    "full width": ("\uff01\uff1f\uff1a\uff1b\uff0c\uff5c", "ss/cc/"),
    "no letters": ("\u00a0\u200d€%©— \uffff\U0001f600", "  %%%/   "),
}


def test_kinds_of_characters() -> None:
    of_characters = classify_characters()
    for language, (text, expected) in SAMPLES.items():
        kinds = "".join(LETTERS[of_characters[ord(character)]] for character in text)
        assert kinds == expected, language


def test_columns_of_a_page() -> None:
    body = "<p>Rain, rain. <a href=/x>More</a></p><p>“12 %” | 3/4:</p><p>" + "One " * 12 + "</p>"
    check(
        columns_of(document(body)),
        {
            "words": log1p(3, 2, 12),
            "unlinked_words": log1p(2, 2, 12),
            "link_density": [1 / 3, 0, 0],
            "characters": log1p(16, 13, 47),
            "word_length": [14 / 3 / 10, 10 / 2 / 10, 36 / 12 / 10],
            "upper": [2 / 14, 0, 12 / 36],
            "digits": [0, 4 / 10, 0],
            "stops": [1 / 3, 0, 0],
            "commas": [1 / 3, 0, 0],
            "quotes": [0, 2 / 2, 0],
            "separators": [0, 3 / 2, 0],
            "symbols": [0, 1 / 10, 0],
            "n_stops": [LOG_OF_1, 0, 0],
            "n_commas": [LOG_OF_1, 0, 0],
            "ends_sentence": [0, 0, 0],
            "ends_separator": [0, 1, 0],
            "starts_upper": [1, 0, 1],
            "starts_digit": [0, 0, 0],
            "starts_quote": [0, 1, 0],
            "good": [0, 0, 1],
        },
    )
    table = columns_of("<p>3 of us came.</p><p>是。</p><p>क्या?</p>")
    check(table, {"starts_digit": [1, 0, 0], "ends_sentence": [1, 1, 1]})


DESCRIPTION = "The bridge over the river opens again after nine months of repair, the mayor says."
DESCRIBED = {
    # description, texts, column, values
    "in it": (
        DESCRIPTION,
        ("The bridge over the river opens", "The bridge", "Nine months of no repair"),
        ("in_description", [1, 0, 0]),
    ),
    "its start": (
        DESCRIPTION,
        (f"Our town: {DESCRIPTION}", DESCRIPTION[:40], "The bridge opens again"),
        ("holds_description", [1, 0, 0]),
    ),
    "too short": ("The bridge", ("The bridge over the river",), ("holds_description", [0])),
    "too short to hold": ("The bridge", ("The bridge",), ("in_description", [0])),
}


@pytest.mark.parametrize(("description", "texts", "expected"), DESCRIBED.values(), ids=DESCRIBED)
def test_the_description(
    description: str, texts: tuple[str, ...], expected: tuple[str, list[float]]
) -> None:
    body = "".join(f"<p>{text}</p>" for text in texts)
    table = columns_of(f'<html><head><meta name="description" content="{description}">{body}')
    assert table[expected[0]] == expected[1]


def test_texts_in_the_title_and_texts_that_start_alike() -> None:
    html = document("<h1>Rain in May</h1><p>RAIN</p><p>in</p><p>Snow in May</p>", "Rain in May | X")
    check(columns_of(html), {"in_title": [11 / 15, 4 / 15, 0, 0]})
    long = "Read more of what the mayor says about the bridge over the river"
    body = f"<p>{long} today</p><p>More</p><p>{long.upper()}</p><p>more</p><p>{long}</p>"
    alike = {"same_start": log1p(2, 1, 2, 1, 2), "repeated": [0, 0, 1, 1, 1]}
    check(columns_of(document(body)), alike)


TITLES = {
    "none": ("<p>Snow</p>", "Rain in May", -1),
    "no title and no h1": ("<p>Snow</p>", "", -1),
    "the h1 where nothing matches": ("<p>Snow</p><h1>Hail</h1>", "Rain in May", 1),
    "the first of equals": ("<p>Rain in May</p><p>Rain in May</p>", "Rain in May", 0),
    "a heading before others": ("<p>Rain in May</p><h2>Rain in May</h2>", "Rain in May", 1),
    "a shorter heading": ("<p>Rain in May</p><h1>Rain in</h1>", "Rain in May", 1),
    "the longer one": ("<p>Rain in</p><p>Rain in May</p>", "Rain in May", 1),
    "h3 is no heading of an article": ("<p>Rain in May</p><h3>Rain in May</h3>", "Rain in May", 0),
    "too little of the title": ("<p>Rain</p>", "Rain in May and June", -1),
    "two fifths of the title": ("<p>Rain in </p><p>Rain in ju</p>", "Rain in July and August", 1),
    "it may hold the title": ("<p>X: Rain in May</p>", "Rain in May", 0),
    "but not in twice the characters": ("<p>What we know of Rain in May</p>", "Rain in May", -1),
    "three characters": ("<p>Mai</p>", "Mai", -1),
}


@pytest.mark.parametrize(("body", "title", "block"), TITLES.values(), ids=TITLES)
def test_title_block(body: str, title: str, block: int) -> None:
    page = page_of(document(body, title))
    assert find_title_block(page) == block
    is_title = columns_of(document(body, title))["is_title"]
    assert is_title == [float(number == block) for number in range(len(page))]


def test_words_of_title_and_description_count_by_their_rarity() -> None:
    page = (
        "<title>FLOODS in the harbour</title><meta name=description content='Again floods'>"
        "<p>Floods reach the harbour</p><p>Floods again</p>"
    )
    floods, others = log(3 / 2), log(3)
    rarity = [floods + 2 * others, floods + others]
    titles = [(floods + others) / rarity[0], floods / rarity[1]]
    check(
        columns_of(page),
        {
            "topic_title": titles,
            "topic_description": [floods / rarity[0], 1.0],
            "topic_title_words": log1p(2, 1),
            "topic_of_title": [1.0, 0.5],
            "topic_rarity": log1p(*rarity),
            "topic_title_around": [sum(titles) / 5] * 2,
        },
    )


def test_main_text_is_compared_without_the_block_itself() -> None:
    words = filler(30)
    columns = columns_of(document(f"<div><p>{words}</p><p>{words}</p></div><p>unheard</p>"))
    check(columns, {"topic_main": [1.0, 1.0, 0.0], "topic_common": [log(2), log(2), 0.0]})


@pytest.mark.parametrize(
    ("title", "text", "words"),
    [
        ("汉字新闻", "新闻", 2),
        ("Наводнение", "НАВОДНЕНИЕ", 1),
        ("The sea", "the sea", 0),
        ("\U0001f30a wave", "wave", 1),
    ],
)
def test_words_of_the_title_in_any_script(title: str, text: str, words: int) -> None:
    columns = columns_of(document(f"<p>{text}</p>", title))
    assert columns["topic_title_words"] == pytest.approx(log1p(words))


MAX_SCORE = 8.0
WEIGHTS = WordWeights(
    first={"read": -2.0, "more": -1.0, "the": 0.5, "雨": 1.0, "ต่": 4.0, "보기": 4.0, "abc": 3.0},
    names={"story": 2.0, "nav": -3.0, "body": 1.0},
    comments={"comment": 4.0},
)


def scores(body: str, column: str) -> list[float]:
    return columns_of(document(body), WEIGHTS)[column]


WORDS = {
    "lower case": ("Read MORE", -3),
    "six words": ("a b c d read more read the", -3),
    "words twice": ("more more more", -1),
    "unknown": ("unknown", 0),
    "80 characters": (f"{'x' * 76} abcdefgh", 3),
    "Chinese": ("更多新闻报雨", 1),
    "a seventh character": ("更多新闻报道雨", 0),
    "Korean has spaces": ("더 보기", 4),
}


@pytest.mark.parametrize(("text", "score"), WORDS.values(), ids=WORDS)
def test_scores_of_first_words_add_up(text: str, score: float) -> None:
    assert scores(f"<p>{text}</p>", "first_words") == [score]


def test_the_mean_around_is_of_the_same_parent() -> None:
    body = "<div><p>Read more</p><p>The end</p></div><div><p>More</p></div>"
    assert scores(body, "first_words_around") == pytest.approx([-1.25, -1.25, -1])


NAMES = {
    "class and id": ("<p class=story id=nav>x", -1),
    "parts of a name": ("<p class='main-story_body'>x", 3),
    "camel case": ("<p class='storyBody'>x", 3),
    "all levels": ("<div class=story><div class=story><div class=story><p class=story>x", 8),
    "three above, no more": ("<div class=story><div><div><div><p>x", 0),
    "a longer word": ("<p class=storyline>x", 0),
    "no more than MAX_SCORE": ("<div class=story><p class='story story story story'>x", MAX_SCORE),
    "no less than -MAX_SCORE": ("<div class=nav><p class='nav nav nav nav'>x", -MAX_SCORE),
}


@pytest.mark.parametrize(("html", "score"), NAMES.values(), ids=NAMES)
def test_scores_of_names(html: str, score: float) -> None:
    assert scores(html, "names") == [score]


def test_comments_have_weights_of_their_own() -> None:
    body = "<div class='comment story'><p>x</p></div><p>y</p>"
    assert scores(body, "comment_names") == [4, 0]
    assert scores(body, "names") == [2, 0]
    columns = columns_of("<p class=story>Read more")
    assert [columns[name] for name in GROUPS["words"]] == [[0]] * 4, "no weights"
