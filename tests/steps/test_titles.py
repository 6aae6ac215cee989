"""Which block is the headline, or replaces it."""

import pytest

from scrapy_boilerplate import Label, Labeling, extract
from tests.builders import document, filler, labelled, page_of, paragraphs, step_of, with_content

STEP = step_of("density", "headline-by-title")
SITE = "Rain floods the north - The Daily"


def test_headline_block() -> None:
    for title, body, headline in [
        (SITE, "<h1>Rain floods the north</h1>", 0),  # site name after a dash
        ("The Daily: rain in May", "<h1>Rain in May</h1>", 0),  # site name before
        ("Rain in May", "<p>x</p><h2>RAIN IN MAY!</h2>", 1),  # case, punctuation
        (SITE, "<h1>The Daily</h1><h2>Rain floods the north</h2>", 1),  # h1 logo
        (SITE, "<h1>Rain</h1><p>Rain floods the north</p>", 1),  # the longest
        ("Rain in May", "<p>Rain in May</p><h2>Rain in May</h2>", 1),  # heading
        ("Rain in May", "<h2>Rain in May</h2><h2>Rain in May</h2>", 0),  # first
        ("Rain floods ...", "<h1>Rain floods the north</h1>", 0),  # cut title
        ("北京今天下大雨 - 新闻网", "<h1>新闻网</h1><h2>北京今天下大雨</h2>", 1),  # CJK
        ("Дождь в мае | Газета", "<p>x</p><p>Дождь в мае</p>", 1),  # Cyrillic
        ("Rain in May", "<p>x</p><h1>Quite other words</h1>", 1),  # no match: h1
        ("", "<p>x</p><h1>Rain</h1><h1>Snow</h1>", 1),  # no title: the first h1
        ("Rain in May", f"<p>Rain in May {filler(9)}</p>", None),  # a paragraph
        (SITE, "<h2>The Daily</h2>", None),  # only the site's name
        ("Rain in May", "<h2>Quite other words</h2>", None),  # no match, no h1
        ("", "<p>x</p>", None),  # nothing to go by
        ("| - |", "<p>x</p><p>-</p>", None),  # a title without letters
        ("Rain", "<h1>|</h1>", None),  # an h1 without words
    ]:
        page = page_of(document(body, title=title))
        result = labelled(STEP(page, Labeling.blank(len(page))), Label.HEADLINE)
        assert result == ([] if headline is None else [headline])


@pytest.mark.parametrize(("content", "headline"), [([2], 1), ([4], 3), ([], 1), ([0], 1)])
def test_nearest_h1_without_a_match(content: list[int], headline: int) -> None:
    """The last before the content, else the first."""
    body = f"<p>x</p><h1>One</h1>{paragraphs(20)}<h1>Two</h1>{paragraphs(20)}"
    page = page_of(document(body, title="Quite other words"))
    assert labelled(STEP(page, with_content(page, *content)), Label.HEADLINE) == [headline]


PARTS = {
    "Rain floods the north": "Rain floods the north",
    "Rain floods the north | Daily": "Rain floods the north",
    "Daily — Rain floods the north": "Rain floods the north",
    "Rain-soaked north | Daily": "Rain-soaked north",
    " | ": None,
}


@pytest.mark.parametrize(("title", "headline"), PARTS.items())
def test_longest_part_of_the_title_stands_in(title: str, headline: str | None) -> None:
    assert extract(document("<p>x</p>", title), extractor="container").headline == headline
