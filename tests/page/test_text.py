"""Words, lines and white space of plain text."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate.native.text import read_blocks, scan_words
from scrapy_boilerplate.page.text import (
    LINE_WIDTH,
    collapse,
    compose,
    count_words,
    drop_controls,
    has_words,
    is_blank,
    split_portions,
    split_words,
    wrap_lines,
    wrap_lines_in,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(" \t\n ", [], id="white space"),
        pytest.param("one\u00a0two", ["one", "two"], id="no-break space parts words"),
        pytest.param("don't stop!", ["don't", "stop!"], id="punctuation stays with its word"),
        pytest.param("one - two | ...", ["one", "two"], id="punctuation is no word"),
        pytest.param("(one) «two»", ["one)", "two»"], id="a word starts at a letter"),
        pytest.param("3.14 10%", ["3.14", "10%"], id="numbers are words"),
        pytest.param("café Ærø ñandú", ["café", "Ærø", "ñandú"], id="accents"),
        pytest.param("안녕 하세요", ["안녕", "하세요"], id="hangul has spaces"),
    ],
)
def test_words_of_scripts_with_spaces(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("汉字文", ["汉字", "文"], id="a rest is a word"),
        pytest.param("汉字。文本", ["汉字", "文本"], id="ideographic full stop parts words"),
        pytest.param("。、「」\u30fb", [], id="ideographic punctuation is no word"),
        pytest.param("สวัสดีครับ", ["สวัสด", "ีครับ"], id="five Thai characters a word"),
        pytest.param("iPhone手机", ["iPhone", "手机"], id="Latin then Chinese"),
        pytest.param("one 汉字 two", ["one", "汉字", "two"], id="spaces in mixed text"),
        pytest.param("汉字ไทย", ["汉字", "ไทย"], id="two scripts without spaces"),
        pytest.param("\U00020000\U00020001", ["\U00020000\U00020001"], id="rare Han characters"),
    ],
)
def test_words_of_scripts_without_spaces(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (0, 1), id="empty text is one line without words"),
        pytest.param("a" * 80, (1, 1), id="a word as long as the line"),
        pytest.param("a" * 39 + " " + "b" * 40, (2, 1), id="80 characters fit"),
        pytest.param("a" * 40 + " " + "b" * 40, (1, 1), id="81 characters: one full line"),
        pytest.param(" ".join(["word"] * 17), (16, 1), id="the last line is not counted"),
        pytest.param(" ".join(["word"] * 33), (32, 2), id="three lines: two are full"),
        pytest.param("a" * 200, (0, 1), id="a monster word leaves an empty line before it"),
        pytest.param("one | two", (2, 1), id="only words are wrapped"),
    ],
)
def test_wrapped_lines_at_80_characters(text: str, expected: tuple[int, int]) -> None:
    assert LINE_WIDTH == 80
    assert wrap_lines(text) == expected


def test_wrapped_lines_at_another_width() -> None:
    assert wrap_lines("aa bb cc dd ee", width=5) == (4, 2)
    assert wrap_lines("aa bb cc dd ee", width=4) == (4, 4)


def test_wrapped_lines_of_several_texts_are_those_of_each() -> None:
    for texts in ([], ["", "one two", "three four five six", "汉字文本"]):
        rows = wrap_lines_in(texts, 8)
        assert rows.shape == (len(texts), 2)
        assert list(map(tuple, rows.tolist())) == [wrap_lines(text, 8) for text in texts]


@pytest.mark.parametrize(
    ("text", "collapsed"),
    [
        pytest.param("  one \t\r\n two  ", "one two", id="runs and ends"),
        pytest.param("one\u00a0\u2003two", "one two", id="spaces of Unicode"),
        pytest.param("one\x0ctwo", "one two", id="form feed"),
        pytest.param("on\x00e\x07", "one", id="control characters vanish"),
        pytest.param("one\x00 two", "one two", id="words stay apart"),
        pytest.param("\x01", "", id="nothing but control characters"),
        pytest.param("soft\u00adhyphen", "softhyphen", id="soft hyphens vanish"),
        pytest.param("zero\u200bwidth", "zero\u200bwidth", id="zero-width space stays"),
    ],
)
def test_collapse(text: str, collapsed: str) -> None:
    assert collapse(text) == collapsed
    assert collapse(collapsed) == collapsed


@pytest.mark.parametrize(
    ("text", "composed"),
    [
        pytest.param("cafe", "cafe", id="ASCII"),
        pytest.param("cafe\u0301", "caf\u00e9", id="an accent after its letter"),
        pytest.param("\ufb01\u00b2", "\ufb01\u00b2", id="a ligature and a power stay"),
    ],
)
def test_compose(text: str, composed: str) -> None:
    assert compose(text) == composed


def test_texts_without_controls_can_be_written() -> None:
    element = etree.Element("p")
    element.text = drop_controls("\x00o\x0bn\x1fe\t\ud800two\n\ufffe\U0001f600")
    assert element.text == "one\ttwo\n\U0001f600"


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        pytest.param("", True, id="nothing"),
        pytest.param(" \n\u00a0", True, id="spaces"),
        pytest.param("\u200b\ufeff", True, id="zero width"),
        pytest.param(" \x00\u00ad ", True, id="a control and a soft hyphen"),
        pytest.param("\x1c", True, id="a separator, which is a space to Python"),
        pytest.param("-", False, id="a mark"),
        pytest.param("\u200ba", False, id="a letter"),
    ],
)
def test_blank_texts(text: str, blank: bool) -> None:
    assert is_blank(text) is blank


@pytest.mark.parametrize(
    ("text", "least", "enough"),
    [
        pytest.param("one two", 2, True, id="as many"),
        pytest.param("one two", 3, False, id="fewer"),
        pytest.param("a" * 90 + " two three", 3, True, id="beyond the start"),
        pytest.param("- " * 90 + "one", 2, False, id="marks are no words"),
        pytest.param("汉字文", 2, True, id="without spaces"),
    ],
)
def test_texts_with_enough_words(text: str, least: int, enough: bool) -> None:
    assert has_words(text, least) is enough


def scan_all(texts: list[str]) -> list[int]:
    """Return the words of each text, by the pass over its characters."""
    return [count if count >= 0 else ~count for count in map(scan_words, texts)]


@given(st.lists(st.text(max_size=20), max_size=6))
def test_counts_of_any_texts_are_those_of_each(texts: list[str]) -> None:
    assert scan_all(texts) == [count_words(text) for text in texts]


def test_every_character_is_counted_as_a_pattern_counts_it() -> None:
    """By each: a single one, after a letter, between letters and in a row."""
    characters = list(map(chr, range(0, sys.maxunicode + 1, 3)))
    texts = [f"{character} a{character}b {character * 7}" for character in characters]
    assert scan_all(texts) == list(map(count_words, texts))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], [[]]),
        (["abc"], [["abc"]]),
        (["abc", "def", "g", ""], [["abc", "def"], ["g", ""]]),
        (["abcdefgh", "", "i"], [["abcdefgh"], ["", "i"]]),
    ],
)
def test_portions_of_six_characters(texts: list[str], expected: list[list[str]]) -> None:
    assert [list(portion) for portion in split_portions(texts, 6)] == expected


CHARACTERS = st.sampled_from(
    "ab1_- \t\n\x1c\xa0\u3000\x00\x7f\u00ad\u4e2d\u0e01\ud800\U0001f600\U00020000"
)
LEAVES = st.lists(
    st.tuples(st.text(CHARACTERS, max_size=9), st.integers(0, 2), st.booleans()), min_size=1
)


@given(LEAVES, st.data())
def test_texts_and_words_of_blocks(leaves: list[tuple[str, int, bool]], data: Any) -> None:
    texts, breaks, in_link = map(list, zip(*leaves, strict=True))
    starts = sorted({0, *data.draw(st.sets(st.integers(0, len(leaves) - 1)))})
    ends = [*starts[1:], len(leaves)]
    spans = [np.array(column, dtype=np.int64).tobytes() for column in (starts, ends)]
    read, words, link_words, longest = read_blocks(texts, breaks, in_link, *spans)
    for block, (first, end) in enumerate(zip(starts, ends, strict=True)):
        parts = [
            " " * (leaf > first and breaks[leaf] > 0) + texts[leaf] for leaf in range(first, end)
        ]
        linked = sum(count_words(texts[leaf]) for leaf in range(first, end) if in_link[leaf])
        assert read[block] == collapse("".join(parts))
        assert words[block] == count_words(read[block])
        assert link_words[block] == min(linked, words[block])
        assert longest[block] == max(range(first, end), key=lambda leaf: len(texts[leaf]))


def test_a_block_without_leaves_is_refused() -> None:
    span = np.array([5], dtype=np.int64).tobytes()
    with pytest.raises(IndexError):
        read_blocks(["a"], [0], [False], span, span)
