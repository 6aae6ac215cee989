"""Features of the text of a block, in any script, and similar texts."""

from __future__ import annotations

import unicodedata

import pytest

from scrapy_boilerplate.native.features import classify_characters, fold_characters
from scrapy_boilerplate.native.text import CATEGORIES, PLANE
from scrapy_boilerplate.steps.titles import find_title_block
from tests.builders import document, page_of
from tests.news.features.columns import LOG_OF_1, check, columns_of, log1p

LETTERS = "l Udscq/%"
"""A letter for each kind of character: space, letter, upper case, digit, stop, comma, ..."""


def kinds(text: str) -> str:
    """The kind of each character, one letter each."""
    of_characters = classify_characters()
    return "".join(LETTERS[of_characters[ord(character)]] for character in text)


def test_categories_and_lower_case_are_those_of_unicode() -> None:
    folded = fold_characters()
    for code, character in enumerate(map(chr, range(PLANE))):
        category = unicodedata.category(character)
        expected = "U" if category in ("Lu", "Lt") else category[0]
        assert CATEGORIES[code] == ord(expected)
        assert folded[code] == (ord(character.lower()[0]) if category[0] in "LMN" else 0)


SAMPLES = {
    "English": ("Rain, 3 mm.", "Ulllc d lls"),
    "Chinese": ("雨\uff0c3毫米。“好”、", "lcdllsqlqc"),
    "Japanese": ("「雨」、3ミリ。", "qlqcdlls"),
    "Thai": ("ฝน ๓ มม", "ll d ll"),
    "Thai vowels and tones": ("น้ำที่", "llllll"),
    "Arabic": ("مطر، ٣؟ ۔", "lllc ds s"),
    "Arabic vowels": ("مَطَر؛", "lllllc"),
    "Greek": ("Βροχή; «Ναι».", "Ullllc qUllqs"),
    "Greek question mark": ("τι\u037e", "lls"),
    "Russian": ("Дождь — «Да»!", "Ullll / qUlqs"),
    "Hindi": ("बारिश, ३ मिमी।", "lllllc d lllls"),
    "full width": ("\uff01\uff1f\uff1a\uff1b\uff0c\uff5c", "ss/cc/"),
    "title case letter": ("ǅ", "U"),
    "no-break space, zero-width joiner": ("\u00a0\u200d", "  "),
    "symbols": ("€%©°", "%%%%"),
}


def test_kinds_of_characters() -> None:
    for language, (text, expected) in SAMPLES.items():
        assert kinds(text) == expected, language


def test_characters_beyond_the_first_plane_are_spaces() -> None:
    assert kinds("\uffff\U0001f600\U0010ffff") == "   "


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


def test_first_and_last_characters() -> None:
    table = columns_of("<p>3 of us came.</p><p>是。</p><p>क्या?</p>")
    check(table, {"starts_digit": [1, 0, 0], "ends_sentence": [1, 1, 1]})


DESCRIPTION = "The bridge over the river opens again after nine months of repair, the mayor says."


def described(body: str, description: str = DESCRIPTION) -> str:
    """A page with a meta description."""
    return f'<html><head><meta name="description" content="{description}"></head><body>{body}'


def test_in_title() -> None:
    html = document("<h1>Rain in May</h1><p>RAIN</p><p>in</p><p>Snow in May</p>", "Rain in May | X")
    check(columns_of(html), {"in_title": [11 / 15, 4 / 15, 0, 0]})


def test_in_description() -> None:
    body = "<p>The bridge over the river opens</p><p>The bridge</p><p>Nine months of no repair</p>"
    check(columns_of(described(body)), {"in_description": [1, 0, 0]})


def test_holds_the_start_of_the_description() -> None:
    body = f"<p>Our town: {DESCRIPTION}</p><p>{DESCRIPTION[:40]}</p><p>The bridge opens again</p>"
    check(columns_of(described(body)), {"holds_description": [1, 0, 0]})


@pytest.mark.parametrize("description", ["", "The bridge"])
def test_a_short_description_tells_nothing(description: str) -> None:
    table = columns_of(described("<p>The bridge over the river</p>", description))
    check(table, {"in_description": [0], "holds_description": [0]})


def test_blocks_that_start_alike() -> None:
    long = "Read more of what the mayor says about the bridge over the river"
    body = f"<p>{long} today</p><p>More</p><p>{long.upper()}</p><p>more</p><p>{long}</p>"
    check(
        columns_of(document(body)),
        {"same_start": log1p(2, 1, 2, 1, 2), "repeated": [0, 0, 1, 1, 1]},
    )


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


@pytest.mark.parametrize(("body", "title", "block"), TITLES.values(), ids=TITLES.keys())
def test_title_block(body: str, title: str, block: int) -> None:
    html = document(body, title)
    assert find_title_block(page_of(html)) == block
    assert columns_of(html)["is_title"] == [
        float(number == block) for number in range(len(page_of(html)))
    ]
