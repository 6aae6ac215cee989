"""CETR by hand: tag ratios, their smoothing and derivative, clusters."""

import pytest

from scrapy_boilerplate.systems.tag_ratios.sequences import compute_tag_ratios, count_block_tags
from scrapy_boilerplate.systems.tag_ratios.text_density import ElementCounts
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


def test_simple_density_leaves_links_out() -> None:
    page = page_of(
        "<html><head><title>No text</title></head><body><div><p>ten chars!<script>x</script></p>"
        "<p>five5 <a>link</a> ten<b> chars!</b></p></div><ul><li><a>one</a></li></ul></body></html>"
    )
    density = ElementCounts(page).simple_density[[4, 6, 7]].tolist()  # of p, p and its a
    assert density == [10, 14 / 2, 0]


@pytest.mark.parametrize("extractor", ["cetd", "text-density"])
def test_article_among_links(extractor: str) -> None:
    article = "<div>" + paragraph(60, "a") + paragraph(40, "b") + "<h2>Heading</h2></div>"
    kept = content_of(extractor, links(10) + article + links(20))
    assert kept == [words(60, "a"), words(40, "b"), "Heading"]


def test_links_of_a_second_root_stay_in_it() -> None:
    """libxml2 makes elements after ``</html>`` another root."""
    elements = ElementCounts(page_of("<meta></html><a>n</a><p>m</p>"))
    assert elements.elements.tags == ["html", "head", "html", "body", "a", "p"]
    assert list(elements.link_tag_counts) == [0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("extractor", "before", "between", "least"),
    [
        ("bte", "", "<div>" * 8, 11),  # </p>, eight <div> and <p>
        ("mss", "<div>", "</div><div>", 14),  # </p></div><div><p>, a tag costs 3.25 words
    ],
)
def test_a_gap_costs_words_for_each_tag(
    extractor: str, before: str, between: str, least: int
) -> None:
    for count, expected in [(least - 1, ["first"]), (least, ["first", "second"])]:
        html = before + paragraph(30, "first") + between + paragraph(count, "second")
        texts = content_of(extractor, links(5) + html + "</div>" * 8 + links(5))
        assert [text.split()[0] for text in texts] == expected


def test_a_block_is_content_by_the_larger_part_of_its_words() -> None:
    markup = "<i>a</i><i>b</i><i>c</i> "  # three words that cost six tags
    kept = content_of("bte", links(3) + f"<p>{markup}{words(3)}</p>")
    assert kept == ["abc word word word"]
    lost = content_of("bte", f"<p>{markup}one</p><p>{words(9)}</p>")
    assert lost == [words(9)]


def test_the_threshold_of_blurring_is_the_share_of_text() -> None:
    for plain_words, kept in [
        (4, False),  # with the bold one five words to two tags: .71
        (6, True),  # seven to two: .78
    ]:
        html = "<p>" + f"{words(plain_words)} <b>bold</b> " * 40 + "</p>"
        assert bool(content_of("ccb", html)) == kept


def test_dsc_keeps_the_longest_section_and_adsc_all() -> None:
    html = links(10) + paragraph(40, "first") + links(10) + paragraph(30, "second") + links(10)
    assert content_of("dsc", html) == [words(40, "first")]
    assert content_of("adsc", html) == [words(40, "first"), words(30, "second")]
