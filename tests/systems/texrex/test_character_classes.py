"""Letters, numbers and punctuation by Unicode's categories."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.systems.texrex.features import (
    CLASSES,
    LETTERS,
    NUMBERS,
    PUNCTUATION,
    count_classes,
)


@pytest.mark.parametrize(
    ("text", "letters", "numbers", "punctuation"),
    [
        ("", 0, 0, 0),
        (" \t\n", 0, 0, 0),
        ("Ab1.", 2, 1, 1),
        ("¡¿—_%&", 0, 0, 6),
        ("€+=<>|^`~$", 0, 0, 0),  # symbols
        ("e\u0301\u0308", 1, 0, 0),  # combining marks
        ("हिन्दी", 3, 0, 0),  # vowel signs and the virama are marks
        ("½⅓", 0, 2, 0),
        ("Ⅳⅻ", 0, 2, 0),
        ("²③٣", 0, 3, 0),
        ("日本。", 2, 0, 1),
        ("\U0001d400\U00020000", 2, 0, 0),  # beyond the first plane
        ("\U00010100\U0001f600\U00010141", 0, 1, 1),
        ("\ud800", 0, 0, 0),  # half a pair
    ],
)
def test_by_hand(text: str, letters: int, numbers: int, punctuation: int) -> None:
    counts = count_classes([text])[0]
    assert counts[[LETTERS, NUMBERS, PUNCTUATION]].tolist() == [letters, numbers, punctuation]
    assert counts.sum() == len(text)


def test_no_texts() -> None:
    assert count_classes([]).shape == (0, 4)


@given(st.lists(st.text()))
def test_each_text_is_counted_for_itself(texts: list[str]) -> None:
    wanted = [
        [sum(unicodedata.category(one)[0] == initial for one in text) for initial in CLASSES]
        for text in texts
    ]
    assert count_classes(texts)[:, 1:].tolist() == wanted
