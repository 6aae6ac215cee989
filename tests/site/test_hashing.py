"""Numbers for texts: of each text alone, whatever stands beside it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.site.hashing import (
    hash_of,
    hashes_of,
    normalised,
    without_digits,
    word_hashes,
)

TEXTS = st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=8)
WORDS = st.lists(st.text(min_size=1, max_size=12), max_size=8)


@given(TEXTS)
def test_texts_are_normalised_one_by_one(texts: list[str]) -> None:
    zeros = str.maketrans("123456789", "000000000")
    assert normalised(texts) == [text.casefold().translate(zeros) for text in texts]
    gone = str.maketrans("", "", "0123456789")
    assert without_digits(texts) == [text.translate(gone) for text in texts]


@given(TEXTS)
def test_hashes_are_those_of_each_text(texts: list[str]) -> None:
    assert hashes_of(texts).tolist() == [hash_of(text) for text in texts]


@given(WORDS)
def test_words_are_hashed_alike_in_any_company(words: list[str]) -> None:
    alone = [int(word_hashes([word])[0]) for word in words]
    assert word_hashes(words).tolist() == alone
    assert len(set(alone)) == len(set(words))


def test_words_of_the_same_letters_differ() -> None:
    words = ["stop", "pots", "opts", "tops", "post", "spot", "s", "ss", "sss", "\udcff"]
    assert len(np.unique(word_hashes(words))) == len(words)
    assert word_hashes([]).tolist() == []
