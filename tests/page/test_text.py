"""Words, lines and white space of the texts of a page."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import extract
from scrapy_boilerplate.native.text import read_blocks, scan_words
from scrapy_boilerplate.page.text import collapse, count_words
from tests.builders import block_texts, filler, page_of

WORDS = {
    "white space": (" \t\n ", []),
    "no-break space": ("one\u00a0two", ["one", "two"]),
    "punctuation": ("don't stop! - two | ...", ["don't", "stop!", "two"]),
    "a word starts at a letter": ("(one) «two»", ["one)", "two»"]),
    "numbers": ("3.14 10%", ["3.14", "10%"]),
    "accents": ("café Ærø ñandú", ["café", "Ærø", "ñandú"]),
    "hangul has spaces": ("안녕 하세요", ["안녕", "하세요"]),
    "a rest of Chinese": ("汉字文", ["汉字", "文"]),
    "ideographic full stop": ("汉字。文本", ["汉字", "文本"]),
    "ideographic punctuation": ("。、「」\u30fb", []),
    "five Thai characters a word": ("สวัสดีครับ", ["สวัสด", "ีครับ"]),
    "Latin then Chinese": ("iPhone手机", ["iPhone", "手机"]),
    "two scripts without spaces": ("汉字ไทย", ["汉字", "ไทย"]),
    "rare Han characters": ("\U00020000\U00020001", ["\U00020000\U00020001"]),
}


@pytest.mark.parametrize(("text", "words"), WORDS.values(), ids=WORDS)
def test_words(text: str, words: list[str]) -> None:
    assert page_of(f"<p>{text}").words.tolist() == [len(words)] * bool(text.strip())


LINES = {
    # text, words on full lines and number of full lines
    "a word as long as the line": ("a" * 80, (1, 1)),
    "80 characters fit": ("a" * 39 + " " + "b" * 40, (2, 1)),
    "81 characters: one full line": ("a" * 40 + " " + "b" * 40, (1, 1)),
    "the last line is not counted": (filler(33), (32, 2)),
    "a monster word leaves an empty line before it": ("a" * 200, (0, 1)),
    "only words are wrapped": ("one | two", (2, 1)),
}


@pytest.mark.parametrize(("text", "expected"), LINES.values(), ids=LINES)
def test_wrapped_lines_at_80_characters(text: str, expected: tuple[int, int]) -> None:
    page = page_of(f"<p>one</p><p>{text}")
    assert (page.full_line_words[1], page.full_lines[1]) == expected


COLLAPSED = {
    "runs and ends": ("  one \t\r\n two\x0cthree  ", "one two three"),
    "spaces of Unicode": ("one\u00a0\u2003two", "one two"),
    "control characters vanish": ("on\x00e\x07", "one"),
    "words stay apart": ("one\x00 two", "one two"),
    "soft hyphens vanish": ("soft\u00adhyphen", "softhyphen"),
    "zero-width space stays": ("zero\u200bwidth", "zero\u200bwidth"),
}


@pytest.mark.parametrize(("text", "collapsed"), COLLAPSED.values(), ids=COLLAPSED)
def test_collapse(text: str, collapsed: str) -> None:
    assert block_texts(f"<p>{text}") == [collapsed]


@pytest.mark.parametrize("marks", [29, 30, 31, 100])
@pytest.mark.parametrize("before", ["a", "word “a” " * 9 + "a"])
def test_combining_marks_of_one_letter(before: str, marks: int) -> None:
    kept = before + "\u0316" * min(marks, 30)
    text = f"{before}{marks * chr(0x316)} b\u0316 cafe\u0301 \ufb01²"
    assert extract(f"<p>{text}", extractor="keep-everything").text == f"{kept} b\u0316 café \ufb01²"


def test_texts_without_controls_can_be_written() -> None:
    html = f"<p>\x0bn\x1fe\ud800two\ufffe\U0001f600 {filler(30)}"
    assert (
        extract(html, extractor="keep-everything").html == f"<p>n e?two\U0001f600 {filler(30)}</p>"
    )


@pytest.mark.parametrize("text", ["", " \n\u00a0", "\u200b\ufeff", " \x00\u00ad ", "\x1c"])
def test_blank_texts(text: str) -> None:
    assert block_texts(f"<p>{text}</p>") == []
    assert len(block_texts(f"<p>{text}-</p>")) == 1


def scan_all(texts: list[str]) -> list[int]:
    return [count if count >= 0 else ~count >> 1 for count in map(scan_words, texts)]


def test_every_character_is_counted_as_a_pattern_counts_it() -> None:
    """By each: a single one, after a letter, between letters and in a row."""
    characters = list(map(chr, range(0, sys.maxunicode + 1, 3)))
    texts = [f"{character} a{character}b {character * 7}" for character in characters]
    assert scan_all(texts) == list(map(count_words, texts))


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
