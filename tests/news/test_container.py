"""The container rule: which containers stay, and which gaps in them are filled."""

from dataclasses import replace
from typing import Any

import pytest

from scrapy_boilerplate import Labeling, extract
from tests.builders import (
    Block,
    all_content,
    document,
    filler,
    page_of,
    paragraphs,
    run,
    sentences,
    step_of,
    true_at,
    with_content,
)

BEST = step_of("container", "best-containers")
FILL = step_of("container", "fill-containers")


@pytest.mark.parametrize(
    ("words", "step", "kept"),
    [
        (25, BEST, [0, 1, 2, 3]),
        (24, BEST, [0, 1]),
        (60, replace(BEST, share=0.7), [0, 1]),
    ],
)
def test_share_of_the_best_container(words: int, step: Any, kept: list[int]) -> None:
    page = page_of(f"<div>{paragraphs(60, 40)}</div><div>{paragraphs(words - 1, 1)}</div>")
    assert true_at(step(page, all_content(page)).content) == kept


SIDE = f"<aside>{paragraphs(5, 5)}</aside>"

CONTAINERS = {
    "div": f"<div>{paragraphs(30, 30)}</div>",
    "each paragraph in a wrapper": f"<div>{2 * f'<div>{paragraphs(30)}</div>'}</div>",
    "list": f"<div>{paragraphs(40)}<ul><li>{filler(10)}<li>{filler(10)}</ul></div>",
}


@pytest.mark.parametrize("text", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_blocks_of_the_text_share_a_container(text: str) -> None:
    page = page_of(f"<body>{text}{SIDE}</body>")
    kept = true_at(BEST(page, all_content(page)).content)
    assert kept == list(range(len(page) - 2))


def test_no_content_no_change() -> None:
    page = page_of(paragraphs(5))
    labeling = Labeling.blank(1)
    assert run(page, labeling, BEST, FILL) is labeling


FILLED = {
    "a gap": ((30, 3, 30), [0, 2], [0, 1, 2]),
    "a gap of links stays": ((30, (4, 2), 30), [0, 2], [0, 2]),
    "under a third of links is filled": ((30, (10, 3), 30), [0, 2], [0, 1, 2]),
    "a third of links is too much": ((30, (6, 2), 30), [0, 2], [0, 2]),
    "17 words before the text": ((17, 30, 30), [1, 2], [0, 1, 2]),
    "16 words before the text": ((16, 30, 30), [1, 2], [1, 2]),
    "17 words after the text": ((30, 30, 17), [0, 1], [0, 1, 2]),
}


@pytest.mark.parametrize(("blocks", "content", "filled"), FILLED.values(), ids=FILLED)
def test_fill(blocks: tuple[Block, ...], content: list[int], filled: list[int]) -> None:
    page = page_of(f"<div>{paragraphs(*blocks)}</div>")
    labeling = run(page, with_content(page, *content), BEST, FILL)
    assert true_at(labeling.content) == filled


ARTICLE = f"<article><h1>Rain in May</h1>{''.join(f'<p>{sentences(40, t)}</p>' for t in 'abc')}"


BESIDE = {
    "navigation": f"<nav>{paragraphs(40, 40)}</nav>",
    "banner": f"<div role=banner>{paragraphs(40, 40)}</div>",
    "consent": f"<div class=cookie-note>{paragraphs(40, 40)}</div>",
    "advertisement": f"<div class='box ads'>{paragraphs(40, 40)}</div>",
    "links": f"<ul>{'<li><a href=/x>word word word</a>' * 40}</ul>",
    "a short teaser box": f"<div class=anything>{paragraphs(12, 12)}</div>",
}


def text_of(body: str) -> str:
    return extract(document(body, title="Rain in May"), extractor="container").text


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_keeps_the_article_alone(beside: str) -> None:
    article = f"{ARTICLE}</article>"
    expected = "\n\n".join(sentences(40, topic) for topic in "abc")
    assert text_of(beside + article) == text_of(article + beside) == expected
