"""Which block is the headline, or replaces it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.steps.extractor import Step
from scrapy_boilerplate.steps.titles import (
    HeadlineByTitle,
    fold_letters,
    fold_texts,
    lower_texts,
)
from tests.builders import document, filler, labelled, page_of, paragraphs, with_content

STEP: Step = HeadlineByTitle()
SITE = "Rain floods the north - The Daily"


@pytest.mark.parametrize(
    ("title", "body", "headline"),
    [
        pytest.param(SITE, "<h1>Rain floods the north</h1>", 0, id="site name after a dash"),
        pytest.param("The Daily: rain in May", "<h1>Rain in May</h1>", 0, id="site name before"),
        pytest.param("Rain in May", "<p>x</p><h2>RAIN IN MAY!</h2>", 1, id="case, punctuation"),
        pytest.param(SITE, "<h1>The Daily</h1><h2>Rain floods the north</h2>", 1, id="h1 logo"),
        pytest.param(SITE, "<h1>Rain</h1><p>Rain floods the north</p>", 1, id="the longest"),
        pytest.param("Rain in May", "<p>Rain in May</p><h2>Rain in May</h2>", 1, id="heading"),
        pytest.param("Rain in May", "<h2>Rain in May</h2><h2>Rain in May</h2>", 0, id="first"),
        pytest.param("Rain floods ...", "<h1>Rain floods the north</h1>", 0, id="cut title"),
        pytest.param(
            "北京今天下大雨 - 新闻网", "<h1>新闻网</h1><h2>北京今天下大雨</h2>", 1, id="CJK"
        ),
        pytest.param("Дождь в мае | Газета", "<p>x</p><p>Дождь в мае</p>", 1, id="Cyrillic"),
        pytest.param("Rain in May", "<p>x</p><h1>Quite other words</h1>", 1, id="no match: h1"),
        pytest.param("", "<p>x</p><h1>Rain</h1><h1>Snow</h1>", 1, id="no title: the first h1"),
        pytest.param("Rain in May", f"<p>Rain in May {filler(9)}</p>", None, id="a paragraph"),
        pytest.param(SITE, "<h2>The Daily</h2>", None, id="only the site's name"),
        pytest.param("Rain in May", "<h2>Quite other words</h2>", None, id="no match, no h1"),
        pytest.param("", "<p>x</p>", None, id="nothing to go by"),
        pytest.param("| - |", "<p>x</p><p>-</p>", None, id="a title without letters"),
        pytest.param("Rain", "<h1>|</h1>", None, id="an h1 without words"),
    ],
)
def test_headline_block(title: str, body: str, headline: int | None) -> None:
    page = page_of(document(body, title=title))
    result = labelled(STEP(page, Labeling.blank(len(page))), Label.HEADLINE)
    assert result == ([] if headline is None else [headline])


@pytest.mark.parametrize(
    ("content", "headline"),
    [
        pytest.param([2], 1, id="the last h1 before the content"),
        pytest.param([4], 3, id="even after other blocks"),
        pytest.param([], 1, id="without content the first h1"),
        pytest.param([0], 1, id="all below the content: the first h1"),
    ],
)
def test_nearest_h1_without_a_match(content: list[int], headline: int) -> None:
    body = f"<p>x</p><h1>One</h1>{paragraphs(20)}<h1>Two</h1>{paragraphs(20)}"
    page = page_of(document(body, title="Quite other words"))
    assert labelled(STEP(page, with_content(page, *content)), Label.HEADLINE) == [headline]


def test_empty_page_has_no_headline() -> None:
    page = page_of("<title>Rain in May</title>")
    assert labelled(STEP(page, Labeling.blank(0)), Label.HEADLINE) == []


@pytest.mark.parametrize(
    ("title", "headline"),
    [
        pytest.param("Rain floods the north", "Rain floods the north", id="whole"),
        pytest.param("Rain floods the north | Daily", "Rain floods the north", id="bar"),
        pytest.param("Daily — Rain floods the north", "Rain floods the north", id="dash"),
        pytest.param("Rain-soaked north | Daily", "Rain-soaked north", id="hyphen in a word"),
        pytest.param("", None, id="no title"),
        pytest.param(" | ", None, id="nothing but a separator"),
    ],
)
def test_longest_part_of_the_title_stands_in(title: str, headline: str | None) -> None:
    assert extract(document("<p>x</p>", title=title), extractor="container").headline == headline


def test_headline_is_no_part_of_the_text() -> None:
    html = document(f"<h1>Rain in May</h1>{paragraphs(50)}", title="Rain in May")
    result = extract(html, extractor="keep-everything")
    assert (result.headline, result.text) == ("Rain in May", filler(50))


@given(st.lists(st.text().map(lambda text: " ".join(text.split())), min_size=1, max_size=6))
@example(["Ab-c", "D_e 1"])
@example(["ΑΣ", "ΣΑΣ", "straße"])
def test_many_texts_are_as_each(texts: list[str]) -> None:
    assert fold_texts(texts) == list(map(fold_letters, texts))
    assert lower_texts(texts) == list(map(str.lower, texts))
