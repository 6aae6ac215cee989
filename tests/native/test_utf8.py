"""The native check of UTF-8 against Python's decoder: every lead, every end, every place."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.page.encoding import EXAMPLES, is_utf_8

native: Any = pytest.importorskip("scrapy_boilerplate.native._utf8")

# the bytes at which the rules of UTF-8 change
EDGES = bytes((0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1))
EDGES += bytes((0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF))

CHARACTERS = ["a", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]


def decodes(html: bytes) -> bool:
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("prefix", [b"", b"1234567", b"12345678"])
def test_sequences_of_edges(prefix: bytes) -> None:
    pairs = [bytes(pair) for pair in product(range(0x80, 0x100), EDGES)]
    assert list(map(native.is_utf_8, [prefix + pair for pair in pairs])) == list(
        map(decodes, pairs)
    )


def test_sequences_of_three_and_four() -> None:
    longer = [bytes(rest) for rest in product(EDGES[-12:], EDGES, EDGES)]
    longer += [bytes(rest) for rest in product(EDGES[-6:], EDGES[2:8], EDGES[1:8], EDGES[1:9])]
    assert list(map(native.is_utf_8, longer)) == list(map(decodes, longer))


@pytest.mark.parametrize("character", CHARACTERS)
def test_characters_at_every_place_and_cut(character: str) -> None:
    for length in range(20):
        whole = b"x" * length + character.encode()
        assert native.is_utf_8(whole)
        assert native.is_utf_8(whole + b"y" * 9)
        assert native.is_utf_8(whole[:-1]) == (character.isascii())


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode())))
def test_any_bytes(html: bytes) -> None:
    assert native.is_utf_8(html) == is_utf_8(html) == decodes(html)


def test_examples_of_both_kinds() -> None:
    assert {is_utf_8(example) for example in EXAMPLES} == {True, False}


@pytest.mark.parametrize("other", ["a", None, bytearray(b"a"), 1])
def test_other_objects_are_refused(other: Any) -> None:
    with pytest.raises(TypeError):
        native.is_utf_8(other)
