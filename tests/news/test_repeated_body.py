"""A second copy of the body is removed; a text that repeats a little stays."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.content import RepeatedBody
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
    "a part of it": (body(*"abcd") + body("b"), [0, 1, 2, 3]),
    "twice under one parent": (f"<p>{text('a')}</p>" * 2, [0, 1]),
    "nothing twice": (body(*"ab") + body(*"cd"), [0, 1, 2, 3]),
    "new text beside the copy": (body(*"abc") + body("a", "b", "x"), [0, 1, 2, 5]),
    "joined in one block": (body(*"abc") + f"<div><p>{text('a')} {text('b')}</p></div>", [0, 1, 2]),
    "cut in small blocks": (
        body("a", "b") + f"<section><p>{text('a', 12)}</p><p>{text('b', 12)}</p></section>",
        [0, 1],
    ),
    "Chinese": ("<div><p>这座桥在九个月的修理之后重新开放市长说很高兴</p></div>" * 2, [0]),
}


@pytest.mark.parametrize(("html", "content"), COPIES.values(), ids=COPIES.keys())
def test_copies(html: str, content: list[int]) -> None:
    assert remaining(html) == content


def test_only_content_counts() -> None:
    html = body(*"abc") + body(*"abc")
    assert remaining(html, 0, 1, 2) == [0, 1, 2]
    assert remaining(html, 3, 4, 5) == [3, 4, 5]


def parts(first: str, words: int) -> str:
    """A text, and a longer one of so many words."""
    return f"<section><p>{first}</p></section><div><p>{text('a', words)}</p></div>"


PARTS = {
    # a text that is repeated in part, words of the longer text, whether it stays
    "under a fifth of the words": (text("a", 19), 100, True),
    "a fifth": (text("a", 20), 100, False),
    "3 runs": (text("a", 6), 20, True),
    "4 runs": (text("a", 7), 20, False),
    "2 of 21 runs new": (f"{text('a', 22)} x y", 60, False),
    "3 of 21 runs new": (f"{text('a', 21)} x y z", 60, True),
}


@pytest.mark.parametrize(("first", "words", "stays"), PARTS.values(), ids=PARTS)
def test_what_makes_a_copy(first: str, words: int, stays: bool) -> None:
    assert remaining(parts(first, words)) == ([0, 1] if stays else [1])


def test_any_part_can_be_asked_for() -> None:
    assert remaining(parts(text("a", 10), 100), step=RepeatedBody(min_part=0.0)) == [1]
