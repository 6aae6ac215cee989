"""Hashes of texts do not depend on the other texts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.page.text import PORTION
from scrapy_boilerplate.site.hashing import (
    hash_texts,
    normalise_texts,
    remove_digits,
)

TEXTS = st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=8)


@given(TEXTS)
def test_texts_are_normalised_one_by_one(texts: list[str]) -> None:
    zeros = str.maketrans("123456789", "000000000")
    assert normalise_texts(texts) == [text.casefold().translate(zeros) for text in texts]
    gone = str.maketrans("", "", "0123456789")
    assert remove_digits(texts) == [text.translate(gone) for text in texts]


@given(TEXTS)
def test_texts_are_hashed_alike_in_any_company(texts: list[str]) -> None:
    alone = [int(hash_texts([text])[0]) for text in texts]
    assert hash_texts(texts).tolist() == alone
    assert len(set(alone)) == len(set(texts))


def test_texts_of_the_same_letters_differ() -> None:
    texts = ["stop", "pots", "opts", "tops", "post", "spot", "", "s", "ss", "sss", "\udcff"]
    assert len(np.unique(hash_texts(texts))) == len(texts)
    assert hash_texts([]).tolist() == []


def test_hashes_stay_what_they_are() -> None:
    """Stores hold them: another hash needs another `codec.VERSION`."""
    hashes = [0, 7247738914666652423, 10006692241979232190]
    assert hash_texts(["", "a", "the ferry"]).tolist() == hashes


def test_portions_of_a_long_page_are_hashed_alike() -> None:
    texts = [f"line {number} " * 40 for number in range(3_000)]
    assert sum(map(len, texts)) > PORTION
    assert hash_texts(texts)[-1] == hash_texts(texts[-1:])[0]
