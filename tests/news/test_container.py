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
    ("words", "kept"),
    [
        pytest.param(25, [0, 1, 2, 3], id="a quarter of the best stays"),
        pytest.param(24, [0, 1], id="less than a quarter goes"),
    ],
)
def test_share_of_the_best_container(words: int, kept: list[int]) -> None:
    page = page_of(
        f"<div>{paragraphs(60, 40)}</div><div><p>{filler(words - 1)}</p><p>word</p></div>"
    )
    assert true_at(BestContainers()(page, all_content(page)).content) == kept


def test_another_share() -> None:
    page = page_of(f"<div>{paragraphs(60, 40)}</div><div>{paragraphs(30, 30)}</div>")
    kept = true_at(BestContainers(share=0.7)(page, all_content(page)).content)
    assert kept == [0, 1]


SIDE = f"<aside>{paragraphs(5, 5)}</aside>"

CONTAINERS = {
    "div": f"<div>{paragraphs(30, 30)}</div>",
    "table cell": f"<table><tr><td>{paragraphs(30, 30)}</td></tr></table>",
    "font": f"<font>{paragraphs(30, 30)}</font>",
    "each paragraph in a wrapper": f"<div>{2 * f'<div>{paragraphs(30)}</div>'}</div>",
    "list": f"<div>{paragraphs(40)}<ul><li>{filler(10)}<li>{filler(10)}</ul></div>",
    "quotation": f"<div>{paragraphs(50)}<blockquote>{paragraphs(5, 5)}</blockquote></div>",
    "lines of one paragraph": f"<div><p>{filler(10)}<br>{filler(10)}</p>{paragraphs(40)}</div>",
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
        pytest.param((30, 30, 3), [0, 1], [0, 1], id="a short block after the text"),
        pytest.param((3, 30, 30), [1, 2], [1, 2], id="a short block before the text"),
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


def test_gaps_outside_the_best_containers_stay() -> None:
    page = page_of(f"<div>{paragraphs(30)}<div>{paragraphs(3, 3)}</div>{paragraphs(30)}</div>")
    labeling = run(page, with_content(page, 0, 3), BestContainers(), FillContainers())
    assert true_at(labeling.content) == [0, 3]


ARTICLE = f"<article><h1>Rain in May</h1>{''.join(f'<p>{sentences(40, t)}</p>' for t in 'abc')}"


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(f"<nav>{paragraphs(40, 40)}</nav>", id="navigation"),
        pytest.param(f"<footer>{paragraphs(40, 40)}</footer>", id="footer"),
        pytest.param(f"<div role=banner>{paragraphs(40, 40)}</div>", id="banner"),
        pytest.param(f"<div class=cookie-note>{paragraphs(40, 40)}</div>", id="consent"),
        pytest.param(f"<div id=newsletter>{paragraphs(40, 40)}</div>", id="newsletter"),
        pytest.param(f"<div class='box ads'>{paragraphs(40, 40)}</div>", id="advertisement"),
        pytest.param(f"<ul>{'<li><a href=/x>word word word</a>' * 40}</ul>", id="links"),
        pytest.param(f"<div class=anything>{paragraphs(12, 12)}</div>", id="a short teaser box"),
    ],
)
@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
def test_keeps_the_article_alone(beside: str, above: bool) -> None:
    article = f"{ARTICLE}</article>"
    body = beside + article if above else article + beside
    text = extract(document(body, title="Rain in May"), extractor="container").text
    assert text == "\n\n".join(sentences(40, topic) for topic in "abc")


@pytest.mark.parametrize("name", ["loads", "adsorption", "promenade", "cook", "foot", "badsign"])
def test_names_that_only_look_like_boilerplate(name: str) -> None:
    body = f"{ARTICLE}<div class={name}>{paragraphs(60, 60)}</div></article>"
    assert filler(60) in extract(document(body, title="Rain in May"), extractor="container").text


def test_gaps_of_the_article_are_filled() -> None:
    body = f"{ARTICLE}<h2>More rain</h2><p>{sentences(40, 'd')}</p></article>"
    assert (
        "\n\nMore rain\n\n"
        in extract(document(body, title="Rain in May"), extractor="container").text
    )
