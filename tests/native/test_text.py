"""The native text pass against Python: every character, all strings, blocks of all shapes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.news.features import text as features
from scrapy_boilerplate.page import text as module
from scrapy_boilerplate.page.columns import Blocks, Elements, Leaves
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, count_words, wrap_lines

native: Any = pytest.importorskip("scrapy_boilerplate.native._text")
READER = native.TextReader(module.SCRIPTS)

CHARACTERS = st.one_of(
    st.sampled_from(
        "a1_-\u00e9 \t\n\x0b\x0c\r\x1c\x1f\x85\xa0\u2028\u3000\x00\x08\x0e\x7f\u00ad\u200b"
    ),
    st.sampled_from(
        "\u4e2d\u56fd\u30fb\u3042\u0e01\u0e31\u0e50\u17e1\uff66\ufeff\ufffe\uffff\ud800\udfff"
    ),
    st.sampled_from("\U00010400\U0001d7d8\U0001f600\U00020000\U0003ffff\U00040000\U0010ffff"),
    st.characters(),
    st.characters(categories=["Cs"]),
)
TEXTS = st.lists(CHARACTERS, max_size=24).map("".join)


def count(texts: list[str]) -> list[int]:
    counts = np.full(len(texts), -1, dtype=np.int64)
    READER.count_words(texts, counts)
    return counts.tolist()


def wrap(texts: list[str], width: int) -> list[tuple[int, int]]:
    rows = np.full((len(texts), 2), -1, dtype=np.int64)
    READER.wrap_lines(texts, width, rows)
    return [(int(words), int(lines)) for words, lines in rows]


def page_of(leaves: list[tuple[str, int, bool]], starts: list[int]) -> Page:
    texts, breaks, in_link = (list(column) for column in zip(*leaves, strict=True))
    first = np.array(starts, dtype=np.int64)
    blocks = Blocks(first, np.append(first[1:], len(leaves)), np.zeros_like(first))
    return Page(Elements(), Leaves(texts, breaks=breaks, in_link=in_link), blocks)


def read(page: Page) -> tuple[list[str], list[int], list[int]]:
    columns = np.full((2, len(page)), -1, dtype=np.int64)
    leaves, blocks = page.leaves, page.blocks
    spans = blocks.first_leaf, blocks.end_leaf
    texts = READER.read_blocks(leaves.texts, leaves.breaks, leaves.in_link, *spans, *columns)
    return texts, columns[0].tolist(), columns[1].tolist()


def read_in_python(page: Page) -> tuple[list[str], list[int], list[int]]:
    page = Page(page.elements, page.leaves, page.blocks)
    page.__dict__["_read"] = None
    return page.texts, page.words.tolist(), page.link_words.tolist()


def test_every_character_between_letters_and_alone() -> None:
    characters = list(map(chr, range(sys.maxunicode + 1)))
    around = [f"a{character}b" for character in characters]
    doubled = [character * 7 for character in characters]
    for texts in (characters, around, doubled):
        assert count(texts) == list(map(count_words, texts))


def test_every_character_collapses_alike() -> None:
    leaves = [(f"a{chr(code)} {chr(code)}b", 1, False) for code in range(sys.maxunicode + 1)]
    page = page_of(leaves, list(range(len(leaves))))
    assert read(page)[0] == [collapse(text) for text, _, _ in leaves]


@given(st.lists(TEXTS, max_size=6))
def test_words(texts: list[str]) -> None:
    assert count(texts) == list(map(count_words, texts))
    assert count(texts) == module._count_in_portions(texts).tolist()


@given(st.lists(TEXTS, max_size=4), st.integers(0, 12))
def test_lines(texts: list[str], width: int) -> None:
    assert wrap(texts, width) == [wrap_lines(text, width) for text in texts]


LEAVES = st.lists(st.tuples(TEXTS, st.integers(0, 2), st.booleans()), min_size=1, max_size=8)


@given(LEAVES, st.data())
@settings(max_examples=300)
def test_blocks(leaves: list[tuple[str, int, bool]], data: Any) -> None:
    starts = data.draw(st.sets(st.integers(1, len(leaves) - 1)) if len(leaves) > 1 else st.just(()))
    page = page_of(leaves, [0, *sorted(starts)])
    assert read(page) == read_in_python(page)
    for text in read(page)[0]:
        assert text.encode("utf-8") == collapse(text).encode("utf-8")  # a sound str


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", " \x00 ", "a \x00 b", "\u3000a\x85", "a\x00"]
)
def test_texts_of_nothing(text: str) -> None:
    for leaves in ([(text, 1, True)], [(text, 2, True), (text, 0, False), ("x", 1, True)]):
        page = page_of(leaves, [0])
        assert read(page) == read_in_python(page)


def test_no_blocks() -> None:
    page = Page(Elements(), Leaves())
    assert read(page) == ([], [], [])
    assert page.texts == []


@pytest.mark.parametrize("character", "a\u00e9\u4e2d\U0001f600 ")
def test_long_texts(character: str) -> None:
    long = f"{character}b " * 100_000
    page = page_of([(long, 1, False), (long * 2, 1, True), (long, 0, True), ("x", 2, True)], [0, 1])
    assert read(page) == read_in_python(page)


def test_a_clean_text_is_not_copied() -> None:
    text = "".join(["the ferry ", "sails"])
    assert read(page_of([(text, 1, False)], [0]))[0][0] is text


def test_kinds_of_characters_of_every_text() -> None:
    characters = [chr(code) for code in range(0, sys.maxunicode + 1, 7)]
    texts = [
        "",
        *characters,
        *(first + second for first, second in product("a .\u4e2d\U0001f600", repeat=2)),
    ]
    for actual, expected in zip(
        features._count_natively(READER, texts), features._count_in_portions(texts), strict=True
    ):
        np.testing.assert_array_equal(actual, expected)


@given(st.lists(TEXTS, max_size=6))
def test_kinds_of_characters(texts: list[str]) -> None:
    for actual, expected in zip(
        features._count_natively(READER, texts), features._count_in_portions(texts), strict=True
    ):
        np.testing.assert_array_equal(actual, expected)


WRONG_BLOCKS = {
    "beyond": (["a"], [1], [False], [0], [2]),
    "negative": (["a"], [1], [False], [-1], [1]),
    "no leaf": ([], [], [], [0], [0]),
    "short breaks": (["a"], [], [False], [0], [1]),
    "short links": (["a"], [1], [], [0], [1]),
    "short ends": (["a"], [1], [False], [0], []),
    "bytes": ([b"a"], [1], [False], [0], [1]),
    "none": ([None], [1], [False], [0], [1]),
}


@pytest.mark.parametrize("name", WRONG_BLOCKS)
def test_columns_that_do_not_fit_are_refused(name: str) -> None:
    *leaves, first, end = WRONG_BLOCKS[name]
    spans = [np.array(column, dtype=np.int64) for column in (first, end)]
    with pytest.raises((ValueError, IndexError, TypeError)):
        READER.read_blocks(*leaves, *spans, *np.zeros((2, len(first)), dtype=np.int64))


def test_too_small_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="more texts"):
        READER.count_words(["a", "b"], np.zeros(1, dtype=np.int64))
    with pytest.raises(ValueError, match="more texts"):
        READER.wrap_lines(["a", "b"], 80, np.zeros((1, 2), dtype=np.int64))


def test_a_module_that_computes_something_else_is_not_used() -> None:
    class Wrong:
        @staticmethod
        def TextReader(_: Any) -> Any:  # noqa: N802
            return native.TextReader(())  # no script without spaces

    assert module._agrees(native)
    assert not module._agrees(Wrong)


WORDS = st.sampled_from(
    [
        "a",
        "B b",
        "Straße",
        "ΟΔΟΣ",
        "οδός",
        "İ",
        "i\u0307",
        "-",
        "_x",
        "東京の新",
        "ไทยแลนด์",
        "Ǆ",
        "ß",
    ]
)
GROUPS = st.lists(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=4), min_size=1)


def find_copies(groups: list[list[str]], *arguments: float) -> list[int]:
    numbers = [number for number, group in enumerate(groups, 1) for _ in group]
    texts = [text for group in groups for text in group]
    copies: list[int] = READER.find_copies(texts, np.array(numbers, dtype=np.int64), *arguments)
    return copies


@given(GROUPS, st.integers(1, 5), st.integers(0, 4), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
@example([["a a a a"], [], ["A a A"], ["a"]], 2, 1, 0.9)
def test_copies(groups: list[list[str]], size: int, least: int, share: float) -> None:
    seen: set[tuple[str, ...]] = set()
    place, expected = 0, []
    for group in groups:
        new: set[tuple[str, ...]] = set()
        for text in group:
            words = module.split_words(text.lower().replace("ς", "σ"))
            runs = set(zip(*(words[k:] for k in range(size)), strict=False))
            if len(runs) >= least and len(runs & seen) >= share * len(runs):
                expected.append(place)
            else:
                new |= runs
            place += 1
        seen |= new
    assert find_copies(groups, size, least, share) == expected


def test_copies_among_many_runs() -> None:
    texts = [" ".join(f"{place}-{number}" for number in range(900)) for place in range(20)]
    groups = [[text] for text in (*texts, *texts[::3], "x y z")]
    assert find_copies(groups, 4, 4, 0.9) == list(range(20, 27))


@pytest.mark.parametrize("code", range(0x80, 0x10000, 0x400))
def test_lower_case_of_all_characters(code: int) -> None:
    characters = [chr(c) for c in range(code, code + 0x400) if chr(c).isalpha()]
    for character in characters:
        if character != character.lower():
            groups = [[f"a{character} b"], [f"A{character.lower()} b"]]
            assert find_copies(groups, 2, 1, 1.0) == [1], character


@pytest.mark.parametrize(
    ("texts", "numbers", "size", "message"),
    [
        (["a", "b"], [1], 4, "lengths"),
        (["a"], [0], 4, "order"),
        (["a", "b"], [2, 1], 4, "order"),
        (["a"], [2**31 - 1], 4, "order"),
        (["a"], [1], 0, "lengths"),
    ],
)
def test_groups_that_do_not_fit_are_refused(
    texts: list[str], numbers: list[int], size: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        READER.find_copies(texts, np.array(numbers, dtype=np.int64), size, 4, 0.9)


def test_texts_of_copies_are_str() -> None:
    with pytest.raises(TypeError):
        READER.find_copies([None], np.array([1], dtype=np.int64), 4, 4, 0.9)


WRONG: dict[str, Callable[..., Any]] = {
    "count_words": lambda texts, counts: READER.count_words(["x y", *texts[1:]], counts),
    "read_blocks": lambda texts, *rest: READER.read_blocks(["x y", *texts[1:]], *rest),
    "wrap_lines": lambda texts, width, rows: READER.wrap_lines(texts, width + 1, rows),
    "find_copies": lambda texts, groups, *rest: READER.find_copies(texts, groups * 0 + 1, *rest),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reader_that_reads_something_else_is_not_used(name: str) -> None:
    class Reader:
        def __init__(self, scripts: Any) -> None:
            pass

        def __getattr__(self, method: str) -> Any:
            return WRONG[name] if method == name else getattr(READER, method)

    class Wrong:
        TextReader = Reader

    assert module._agrees(native)
    assert not module._agrees(Wrong)
