"""CETR by hand: tag ratios, their smoothing and derivative, clusters."""

from scrapy_boilerplate.systems.tag_ratios.sequences import compute_tag_ratios, count_block_tags
from tests.builders import page_of
from tests.systems.pages import content_of, links, paragraph, words


def test_tags_of_a_block_are_those_of_its_line() -> None:
    page = page_of("<html><body><p>One</p>\n<p>Two <b>x</b> y</p>\n<div><p>Three</p></div></html>")
    assert page.texts == ["One", "Two x y", "Three"]
    # html body p ... /p | p b /b /p | div p ... /p /div /body /html
    assert count_block_tags(page).tolist() == [4, 4, 6]
    assert compute_tag_ratios(page).tolist() == [3 / 4, 7 / 4, 5 / 6]


def test_paragraphs_among_links_are_content() -> None:
    html = links(30) + paragraph(60, "a") + paragraph(50, "b") + paragraph(60, "c") + links(30)
    for extractor in ("cetr-tm", "cetr-km", "cetr"):
        kept = content_of(extractor, html)
        assert {words(60, "a"), words(50, "b"), words(60, "c")} <= set(kept)
        assert kept.count("Link") <= 4  # smoothing and derivative lift neighbours


def test_the_derivative_brings_in_what_stands_before_text() -> None:
    html = links(30) + "<h1>Headline</h1><p>Byline</p>" + paragraph(40) * 6 + links(30)
    assert "Headline" in content_of("cetr", html)
    assert "Headline" not in content_of("cetr-km", html)
