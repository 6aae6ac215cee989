"""The container rule: which containers stay, and which gaps in them are filled."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news.container import BestContainers, FillContainers
from scrapy_boilerplate.page.labels import Labeling
from tests.builders import (
    all_content,
    document,
    filler,
    page_of,
    paragraphs,
    run,
    sentences,
    true_at,
    with_content,
)


@pytest.mark.parametrize(
    ("words", "share", "kept"),
    [
        pytest.param(25, None, [0, 1, 2, 3], id="a quarter of the best stays"),
        pytest.param(24, None, [0, 1], id="less than a quarter goes"),
        pytest.param(60, 0.7, [0, 1], id="another share"),
    ],
)
def test_share_of_the_best_container(words: int, share: float | None, kept: list[int]) -> None:
    page = page_of(f"<div>{paragraphs(60, 40)}</div><div>{paragraphs(words - 1, 1)}</div>")
    step = BestContainers() if share is None else BestContainers(share=share)
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
    kept = true_at(BestContainers()(page, all_content(page)).content)
    assert kept == list(range(len(page) - 2))


def test_no_content_no_change() -> None:
    page = page_of(paragraphs(5))
    labeling = Labeling.blank(1)
    assert run(page, labeling, BestContainers(), FillContainers()) is labeling


@pytest.mark.parametrize(
    ("blocks", "content", "filled"),
    [
        pytest.param((30, 3, 30), [0, 2], [0, 1, 2], id="a gap"),
        pytest.param((30, (4, 2), 30), [0, 2], [0, 2], id="a gap of links stays"),
        pytest.param((30, (10, 3), 30), [0, 2], [0, 1, 2], id="under a third of links is filled"),
        pytest.param((30, (6, 2), 30), [0, 2], [0, 2], id="a third of links is too much"),
        pytest.param((17, 30, 30), [1, 2], [0, 1, 2], id="17 words before the text"),
        pytest.param((16, 30, 30), [1, 2], [1, 2], id="16 words before the text"),
        pytest.param((30, 30, 17), [0, 1], [0, 1, 2], id="17 words after the text"),
    ],
)
def test_fill(
    blocks: tuple[int | tuple[int, int], ...], content: list[int], filled: list[int]
) -> None:
    page = page_of(f"<div>{paragraphs(*blocks)}</div>")
    labeling = run(page, with_content(page, *content), BestContainers(), FillContainers())
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
