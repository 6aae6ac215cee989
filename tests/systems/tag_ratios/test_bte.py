from __future__ import annotations

from tests.systems.token_pages import content_of, links, paragraph, words


def test_text_between_links_is_content() -> None:
    html = links(5) + paragraph(20, "first") + paragraph(15, "second") + links(5)
    assert content_of("bte", html) == [words(20, "first"), words(15, "second")]


def test_a_gap_costs_a_word_for_each_tag() -> None:
    for count, expected in [
        (10, ["first"]),  # </p>, eight <div> and <p>: nothing gained
        (11, ["first", "second"]),
    ]:
        html = paragraph(30, "first") + "<div>" * 8 + paragraph(count, "second") + "</div>" * 8
        assert [text.split()[0] for text in content_of("bte", html)] == expected


def test_a_block_is_content_by_the_larger_part_of_its_words() -> None:
    markup = "<i>a</i><i>b</i><i>c</i> "  # three words that cost six tags
    kept = content_of("bte", links(3) + f"<p>{markup}{words(3)}</p>")
    assert kept == ["abc word word word"]
    lost = content_of("bte", f"<p>{markup}one</p><p>{words(9)}</p>")
    assert lost == [words(9)]


def test_a_tag_of_mss_costs_three_and_a_quarter_words() -> None:
    for count, expected in [
        (13, ["first"]),  # </p></div><div><p> costs 13 words
        (14, ["first", "second"]),
    ]:
        html = f"<div>{paragraph(30, 'first')}</div><div>{paragraph(count, 'second')}</div>"
        assert [text.split()[0] for text in content_of("mss", html)] == expected
