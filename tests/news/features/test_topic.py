"""Columns that compare the words of blocks with the title, the description and the main text."""

from __future__ import annotations

from math import log

import pytest

from tests.builders import document, filler
from tests.news.features.columns import check, columns_of, log1p


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
def test_words_of_any_script(title: str, text: str, words: int) -> None:
    columns = columns_of(document(f"<p>{text}</p>", title))
    assert columns["topic_title_words"] == pytest.approx(log1p(words))
