"""A second copy of the body is removed; a text that repeats a little stays."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.content import MIN_PART, RepeatedBody
from tests.builders import document, page_of
from tests.news.scored_pages import after, kept

TOPICS = "bridge river ferry mayor school market harbour library".split()


def text(topic: str, words: int = 24) -> str:
    """A text of so many words, none of whose runs is in a text of another topic."""
    return " ".join(f"{topic}{number}" for number in range(words))


def body(*topics: str, words: int = 24) -> str:
    return "<div>" + "".join(f"<p>{text(topic, words)}</p>" for topic in topics) + "</div>"


def remaining(html: str, *content: int, step: RepeatedBody | None = None) -> list[int]:
    """The content after the step; all blocks are content before it, unless `content` says."""
    page = page_of(document(html))
    labeling = kept(page, [0.9] * len(page), *(content or range(len(page))))
    return after(step or RepeatedBody(), page, labeling)


COPIES = {
    "the body twice": (body(*"abc") + body(*"abc"), [0, 1, 2]),
    "the longer one stays": (body("a", "b") + body(*"abc"), [2, 3, 4]),
    "three times": (body(*"ab") * 3, [0, 1]),
    "a part of it": (body(*"abcd") + body("b"), [0, 1, 2, 3]),
    "twice under one parent": (f"<p>{text('a')}</p>" * 2, [0, 1]),
    "nothing twice": (body(*"ab") + body(*"cd"), [0, 1, 2, 3]),
    "new text beside the copy": (body(*"abc") + body("a", "b", "x"), [0, 1, 2, 5]),
    "joined in one block": (
        body(*"abc") + f"<div><p>{text('a')} {text('b')}</p></div>",
        [0, 1, 2],
    ),
    "cut in small blocks": (
        body("a", "b") + f"<section><p>{text('a', 12)}</p><p>{text('b', 12)}</p></section>",
        [0, 1],
    ),
    "case does not count": (body("a", "b") + body("A", "B"), [0, 1]),
}


@pytest.mark.parametrize(("html", "content"), COPIES.values(), ids=COPIES.keys())
def test_copies(html: str, content: list[int]) -> None:
    assert remaining(html) == content


def test_only_content_counts() -> None:
    html = body(*"abc") + body(*"abc")
    assert remaining(html, 0, 1, 2) == [0, 1, 2]
    assert remaining(html, 3, 4, 5) == [3, 4, 5]


@pytest.mark.parametrize(
    ("words", "stays"),
    [pytest.param(19, True, id="under a fifth"), pytest.param(20, False, id="a fifth")],
)
def test_a_summary_repeated_is_kept(words: int, stays: bool) -> None:
    """Fewer words than a fifth of what stays are no body; MIN_PART."""
    assert MIN_PART == 0.2
    html = f"<section><p>{text('a', words)}</p></section><div><p>{text('a', 100)}</p></div>"
    assert remaining(html) == ([0, 1] if stays else [1])


def test_any_part_can_be_asked_for() -> None:
    html = f"<section><p>{text('a', 10)}</p></section><div><p>{text('a', 100)}</p></div>"
    assert remaining(html, step=RepeatedBody(min_part=0.0)) == [1]


@pytest.mark.parametrize(
    ("words", "stays"),
    [pytest.param(6, True, id="3 runs"), pytest.param(7, False, id="4 runs")],
)
def test_short_blocks_are_never_copies(words: int, stays: bool) -> None:
    html = f"<section><p>{text('a', words)}</p></section><div><p>{text('a', 20)}</p></div>"
    assert remaining(html) == ([0, 1] if stays else [1])


@pytest.mark.parametrize(
    ("new", "stays"),
    [pytest.param(2, False, id="2 of 21 runs new"), pytest.param(3, True, id="3 of 21 runs new")],
)
def test_nine_tenths_of_the_runs_make_a_copy(new: int, stays: bool) -> None:
    copy = f"{text('a', 24 - new)} {text('x', new)}"
    html = f"<section><p>{copy}</p></section><div><p>{text('a', 60)}</p></div>"
    assert remaining(html) == ([0, 1] if stays else [1])


@pytest.mark.parametrize(
    "sentence",
    [
        "这座桥在九个月的修理之后重新开放市长说很高兴",
        "สะพานข้ามแม่น้ำเปิดอีกครั้งหลังจากซ่อมแซมเก้าเดือนนายกกล่าว",
    ],
    ids=["Chinese", "Thai"],
)
def test_copies_in_scripts_without_spaces(sentence: str) -> None:
    html = f"<div><p>{sentence}</p></div>" * 2
    assert remaining(html) == [0]
