"""Hashes of texts do not depend on the other texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.page.text import PORTION
from scrapy_boilerplate.site.hashing import hash_texts

TEXTS = st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=8)


@given(TEXTS)
def test_texts_are_hashed_alike_in_any_company(texts: list[str]) -> None:
    alone = [int(hash_texts([text])[0]) for text in texts]
    assert hash_texts(texts).tolist() == alone
    assert len(set(alone)) == len(set(texts))


def test_hashes_stay_what_they_are() -> None:
    """Stores hold them: another hash needs another `codec.VERSION`."""
    hashes = [0, 7247738914666652423, 10006692241979232190]
    assert hash_texts(["", "a", "the ferry"]).tolist() == hashes


def test_portions_of_a_long_page_are_hashed_alike() -> None:
    texts = [f"line {number} " * 40 for number in range(3_000)]
    assert sum(map(len, texts)) > PORTION
    assert hash_texts(texts)[-1] == hash_texts(texts[-1:])[0]
